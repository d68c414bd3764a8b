//! Files that are removed, replaced or cut under a ledger that is open: nothing is acknowledged that nobody will find.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use baton_ledger::{Append, Error, Fault, Ledger as _, Limit, NewEvent, ReadFrom, Sqlite, digest};
use tempfile::TempDir;

use crate::child::append;

/// A ledger with some records, a folder for it, and its path.
fn opened() -> (TempDir, PathBuf, Sqlite) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("ledger.db");
    let ledger = Sqlite::open(&path).expect("a new ledger");
    for number in 0..20 {
        assert!(ledger.append(vec![append("run", number * 2)]).expect("it works")[0].is_ok());
    }
    (folder, path, ledger)
}

fn log(path: &Path) -> PathBuf {
    path.with_file_name("ledger.db-wal")
}

/// What the next append says, and that the one behind it is refused too.
fn next(ledger: &Sqlite) -> String {
    let error = ledger.append(vec![append("run", 40)]).expect_err("nobody would find it");
    assert!(matches!(error, Error::Gone { .. }), "{error}");
    assert_eq!(error.fault(), Fault::World);
    let again = ledger.append(vec![append("run", 40)]).expect_err("it stays so");
    assert!(matches!(again, Error::Stopped { .. }), "{again}");
    error.to_string()
}

// proves S-02: what is acknowledged lies where it will be looked for.
#[test]
fn a_ledger_that_was_removed_acknowledges_nothing() {
    let (folder, path, ledger) = opened();
    for entry in fs::read_dir(folder.path()).expect("readable").filter_map(Result::ok) {
        let _ = fs::remove_file(entry.path());
    }
    let said = next(&ledger);
    assert!(said.contains("ledger.db was removed while it was open"), "{said}");
    assert!(!path.exists());
}

#[test]
fn a_ledger_that_was_replaced_acknowledges_nothing() {
    let (folder, path, ledger) = opened();
    let other = folder.path().join("other.db");
    fs::copy(&path, &other).expect("it can be copied");
    fs::rename(&other, &path).expect("it can be replaced");
    let said = next(&ledger);
    assert!(said.contains("ledger.db was replaced while it was open"), "{said}");
}

#[test]
fn a_log_that_was_removed_acknowledges_nothing() {
    let (_folder, path, ledger) = opened();
    fs::remove_file(log(&path)).expect("it is there");
    let said = next(&ledger);
    assert!(said.contains("ledger.db-wal was removed while it was open"), "{said}");
}

// proves S-02: damage is refused before anything is built on it.
#[test]
fn a_log_that_was_cut_is_neither_written_nor_copied() {
    for left in [0, 32 + 2 * 4120, 32 + 9 * 4120 + 100] {
        let (_folder, path, ledger) = opened();
        let before = fs::read(&path).expect("readable");
        let file = fs::OpenOptions::new().write(true).open(log(&path)).expect("it is there");
        file.set_len(left).expect("it can be cut");
        let said = next(&ledger);
        assert!(said.contains("was cut from"), "{said}");
        assert!(said.contains(&format!("to {left} bytes")), "{said}");
        drop(ledger);
        assert!(before == fs::read(&path).expect("readable"), "the database is as it was");
        assert_eq!(file.metadata().expect("it is there").len(), left);
        let again = Sqlite::open(&path).map(drop).expect_err("records are missing");
        assert!(matches!(again, Error::Damaged { .. }), "{again}");
        assert!(again.to_string().contains("frames of its write-ahead log"), "{again}");
    }
}

// proves S-02: another process that takes erased bytes out of the log cuts it, and that is right.
#[test]
fn a_log_that_is_scrubbed_by_another_is_no_damage() {
    let (_folder, path, ledger) = opened();
    let other = Sqlite::open(&path).expect("it opens twice");
    for round in 0..3 {
        let secret = digest(format!("secret {round}").as_bytes());
        let payload = Some(format!("secret {round}").into_bytes());
        let told = NewEvent { kind: "told".into(), body: Vec::new(), payload };
        let tell = Append {
            stream: format!("secret-{round}"),
            at: baton_kernel::Millis(1),
            events: vec![told],
            ..Append::default()
        };
        assert!(other.append(vec![tell]).expect("it works")[0].is_ok());
        let erased = NewEvent { kind: "erased".into(), body: Vec::new(), payload: None };
        let erase = Append {
            stream: format!("erasing-{round}"),
            at: baton_kernel::Millis(1),
            events: vec![erased],
            erase: vec![secret],
            ..Append::default()
        };
        assert!(other.append(vec![erase]).expect("it works")[0].is_ok());
        let expected = 40 + round * 4;
        assert!(ledger.append(vec![append("run", expected)]).expect("nothing is damaged")[0].is_ok());
        assert!(other.append(vec![append("run", expected + 2)]).expect("nothing is damaged")[0].is_ok());
    }
    let from = ReadFrom::Stream { stream: "run".into(), after: 0 };
    assert_eq!(ledger.read(&from, Limit(1000)).expect("readable").len(), 52);
}
