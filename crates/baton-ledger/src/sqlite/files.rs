//! Check that the files of a ledger are still those that were opened.
//!
//! A file that is removed or replaced while it is open takes every write without a word, and later another ledger is
//! found, or none. A write-ahead log that is cut is worse: the next commit leaves a hole, and copying the
//! log into the database fills pages with zeros. The index that processes share (`-shm`) holds their locks and says where
//! the log ends: once it was removed, who comes next makes another one, and two write to the same places of one log. Agents
//! work beside the ledger, and clean up.
//!
//! The index is looked at by its name alone. Opening and closing it would release the locks of this process.
//!
//! Never call `fstat` on the log once it is open: reading its mtime makes Linux note each change to the nanosecond, and every later fsync
//! writes the inode too.
//!
//! Cannot: notice what happens between a look and the system call that follows it.

use std::fs::{self, File, Metadata};
use std::io::{self, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::failure::Failure;
use crate::Error;

/// The files of an open ledger, as they were when it was opened.
pub(super) struct Files {
    database: Named,
    log: Named,
    /// The index that processes share.
    index: Named,
    /// The log itself; SQLite has no lock on it that closing it could release.
    opened: File,
    /// System's link to the open log, and where it led at first; none where the system has no such link.
    lies: Option<(PathBuf, PathBuf)>,
    /// Length of the log at the last look.
    bytes: u64,
}

/// A file by its name.
pub(super) struct Named {
    path: PathBuf,
    is: Identity,
}

impl Files {
    /// The files of a ledger that was just opened.
    pub(super) fn of(path: &Path, log: PathBuf, index: PathBuf) -> Result<Self, Error> {
        let opened = File::open(&log).map_err(Error::io(&log))?;
        let data = opened.metadata().map_err(Error::io(&log))?;
        let database = Named::of(path.to_owned())?;
        let log = Named { path: log, is: identity(&data) };
        let index = Named::of(index)?;
        let lies = link_of(&opened).and_then(|link| fs::read_link(&link).ok().map(|first| (link, first)));
        Ok(Self { database, log, index, opened, lies, bytes: data.len() })
    }

    /// Sees, before anything is written, that the index is the one that all others have.
    pub(super) fn see_shared(&self) -> Result<(), Failure> {
        let shared = self.index.look();
        if shared.is_err() {
            // Where all files were removed, the error names the database.
            self.database.look()?;
            self.log.look()?;
        }
        shared
    }

    /// Sees that the log is as long as it was: only Baton itself makes it shorter, and then it is measured.
    pub(super) fn see_whole(&self) -> Result<(), Failure> {
        let bytes = self.length()?;
        if bytes >= self.bytes {
            return Ok(());
        }
        let (path, was) = (self.log.path.display(), self.bytes);
        Err(Failure::Gone(format!("{path} was cut from {was} to {bytes} bytes while it was open")))
    }

    /// Takes the log to be as long as it is.
    pub(super) fn measure(&mut self) -> Result<(), Failure> {
        self.bytes = self.length()?;
        Ok(())
    }

    fn length(&self) -> Result<u64, Failure> {
        let end = (&self.opened).seek(SeekFrom::End(0));
        end.map_err(|error| Failure::Gone(format!("{}: {error}", self.log.path.display())))
    }

    /// Looks, behind a commit, whether what was written lies where others will look for it.
    pub(super) fn look(&mut self) -> Result<(), Failure> {
        self.see_named()?;
        self.measure()
    }

    /// Looks whether each name leads to the file that was opened.
    pub(super) fn see_named(&self) -> Result<(), Failure> {
        self.database.look()?;
        let is_there =
            |(link, first): &(PathBuf, PathBuf)| fs::read_link(link).is_ok_and(|now| now == *first);
        if !self.lies.as_ref().is_some_and(is_there) {
            self.log.look()?;
        }
        self.index.look()
    }
}

impl Named {
    /// The file of a name, as it is now.
    pub(super) fn of(path: PathBuf) -> Result<Self, Error> {
        let data = fs::metadata(&path).map_err(Error::io(&path))?;
        Ok(Self { path, is: identity(&data) })
    }

    pub(super) fn look(&self) -> Result<(), Failure> {
        let gone = |what: &str| Failure::Gone(format!("{} {what}", self.path.display()));
        match fs::metadata(&self.path) {
            Ok(data) if identity(&data) == self.is => Ok(()),
            Ok(_) => Err(gone("was replaced while it was open")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(gone("was removed while it was open"))
            }
            Err(error) => Err(gone(&format!("is out of reach: {error}"))),
        }
    }
}

/// Numbers that tell a file from another one of its name.
#[cfg(unix)]
type Identity = (u64, u64);

/// Reads these numbers.
#[cfg(unix)]
fn identity(data: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (data.dev(), data.ino())
}

/// Nothing is needed elsewhere: a file that is open cannot be removed.
#[cfg(not(unix))]
type Identity = ();

/// Reads nothing.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {}

/// System's link to an open file.
#[cfg(target_os = "linux")]
fn link_of(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd as _;
    Some(PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd())))
}

/// System's link to an open file: there is none.
#[cfg(not(target_os = "linux"))]
fn link_of(_: &File) -> Option<PathBuf> {
    None
}
