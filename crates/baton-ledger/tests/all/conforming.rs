//! Every store is put through the same cases.

use baton_ledger::{Memory, Sqlite, conformance};

#[test]
fn the_ledger_in_memory_conforms() {
    conformance::run(|_| Memory::new());
}

#[test]
fn the_ledger_on_sqlite_conforms() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    conformance::run(|name| Sqlite::open(&folder.path().join(name)).expect("a new ledger"));
}
