//! Views that are not what the log says: found, told from a damaged log, and made again from it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use baton_ledger::{Error, Fault, Ledger as _, Maintenance as _, Sqlite};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::damage::{APPENDS, Seen, append, look};

const PATH: &str = "BATON_LEDGER_REBUILD";
const TEST: &str = "views::rebuilds_when_started_by_another_test";

/// A closed ledger whose views hold most of it, and what can be asked of it.
fn closed() -> (TempDir, PathBuf, Seen) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("ledger.db");
    let ledger = Sqlite::open(&path).expect("a new ledger");
    for batch in 0..APPENDS / 100 {
        let answers = ledger.append((batch * 100..(batch + 1) * 100).map(append).collect());
        assert!(answers.expect("it works").iter().all(Result::is_ok));
    }
    let seen = look(&ledger).expect("it is whole");
    (folder, path, seen)
}

fn change(path: &Path, sql: &str) {
    let db = Connection::open(path).expect("a database");
    db.execute_batch(sql).expect("it can be changed");
}

/// What somebody who verifies the ledger is told; opening it may already tell.
fn told(path: &Path) -> Result<(), Error> {
    Sqlite::open(path)?.examine()
}

/// All rows of all tables.
fn rows(path: &Path) -> Vec<String> {
    let db = Connection::open(path).expect("a database");
    let tables = ["entry", "state", "lease", "stream", "label", "place", "segment", "chunk"];
    let mut rows = Vec::new();
    for table in tables {
        let mut all = db.prepare(&format!("SELECT * FROM {table}")).expect("a table");
        let columns = all.column_count();
        let mut all = all.query([]).expect("readable");
        while let Some(row) = all.next().expect("readable") {
            let cells: Vec<_> = (0..columns).map(|cell| row.get_ref(cell).expect("a cell")).collect();
            rows.push(format!("{table} {cells:?}"));
        }
    }
    rows
}

// proves S-02: what is derived from the log and does not say what the log says is never silent.
#[test]
fn a_view_that_is_not_what_the_log_says_is_named_and_made_again() {
    let (_folder, path, seen) = closed();
    let whole = std::fs::read(&path).expect("readable");
    let stale = "UPDATE stream SET (seq, last, hash, labels, due, sum, summary) =
        (SELECT seq, last, hash, labels, due, sum, summary FROM stream WHERE id = 2) WHERE id = 1";
    let damages = [
        ("DELETE FROM stream", "table stream: row 1"),
        ("DELETE FROM stream WHERE id = 7", "table stream: row 7"),
        (stale, "table stream: row 1 is not what was written"),
        ("UPDATE stream SET name = 'other' WHERE id = 3", "table stream: row 3"),
        ("UPDATE stream SET due = NULL WHERE id = 4", "table stream: row 4"),
        ("UPDATE stream SET summary = x'00' WHERE id = 4", "table stream: row 4"),
        ("DELETE FROM label", "table label: row (\"label 0\", 1) is missing"),
        ("DELETE FROM label WHERE stream = 6", "table label: row (\"label 0\", 6) is missing"),
        ("INSERT INTO label VALUES ('label 9', 6)", "table label: the log knows nothing of row"),
        ("DELETE FROM place", "table place: row [1, 1, 1] is missing"),
        ("DELETE FROM place WHERE stream = 5 AND seq = 9", "table place: row [5, 9, 165] is missing"),
        ("UPDATE place SET position = 2 WHERE stream = 5 AND seq = 9", "table place: "),
        ("INSERT INTO place VALUES (5, 5000, 5)", "table place: the log knows nothing of row [5, 5000, 5]"),
        ("DELETE FROM segment", "table segment: the key "),
        ("UPDATE segment SET keys = keys + 1", "table segment: row "),
        ("DELETE FROM chunk", "table chunk: row "),
        ("UPDATE chunk SET data = zeroblob(length(data))", "table chunk: row "),
        ("INSERT INTO chunk VALUES (100000, x'00')", "table chunk: it has "),
        ("UPDATE state SET viewed = 0", "table stream: the log knows nothing of row 1"),
        ("UPDATE state SET viewed = viewed + 1000", "table state: it says "),
    ];
    for (sql, said) in damages {
        std::fs::write(&path, &whole).expect("writable");
        change(&path, sql);
        let error = told(&path).expect_err(sql);
        assert!(matches!(&error, Error::View { what, .. } if what.starts_with(said)), "{sql}: {error}");
        assert_eq!(error.fault(), Fault::World);
        assert!(error.hint().contains("baton log --rebuild"));
        // Whoever verifies a ledger that can still be opened gets a whole report.
        if let Ok(ledger) = Sqlite::open(&path) {
            let report = ledger.verify(None).expect(sql);
            assert!(
                !report.is_proven() && report.derived.is_some_and(|what| what.starts_with(said)),
                "{sql}"
            );
        }
        let ledger = Sqlite::rebuild(&path).expect(sql);
        ledger.examine().expect("it says what the log says");
        assert!(look(&ledger).expect(sql) == seen, "{sql}");
        assert!(ledger.verify(None).expect("readable").is_proven());
        drop(ledger);
        told(&path).expect("it stays so");
    }
    // It goes on, and the views are written with what comes.
    let ledger = Sqlite::open(&path).expect("it opens");
    for batch in 0..21 {
        let more = (APPENDS + batch * 100..APPENDS + (batch + 1) * 100).map(append).collect();
        assert!(ledger.append(more).expect("it works").iter().all(Result::is_ok));
    }
    ledger.examine().expect("the views are what the log says");
}

// proves S-02: a damaged log is not covered up by views that are made from it.
#[test]
fn a_damaged_log_is_not_built_on_and_nothing_is_changed() {
    let (_folder, path, _) = closed();
    let whole = std::fs::read(&path).expect("readable");
    for (sql, position) in [
        ("DELETE FROM entry WHERE position = 900", 900),
        ("UPDATE entry SET data = zeroblob(length(data)) WHERE position = 1200", 1200),
        ("DELETE FROM entry WHERE position > 2000", 2001),
        ("DELETE FROM entry WHERE position > 2000; DELETE FROM label; DELETE FROM place", 2001),
    ] {
        std::fs::write(&path, &whole).expect("writable");
        change(&path, sql);
        let before = rows(&path);
        let error = Sqlite::rebuild(&path).map(drop).expect_err(sql);
        assert!(matches!(error, Error::Damaged { position: Some(at), .. } if at == position), "{error}");
        assert!(before == rows(&path), "{sql}: nothing is changed");
    }
}

#[test]
fn views_are_made_again_only_while_nobody_else_has_the_ledger() {
    let (_folder, path, seen) = closed();
    let ledger = Sqlite::open(&path).expect("it opens");
    let error = Sqlite::rebuild(&path).map(drop).expect_err("somebody has it");
    assert!(matches!(error, Error::Locked { .. }), "{error}");
    assert!(look(&ledger).expect("it works on") == seen);
    assert!(ledger.append(vec![append(APPENDS)]).expect("it works on")[0].is_ok());
    drop(ledger);
    drop(Sqlite::rebuild(&path).expect("it is free"));
    let nowhere = path.with_file_name("nowhere.db");
    assert!(Sqlite::rebuild(&nowhere).is_err() && !nowhere.exists(), "nothing is made");
}

#[test]
fn who_examines_keeps_nobody_from_writing() {
    let (_folder, path, _) = closed();
    let ledger = Sqlite::open(&path).expect("it opens");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for number in APPENDS..APPENDS + 200 {
                assert!(ledger.append(vec![append(number)]).expect("it works")[0].is_ok());
            }
        });
        let mut looks = 0;
        while !writer.is_finished() || looks == 0 {
            ledger.examine().expect("every look is of one moment");
            looks += 1;
        }
    });
}

// proves S-02: a crash at any instant of it leaves the views as they were or made again.
#[test]
fn whatever_instant_a_rebuild_is_killed_at_the_next_one_works() {
    let (_folder, path, seen) = closed();
    change(&path, "DELETE FROM label; DELETE FROM place WHERE stream = 5");
    let whole = std::fs::read(&path).expect("readable");
    let log = path.with_file_name("ledger.db-wal");
    for bytes in [0, 1, 100_000, 200_000, 300_000, 400_000] {
        let _ = (std::fs::remove_file(&log), std::fs::remove_file(path.with_file_name("ledger.db-shm")));
        std::fs::write(&path, &whole).expect("writable");
        let mut child = Command::new(std::env::current_exe().expect("this test has a binary"))
            .args([TEST, "--exact", "--test-threads=1"])
            .env(PATH, &path)
            .stdout(Stdio::null())
            .spawn()
            .expect("this binary starts");
        while child.try_wait().expect("it is ours").is_none()
            && std::fs::metadata(&log).map_or(0, |data| data.len()) < bytes
        {
            std::thread::yield_now();
        }
        let _ = child.kill();
        child.wait().expect("it was killed");
        if let Err(error) = told(&path) {
            assert!(matches!(error, Error::View { .. }), "{error}");
        }
        let ledger = Sqlite::rebuild(&path).expect("a killed process leaves nothing behind");
        assert!(look(&ledger).expect("readable") == seen);
    }
}

#[test]
fn rebuilds_when_started_by_another_test() {
    // Run among the others it has nothing to do.
    if let Ok(path) = std::env::var(PATH) {
        Sqlite::rebuild(Path::new(&path)).expect("its log is whole");
    }
}
