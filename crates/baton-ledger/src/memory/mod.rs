//! A ledger in memory, for tests and for the simulator.
//!
//! Invariant: used from one thread, the same calls give the same answers, faults included.

mod faults;
mod state;

use std::sync::{Mutex, MutexGuard, PoisonError};

use baton_kernel::{Digest, Millis};

pub use faults::{Call, Failing, Syncing};

use faults::{Disk, Hook};

use crate::{
    Append, Appended, Clock, Error, Head, Lease, LeaseRequest, Ledger, Limit, Maintenance, Query, ReadFrom,
    Record, Refused, Report, Store, limits, verify,
};

/// A ledger that ends with its process.
pub struct Memory {
    disk: Mutex<Disk>,
}

impl Memory {
    /// An empty ledger without faults.
    pub fn new() -> Self {
        Self::with(Syncing::Each, None)
    }

    /// An empty ledger without faults, whose leases are compared by a clock.
    pub fn with_clock(clock: Clock) -> Self {
        let memory = Self::new();
        memory.set_clock(clock);
        memory
    }

    /// An empty ledger that asks `fail` before each call, and may forget on a crash what was not synced.
    pub fn with_faults(
        syncing: Syncing,
        fail: impl FnMut(Call<'_>) -> Option<Failing> + Send + 'static,
    ) -> Self {
        Self::with(syncing, Some(Box::new(fail)))
    }

    fn with(syncing: Syncing, fail: Option<Hook>) -> Self {
        Self { disk: Mutex::new(Disk::new(syncing, fail)) }
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Ledger for Memory {
    fn append(&self, batch: Vec<Append>) -> Result<Vec<Result<Appended, Refused>>, Error> {
        limits::batch(&batch)?;
        self.disk().append(batch)
    }

    fn read(&self, from: &ReadFrom, limit: Limit) -> Result<Vec<Record>, Error> {
        self.disk().looked_at(Call::Read(from)).map(|state| state.read(from, limit))
    }

    fn find(&self, query: &Query) -> Result<Vec<Head>, Error> {
        self.disk().looked_at(Call::Find(query)).map(|state| state.find(query))
    }

    fn due(&self, until: Millis, limit: Limit) -> Result<Vec<Head>, Error> {
        self.disk().looked_at(Call::Due(until)).map(|state| state.due(until, limit))
    }

    fn lease(&self, request: &LeaseRequest) -> Result<Vec<Result<Lease, Refused>>, Error> {
        limits::lease(request)?;
        self.disk().lease(request)
    }

    fn release(&self, lease: &Lease) -> Result<(), Error> {
        self.disk().release(lease)
    }
}

impl Maintenance for Memory {
    fn verify(&self, earlier: Option<Digest>) -> Result<Report, Error> {
        verify(self, earlier)
    }

    fn examine(&self) -> Result<(), Error> {
        // Nothing here is derived from records.
        Ok(())
    }
}

impl Store for Memory {
    fn is_shared(&self) -> bool {
        false
    }

    fn holder(&self, stream: &str) -> Result<Option<String>, Error> {
        let mut disk = self.disk();
        let now = disk.clock.now();
        Ok(disk.looked_at(Call::Holder(stream))?.holder(stream, now))
    }
}
