//! The chain, seals and verification.

use baton_kernel::{Digest, Millis};

use super::{all, find, kept, simple, stream};
use crate::{Append, Earlier, Erasure, Ledger, NewEvent, SEALS, Seal, digest, seal, verify};

// proves S-02: what was recorded can be verified, with seals and with a hash that was kept.
pub(super) fn chained(ledger: &dyn Ledger) {
    assert_eq!(seal(ledger, Millis(1)).expect("the store works"), None, "there is nothing to seal");
    for number in 0..40_u64 {
        let payload = Some(format!("text {number}").into_bytes());
        let events = vec![NewEvent { kind: "sent".into(), body: Vec::new(), payload }];
        kept(ledger, Append { events, ..simple(&format!("run {}", number % 7), number / 7) });
    }
    let heads = find(ledger, &[]).into_iter().map(|head| (head.stream, (head.seq, head.hash))).collect();
    let kept_hash = seal(ledger, Millis(2)).expect("the store works");
    let text = stream(ledger, SEALS).remove(0).body;
    assert_eq!(
        Seal::from_text(&text),
        Some(Seal { until: 40, heads }),
        "a seal names the head of every stream"
    );
    assert_eq!(seal(ledger, Millis(3)).expect("the store works"), None, "nothing changed since");
    let erasure = Erasure { digests: vec![digest(b"text 8")], ..Erasure::default() };
    let (events, erase) = (vec![erasure.event()], erasure.digests);
    kept(ledger, Append { events, erase, ..simple("run 0", 6) });
    let report = verify(ledger, kept_hash).expect("the store works");
    assert_eq!(report.first_bad, None);
    assert_eq!((report.records, report.streams), (42, 8));
    assert_eq!((report.payloads, report.erased), (39, 1));
    assert_eq!((report.sealed, report.sealed_until), (7, 40));
    assert_eq!(report.earlier, Some(Earlier::Found { stream: SEALS.to_owned(), seq: 1 }));
    assert!(report.is_proven());
    seal(ledger, Millis(4)).expect("the store works");
    assert_eq!(stream(ledger, SEALS).len(), 2);
    let report = verify(ledger, Some(Digest([7; 32]))).expect("the store works");
    assert_eq!((report.earlier.as_ref(), report.is_proven()), (Some(&Earlier::Missing), false));
    assert_eq!((report.sealed, report.sealed_until), (8, 42));
    for pair in stream(ledger, "run 0").windows(2) {
        assert_eq!(pair[0].hash, pair[1].previous);
    }
    assert_eq!(all(ledger).len(), 43);
}
