//! Appending and reading: conditions, claims, order, pages.

use baton_kernel::Millis;

use super::{all, eight, kept, one, simple, stream};
use crate::{Append, FIRST, Fault, Ledger, Limit, NewEvent, NewHead, ReadFrom, Record, Refused};

pub(super) fn come_back(ledger: &dyn Ledger) {
    assert_eq!(all(ledger), [], "a new ledger is empty");
    let events = vec![
        NewEvent { kind: "sent".into(), body: b"\0\xff any bytes".to_vec(), payload: Some(b"text".to_vec()) },
        NewEvent { kind: String::new(), body: Vec::new(), payload: None },
    ];
    let append = Append { at: Millis(7), events: events.clone(), ..simple("a stream / ü", 0) };
    let appended = kept(ledger, append);
    kept(ledger, simple("other", 0));
    let records = stream(ledger, "a stream / ü");
    assert_eq!(records.len(), 2);
    assert_eq!((appended.seq, appended.position, appended.hash), (2, 2, records[1].hash));
    for (record, (event, number)) in records.iter().zip(events.into_iter().zip(1..)) {
        assert_eq!((record.seq, record.position, record.at), (number, number, Millis(7)));
        assert_eq!((&record.kind, &record.body), (&event.kind, &event.body));
        let bytes = record.payload.as_ref().and_then(|payload| payload.bytes.clone());
        assert_eq!(bytes, event.payload);
        assert_eq!(record.hash, record.computed());
    }
    assert_eq!((records[0].previous, records[1].previous), (FIRST, records[0].hash));
    assert_eq!(all(ledger).len(), 3);
    assert_eq!(all(ledger)[..2], records);
    assert_eq!(stream(ledger, "nobody"), []);
}

pub(super) fn sequence(ledger: &dyn Ledger) {
    let refused =
        |expected, actual| Err(Refused::WrongSequence { stream: "run".to_owned(), expected, actual });
    assert_eq!(one(ledger, simple("run", 1)), refused(1, 0));
    kept(ledger, simple("run", 0));
    assert_eq!(one(ledger, simple("run", 0)), refused(0, 1));
    assert_eq!(one(ledger, simple("run", 2)), refused(2, 1));
    kept(ledger, simple("run", 1));
    assert_eq!(all(ledger).len(), 2);
}

pub(super) fn apart(ledger: &dyn Ledger) {
    let batch = vec![simple("a", 0), simple("a", 0), simple("a", 1), simple("b", 0), simple("c", 5)];
    let answers = ledger.append(batch).expect("the store works");
    let kept: Vec<bool> = answers.iter().map(Result::is_ok).collect();
    assert_eq!(kept, [true, false, true, true, false]);
    let order: Vec<(String, u64)> =
        all(ledger).into_iter().map(|record| (record.stream, record.seq)).collect();
    assert_eq!(order, [("a".to_owned(), 1), ("a".to_owned(), 2), ("b".to_owned(), 1)]);
    assert!(ledger.append(Vec::new()).expect("the store works").is_empty());
}

// proves S-05: an idempotency key counts once, whoever brings it.
pub(super) fn claims(ledger: &dyn Ledger) {
    let claim = |stream: &str, expected, claims: &[&str]| Append {
        claims: claims.iter().map(|&claim| claim.to_owned()).collect(),
        ..simple(stream, expected)
    };
    let taken = |claim: &str, stream: &str| {
        Err(Refused::ClaimTaken { claim: claim.to_owned(), stream: stream.to_owned() })
    };
    kept(ledger, claim("a", 0, &["one", "two"]));
    assert_eq!(one(ledger, claim("b", 0, &["three", "two"])), taken("two", "a"));
    assert_eq!(one(ledger, claim("a", 1, &["one"])), taken("one", "a"));
    assert_eq!(one(ledger, claim("b", 0, &["four", "four"])), taken("four", "b"));
    // What was refused claims nothing.
    kept(ledger, claim("b", 0, &["three", "four"]));
    assert_eq!(one(ledger, claim("c", 0, &["three"])), taken("three", "b"));
}

// proves S-05
pub(super) fn racing_claims(ledger: &dyn Ledger) {
    for round in 0..20 {
        let winners = eight(|number| {
            let claims = vec![format!("task {round}")];
            one(ledger, Append { claims, ..simple(&format!("{round} {number}"), 0) }).is_ok()
        });
        assert_eq!(winners.iter().filter(|&&won| won).count(), 1, "of eight claims one wins");
    }
    assert_eq!(all(ledger).len(), 20);
}

pub(super) fn racing_appends(ledger: &dyn Ledger) {
    for round in 0..20 {
        let winners = eight(|_| one(ledger, simple("run", round)).is_ok());
        assert_eq!(winners.iter().filter(|&&won| won).count(), 1, "of eight appends one wins");
    }
    assert_eq!(stream(ledger, "run").len(), 20);
}

pub(super) fn refused_whole(ledger: &dyn Ledger) {
    kept(ledger, Append { claims: vec!["taken".into()], ..simple("a", 0) });
    let payload = NewEvent { kind: "sent".into(), body: Vec::new(), payload: Some(b"never kept".to_vec()) };
    let append = Append {
        events: vec![payload],
        claims: vec!["free".into(), "taken".into()],
        head: Some(NewHead {
            labels: vec!["never".into()],
            due: Some(Millis(1)),
            summary: b"never".to_vec(),
        }),
        ..simple("b", 0)
    };
    assert!(one(ledger, append).is_err());
    assert_eq!(all(ledger).len(), 1);
    assert_eq!(super::find(ledger, &["never"]), []);
    assert_eq!(ledger.due(Millis(9), Limit(9)).expect("the store works"), []);
    kept(ledger, Append { claims: vec!["free".into()], ..simple("b", 0) });
    let erasure = crate::Erasure { digests: vec![crate::digest(b"never kept")], ..Default::default() };
    let erase = Append { events: vec![erasure.event()], erase: erasure.digests, ..simple("b", 1) };
    assert!(matches!(one(ledger, erase), Err(Refused::UnknownPayload { .. })));
}

pub(super) fn misuse(ledger: &dyn Ledger) {
    let wrong = [
        Append { events: Vec::new(), ..simple("run", 0) },
        simple("", 0),
        simple("two\nlines", 0),
        simple(&"long ".repeat(1000), 0),
        Append { at: Millis(u64::MAX), ..simple("run", 0) },
        Append { head: Some(NewHead { summary: vec![0; 4097], ..NewHead::default() }), ..simple("run", 0) },
    ];
    for append in wrong {
        let error = ledger.append(vec![simple("good", 0), append]).expect_err("it has no meaning");
        assert_eq!(error.fault(), Fault::Caller);
    }
    assert_eq!(all(ledger), [], "nothing of such a batch is kept");
}

pub(super) fn paging(ledger: &dyn Ledger) {
    for expected in (0..30).step_by(3) {
        let event = |kind: &str| NewEvent { kind: kind.to_owned(), ..NewEvent::default() };
        let events = vec![event("a"), event("b"), event("c")];
        kept(ledger, Append { events, ..simple("run", expected) });
        kept(ledger, simple("between", expected / 3));
    }
    let of_stream = |after| ReadFrom::Stream { stream: "run".to_owned(), after };
    assert_eq!(paged(ledger, of_stream, |record| record.seq), stream(ledger, "run"));
    assert_eq!(paged(ledger, |after| ReadFrom::Position { after }, |record| record.position), all(ledger));
    for from in [of_stream(30), of_stream(u64::MAX), ReadFrom::Position { after: u64::MAX }] {
        assert_eq!(ledger.read(&from, Limit(5)).expect("the store works"), []);
    }
    assert_eq!(ledger.read(&of_stream(0), Limit(0)).expect("the store works"), []);
}

fn paged(
    ledger: &dyn Ledger,
    from: impl Fn(u64) -> ReadFrom,
    number: impl Fn(&Record) -> u64,
) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    loop {
        let after = records.last().map_or(0, &number);
        let page = ledger.read(&from(after), Limit(4)).expect("the store works");
        if page.is_empty() {
            return records;
        }
        assert!(page.len() <= 4, "no more than asked for");
        records.extend(page);
    }
}
