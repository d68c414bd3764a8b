//! Files that are removed, replaced or cut under a ledger that is open: nothing is acknowledged that nobody will find.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use baton_ledger::{
    Append, Erasure, Error, Fault, Ledger as _, Limit, Maintenance as _, NewEvent, ReadFrom, Sqlite, digest,
    verify,
};
use tempfile::TempDir;

use crate::child::{Child, acknowledged, append, failures};

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
        let erasure = Erasure { digests: vec![secret], ..Erasure::default() };
        let erase = Append {
            stream: format!("erasing-{round}"),
            at: baton_kernel::Millis(1),
            events: vec![erasure.event()],
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

fn index(path: &Path) -> PathBuf {
    path.with_file_name("ledger.db-shm")
}

/// Looks, in a ledger that is opened again, whether everything that was acknowledged is there.
fn holds_all(path: &Path, records: usize) {
    let ledger = Sqlite::open(path).expect("it heals by itself");
    let from = ReadFrom::Stream { stream: "run".into(), after: 0 };
    assert_eq!(ledger.read(&from, Limit(1000)).expect("readable").len(), records);
    assert!(verify(&ledger, None).expect("readable").is_proven());
    ledger.examine().expect("the views are what the log says");
    assert!(ledger.append(vec![append("run", records as u64)]).expect("it works")[0].is_ok());
}

// proves S-02: who writes with an index that others do not share overwrites what they wrote.
#[test]
fn an_index_that_was_removed_or_replaced_is_not_written_with() {
    for (is_replaced, what) in [(false, "removed"), (true, "replaced")] {
        let (folder, path, ledger) = opened();
        let before = fs::read(log(&path)).expect("readable");
        if is_replaced {
            let other = folder.path().join("other");
            fs::copy(index(&path), &other).expect("it can be copied");
            fs::rename(&other, index(&path)).expect("it can be replaced");
        } else {
            fs::remove_file(index(&path)).expect("it is there");
        }
        let said = next(&ledger);
        assert!(said.contains(&format!("ledger.db-shm was {what} while it was open")), "{said}");
        assert!(before == fs::read(log(&path)).expect("readable"), "nothing is written to the log");
        drop(ledger);
        assert!(before == fs::read(log(&path)).expect("readable"), "and it is not copied on closing");
        holds_all(&path, 40);
    }
}

#[test]
fn an_index_that_is_gone_when_a_ledger_is_closed_leaves_the_log_as_it_is() {
    let (_folder, path, ledger) = opened();
    fs::remove_file(index(&path)).expect("it is there");
    drop(ledger);
    assert!(log(&path).exists());
    holds_all(&path, 40);
}

// proves S-02: two processes with an index each would write over what the other was told is kept.
#[test]
fn who_opens_a_ledger_in_use_whose_index_was_removed_is_refused() {
    let (_folder, path, ledger) = opened();
    fs::remove_file(index(&path)).expect("it is there");
    let before = fs::read(log(&path)).expect("readable");
    let other = Child { name: "other", ledger: &path, count: 3 };
    let output = other.command().output().expect("this binary starts");
    assert!(acknowledged(&output.stdout).is_empty(), "{output:?}");
    let said = failures(&output.stdout);
    assert!(said[0].contains("was removed while other processes use it"), "{said:?}");
    let refused = Sqlite::open(&path).map(drop).expect_err("it is refused here too");
    assert!(matches!(refused, Error::Unshared { .. }), "{refused}");
    assert_eq!(refused.fault(), Fault::World);
    assert!(!index(&path).exists(), "no other index is made");
    next(&ledger);
    assert!(before == fs::read(log(&path)).expect("readable"), "the log is as it was");
    drop(ledger);
    holds_all(&path, 40);
}

// Whoever closes last removes the index: nobody who comes just then is told that somebody else did.
#[test]
fn processes_that_come_and_go_do_not_miss_an_index() {
    let (_folder, path, ledger) = opened();
    drop(ledger);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for round in 0..8 {
                    let name = format!("{thread} {round}");
                    let child = Child { name: &name, ledger: path, count: 1 + round % 2 };
                    let output = child.command().output().expect("this binary starts");
                    assert_eq!(failures(&output.stdout), [""; 0], "{output:?}");
                }
            });
            scope.spawn(move || {
                for _ in 0..60 {
                    drop(Sqlite::open(path).expect("nobody removed anything"));
                }
            });
        }
    });
    holds_all(&path, 40);
}
