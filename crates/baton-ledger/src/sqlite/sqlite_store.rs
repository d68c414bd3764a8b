//! The store in one SQLite file: joins writer, reader, group commit and ticket lock.
//!
//! Invariant: after a write that failed nothing is written until the ledger is opened again.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use baton_kernel::{Digest, Millis};
use rusqlite::Connection;

use super::failure::Failure;
use super::group_commit::{Group, open};
use super::precompute::KnownHeads;
use super::read::Reader;
use super::ticket_lock::{Occupancy, TicketLock};
use super::write::{Done, Job, Writer};
use super::{failure, file, rebuild};

use crate::store::Backend;
use crate::{
    Append, Appended, Bad, Clock, Error, Head, Lease, LeaseRequest, Ledger, Limit, Maintenance, Query,
    ReadFrom, Record, Refused, Report, Store, limits, verify,
};

/// Time that another program may keep the file to itself before that is an error.
const PATIENCE: Duration = Duration::from_secs(10);

/// A ledger in a file.
pub struct Sqlite {
    path: PathBuf,
    group: Group<Job, Result<Done, Error>>,
    writer: Mutex<Writer>,
    reader: Mutex<Reader>,
    /// Last records of the streams that this process appended to.
    heads: KnownHeads,
    /// The failure after which nothing is written any more.
    stopped: Mutex<Option<String>>,
    clock: Clock,
    /// Dropped last: no process opens the ledger before the files are closed.
    ticket_lock: TicketLock,
}

impl Sqlite {
    /// Opens the ledger at a path; makes it if there is none, and migrates an older one, with a backup beside it.
    pub fn open(path: &Path, clock: Clock) -> Result<Self, Error> {
        Self::open_with(path, clock, PATIENCE)
    }

    /// Opens a ledger, and waits so long for other programs.
    pub fn open_with(path: &Path, clock: Clock, patience: Duration) -> Result<Self, Error> {
        Self::open_behind(path, clock, patience, |_, _| Ok(()))
    }

    /// Makes the views of a ledger again from its log, all or nothing, and opens it. No other process may have it open.
    ///
    /// The log itself is only read: where it is damaged too, that is the error, and nothing is changed.
    pub fn rebuild(path: &Path, clock: Clock) -> Result<Self, Error> {
        if !file::is_there(path)? {
            return Err(Error::io(path)(ErrorKind::NotFound.into()));
        }
        Self::open_behind(path, clock, PATIENCE, |db, occupancy| match occupancy {
            Occupancy::Alone => rebuild::all(db).map_err(|failure| failure.of(path)),
            Occupancy::Others => Err(Error::Locked { ledger: failure::shown(path) }),
        })
    }

    /// Opens a ledger after `first`, which runs while no other process can open it.
    fn open_behind(
        path: &Path,
        clock: Clock,
        patience: Duration,
        first: impl FnOnce(&Connection, Occupancy) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        // Before the locks: beside what is refused nothing is made.
        file::is_there(path)?;
        let ticket_lock = TicketLock::beside(path)?;
        let opened = file::open(path, &ticket_lock, patience, first)?;
        let ledger = Self {
            path: path.to_owned(),
            group: Group::new(),
            writer: Mutex::new(Writer::new(opened.writing, opened.files, patience, clock.clone())),
            reader: Mutex::new(Reader::new(opened.reading)),
            heads: KnownHeads::default(),
            stopped: Mutex::new(None),
            clock,
            ticket_lock,
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
            return Err(Error::Stopped { ledger: failure::shown(&self.path), because });
        }
        // The writer first: the ticket lock does not work between threads of one process.
        let mut writer = open(&self.writer);
        let _turn = self.ticket_lock.wait()?;
        writer.commit(jobs).map_err(|failure| {
            let error = failure.of(&self.path);
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

    fn look<T>(&self, ask: impl FnOnce(&mut Reader) -> Result<T, Failure>) -> Result<T, Error> {
        ask(&mut open(&self.reader)).map_err(|failure| failure.of(&self.path))
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        // The last process that closes copies the log and removes it with the index. None opens the ledger meanwhile, so that
        // the next one finds users with all their files, or none. Without the lock the files are closed all the same.
        let _ = self.ticket_lock.leave();
        if !open(&self.writer).may_close() {
            open(&self.reader).leave_log();
        }
    }
}

impl Ledger for Sqlite {
    fn append(&self, batch: Vec<Append>) -> Result<Vec<Result<Appended, Refused>>, Error> {
        limits::batch(&batch)?;
        let (batch, keys) = self.heads.precompute(batch);
        match self.ask(Job::Append(batch))? {
            Done::Appended(appended) => {
                self.heads.remember(&keys, &appended);
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

    fn lease(&self, request: &LeaseRequest) -> Result<Vec<Result<Lease, Refused>>, Error> {
        limits::lease(request)?;
        match self.ask(Job::Lease(request.clone()))? {
            Done::Leased(leases) => Ok(leases),
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

impl Store for Sqlite {
    fn is_shared(&self) -> bool {
        false
    }

    fn holder(&self, stream: &str) -> Result<Option<String>, Error> {
        let now = self.clock.now();
        self.look(|reader| reader.holder(stream, now))
    }
}

/// The kind of store that is a file.
pub(crate) struct SqliteBackend;

impl Backend for SqliteBackend {
    fn exists(&self, location: &Path) -> Result<bool, Error> {
        file::is_there(location)
    }

    fn open(&self, location: &Path, clock: Clock) -> Result<Box<dyn Store>, Error> {
        Ok(Box::new(Sqlite::open(location, clock)?))
    }

    fn rebuild(&self, location: &Path, clock: Clock) -> Result<Box<dyn Store>, Error> {
        Ok(Box::new(Sqlite::rebuild(location, clock)?))
    }

    fn files(&self, location: &Path) -> Vec<PathBuf> {
        ["", "-wal", "-shm"].map(|end| file::beside(location, end)).to_vec()
    }

    fn backups(&self, location: &Path) -> Vec<PathBuf> {
        file::backups(location)
    }
}
