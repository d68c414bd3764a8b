//! Makes, recognises, migrates and opens the file of a ledger.
//!
//! Invariant: a file is recognised by reading alone; whatever cannot be used is left as it is. A new ledger gets its
//! name when it is whole.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};

use super::files::{Files, Named};
use super::private;
use super::trouble::{Trouble, database, shown};
use super::turn::{Company, Turns};
use super::wal::{Header, whole};
use crate::{Error, digest};

/// The newest stored format; every change of a table is a new one.
pub const FORMAT: u32 = 4;

/// "BATN", where a database says whose it is.
const APPLICATION: u32 = 0x4241_544e;
const PAGE_BYTES: u32 = 4096;
/// How long the write-ahead log gets before it is copied into the database.
const CHECKPOINT_PAGES: u32 = 8000;
const CACHE_KIBIBYTES: u32 = 12 * 1024;
/// How much of a backup is compared at once.
const COMPARED_BYTES: u64 = 1 << 20;

/// What brings a ledger from one format to the next; a row is never changed once it was released.
const MIGRATIONS: [&str; FORMAT as usize] = [
    include_str!("migrations/0001.sql"),
    include_str!("migrations/0002.sql"),
    include_str!("migrations/0003.sql"),
    include_str!("migrations/0004.sql"),
];

/// The sums of the migrations that a ledger went through: the proof that its tables are the ones known here.
const SUMS: &str = "CREATE TABLE migration (format INTEGER PRIMARY KEY, sum TEXT NOT NULL)";

/// The two connections of a process, and the files that they have open.
pub(super) struct Opened {
    pub(super) writing: Connection,
    pub(super) reading: Connection,
    pub(super) files: Files,
}

/// Opens a ledger, and makes or migrates it if need be.
///
/// `first` is done while nobody else can come in.
pub(super) fn open(
    path: &Path,
    turns: &Turns,
    patience: Duration,
    first: impl FnOnce(&Connection, Company) -> Result<(), Error>,
) -> Result<Opened, Error> {
    let company = turns.enter()?;
    match (company, is_there(path)?) {
        (Company::Alone, false) => create(path)?,
        (Company::Others, false) => {
            let what = format!("{} was removed while other processes use it", path.display());
            return Err(Error::Gone { ledger: shown(path), what });
        }
        (Company::Alone | Company::Others, true) => {}
    }
    let (found, shared) = match company {
        Company::Alone => (Some(recognise(path)?), None),
        // While others write, the files change under the look; they looked when they came. And one of them may be this
        // process: closing the file here would release its locks.
        Company::Others => (None, Some(shared(path)?)),
    };
    let writing = connect(path, patience).map_err(|source| database(path, source))?;
    let format = match found {
        Some(format) => format,
        None => asked(path, &writing)?,
    };
    // A backup that was brought back has no write-ahead log; with one this changes nothing.
    let logged = writing.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
    logged.map_err(|source| database(path, source))?;
    if format < FORMAT {
        if company == Company::Others {
            return Err(Error::Locked { ledger: shown(path) });
        }
        back_up(path, &writing, format)?;
        migrate(&writing, format).map_err(|source| database(path, source))?;
    }
    compare(&writing).map_err(|trouble| trouble.of(path))?;
    let reading = connect(path, patience).map_err(|source| database(path, source))?;
    reading.pragma_update(None, "query_only", true).map_err(|source| database(path, source))?;
    let files = Files::of(path, beside(path, "-wal"), beside(path, "-shm"))?;
    if let Some(shared) = shared {
        // Somebody may have removed it since.
        shared.look().map_err(|trouble| trouble.of(path))?;
    }
    first(&writing, company)?;
    turns.stay(company)?;
    Ok(Opened { writing, reading, files })
}

/// Whether there is something to be opened; refuses what SQLite must not be given, without opening it.
///
/// A link would lead out of the folder that the ledger belongs to, and its log would lie elsewhere than its locks.
pub(super) fn is_there(path: &Path) -> Result<bool, Error> {
    let kind = |path: &Path| match fs::symlink_metadata(path) {
        Ok(data) => Ok(Some(data.file_type())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path)(error)),
    };
    let damaged = |what: &str| Error::Damaged { ledger: shown(path), position: None, what: what.to_owned() };
    match kind(path)? {
        Some(kind) if kind.is_symlink() => {
            return Err(foreign(path, "it is a link, and links are not followed here"));
        }
        Some(kind) if !kind.is_file() => return Err(foreign(path, "it is no file")),
        Some(_) | None => {}
    }
    for (end, what) in [
        ("-wal", "what is in the place of its write-ahead log (-wal) is no file"),
        ("-shm", "what is in the place of its index (-shm) is no file"),
    ] {
        if kind(&beside(path, end))?.is_some_and(|kind| !kind.is_file()) {
            return Err(damaged(what));
        }
    }
    if kind(path)?.is_some() {
        return Ok(true);
    }
    // Looked at behind the log: whoever makes a ledger gives it its name first.
    let is_left = kind(&beside(path, "-wal"))?.is_some();
    match kind(path)? {
        Some(_) => Ok(true),
        None if is_left => Err(damaged("the file is gone, and only its write-ahead log (-wal) is left")),
        None => Ok(false),
    }
}

/// The index that others share now. They have it open and nobody closes just now, so only a stranger can have removed it;
/// SQLite would make another one, and whoever has that knows nothing of the locks of the others.
fn shared(path: &Path) -> Result<Named, Error> {
    // Beside an empty database SQLite removes the log.
    if fs::metadata(path).map_err(Error::io(path))?.len() == 0 {
        return Err(foreign(path, "it is empty"));
    }
    let index = beside(path, "-shm");
    if fs::exists(&index).map_err(Error::io(&index))? {
        return Named::of(index);
    }
    let what = "its index (-shm) was removed while other processes use it".to_owned();
    Err(Error::Unshared { ledger: shown(path), what })
}

/// A file that lies beside a ledger.
pub(super) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn create(path: &Path) -> Result<(), Error> {
    let unfinished = beside(path, "-new");
    for end in ["", "-journal", "-wal", "-shm"] {
        match fs::remove_file(beside(&unfinished, end)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(Error::io(&unfinished)(error)),
            Ok(()) | Err(_) => {}
        }
    }
    private::empty(&unfinished).map_err(Error::io(&unfinished))?;
    made(&unfinished).map_err(|source| database(&unfinished, source))?;
    name_it(&unfinished, path)
}

/// Gives a whole file its name, for good.
fn name_it(unfinished: &Path, path: &Path) -> Result<(), Error> {
    File::open(unfinished).and_then(|file| file.sync_all()).map_err(Error::io(unfinished))?;
    fs::rename(unfinished, path).map_err(Error::io(path))?;
    let folder = folder_of(path);
    // Only Unix can sync a folder; elsewhere the rename itself is what there is.
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::io(folder))?;
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn made(path: &Path) -> rusqlite::Result<()> {
    let mut db = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    db.pragma_update(None, "page_size", PAGE_BYTES)?;
    db.pragma_update(None, "application_id", APPLICATION)?;
    db.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    let change = db.transaction()?;
    change.execute_batch(SUMS)?;
    up(&change, 0, FORMAT)?;
    change.commit()?;
    db.close().map_err(|(_, source)| source)
}

/// Says which format a ledger has, by reading its files.
fn recognise(path: &Path) -> Result<u32, Error> {
    let mut file = File::open(path).map_err(Error::io(path))?;
    let header = Header::read(&mut file).map_err(Error::io(path))?;
    let header = header.map_err(|what| foreign(path, what))?;
    known(path, header.application, header.format)?;
    let header = whole(path, header).map_err(Error::io(path))?;
    let header = header.map_err(|what| Error::Damaged { ledger: shown(path), position: None, what })?;
    known(path, header.application, header.format)
}

/// Says which format a ledger has that others use, by asking the database.
fn asked(path: &Path, db: &Connection) -> Result<u32, Error> {
    let ask = |name| db.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let said = ask("application_id").and_then(|application| Ok((application, ask("user_version")?)));
    let (application, format) = said.map_err(|source| database(path, source))?;
    let number = |said: i64| u32::try_from(said).unwrap_or_default();
    known(path, number(application), number(format))
}

/// Gives the format of a ledger that can be used.
fn known(path: &Path, application: u32, format: u32) -> Result<u32, Error> {
    if application != APPLICATION {
        return Err(foreign(path, "it is the database of another program"));
    }
    if format > FORMAT {
        return Err(Error::Newer { ledger: shown(path), found: format, known: FORMAT });
    }
    if format == 0 {
        return Err(foreign(path, "it says no format"));
    }
    Ok(format)
}

fn foreign(path: &Path, what: &str) -> Error {
    Error::Foreign { ledger: shown(path), what: what.to_owned() }
}

fn connect(path: &Path, patience: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(patience)?;
    db.set_prepared_statement_cache_capacity(64);
    // A commit is on the disk before it is answered; what is erased is overwritten.
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "secure_delete", true)?;
    db.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    db.pragma_update(None, "cache_size", -i64::from(CACHE_KIBIBYTES))?;
    db.pragma_update(None, "trusted_schema", false)?;
    db.pragma_update(None, "cell_size_check", true)?;
    // The first look at the tables, so that whatever is wrong shows here.
    db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(db)
}

/// Copies a ledger beside itself, whole, before it is changed; what is there from earlier is kept too.
fn back_up(path: &Path, db: &Connection, format: u32) -> Result<(), Error> {
    let mut backup = beside(path, &format!(".format-{format}.backup"));
    let unfinished = beside(&backup, "-new");
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(Error::io(&unfinished)(error)),
        Ok(()) | Err(_) => {}
    }
    let name = unfinished.to_str().ok_or_else(|| {
        Error::io(&unfinished)(std::io::Error::new(ErrorKind::InvalidFilename, "the path is no Unicode"))
    })?;
    private::empty(&unfinished).map_err(Error::io(&unfinished))?;
    db.execute("VACUUM INTO ?", [name]).map_err(|source| database(&unfinished, source))?;
    let mut number = 1_u32;
    while fs::exists(&backup).map_err(Error::io(&backup))? {
        if is_same(&unfinished, &backup).map_err(Error::io(&backup))? {
            return fs::remove_file(&unfinished).map_err(Error::io(&unfinished));
        }
        number += 1;
        backup = beside(path, &format!(".format-{format}.backup-{number}"));
    }
    name_it(&unfinished, &backup)
}

/// The copies of a ledger that migrations left, sorted.
pub(super) fn backups(path: &Path) -> Vec<PathBuf> {
    let folder = folder_of(path);
    let own = path.file_name().unwrap_or_default().to_string_lossy();
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.strip_prefix(&*own).is_some_and(|rest| rest.contains(".backup"))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> = entries.filter(is_one).collect();
    all.sort();
    all
}

/// Whether two files hold the same bytes.
fn is_same(one: &Path, other: &Path) -> std::io::Result<bool> {
    let (size, data) = (fs::metadata(one)?.len(), fs::metadata(other)?);
    if !data.is_file() || data.len() != size {
        return Ok(false);
    }
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    loop {
        left.clear();
        right.clear();
        (&mut one).take(COMPARED_BYTES).read_to_end(&mut left)?;
        (&mut other).take(COMPARED_BYTES).read_to_end(&mut right)?;
        if left != right || left.is_empty() {
            return Ok(left == right);
        }
    }
}

fn migrate(db: &Connection, from: u32) -> rusqlite::Result<()> {
    db.execute_batch("BEGIN IMMEDIATE")?;
    up(db, from, FORMAT)?;
    db.execute_batch("COMMIT")?;
    // Whoever reads the first page alone sees the new format. Somebody who reads may be in the way; then it is in the log,
    // which is read too.
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

fn up(db: &Connection, from: u32, to: u32) -> rusqlite::Result<()> {
    for (migration, format) in MIGRATIONS.iter().zip(1..).skip(from as usize).take((to - from) as usize) {
        db.execute_batch(migration)?;
        db.execute("INSERT INTO migration VALUES (?, ?)", params![format, sum_of(migration)])?;
    }
    db.pragma_update(None, "user_version", to)
}

fn sum_of(migration: &str) -> String {
    digest(migration.as_bytes()).to_string()
}

/// Compares the tables with those that the migrations make.
fn compare(db: &Connection) -> Result<(), Trouble> {
    let mut rows = db.prepare("SELECT format, sum FROM migration ORDER BY format")?;
    let went: Vec<(u32, String)> =
        rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    let known: Vec<(u32, String)> = (1..).zip(MIGRATIONS.iter().map(|sql| sum_of(sql))).collect();
    if went != known {
        return Err(Trouble::stored("it was made by other migrations than those of its format"));
    }
    let fresh = Connection::open_in_memory()?;
    fresh.execute_batch(SUMS)?;
    up(&fresh, 0, FORMAT)?;
    if tables(db)? == tables(&fresh)? {
        Ok(())
    } else {
        Err(Trouble::stored("its tables are not those of its format"))
    }
}

fn tables(db: &Connection) -> rusqlite::Result<Vec<(String, Option<String>)>> {
    let mut rows =
        db.prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name")?;
    rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}
