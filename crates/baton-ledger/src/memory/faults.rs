//! What a simulator can do to a ledger in memory: failing calls, stolen leases, crashes that forget.
//!
//! Invariant: nothing here happens by itself. Who made the ledger decides every fault, so that a seed repeats it.

use baton_kernel::Millis;

use super::Memory;
use super::state::{Change, State};
use crate::{Append, Appended, Error, Lease, NewLease, Query, ReadFrom, Refused};

/// When what was written outlives a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syncing {
    /// With every call, as a ledger promises.
    Each,
    /// Only at [`Memory::sync`]: a ledger that forgets to, or lies about it.
    Never,
}

/// A call that is about to be made.
#[derive(Clone, Copy, Debug)]
pub enum Call<'a> {
    /// An append.
    Append(&'a [Append]),
    /// A read.
    Read(&'a ReadFrom),
    /// A search.
    Find(&'a Query),
    /// A look at what is due.
    Due(Millis),
    /// A wish for a lease.
    Lease(&'a NewLease),
    /// The end of a lease.
    Release(&'a Lease),
}

/// What goes wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// It fails, and nothing was done.
    Before,
    /// It fails, but what it wanted was done: the caller cannot know.
    After,
}

pub(super) type Hook = Box<dyn FnMut(Call<'_>) -> Option<Failing> + Send>;

/// The state, and what of it a crash would leave.
pub(super) struct Disk {
    state: State,
    syncing: Syncing,
    /// The state at the last sync, where that is not always now.
    synced: State,
    /// What changed since, call by call.
    unsynced: Vec<Change>,
    fail: Option<Hook>,
}

impl Memory {
    /// Makes everything so far outlive a crash.
    pub fn sync(&self) {
        self.disk().sync();
    }

    /// How many calls a crash could forget.
    pub fn unsynced(&self) -> usize {
        self.disk().unsynced.len()
    }

    /// Crashes: of the calls that were not synced only the first `kept` are left. One call is all or nothing.
    pub fn crash(&self, kept: usize) {
        self.disk().crash(kept);
    }

    /// Gives a stream to `thief`, as if its lease had run out: whoever held it has lost it.
    pub fn steal(&self, stream: &str, thief: &str, until: Millis) {
        let mut disk = self.disk();
        disk.state.rob(stream, thief, until);
        disk.sync();
    }
}

impl Disk {
    pub(super) fn new(syncing: Syncing, fail: Option<Hook>) -> Self {
        Self { state: State::default(), syncing, synced: State::default(), unsynced: Vec::new(), fail }
    }

    fn sync(&mut self) {
        if self.syncing == Syncing::Never {
            self.synced = self.state.clone();
        }
        self.unsynced.clear();
    }

    fn crash(&mut self, kept: usize) {
        if self.syncing == Syncing::Each {
            return;
        }
        let mut state = self.synced.clone();
        self.unsynced.iter().take(kept).for_each(|change| state.replay(change));
        self.state = state;
        self.sync();
    }

    fn keep(&mut self, change: impl FnOnce() -> Change) {
        if self.syncing == Syncing::Never {
            self.unsynced.push(change());
        }
    }

    fn fault(&mut self, call: Call<'_>) -> Option<Failing> {
        self.fail.as_mut().and_then(|fail| fail(call))
    }

    /// The state, for a call that changes nothing.
    pub(super) fn looked_at(&mut self, call: Call<'_>) -> Result<&State, Error> {
        match self.fault(call) {
            None => Ok(&self.state),
            Some(Failing::Before | Failing::After) => Err(failed()),
        }
    }

    pub(super) fn append(&mut self, batch: Vec<Append>) -> Result<Vec<Result<Appended, Refused>>, Error> {
        let fault = self.fault(Call::Append(&batch));
        if fault == Some(Failing::Before) {
            return Err(failed());
        }
        let appended = batch.iter().map(|append| self.state.append(append)).collect();
        self.keep(|| Change::Append(batch));
        if fault == Some(Failing::After) { Err(failed()) } else { Ok(appended) }
    }

    pub(super) fn lease(&mut self, wish: &NewLease) -> Result<Result<Lease, Refused>, Error> {
        let fault = self.fault(Call::Lease(wish));
        if fault == Some(Failing::Before) {
            return Err(failed());
        }
        let lease = self.state.lease(wish);
        self.keep(|| Change::Lease(wish.clone()));
        if fault == Some(Failing::After) { Err(failed()) } else { Ok(lease) }
    }

    pub(super) fn release(&mut self, lease: &Lease) -> Result<(), Error> {
        let fault = self.fault(Call::Release(lease));
        if fault == Some(Failing::Before) {
            return Err(failed());
        }
        self.state.release(lease);
        self.keep(|| Change::Release(lease.clone()));
        if fault == Some(Failing::After) { Err(failed()) } else { Ok(()) }
    }
}

fn failed() -> Error {
    Error::Io { path: "memory".into(), source: std::io::Error::other("a fault was asked for").into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ledger as _, Limit, NewEvent};

    fn append(expected: u64) -> Vec<Append> {
        let events = vec![NewEvent { kind: "seen".into(), ..NewEvent::default() }];
        vec![Append { stream: "run".into(), expected, events, ..Append::default() }]
    }

    fn records(ledger: &Memory) -> usize {
        ledger.read(&ReadFrom::Position { after: 0 }, Limit(100)).map_or(0, |records| records.len())
    }

    #[test]
    fn a_crash_forgets_what_was_not_synced_from_its_end() {
        let ledger = Memory::with_faults(Syncing::Never, |_| None);
        assert!(ledger.append(append(0)).is_ok());
        ledger.sync();
        for expected in 1..4 {
            assert!(ledger.append(append(expected)).is_ok());
        }
        assert_eq!((ledger.unsynced(), records(&ledger)), (3, 4));
        ledger.crash(2);
        assert_eq!((ledger.unsynced(), records(&ledger)), (0, 3));
        ledger.crash(0);
        assert_eq!(records(&ledger), 3);
    }

    #[test]
    fn a_crash_forgets_nothing_that_is_synced_each_time() {
        let ledger = Memory::new();
        assert!(ledger.append(append(0)).is_ok());
        ledger.crash(0);
        assert_eq!(records(&ledger), 1);
    }

    #[test]
    fn a_call_fails_before_or_after_it_was_done() {
        let mut faults = vec![None, Some(Failing::After), Some(Failing::Before)];
        let ledger = Memory::with_faults(Syncing::Each, move |call| {
            if matches!(call, Call::Append(_)) { faults.pop().flatten() } else { None }
        });
        assert!(ledger.append(append(0)).is_err());
        assert_eq!(records(&ledger), 0);
        assert!(ledger.append(append(0)).is_err());
        assert_eq!(records(&ledger), 1);
        assert!(ledger.append(append(1)).is_ok());
    }

    #[test]
    fn a_stolen_lease_cannot_write() {
        let ledger = Memory::new();
        let wish = NewLease { stream: "run".into(), holder: "me".into(), now: Millis(1), until: Millis(99) };
        let lease = ledger.lease(&wish).expect("no fault").expect("nobody has it");
        ledger.steal("run", "thief", Millis(99));
        let mine = Append { fence: Some(lease.fence), ..append(0).remove(0) };
        let refused = ledger.append(vec![mine]).expect("no fault").remove(0);
        assert!(matches!(refused, Err(Refused::FenceLost { .. })));
        assert!(matches!(ledger.lease(&wish), Ok(Err(Refused::Held { .. }))));
    }
}
