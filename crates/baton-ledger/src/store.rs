//! A ledger as a whole: the six methods of [`Ledger`], and its upkeep.

use baton_kernel::{Digest, Millis};

use crate::{
    Append, Appended, Error, Head, Lease, Ledger, Limit, NewLease, Query, ReadFrom, Record, Refused, Report,
};

/// Ledger with its upkeep, as [`open`](crate::open) gives it.
pub trait Store: Ledger + Maintenance {}

impl<T: Ledger + Maintenance + ?Sized> Store for T {}

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

    fn lease(&self, wish: &NewLease) -> Result<Result<Lease, Refused>, Error> {
        (**self).lease(wish)
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
