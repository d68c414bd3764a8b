//! Payloads: stored once, erased for good.

use super::{all, kept, one, simple};
use crate::{Append, Ledger, NewEvent, Refused, digest};

fn with(stream: &str, expected: u64, payloads: &[&[u8]]) -> Append {
    let events = payloads.iter().map(|payload| NewEvent {
        kind: "sent".to_owned(),
        body: Vec::new(),
        payload: Some(payload.to_vec()),
    });
    Append { events: events.collect(), ..simple(stream, expected) }
}

fn contents(ledger: &dyn Ledger) -> Vec<Option<Vec<u8>>> {
    let payloads = all(ledger).into_iter().filter_map(|record| record.payload);
    payloads.map(|payload| payload.bytes).collect()
}

// proves S-02: the bytes go, the record and its hash stay.
pub(super) fn erased(ledger: &dyn Ledger) {
    kept(ledger, with("a", 0, &[b"secret", b"plain", b"secret", b""]));
    kept(ledger, with("b", 0, &[b"secret", b"other"]));
    let some = |text: &[u8]| Some(text.to_vec());
    let (secret, plain, other) = (some(b"secret"), some(b"plain"), some(b"other"));
    let before = all(ledger);
    assert_eq!(
        contents(ledger),
        [secret.clone(), plain.clone(), secret.clone(), some(b""), secret, other.clone()]
    );
    let reason = NewEvent { kind: "erased".into(), body: b"a key was in it".to_vec(), payload: None };
    let erase = Append { events: vec![reason], erase: vec![digest(b"secret")], ..simple("b", 2) };
    kept(ledger, erase.clone());
    assert_eq!(contents(ledger), [None, plain, None, some(b""), None, other]);
    for (before, after) in before.iter().zip(all(ledger)) {
        let digests = |record: &crate::Record| record.payload.as_ref().map(|payload| payload.digest);
        assert_eq!((before.hash, digests(before)), (after.hash, digests(&after)));
        assert_eq!(after.computed(), after.hash);
    }
    // Erasing twice is no mistake.
    kept(ledger, Append { expected: 3, ..erase });
}

pub(super) fn again(ledger: &dyn Ledger) {
    kept(ledger, with("a", 0, &[b"text"]));
    let erase = |expected| Append { erase: vec![digest(b"text")], ..simple("a", expected) };
    kept(ledger, erase(1));
    kept(ledger, with("a", 2, &[b"text", b"text"]));
    let some = || Some(b"text".to_vec());
    assert_eq!(contents(ledger), [None, some(), some()]);
    kept(ledger, erase(4));
    assert_eq!(contents(ledger), [None, None, None]);
    // Erased and brought by one append, it is there.
    let both = Append { erase: vec![digest(b"text")], ..with("a", 5, &[b"text"]) };
    kept(ledger, both);
    assert_eq!(contents(ledger), [None, None, None, some()]);
}

pub(super) fn unknown(ledger: &dyn Ledger) {
    kept(ledger, with("a", 0, &[b"text"]));
    let append = Append { erase: vec![digest(b"text"), digest(b"nothing")], ..simple("a", 1) };
    let refused = one(ledger, append);
    assert_eq!(refused, Err(Refused::UnknownPayload { digest: digest(b"nothing") }));
    assert_eq!(contents(ledger), [Some(b"text".to_vec())], "nothing of a refused append is done");
}
