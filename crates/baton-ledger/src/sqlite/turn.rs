//! Whose turn it is to write, among all processes that use a ledger.
//!
//! The database's own lock is taken by whoever asks at the right instant: of eight busy processes some wait for
//! seconds. So a process first queues at the door: it holds `next` until it has `hold`. Whoever wrote last has to
//! queue again behind all that wait at the door. The system lets go of a lock when its process ends, however it
//! ends.
//!
//! Invariant: locks are taken in the order `next`, `hold`; nothing is written to these files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use crate::Error;

/// The locks beside a ledger.
pub(super) struct Turns {
    next: Lock,
    hold: Lock,
    users: Lock,
}

struct Lock {
    file: File,
    path: PathBuf,
}

/// Whether this process is the only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    /// Nobody else has the ledger open, and nobody can open it now.
    Alone,
    /// Others have.
    Others,
}

impl Turns {
    /// Opens the locks beside a ledger.
    pub(super) fn beside(ledger: &Path) -> Result<Self, Error> {
        let mut folder = ledger.as_os_str().to_owned();
        folder.push("-locks");
        let folder = PathBuf::from(folder);
        fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let lock = |name: &str| {
            let path = folder.join(name);
            let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
            Ok(Lock { file: file.map_err(Error::io(&path))?, path })
        };
        Ok(Self { next: lock("next")?, hold: lock("hold")?, users: lock("users")? })
    }

    /// Comes in, one at a time, and looks whether anybody is there.
    pub(super) fn enter(&self) -> Result<Company, Error> {
        self.next.take()?;
        match self.users.file.try_lock() {
            Ok(()) => Ok(Company::Alone),
            Err(TryLockError::WouldBlock) => Ok(Company::Others),
            Err(TryLockError::Error(source)) => Err(Error::Io { path: self.users.path.clone(), source }),
        }
    }

    /// Stays among the users, and lets the next one come in.
    pub(super) fn stay(&self, company: Company) -> Result<(), Error> {
        if company == Company::Alone {
            self.users.let_go()?;
        }
        self.users.file.lock_shared().map_err(Error::io(&self.users.path))?;
        self.next.let_go()
    }

    /// Waits for the turn to write.
    pub(super) fn wait(&self) -> Result<Turn<'_>, Error> {
        self.next.take()?;
        self.hold.take()?;
        let turn = Turn(self);
        self.next.let_go()?;
        Ok(turn)
    }
}

impl Lock {
    fn take(&self) -> Result<(), Error> {
        self.file.lock().map_err(Error::io(&self.path))
    }

    fn let_go(&self) -> Result<(), Error> {
        self.file.unlock().map_err(Error::io(&self.path))
    }
}

/// The turn to write; it ends when this goes.
pub(super) struct Turn<'a>(&'a Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // If the system cannot release a lock, the end of the process does.
        let _ = self.0.hold.let_go();
    }
}
