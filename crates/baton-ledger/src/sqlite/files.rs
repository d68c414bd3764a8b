//! Whether the files of a ledger are still those that were opened.
//!
//! A file that is removed or replaced while it is open takes every write without a word, and whoever looks for the ledger
//! later finds another one, or none. A write-ahead log that is cut is worse: the next commit leaves a hole, and copying the
//! log into the database fills pages with zeros. Agents work beside the ledger, and clean up.
//!
//! Cannot: notice what happens between a look and the system call that follows it.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::trouble::Trouble;

/// The files of an open ledger, as they were when it was opened.
pub(super) struct Files {
    database: Named,
    log: Named,
    /// The log itself; SQLite has no lock on it that closing it could release.
    opened: File,
    /// How long the log was when it was looked at last.
    bytes: u64,
}

/// A file by its name.
struct Named {
    path: PathBuf,
    is: Identity,
}

impl Files {
    /// The files of a ledger that was just opened.
    pub(super) fn of(path: &Path, log: PathBuf) -> io::Result<Self> {
        let opened = File::open(&log)?;
        let data = opened.metadata()?;
        let is = identity(&data);
        let database = Named { path: path.to_owned(), is: identity(&fs::metadata(path)?) };
        Ok(Self { database, log: Named { path: log, is }, opened, bytes: data.len() })
    }

    /// Sees that the log is as long as it was: only Baton itself makes it shorter, and then it is measured.
    pub(super) fn see_whole(&self) -> Result<(), Trouble> {
        let bytes = self.length()?;
        if bytes >= self.bytes {
            return Ok(());
        }
        let (path, was) = (self.log.path.display(), self.bytes);
        Err(Trouble::Gone(format!("{path} was cut from {was} to {bytes} bytes while it was open")))
    }

    /// Takes the log to be as long as it is.
    pub(super) fn measure(&mut self) -> Result<(), Trouble> {
        self.bytes = self.length()?;
        Ok(())
    }

    fn length(&self) -> Result<u64, Trouble> {
        let data = self.opened.metadata();
        let data = data.map_err(|error| Trouble::Gone(format!("{}: {error}", self.log.path.display())))?;
        Ok(data.len())
    }

    /// Looks, behind a commit, whether what was written lies where others will look for it.
    pub(super) fn look(&mut self) -> Result<(), Trouble> {
        self.database.look()?;
        self.bytes = self.log.look()?.len();
        Ok(())
    }
}

impl Named {
    fn look(&self) -> Result<Metadata, Trouble> {
        let gone = |what: &str| Trouble::Gone(format!("{} {what}", self.path.display()));
        match fs::metadata(&self.path) {
            Ok(data) if identity(&data) == self.is => Ok(data),
            Ok(_) => Err(gone("was replaced while it was open")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(gone("was removed while it was open"))
            }
            Err(error) => Err(gone(&format!("is out of reach: {error}"))),
        }
    }
}

/// What tells a file from another one of its name.
#[cfg(unix)]
type Identity = (u64, u64);

/// What tells a file from another one of its name.
#[cfg(unix)]
fn identity(data: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (data.dev(), data.ino())
}

/// What tells a file from another one of its name: elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
type Identity = ();

/// What tells a file from another one of its name.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {}
