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
    Append, Appended, Error, Head, Lease, Ledger, Limit, Maintenance, NewLease, Query, ReadFrom, Record,
    Refused, Report, limits, verify,
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

    fn lease(&self, wish: &NewLease) -> Result<Result<Lease, Refused>, Error> {
        limits::lease(wish)?;
        self.disk().lease(wish)
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
