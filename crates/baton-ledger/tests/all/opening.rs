//! What is no ledger, or none that can be used, is recognised before anything is written to it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_kernel::Millis;
use baton_ledger::{
    Address, Error, FORMAT, Fault, Ledger as _, Limit, Maintenance as _, NewLease, Query, ReadFrom, Sqlite,
    verify,
};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::child::append;

const SHORT: Duration = Duration::from_millis(50);
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("ledger.db");
    (folder, path)
}

fn made(path: &Path, appends: u64) {
    let ledger = Sqlite::open(path).expect("a new ledger");
    for number in 0..appends {
        ledger.append(vec![append("run", number * 2)]).expect("it works")[0].as_ref().expect("it is kept");
    }
}

/// The files of a folder but the locks.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut files: Vec<_> = entries
        .filter(|entry| entry.path().is_file())
        .map(|entry| {
            (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).expect("readable"))
        })
        .collect();
    files.sort();
    files
}

/// What opening says, after a look that nothing was changed.
fn refused(path: &Path) -> Error {
    let folder = path.parent().expect("it lies in a folder");
    let before = files(folder);
    let error = Sqlite::open_with(path, SHORT).err().expect("it cannot be used");
    assert!(files(folder) == before, "a file that is refused is left as it is");
    assert!(!error.hint().is_empty());
    error
}

#[test]
fn what_is_no_ledger_is_refused_and_left_alone() {
    let (_folder, path) = folder();
    for (content, what) in [
        (&b""[..], "it is empty"),
        (b"# Notes\nnothing here\n", "it is no SQLite database"),
        (b"SQLite format 3\0", "it is no SQLite database"),
    ] {
        std::fs::write(&path, content).expect("writable");
        let error = refused(&path);
        assert_eq!(error.fault(), Fault::User);
        let said = format!("open {}: it is no ledger of Baton, {what}", path.display());
        assert_eq!(error.to_string(), said);
    }
    std::fs::remove_file(&path).expect("it is there");
    let other = Connection::open(&path).expect("a database");
    other.execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)").expect("a table");
    drop(other);
    assert!(refused(&path).to_string().ends_with("it is the database of another program"));
    let directory = path.with_file_name("directory");
    std::fs::create_dir(&directory).expect("a folder");
    assert!(Sqlite::open(&directory).is_err());
    assert!(Sqlite::open(&path.with_file_name("nowhere").join("ledger.db")).is_ok(), "its folder is made");
}

// proves S-02: a ledger has one place, with its log and its locks beside it.
#[cfg(unix)]
#[test]
fn a_link_is_refused_and_never_replaced() {
    let (folder, path) = folder();
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    for is_made in [false, true] {
        if is_made {
            made(&path, 3);
        }
        let error = refused(&link);
        assert!(error.to_string().ends_with("it is a link, and links are not followed here"), "{error}");
        assert_eq!(error.fault(), Fault::User);
        assert!(link.is_symlink() && path.exists() == is_made);
        assert!(!folder.path().join("link.db-locks").exists(), "nothing is made beside it");
    }
    // The log of a ledger is no link either.
    std::fs::write(folder.path().join("elsewhere"), b"").expect("writable");
    std::os::unix::fs::symlink("elsewhere", path.with_file_name("ledger.db-wal")).expect("a link");
    assert!(refused(&path).to_string().ends_with("its write-ahead log (-wal) is no file"));
}

// proves S-02: where records were, nobody is told that there are none.
#[test]
fn a_log_without_its_ledger_is_refused_and_left_alone() {
    let (_folder, path) = folder();
    assert!(!Address::file(&path).exists().expect("nothing is there"));
    made(&path, 3);
    assert!(Address::file(&path).exists().expect("it is there"));
    std::fs::remove_file(&path).expect("it is there");
    std::fs::write(path.with_file_name("ledger.db-wal"), b"left").expect("writable");
    for error in [refused(&path), Address::file(&path).exists().expect_err("records are missing")] {
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("the file is gone, and only its write-ahead log"), "{error}");
        assert!(error.hint().contains("-wal"), "{}", error.hint());
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_folder_is_refused_and_not_opened() {
    let (_folder, path) = folder();
    let made = std::process::Command::new("mkfifo").arg(&path).status().expect("it starts");
    assert!(made.success());
    let (tell, told) = std::sync::mpsc::channel();
    let pipe = path.clone();
    std::thread::spawn(move || tell.send(Sqlite::open_with(&pipe, SHORT).map(drop)));
    let said = told.recv_timeout(Duration::from_secs(5)).expect("nobody waits for a pipe");
    assert!(matches!(said, Err(Error::Foreign { .. })), "{said:?}");
    std::fs::remove_file(&path).expect("it is there");
    std::fs::create_dir(&path).expect("a folder");
    let error = refused(&path);
    assert!(error.to_string().ends_with("it is no file"), "{error}");
    assert!(!path.with_file_name("ledger.db-locks").exists(), "nothing is made beside it");
    // Nor is a pipe in the place of the log.
    std::fs::remove_dir(&path).expect("it is there");
    std::fs::write(&path, b"").expect("writable");
    let log = path.with_file_name("ledger.db-wal");
    assert!(std::process::Command::new("mkfifo").arg(&log).status().expect("it starts").success());
    let error = Sqlite::open_with(&path, SHORT).map(drop).expect_err("nobody waits for a pipe");
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
}

#[test]
fn a_newer_ledger_is_refused_and_left_alone() {
    let (_folder, path) = folder();
    made(&path, 3);
    let db = Connection::open(&path).expect("a database");
    db.pragma_update(None, "user_version", FORMAT + 1).expect("it can be set");
    drop(db);
    let error = refused(&path);
    assert!(matches!(error, Error::Newer { found, known, .. } if found == FORMAT + 1 && known == FORMAT));
    assert_eq!(error.fault(), Fault::User);
}

#[test]
fn a_ledger_with_other_tables_is_refused() {
    let (_folder, path) = folder();
    made(&path, 3);
    let db = Connection::open(&path).expect("a database");
    db.execute_batch("CREATE TABLE theirs (x)").expect("a table");
    drop(db);
    assert!(refused(&path).to_string().ends_with("its tables are not those of its format"));
}

#[test]
fn a_ledger_that_was_cut_is_refused_and_left_alone() {
    let (_folder, path) = folder();
    made(&path, 50);
    let whole = std::fs::read(&path).expect("readable");
    for kept in [whole.len() - 1, whole.len() - 4096, whole.len() / 2, 4096, 100] {
        std::fs::write(&path, &whole[..kept]).expect("writable");
        let error = refused(&path);
        assert!(matches!(error, Error::Damaged { .. }), "{kept} of {} bytes: {error}", whole.len());
    }
}

#[test]
fn a_ledger_that_another_program_keeps_is_locked() {
    let (_folder, path) = folder();
    made(&path, 3);
    let other = Connection::open(&path).expect("a database");
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").expect("nobody else has it");
    let error = Sqlite::open_with(&path, SHORT).err().expect("it is locked");
    assert!(matches!(error, Error::Locked { .. }), "{error}");
    drop(other);
    let ledger = Sqlite::open_with(&path, SHORT).expect("it is free");
    let other = Connection::open(&path).expect("a database");
    other.execute_batch("BEGIN IMMEDIATE").expect("it is free");
    let error = ledger.append(vec![append("run", 6)]).expect_err("it is locked");
    assert!(matches!(error, Error::Locked { .. }), "{error}");
    other.execute_batch("ROLLBACK").expect("it lets go");
    assert!(
        ledger.append(vec![append("run", 6)]).expect("it works")[0].is_ok(),
        "being locked stops nothing"
    );
}

#[test]
fn a_ledger_that_was_never_finished_is_made_again() {
    let (_folder, path) = folder();
    std::fs::write(path.with_file_name("ledger.db-new"), b"SQLite form").expect("writable");
    made(&path, 1);
    assert!(!path.with_file_name("ledger.db-new").exists());
}

#[test]
fn an_older_ledger_is_migrated_with_a_backup_beside_it() {
    for format in 1..FORMAT {
        let (_folder, path) = folder();
        let old = std::fs::read(format!("{FIXTURES}/format-{format}.db")).expect("it is kept");
        std::fs::write(&path, old).expect("writable");
        let hash = holds_the_old_records(&Sqlite::open(&path).expect("it can be migrated"), "");
        let backup = path.with_file_name(format!("ledger.db.format-{format}.backup"));
        let db = Connection::open(&backup).expect("a database");
        let version: u32 = db.pragma_query_value(None, "user_version", |row| row.get(0)).expect("it has one");
        let entries: u32 =
            db.query_row("SELECT count(*) FROM entry", [], |row| row.get(0)).expect("a number");
        assert_eq!((version, entries), (format, 5));
        drop(db);
        // The backup is a ledger of its own that can be used if need be.
        let restored = path.with_file_name("restored.db");
        std::fs::copy(&backup, &restored).expect("writable");
        assert_eq!(holds_the_old_records(&Sqlite::open(&restored).expect("it can be migrated"), ""), hash);
    }
}

#[test]
fn streams_that_an_older_ledger_has_in_its_views_have_no_summary() {
    let (_folder, path) = folder();
    let ledger = Sqlite::open(&path).expect("a new ledger");
    let begun = |number| baton_ledger::Append { head: None, ..append(&format!("run {number}"), 0) };
    // Enough that the views hold them.
    let answers = ledger.append((0..2500).map(begun).collect()).expect("it works");
    assert!(answers.iter().all(Result::is_ok));
    drop(ledger);
    let db = Connection::open(&path).expect("a database");
    let older = "ALTER TABLE stream DROP COLUMN summary; DELETE FROM migration WHERE format = 4;
        PRAGMA user_version = 3";
    db.execute_batch(older).expect("it can be changed");
    drop(db);
    let ledger = Sqlite::open(&path).expect("it can be migrated");
    let query = Query { labels: Vec::new(), before: None, since: 0, limit: Limit(3000) };
    let found = ledger.find(&query).expect("readable");
    assert_eq!((found.len(), found.iter().all(|head| head.summary.is_empty())), (2500, true));
    ledger.examine().expect("the views are what the log says");
}

/// Copies a ledger as a crash would leave it, into a folder of its own.
fn crashed(path: &Path) -> (TempDir, PathBuf) {
    let (new, copy) = folder();
    for (name, content) in files(path.parent().expect("it lies in a folder")) {
        if !name.ends_with("-shm") {
            std::fs::write(new.path().join(name), content).expect("writable");
        }
    }
    (new, copy)
}

fn format_of(path: &Path) -> u32 {
    let db = Connection::open(path).expect("a database");
    db.pragma_query_value(None, "user_version", |row| row.get(0)).expect("it has one")
}

// proves S-02: a crash between a migration and the copying of its log costs neither the ledger nor its backup.
#[test]
fn a_migration_that_is_only_in_the_log_is_not_made_again() {
    for format in 1..FORMAT {
        let (_folder, path) = folder();
        let old = std::fs::read(format!("{FIXTURES}/format-{format}.db")).expect("it is kept");
        std::fs::write(&path, old).expect("writable");
        // Whoever reads keeps the log from being copied.
        let reader = Connection::open(&path).expect("a database");
        reader.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).expect("it can be set");
        reader.execute_batch("BEGIN; SELECT count(*) FROM entry").expect("readable");
        let ledger = Sqlite::open_with(&path, SHORT).expect("it can be migrated");
        let (_copies, copy) = crashed(&path);
        drop((ledger, reader));
        let first = std::fs::read(&copy).expect("readable");
        assert_eq!(first[60..64], format.to_be_bytes(), "the first page is the old one");
        let backup = copy.with_file_name(format!("ledger.db.format-{format}.backup"));
        let kept = std::fs::read(&backup).expect("readable");
        holds_the_old_records(&Sqlite::open(&copy).expect("it was migrated"), "");
        assert!(kept == std::fs::read(&backup).expect("readable"), "the backup is as it was");
        assert_eq!((format_of(&backup), format_of(&copy)), (format, FORMAT));
    }
}

#[test]
fn a_newer_ledger_whose_format_is_only_in_the_log_is_refused_and_left_alone() {
    let (_folder, path) = folder();
    made(&path, 3);
    let db = Connection::open(&path).expect("a database");
    db.pragma_update(None, "user_version", FORMAT + 1).expect("it can be set");
    let (_copies, copy) = crashed(&path);
    let error = refused(&copy);
    assert!(matches!(error, Error::Newer { found, .. } if found == FORMAT + 1), "{error}");
    drop(db);
    // Also where others use it.
    let (_folder, path) = folder();
    made(&path, 3);
    let _other = Sqlite::open(&path).expect("it opens");
    let db = Connection::open(&path).expect("a database");
    db.pragma_update(None, "user_version", FORMAT + 1).expect("it can be set");
    let error = Sqlite::open_with(&path, SHORT).map(drop).expect_err("it is newer");
    assert!(matches!(error, Error::Newer { found, .. } if found == FORMAT + 1), "{error}");
}

#[test]
fn a_backup_is_never_overwritten() {
    let (_folder, path) = folder();
    let old = std::fs::read(format!("{FIXTURES}/format-2.db")).expect("it is kept");
    let backup = path.with_file_name("ledger.db.format-2.backup");
    let second = path.with_file_name("ledger.db.format-2.backup-2");
    std::fs::write(&backup, "another ledger").expect("writable");
    // Twice, as when the older ledger was brought back: the same is not kept twice.
    for _ in 0..2 {
        std::fs::write(&path, &old).expect("writable");
        drop(Sqlite::open(&path).expect("it can be migrated"));
        assert!(std::fs::read(&backup).expect("readable") == b"another ledger", "it is as it was");
        assert_eq!(format_of(&second), 2);
    }
    let names: Vec<_> = files(path.parent().expect("a folder")).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["ledger.db", "ledger.db.format-2.backup", "ledger.db.format-2.backup-2"]);
}

#[test]
fn a_ledger_of_this_format_stays_readable() {
    let (_folder, path) = folder();
    let kept = std::fs::read(format!("{FIXTURES}/format-{FORMAT}.db")).expect("it is kept");
    std::fs::write(&path, kept).expect("writable");
    holds_the_old_records(&Sqlite::open(&path).expect("it is of this format"), "summary 8");
    assert!(!files(path.parent().expect("a folder")).iter().any(|(name, _)| name.ends_with(".backup")));
}

/// Looks at a ledger with five appends to one stream, goes on with it, and tells its head before that.
fn holds_the_old_records(ledger: &Sqlite, summary: &str) -> String {
    let from = ReadFrom::Stream { stream: "golden".into(), after: 0 };
    let records = ledger.read(&from, Limit(100)).expect("readable");
    assert_eq!(records.len(), 10);
    let hash = records[9].hash.to_string();
    assert_eq!(hash, include_str!("../fixtures/head.txt").trim());
    let query = Query { labels: vec!["at 8".into()], before: None, since: 0, limit: Limit(9) };
    let found = ledger.find(&query).expect("readable");
    assert_eq!(found.iter().map(|head| head.summary.as_slice()).collect::<Vec<_>>(), [summary.as_bytes()]);
    assert!(verify(ledger, Some(records[9].hash)).expect("readable").is_proven());
    assert!(ledger.append(vec![append("other", 0)]).expect("it works")[0].is_ok());
    let taken = baton_ledger::Append { claims: vec!["golden 0".into()], ..append("third", 0) };
    assert!(ledger.append(vec![taken]).expect("it works")[0].is_err(), "old claims count");
    let wish = NewLease { stream: "golden".into(), holder: "me".into(), now: Millis(1), until: Millis(9) };
    assert!(ledger.lease(&wish).expect("it works").is_ok());
    ledger.examine().expect("the views are what the log says");
    hash
}
