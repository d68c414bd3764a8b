//! Payloads: stored once, erased for good.

use super::{all, kept, one, simple};
use baton_kernel::Digest;

use crate::{Append, Erasure, Fault, Ledger, NewEvent, Refused, digest, verify};

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

/// An append that says what it erases.
fn erasing(stream: &str, expected: u64, digests: &[Digest]) -> Append {
    let (by, because) = ("nora".to_owned(), "a key was in it".to_owned());
    let erasure = Erasure { digests: digests.to_vec(), by, because };
    Append { events: vec![erasure.event()], erase: digests.to_vec(), ..simple(stream, expected) }
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
    let erase = erasing("b", 2, &[digest(b"secret")]);
    kept(ledger, erase.clone());
    assert_eq!(contents(ledger), [None, plain, None, some(b""), None, other]);
    for (before, after) in before.iter().zip(all(ledger)) {
        let digests = |record: &crate::Record| record.payload.as_ref().map(|payload| payload.digest);
        assert_eq!((before.hash, digests(before)), (after.hash, digests(&after)));
        assert_eq!(after.computed(), after.hash);
    }
    // Erasing twice is no mistake.
    kept(ledger, Append { expected: 3, ..erase });
    let report = verify(ledger, None).expect("the store works");
    assert_eq!((report.first_bad, report.erased), (None, 3));
}

pub(super) fn again(ledger: &dyn Ledger) {
    kept(ledger, with("a", 0, &[b"text"]));
    let erase = |expected| erasing("a", expected, &[digest(b"text")]);
    kept(ledger, erase(1));
    kept(ledger, with("a", 2, &[b"text", b"text"]));
    let some = || Some(b"text".to_vec());
    assert_eq!(contents(ledger), [None, some(), some()]);
    kept(ledger, erase(4));
    assert_eq!(contents(ledger), [None, None, None]);
    // Erased and brought by one append, it is there.
    let mut both = erase(5);
    both.events.extend(with("a", 5, &[b"text"]).events);
    kept(ledger, both);
    assert_eq!(contents(ledger), [None, None, None, some()]);
}

pub(super) fn unknown(ledger: &dyn Ledger) {
    kept(ledger, with("a", 0, &[b"text"]));
    let refused = one(ledger, erasing("a", 1, &[digest(b"text"), digest(b"nothing")]));
    assert_eq!(refused, Err(Refused::UnknownPayload { digest: digest(b"nothing") }));
    assert_eq!(contents(ledger), [Some(b"text".to_vec())], "nothing of a refused append is done");
}

// proves S-02: nothing goes without a record that says why.
pub(super) fn unsaid(ledger: &dyn Ledger) {
    kept(ledger, with("a", 0, &[b"text", b"other"]));
    let said = erasing("a", 2, &[digest(b"other")]);
    let silent = [
        Append { erase: vec![digest(b"text")], ..simple("a", 2) },
        Append { erase: vec![digest(b"text"), digest(b"other")], ..said.clone() },
    ];
    for append in silent {
        let error = ledger.append(vec![append]).expect_err("the caller is wrong");
        assert_eq!(error.fault(), Fault::Caller, "{error}");
    }
    assert_eq!(contents(ledger), [Some(b"text".to_vec()), Some(b"other".to_vec())]);
    // A record that names what is still there changes nothing.
    kept(ledger, Append { erase: Vec::new(), ..said });
    assert_eq!(contents(ledger), [Some(b"text".to_vec()), Some(b"other".to_vec())]);
}
