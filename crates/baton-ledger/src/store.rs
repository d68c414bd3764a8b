//! A ledger as a whole: the six methods of [`Ledger`], and its upkeep.

use std::path::{Path, PathBuf};

use baton_kernel::{Digest, Millis};

use crate::{
    Append, Appended, Clock, Error, Head, Lease, LeaseRequest, Ledger, Limit, Query, ReadFrom, Record,
    Refused, Report,
};

/// Ledger with its upkeep, as [`open`](crate::open) gives it.
pub trait Store: Ledger + Maintenance {
    /// Tells whether processes of other machines can use it: then only its leases say who lives.
    fn is_shared(&self) -> bool;

    /// Holder of a stream's lease, while it lasts by the store's clock.
    fn holder(&self, stream: &str) -> Result<Option<String>, Error>;
}

/// Kind of store, before a ledger is opened.
pub(crate) trait Backend: Sync {
    /// Tells whether there is a ledger; its remains, or another thing in its place, are an error.
    fn exists(&self, location: &Path) -> Result<bool, Error>;

    /// Opens a ledger; makes it if there is none, and migrates an older one.
    fn open(&self, location: &Path, clock: Clock) -> Result<Box<dyn Store>, Error>;

    /// Makes the views of a ledger again from its log, and opens it.
    fn rebuild(&self, location: &Path, clock: Clock) -> Result<Box<dyn Store>, Error>;

    /// Files that only the store may open: a process that closes one loses its locks on it.
    fn files(&self, location: &Path) -> Vec<PathBuf>;

    /// Copies that migrations left; they hold payloads that were erased since.
    fn backups(&self, location: &Path) -> Vec<PathBuf>;
}

impl<T: Store + ?Sized> Store for Box<T> {
    fn is_shared(&self) -> bool {
        (**self).is_shared()
    }

    fn holder(&self, stream: &str) -> Result<Option<String>, Error> {
        (**self).holder(stream)
    }
}

/// Upkeep of an open ledger.
///
/// Views are made again by [`Address::rebuild`](crate::Address::rebuild), because that needs the ledger closed.
pub trait Maintenance {
    /// Proves the records and compares the views with them; `earlier` is a hash that was kept.
    fn verify(&self, earlier: Option<Digest>) -> Result<Report, Error>;

    /// Compares everything stored with everything else, the views with the log too, and keeps no writer waiting.
    ///
    /// [`verify`](crate::verify) reads what was recorded; this compares what the store makes of it. A wrong log is
    /// [`Error::Damaged`]; a wrong view of a whole log is [`Error::View`].
    fn examine(&self) -> Result<(), Error>;
}

impl<T: Ledger + ?Sized> Ledger for Box<T> {
    fn append(&self, batch: Vec<Append>) -> Result<Vec<Result<Appended, Refused>>, Error> {
        (**self).append(batch)
    }

    fn read(&self, from: &ReadFrom, limit: Limit) -> Result<Vec<Record>, Error> {
        (**self).read(from, limit)
    }

    fn find(&self, query: &Query) -> Result<Vec<Head>, Error> {
        (**self).find(query)
    }

    fn due(&self, until: Millis, limit: Limit) -> Result<Vec<Head>, Error> {
        (**self).due(until, limit)
    }

    fn lease(&self, request: &LeaseRequest) -> Result<Vec<Result<Lease, Refused>>, Error> {
        (**self).lease(request)
    }

    fn release(&self, lease: &Lease) -> Result<(), Error> {
        (**self).release(lease)
    }
}

impl<T: Maintenance + ?Sized> Maintenance for Box<T> {
    fn verify(&self, earlier: Option<Digest>) -> Result<Report, Error> {
        (**self).verify(earlier)
    }

    fn examine(&self) -> Result<(), Error> {
        (**self).examine()
    }
}
