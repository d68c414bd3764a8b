//! A ledger in one SQLite file, for all processes of one machine.
//!
//! An append is one row of the log (`entry.rs`), whatever it changes. What streams can be found by, where their
//! records are, and which claims and payloads there are is kept in memory for the last few thousand rows
//! (`tail.rs`) and in tables for those before (`views.rs`, `keys.rs`). Callers work out ahead what they can
//! (`ahead.rs`) and share commits (`group.rs`), processes take turns (`turn.rs`).

mod ahead;
mod entry;
mod examine;
mod file;
mod files;
mod group;
mod keys;
mod pack;
mod private;
mod read;
mod rebuild;
mod tail;
mod trouble;
mod turn;
mod views;
mod wal;
mod write;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use baton_kernel::{Digest, Millis};
use rusqlite::Connection;

pub use file::FORMAT;

use ahead::Heads;
use group::{Group, open};
use read::Reader;
use trouble::Trouble;
use turn::{Company, Turns};
use write::{Done, Job, Writer};

use crate::address::Backend;
use crate::{
    Append, Appended, Bad, Error, Head, Lease, Ledger, Limit, Maintenance, NewLease, Query, ReadFrom, Record,
    Refused, Report, Store, limits, verify,
};

/// How long another program may keep the file to itself before that is an error.
const PATIENCE: Duration = Duration::from_secs(10);

/// A ledger in a file.
pub struct Sqlite {
    path: PathBuf,
    group: Group<Job, Result<Done, Error>>,
    writer: Mutex<Writer>,
    reader: Mutex<Reader>,
    /// Where streams stood when somebody here appended to them.
    heads: Heads,
    /// Why nothing is written any more.
    stopped: Mutex<Option<String>>,
    /// Goes last: nobody comes in before the files are closed.
    turns: Turns,
}

impl Sqlite {
    /// Opens the ledger at a path; makes it if there is none, and migrates an older one, with a backup beside it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with(path, PATIENCE)
    }

    /// Opens a ledger, and waits so long for other programs.
    pub fn open_with(path: &Path, patience: Duration) -> Result<Self, Error> {
        Self::open_behind(path, patience, |_, _| Ok(()))
    }

    /// Makes the views of a ledger again from its log, all or nothing, and opens it. Nobody else may have it open.
    ///
    /// The log itself is only read: where it is damaged too, that is the error, and nothing is changed.
    pub fn rebuild(path: &Path) -> Result<Self, Error> {
        if !file::is_there(path)? {
            return Err(Error::io(path)(ErrorKind::NotFound.into()));
        }
        Self::open_behind(path, PATIENCE, |db, company| match company {
            Company::Alone => rebuild::all(db).map_err(|trouble| trouble.of(path)),
            Company::Others => Err(Error::Locked { ledger: trouble::shown(path) }),
        })
    }

    /// Opens a ledger behind something that is done while nobody else can come in.
    fn open_behind(
        path: &Path,
        patience: Duration,
        first: impl FnOnce(&Connection, Company) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        // Before the locks: beside what is refused nothing is made.
        file::is_there(path)?;
        let turns = Turns::beside(path)?;
        let opened = file::open(path, &turns, patience, first)?;
        let ledger = Self {
            path: path.to_owned(),
            group: Group::new(),
            writer: Mutex::new(Writer::new(opened.writing, opened.files, patience)),
            reader: Mutex::new(Reader::new(opened.reading)),
            heads: Heads::default(),
            stopped: Mutex::new(None),
            turns,
        };
        // What is damaged at the end of the log shows before anything is built on it.
        ledger.due(Millis(0), Limit(0))?;
        Ok(ledger)
    }

    fn ask(&self, job: Job) -> Result<Done, Error> {
        let answer = self.group.submit(job, |jobs| self.work(&jobs));
        answer.unwrap_or_else(|| Err(Error::misuse("a commit gave no answer")))
    }

    /// Does the jobs of all callers; one answer each.
    fn work(&self, jobs: &[Job]) -> Vec<Result<Done, Error>> {
        match self.commit(jobs) {
            Ok(done) => done.into_iter().map(Ok).collect(),
            Err(error) => jobs.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    fn commit(&self, jobs: &[Job]) -> Result<Vec<Done>, Error> {
        if let Some(because) = open(&self.stopped).clone() {
            return Err(Error::Stopped { ledger: trouble::shown(&self.path), because });
        }
        // The writer first: within one process the locks of a turn keep nobody out.
        let mut writer = open(&self.writer);
        let _turn = self.turns.wait()?;
        writer.commit(jobs).map_err(|trouble| {
            let error = trouble.of(&self.path);
            if let Error::Gone { .. } = error {
                open(&self.reader).leave_log();
            }
            match error {
                // The disk did not take a write, or the files are others. What is there now only opening again can tell.
                Error::Store { .. } | Error::Full { .. } | Error::Io { .. } | Error::Gone { .. } => {
                    *open(&self.stopped) = Some(error.to_string());
                }
                Error::Misuse { .. }
                | Error::NoStore { .. }
                | Error::Locked { .. }
                | Error::Foreign { .. }
                | Error::Newer { .. }
                | Error::Damaged { .. }
                | Error::View { .. }
                | Error::Unshared { .. }
                | Error::Stopped { .. } => {}
            }
            error
        })
    }

    fn look<T>(&self, ask: impl FnOnce(&mut Reader) -> Result<T, Trouble>) -> Result<T, Error> {
        ask(&mut open(&self.reader)).map_err(|trouble| trouble.of(&self.path))
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        // Whoever closes last copies the log and removes it with the index. Nobody comes in meanwhile, so that who does
        // finds users with all their files, or none. Without the lock they are closed all the same.
        let _ = self.turns.leave();
        if !open(&self.writer).may_close() {
            open(&self.reader).leave_log();
        }
    }
}

impl Ledger for Sqlite {
    fn append(&self, batch: Vec<Append>) -> Result<Vec<Result<Appended, Refused>>, Error> {
        limits::batch(&batch)?;
        let (batch, keys) = self.heads.ahead(batch);
        match self.ask(Job::Append(batch))? {
            Done::Appended(appended) => {
                self.heads.know(&keys, &appended);
                Ok(appended)
            }
            Done::Leased(_) | Done::Released => Err(Error::misuse("an append was answered as a lease")),
        }
    }

    fn read(&self, from: &ReadFrom, limit: Limit) -> Result<Vec<Record>, Error> {
        self.look(|reader| reader.read(from, limit))
    }

    fn find(&self, query: &Query) -> Result<Vec<Head>, Error> {
        self.look(|reader| reader.find(query))
    }

    fn due(&self, until: Millis, limit: Limit) -> Result<Vec<Head>, Error> {
        self.look(|reader| reader.due(until, limit))
    }

    fn lease(&self, wish: &NewLease) -> Result<Result<Lease, Refused>, Error> {
        limits::lease(wish)?;
        match self.ask(Job::Lease(wish.clone()))? {
            Done::Leased(lease) => Ok(lease),
            Done::Appended(_) | Done::Released => Err(Error::misuse("a lease was answered as an append")),
        }
    }

    fn release(&self, lease: &Lease) -> Result<(), Error> {
        self.ask(Job::Release(lease.clone())).map(|_| ())
    }
}

impl Maintenance for Sqlite {
    fn examine(&self) -> Result<(), Error> {
        self.look(Reader::examine)
    }

    fn verify(&self, earlier: Option<Digest>) -> Result<Report, Error> {
        let mut report = verify(self, earlier)?;
        match self.examine() {
            Ok(()) => {}
            Err(Error::View { what, .. }) => {
                // Records are read through the views. The log is whole: what has no place in it is about them, and is
                // said once.
                report.first_bad = report.first_bad.filter(|bad| bad.position.is_some());
                report.derived = Some(what);
            }
            Err(Error::Damaged { position, what, .. }) => {
                report.first_bad.get_or_insert(Bad { position, what });
            }
            Err(error) => return Err(error),
        }
        Ok(report)
    }
}

/// The kind of store that is a file.
pub(crate) struct SqliteBackend;

impl Backend for SqliteBackend {
    fn exists(&self, location: &Path) -> Result<bool, Error> {
        file::is_there(location)
    }

    fn open(&self, location: &Path) -> Result<Box<dyn Store>, Error> {
        Ok(Box::new(Sqlite::open(location)?))
    }

    fn rebuild(&self, location: &Path) -> Result<Box<dyn Store>, Error> {
        Ok(Box::new(Sqlite::rebuild(location)?))
    }

    fn files(&self, location: &Path) -> Vec<PathBuf> {
        ["", "-wal", "-shm"].map(|end| file::beside(location, end)).to_vec()
    }

    fn backups(&self, location: &Path) -> Vec<PathBuf> {
        file::backups(location)
    }
}
