//! Verification finds each way to change history, at the first record that is wrong.

use baton_kernel::{Digest, Millis};
use baton_ledger::{
    Append, Appended, Earlier, Error, Head, Lease, Ledger, Limit, Memory, NewEvent, NewHead, NewLease, Query,
    ReadFrom, Record, Refused, Report, SEALS, Seal, seal, verify,
};

/// A ledger whose reader lies.
struct Lying<F, G> {
    ledger: Memory,
    record: F,
    head: G,
}

impl<F, G> Ledger for Lying<F, G>
where
    F: Fn(Record) -> Option<Record> + Send + Sync,
    G: Fn(Head) -> Option<Head> + Send + Sync,
{
    fn append(&self, batch: Vec<Append>) -> Result<Vec<Result<Appended, Refused>>, Error> {
        self.ledger.append(batch)
    }

    fn read(&self, from: &ReadFrom, limit: Limit) -> Result<Vec<Record>, Error> {
        Ok(self.ledger.read(from, limit)?.into_iter().filter_map(&self.record).collect())
    }

    fn find(&self, query: &Query) -> Result<Vec<Head>, Error> {
        Ok(self.ledger.find(query)?.into_iter().filter_map(&self.head).collect())
    }

    fn due(&self, until: Millis, limit: Limit) -> Result<Vec<Head>, Error> {
        self.ledger.due(until, limit)
    }

    fn lease(&self, wish: &NewLease) -> Result<Result<Lease, Refused>, Error> {
        self.ledger.lease(wish)
    }

    fn release(&self, lease: &Lease) -> Result<(), Error> {
        self.ledger.release(lease)
    }
}

fn ledger() -> (Memory, Digest) {
    let ledger = Memory::new();
    for number in 0..20_u64 {
        let payload = Some(format!("payload {number}").into_bytes());
        let events = vec![NewEvent { kind: "sent".into(), body: number.to_string().into(), payload }];
        let stream = format!("run {}", number % 2);
        let append = Append { stream, expected: number / 2, events, ..Append::default() };
        assert!(ledger.append(vec![append]).expect("memory works")[0].is_ok());
    }
    let hash = seal(&ledger, Millis(1)).expect("memory works").expect("there is something to seal");
    (ledger, hash)
}

fn report(
    record: impl Fn(Record) -> Option<Record> + Send + Sync,
    head: impl Fn(Head) -> Option<Head> + Send + Sync,
) -> Report {
    let (ledger, hash) = ledger();
    verify(&Lying { ledger, record, head }, Some(hash)).expect("memory works")
}

fn bad(report: &Report) -> (Option<u64>, &str) {
    let bad = report.first_bad.as_ref().expect("it was changed");
    assert!(!report.is_proven());
    (bad.position, &bad.what)
}

/// Changes the record at position 8, which is record 4 of run 1.
fn changed(change: impl Fn(&mut Record) + Send + Sync) -> Report {
    report(
        move |mut record| {
            if record.position == 8 {
                change(&mut record);
            }
            Some(record)
        },
        Some,
    )
}

#[test]
fn a_ledger_that_nobody_touched_is_proven() {
    let report = report(Some, Some);
    assert!(report.is_proven(), "{report:?}");
    assert!(matches!(report.earlier, Some(Earlier::Found { seq: 1, .. })));
}

#[test]
fn a_changed_record_is_the_first_bad_one() {
    let hash = "record 4 of run 1: its hash does not follow from what it says";
    assert_eq!(bad(&changed(|record| record.body = b"changed".to_vec())), (Some(8), hash));
    assert_eq!(bad(&changed(|record| record.at = Millis(9))), (Some(8), hash));
    assert_eq!(bad(&changed(|record| record.kind = "seen".into())), (Some(8), hash));
    assert_eq!(bad(&changed(|record| record.payload = None)), (Some(8), hash));
    assert_eq!(bad(&changed(|record| record.previous = Digest([1; 32]))), (Some(8), hash));
    let payload = changed(|record| {
        if let Some(payload) = &mut record.payload {
            payload.bytes = Some(b"changed".to_vec());
        }
    });
    assert_eq!(bad(&payload), (Some(8), "record 4 of run 1: its payload is not the one that it names"));
    let payload = changed(|record| {
        if let Some(payload) = &mut record.payload {
            payload.bytes = None;
        }
    });
    let what = "record 4 of run 1: its payload is gone, and no record says that it was erased";
    assert_eq!(bad(&payload), (Some(8), what));
}

#[test]
fn a_record_that_was_made_again_does_not_fit_the_next() {
    let report = changed(|record| {
        record.body = b"changed".to_vec();
        record.hash = record.computed();
    });
    let what = "record 5 of run 1: the record before it is not the one that it follows";
    assert_eq!(bad(&report), (Some(10), what));
}

#[test]
fn a_record_that_was_left_out_is_missed() {
    let report = report(|record| Some(record).filter(|record| record.position != 8), Some);
    assert_eq!(bad(&report), (Some(9), "record 5 of run 0: a record is missing before it"));
}

#[test]
fn a_stream_that_was_cut_or_hidden_is_missed() {
    let cut = report(Some, |mut head| {
        if head.stream == "run 1" {
            head.seq -= 1;
        }
        Some(head)
    });
    assert_eq!(bad(&cut).1, "run 1 has other records than its head says");
    let hidden = report(Some, |head| Some(head).filter(|head| head.stream != "run 1"));
    assert_eq!(bad(&hidden).1, "10 records are in streams that are not found");
}

#[test]
fn a_last_record_that_was_made_again_contradicts_the_seal() {
    let (ledger, _) = ledger();
    let last = ledger.read(&ReadFrom::Position { after: 19 }, Limit(1)).expect("memory works").remove(0);
    let mut changed = last.clone();
    changed.body = b"changed".to_vec();
    changed.hash = changed.computed();
    let hash = changed.hash;
    let report = report(
        move |record| Some(if record.hash == last.hash { changed.clone() } else { record }),
        move |head| Some(if head.stream == "run 1" { Head { hash, ..head } } else { head }),
    );
    let what = "record 1 of baton/seals: it names another record 10 of run 1 than is there";
    assert_eq!(bad(&report), (Some(21), what));
}

#[test]
fn a_history_without_the_hash_that_was_kept_is_not_proven() {
    let (kept, hash) = ledger();
    drop(kept);
    let other = Memory::new();
    let report = verify(&other, Some(hash)).expect("memory works");
    assert_eq!((report.first_bad.as_ref(), report.earlier.as_ref()), (None, Some(&Earlier::Missing)));
    assert!(!report.is_proven());
}

#[test]
fn more_streams_than_a_seal_holds_are_in_several_and_only_the_last_covers_them() {
    let ledger = Memory::new();
    let append = |number: usize| Append {
        stream: format!("run {number}"),
        events: vec![NewEvent { kind: "sent".into(), body: Vec::new(), payload: None }],
        ..Append::default()
    };
    ledger.append((0..20_001).map(append).collect()).expect("memory works");
    let hash = seal(&ledger, Millis(1)).expect("memory works");
    let from = ReadFrom::Stream { stream: SEALS.to_owned(), after: 0 };
    let seals = ledger.read(&from, Limit(9)).expect("memory works");
    let said: Vec<_> = seals.iter().filter_map(|record| Seal::from_text(&record.body)).collect();
    let said: Vec<_> = said.iter().map(|seal| (seal.heads.len(), seal.until)).collect();
    assert_eq!(said, [(10_000, 0), (10_000, 0), (1, 20_001)]);
    assert_eq!(hash, seals.last().map(|record| record.hash));
    let report = verify(&ledger, hash).expect("memory works");
    assert_eq!((report.sealed, report.sealed_until, report.is_proven()), (20_001, 20_001, true));
    assert_eq!(seal(&ledger, Millis(2)).expect("memory works"), None);
}

/// A ledger in which somebody else appends before each call: to a stream that is there, and to one that is new.
struct Busy {
    inner: Memory,
    calls: std::sync::Mutex<u64>,
}

impl Busy {
    fn goes_on(&self) {
        let mut calls = self.calls.lock().expect("nobody panicked");
        *calls += 1;
        let event = || NewEvent { kind: "said".to_owned(), body: b"{}".to_vec(), payload: None };
        let append = |stream: String, expected| Append {
            stream,
            expected,
            at: Millis(*calls),
            events: vec![event(), event()],
            ..Append::default()
        };
        let batch = vec![append("old".to_owned(), (*calls - 1) * 2), append(format!("new-{calls}"), 0)];
        for appended in self.inner.append(batch).expect("it works") {
            appended.expect("nothing is refused");
        }
    }
}

impl Ledger for Busy {
    fn append(&self, batch: Vec<Append>) -> Result<Vec<Result<Appended, Refused>>, Error> {
        self.inner.append(batch)
    }

    fn read(&self, from: &ReadFrom, limit: Limit) -> Result<Vec<Record>, Error> {
        // What is read by its position comes to an end.
        if let ReadFrom::Stream { .. } = from {
            self.goes_on();
        }
        self.inner.read(from, limit)
    }

    fn find(&self, query: &Query) -> Result<Vec<Head>, Error> {
        self.goes_on();
        self.inner.find(query)
    }

    fn due(&self, until: Millis, limit: Limit) -> Result<Vec<Head>, Error> {
        self.inner.due(until, limit)
    }

    fn lease(&self, wish: &NewLease) -> Result<Result<Lease, Refused>, Error> {
        self.inner.lease(wish)
    }

    fn release(&self, lease: &Lease) -> Result<(), Error> {
        self.inner.release(lease)
    }
}

#[test]
fn a_ledger_that_others_write_to_meanwhile_is_proven() {
    let busy = Busy { inner: Memory::new(), calls: std::sync::Mutex::new(0) };
    (0..5).for_each(|_| busy.goes_on());
    seal(&busy.inner, Millis(9)).expect("it is sealed");
    let report = verify(&busy, None).expect("it works");
    assert_eq!(report.first_bad, None); // proves S-02
    assert_eq!(report.records, 21, "what was there when it began: 20 records and a seal");
}

// proves S-02: whoever keeps the hash of a seal can tell that something was added before it.
#[test]
fn what_was_added_before_a_seal_is_not_proven() {
    let event = |kind: &str| NewEvent { kind: kind.to_owned(), body: Vec::new(), payload: None };
    let append = |ledger: &Memory, stream: &str, expected, event| {
        let head = Some(NewHead { labels: vec![stream.to_owned()], ..NewHead::default() });
        let append =
            Append { stream: stream.to_owned(), expected, events: vec![event], head, ..Append::default() };
        ledger.append(vec![append]).expect("memory works").remove(0).expect("nothing is refused")
    };
    // A run of its own, or a record more of one that is sealed up to the one before it.
    for (stream, before) in [("added", 0), ("run", 1)] {
        let ledger = Memory::new();
        let first = append(&ledger, "run", 0, event("sent"));
        append(&ledger, stream, before, event("sent"));
        let heads = [("run".to_owned(), (1, first.hash))].into();
        let body = Seal { until: 2, heads }.text().into_bytes();
        let kept = append(&ledger, SEALS, 0, NewEvent { body, ..event("seal") });
        let what = format!("record {} of {stream}: a seal covers it and does not name it", before + 1);
        assert_eq!(bad(&verify(&ledger, Some(kept.hash)).expect("memory works")), (Some(2), what.as_str()));
        // A later seal that does name it mends nothing.
        append(&ledger, stream, before + 1, event("sent"));
        assert!(seal(&ledger, Millis(2)).expect("memory works").is_some());
        assert_eq!(bad(&verify(&ledger, Some(kept.hash)).expect("memory works")), (Some(2), what.as_str()));
    }
}
