//! Leases: one holder, and none that was lost can write.

use baton_kernel::Millis;

use super::{eight, kept, one, simple};
use crate::{Append, Lease, Ledger, NewLease, Refused};

fn ask(ledger: &dyn Ledger, holder: &str, now: u64, until: u64) -> Result<Lease, Refused> {
    let wish =
        NewLease { stream: "run".into(), holder: holder.into(), now: Millis(now), until: Millis(until) };
    ledger.lease(&wish).expect("the store works")
}

pub(super) fn held(ledger: &dyn Ledger) {
    let mine = ask(ledger, "me", 0, 10).expect("nobody has it");
    let refused = ask(ledger, "other", 9, 20);
    assert_eq!(refused, Err(Refused::Held { stream: "run".into(), holder: "me".into(), until: Millis(10) }));
    let renewed = ask(ledger, "me", 9, 30).expect("the holder renews");
    assert_eq!((renewed.fence, renewed.until), (mine.fence, Millis(30)));
    assert!(ask(ledger, "other", 29, 40).is_err());
    let theirs = ask(ledger, "other", 30, 40).expect("its time is over");
    assert!(theirs.fence > mine.fence);
    ledger.release(&mine).expect("the store works");
    assert!(ask(ledger, "third", 31, 50).is_err(), "a lost lease releases nothing");
    ledger.release(&theirs).expect("the store works");
    assert!(ask(ledger, "third", 31, 50).is_ok());
}

pub(super) fn lost(ledger: &dyn Ledger) {
    let fenced = |lease: &Lease, expected| Append { fence: Some(lease.fence), ..simple("run", expected) };
    let mine = ask(ledger, "me", 0, 10).expect("nobody has it");
    kept(ledger, fenced(&mine, 0));
    let theirs = ask(ledger, "other", 10, 20).expect("its time is over");
    let refused = one(ledger, fenced(&mine, 1));
    assert_eq!(refused, Err(Refused::FenceLost { stream: "run".into(), fence: mine.fence }));
    kept(ledger, fenced(&theirs, 1));
    kept(ledger, simple("run", 2));
    ledger.release(&theirs).expect("the store works");
    assert!(matches!(one(ledger, fenced(&theirs, 3)), Err(Refused::FenceLost { .. })));
    let elsewhere = Append { fence: Some(theirs.fence), ..simple("other", 0) };
    assert!(matches!(one(ledger, elsewhere), Err(Refused::FenceLost { .. })));
}

pub(super) fn fences(ledger: &dyn Ledger) {
    let mut last = None;
    for now in [100, 5, 1_000_000, 0, 7, 100] {
        let lease = ask(ledger, &format!("at {now}"), now, now + 1).or_else(|_| {
            // The clock went back: the lease before still counts, until whoever has it gives it up.
            assert!(last.is_some());
            ask(ledger, &format!("later than {now}"), u64::MAX >> 2, 1)
        });
        let lease = lease.expect("its time is over");
        assert!(last.is_none_or(|last| lease.fence > last), "fences only grow");
        last = Some(lease.fence);
        if now == 7 {
            ledger.release(&lease).expect("the store works");
        }
    }
}

pub(super) fn racing(ledger: &dyn Ledger) {
    for round in 0..20 {
        let leases = eight(|number| ask(ledger, &format!("{round} {number}"), round * 10, round * 10 + 10));
        let winners: Vec<Lease> = leases.into_iter().flatten().collect();
        assert_eq!(winners.len(), 1, "of eight one gets it");
    }
}
