//! Every store is put through the same cases.

use std::sync::atomic::{AtomicUsize, Ordering};

use baton_kernel::{Digest, Millis};
use baton_ledger::{
    Append, Appended, Error, Head, Lease, LeaseRequest, Ledger, Limit, Maintenance, Memory, Query, ReadFrom,
    Record, Refused, Report, Sqlite, Store, conformance,
};

#[test]
fn the_ledger_in_memory_conforms() {
    conformance::run(|_, clock| Memory::with_clock(clock));
}

#[test]
fn the_ledger_on_sqlite_conforms() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    conformance::run(|name, clock| Sqlite::open(&folder.path().join(name), clock).expect("a new ledger"));
}

#[test]
fn one_file_opened_three_times_conforms_as_one_ledger() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    conformance::run(|name, clock| {
        let open = || Sqlite::open(&folder.path().join(name), clock.clone()).expect("a new ledger");
        Shared { ledgers: [open(), open(), open()], calls: AtomicUsize::new(0) }
    });
}

/// Users of one file, asked in turn.
struct Shared {
    ledgers: [Sqlite; 3],
    calls: AtomicUsize,
}

impl Shared {
    fn next(&self) -> &Sqlite {
        // Not simply one after the other, so that one of them has much to catch up with.
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        &self.ledgers[if call.is_multiple_of(50) { 2 } else { call % 2 }]
    }
}

impl Ledger for Shared {
    fn append(&self, batch: Vec<Append>) -> Result<Vec<Result<Appended, Refused>>, Error> {
        self.next().append(batch)
    }

    fn read(&self, from: &ReadFrom, limit: Limit) -> Result<Vec<Record>, Error> {
        self.next().read(from, limit)
    }

    fn find(&self, query: &Query) -> Result<Vec<Head>, Error> {
        self.next().find(query)
    }

    fn due(&self, until: Millis, limit: Limit) -> Result<Vec<Head>, Error> {
        self.next().due(until, limit)
    }

    fn lease(&self, request: &LeaseRequest) -> Result<Vec<Result<Lease, Refused>>, Error> {
        self.next().lease(request)
    }

    fn release(&self, lease: &Lease) -> Result<(), Error> {
        self.next().release(lease)
    }
}

impl Maintenance for Shared {
    fn verify(&self, earlier: Option<Digest>) -> Result<Report, Error> {
        self.next().verify(earlier)
    }

    fn examine(&self) -> Result<(), Error> {
        self.next().examine()
    }
}

impl Store for Shared {
    fn is_shared(&self) -> bool {
        self.next().is_shared()
    }

    fn holder(&self, stream: &str) -> Result<Option<String>, Error> {
        self.next().holder(stream)
    }
}
