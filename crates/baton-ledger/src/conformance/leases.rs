//! Leases: one holder, by the store's clock, and none that was lost can write.

use baton_kernel::Millis;

use super::{Time, eight, kept, one, simple};
use crate::{Append, Lease, LeaseRequest, Ledger, Refused, Store, Wanted, take_lease};

fn ask(ledger: &dyn Ledger, holder: &str, for_ms: u64) -> Result<Lease, Refused> {
    take_lease(ledger, holder, "run", for_ms).expect("the store works")
}

pub(super) fn held(ledger: &dyn Store, time: &Time) {
    let at = |now| time.set(Millis(now));
    let mine = ask(ledger, "me", 10).expect("it is free");
    assert_eq!(mine.until, Millis(10), "the end is by the store's clock");
    at(9);
    let refused = ask(ledger, "other", 11);
    assert_eq!(refused, Err(Refused::Held { stream: "run".into(), holder: "me".into(), until: Millis(10) }));
    let again = ask(ledger, "me", 21).expect("the holder has it");
    assert_eq!((again.fence, again.until), (mine.fence, Millis(30)));
    at(29);
    assert!(ask(ledger, "other", 11).is_err());
    at(30);
    let theirs = ask(ledger, "other", 10).expect("its time is over");
    assert!(theirs.fence > mine.fence);
    ledger.release(&mine).expect("the store works");
    at(31);
    assert!(ask(ledger, "third", 19).is_err(), "a lost lease releases nothing");
    ledger.release(&theirs).expect("the store works");
    assert!(ask(ledger, "third", 19).is_ok());
}

pub(super) fn renewed(ledger: &dyn Store, time: &Time) {
    let take = |holder: &str, stream: &str| {
        take_lease(ledger, holder, stream, 10).expect("the store works").expect("it is free")
    };
    let renew = |leases: &[Lease], for_ms| {
        let wanted = leases.iter().map(Lease::renewal).collect();
        ledger.lease(&LeaseRequest { holder: "me".into(), for_ms, wanted }).expect("the store works")
    };
    let mut mine = [take("me", "a"), take("me", "b"), take("me", "c")];
    time.set(Millis(10));
    let theirs = take("other", "b");
    ledger.release(&mine[2]).expect("the store works");
    let answers = renew(&mine, 20);
    mine[0].until = Millis(30);
    let lost = |lease: &Lease| Refused::FenceLost { stream: lease.stream.clone(), fence: lease.fence };
    // A lease that is over and was not taken is renewed; one that was taken or given back is not.
    assert_eq!(answers, [Ok(mine[0].clone()), Err(lost(&mine[1])), Err(lost(&mine[2]))]);
    assert_eq!(take("third", "c").fence.0, theirs.fence.0 + 1, "what was given back is free");
    let both = LeaseRequest {
        holder: "me".into(),
        for_ms: 5,
        wanted: vec![
            Wanted { stream: "new".into(), renews: None },
            Wanted { stream: "a".into(), renews: Some(mine[0].fence) },
            Wanted { stream: "b".into(), renews: None },
        ],
    };
    let answers = ledger.lease(&both).expect("the store works");
    assert!(answers[0].is_ok() && answers[1].is_ok());
    assert!(matches!(&answers[2], Err(Refused::Held { holder, .. }) if holder == "other"));
    assert_eq!(renew(&[], 5), []);
}

pub(super) fn known(ledger: &dyn Store, time: &Time) {
    let holder = || ledger.holder("run").expect("the store works");
    assert_eq!(holder(), None);
    let lease = ask(ledger, "me", 10).expect("it is free");
    time.set(Millis(9));
    assert_eq!(holder().as_deref(), Some("me"));
    time.set(Millis(10));
    assert_eq!(holder(), None, "its time is over");
    time.set(Millis(9));
    ledger.release(&lease).expect("the store works");
    assert_eq!(holder(), None, "it was given back");
}

pub(super) fn lost(ledger: &dyn Store, time: &Time) {
    let fenced = |lease: &Lease, expected| Append { fence: Some(lease.fence), ..simple("run", expected) };
    let mine = ask(ledger, "me", 10).expect("it is free");
    kept(ledger, fenced(&mine, 0));
    time.set(Millis(10));
    let theirs = ask(ledger, "other", 10).expect("its time is over");
    let refused = one(ledger, fenced(&mine, 1));
    assert_eq!(refused, Err(Refused::FenceLost { stream: "run".into(), fence: mine.fence }));
    kept(ledger, fenced(&theirs, 1));
    kept(ledger, simple("run", 2));
    ledger.release(&theirs).expect("the store works");
    assert!(matches!(one(ledger, fenced(&theirs, 3)), Err(Refused::FenceLost { .. })));
    let elsewhere = Append { fence: Some(theirs.fence), ..simple("other", 0) };
    assert!(matches!(one(ledger, elsewhere), Err(Refused::FenceLost { .. })));
}

pub(super) fn fences(ledger: &dyn Store, time: &Time) {
    let mut last = None;
    for now in [100, 5, 1_000_000, 0, 7, 100] {
        time.set(Millis(now));
        let lease = ask(ledger, &format!("at {now}"), 1).or_else(|_| {
            // The clock went back: the lease before still counts, until its holder gives it up.
            assert!(last.is_some());
            time.set(Millis(u64::MAX >> 2));
            ask(ledger, &format!("later than {now}"), 0)
        });
        let lease = lease.expect("its time is over");
        assert!(last.is_none_or(|last| lease.fence > last), "fences only grow");
        last = Some(lease.fence);
        if now == 7 || now == 0 {
            ledger.release(&lease).expect("the store works");
        }
    }
}

pub(super) fn racing(ledger: &dyn Store, time: &Time) {
    for round in 0..20 {
        time.set(Millis(round * 10));
        let leases = eight(|number| ask(ledger, &format!("{round} {number}"), 10));
        let winners: Vec<Lease> = leases.into_iter().flatten().collect();
        assert_eq!(winners.len(), 1, "of eight one gets it");
    }
}
