//! What can fail, whose fault it is, and what helps.
//!
//! Refusals are not here: they are answers (`Refused`).

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::ffi::SQLITE_IOERR_SHMSIZE as NO_ROOM_FOR_INDEX;

/// Something about the world, the file or the caller; nothing was half done.
#[derive(Debug)]
pub enum Error {
    /// The caller asked for something that has no meaning. Fault: the caller's.
    Misuse {
        /// What has no meaning.
        what: String,
    },
    /// The file or its folder cannot be used. Fault: the world's.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The database failed. Fault: the world's.
    Database {
        /// The ledger.
        path: PathBuf,
        /// What the database said.
        source: rusqlite::Error,
    },
    /// The disk has no room. Fault: the world's.
    Full {
        /// The ledger.
        path: PathBuf,
    },
    /// Another program holds the file and does not let go. Fault: the world's.
    Locked {
        /// The ledger.
        path: PathBuf,
    },
    /// The file is something else. Fault: the user's.
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it seems to be.
        what: String,
    },
    /// A later Baton wrote it. Fault: the user's.
    Newer {
        /// The ledger.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format that is known here.
        known: u32,
    },
    /// What is stored is not what was stored. Fault: the world's.
    Damaged {
        /// The ledger.
        path: PathBuf,
        /// The position of the first record that cannot be trusted, where that is known.
        position: Option<u64>,
        /// What does not fit.
        what: String,
    },
    /// A table that is derived from the log is not what the log says. Fault: the world's.
    View {
        /// The ledger.
        path: PathBuf,
        /// Which table and row, and what does not fit.
        what: String,
    },
    /// Its files were removed, replaced or cut while they were open. Fault: the world's.
    Gone {
        /// The ledger.
        path: PathBuf,
        /// What became of which file.
        what: String,
    },
    /// Others have it open, and the index that they share was removed under them. Fault: the world's.
    Unshared {
        /// The ledger.
        path: PathBuf,
    },
    /// A write failed before, and nothing is written until the ledger is opened again. Fault: the world's.
    Stopped {
        /// The ledger.
        path: PathBuf,
        /// The failure that stopped it.
        because: String,
    },
}

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The calling code's.
    Caller,
    /// The person's who chose the file.
    User,
    /// The disk's, the system's, another program's.
    World,
}

impl Error {
    /// Whose fault it is.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Misuse { .. } => Fault::Caller,
            Self::Foreign { .. } | Self::Newer { .. } => Fault::User,
            Self::Io { .. }
            | Self::Database { .. }
            | Self::Full { .. }
            | Self::Locked { .. }
            | Self::Damaged { .. }
            | Self::View { .. }
            | Self::Gone { .. }
            | Self::Unshared { .. }
            | Self::Stopped { .. } => Fault::World,
        }
    }

    /// What helps.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Misuse { .. } => "this is a mistake in the program that called; please report it",
            Self::Io { .. } => "see that the folder exists, is on a local disk and may be written",
            Self::Database { .. } => "see that the disk works and has room, then open the ledger again",
            Self::Full { .. } => {
                "make room on the disk, then open the ledger again; all that was acknowledged is kept"
            }
            Self::Locked { .. } => "close the program that has the file open, then try again",
            Self::Foreign { .. } => "choose another path for the ledger; this file was left as it is",
            Self::Newer { .. } => {
                "use the newer Baton, or its backup of the older ledger; nothing was changed"
            }
            Self::Damaged { .. } => {
                "stop all Batons, move the file and its -wal and -shm away together, and bring back a backup"
            }
            Self::View { .. } => {
                "stop all Batons; `baton log --rebuild` makes it again from the log, and changes no record"
            }
            Self::Gone { .. } => {
                "stop all Batons, and unless only its -shm is gone bring back a backup; keep what cleans up, such as `git clean -x`, away from it"
            }
            Self::Unshared { .. } => {
                "stop all Batons that use it, then open it again: nothing is lost, and the index is made anew"
            }
            Self::Stopped { .. } => "mend the cause, then open the ledger again",
        }
    }

    /// The same error again, for another caller of the same commit.
    pub(crate) fn copy(&self) -> Self {
        match self {
            Self::Misuse { what } => Self::Misuse { what: what.clone() },
            Self::Io { path, source } => Self::Io {
                path: path.clone(),
                source: std::io::Error::new(source.kind(), source.to_string()),
            },
            Self::Database { path, source } => Self::Database {
                path: path.clone(),
                source: if let rusqlite::Error::SqliteFailure(code, said) = source {
                    rusqlite::Error::SqliteFailure(*code, said.clone())
                } else {
                    rusqlite::Error::ToSqlConversionFailure(source.to_string().into())
                },
            },
            Self::Full { path } => Self::Full { path: path.clone() },
            Self::Locked { path } => Self::Locked { path: path.clone() },
            Self::Foreign { path, what } => Self::Foreign { path: path.clone(), what: what.clone() },
            Self::Newer { path, found, known } => {
                Self::Newer { path: path.clone(), found: *found, known: *known }
            }
            Self::Damaged { path, position, what } => {
                Self::Damaged { path: path.clone(), position: *position, what: what.clone() }
            }
            Self::View { path, what } => Self::View { path: path.clone(), what: what.clone() },
            Self::Gone { path, what } => Self::Gone { path: path.clone(), what: what.clone() },
            Self::Unshared { path } => Self::Unshared { path: path.clone() },
            Self::Stopped { path, because } => Self::Stopped { path: path.clone(), because: because.clone() },
        }
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        |source| {
            let path = path.to_owned();
            if matches!(source.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) {
                Self::Full { path }
            } else {
                Self::Io { path, source }
            }
        }
    }

    pub(crate) fn misuse(what: impl Into<String>) -> Self {
        Self::Misuse { what: what.into() }
    }

    /// What the database said, as what it means here.
    pub(crate) fn database(path: &Path, source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(Code::DiskFull) => Self::Full { path },
            // The index that processes share cannot grow.
            Some(Code::SystemIoFailure) if source.sqlite_extended_error_code() == Some(NO_ROOM_FOR_INDEX) => {
                Self::Full { path }
            }
            Some(Code::ReadOnly) => {
                let source = std::io::Error::new(ErrorKind::PermissionDenied, "it may not be written");
                Self::Io { path, source }
            }
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Locked { path },
            Some(Code::NotADatabase) => Self::Foreign { path, what: "it is no SQLite database".to_owned() },
            Some(Code::DatabaseCorrupt) => Self::Damaged { path, position: None, what: source.to_string() },
            _ => Self::Database { path, source },
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Misuse { what } => write!(out, "use the ledger: {what}"),
            Self::Io { path, source } => write!(out, "use {}: {source}", path.display()),
            Self::Database { path, source } => write!(out, "use the ledger {}: {source}", path.display()),
            Self::Full { path } => write!(out, "write the ledger {}: the disk is full", path.display()),
            Self::Locked { path } => {
                write!(out, "use the ledger {}: another program keeps it locked", path.display())
            }
            Self::Foreign { path, what } => {
                write!(out, "open {}: it is no ledger of Baton, {what}", path.display())
            }
            Self::Newer { path, found, known } => write!(
                out,
                "open the ledger {}: it has format {found}, and this Baton knows formats up to {known}",
                path.display()
            ),
            Self::Damaged { path, position: Some(position), what } => {
                write!(out, "read the ledger {}: it is damaged at record {position}: {what}", path.display())
            }
            Self::Damaged { path, position: None, what } => {
                write!(out, "read the ledger {}: it is damaged: {what}", path.display())
            }
            Self::View { path, what } => {
                write!(
                    out,
                    "read the ledger {}: what is derived from its log is damaged, {what}",
                    path.display()
                )
            }
            Self::Gone { path, what } => {
                write!(out, "write the ledger {}: {what}, and nothing is written since", path.display())
            }
            Self::Unshared { path } => write!(
                out,
                "open the ledger {}: its index (-shm) was removed while other processes use it",
                path.display()
            ),
            Self::Stopped { path, because } => write!(
                out,
                "write the ledger {}: an earlier write failed ({because}), and nothing is written since",
                path.display()
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Database { source, .. } => Some(source),
            Self::Misuse { .. }
            | Self::Full { .. }
            | Self::Locked { .. }
            | Self::Foreign { .. }
            | Self::Newer { .. }
            | Self::Damaged { .. }
            | Self::View { .. }
            | Self::Gone { .. }
            | Self::Unshared { .. }
            | Self::Stopped { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

    #[test]
    fn what_the_database_says_is_told_as_what_it_means() {
        let said = |code| {
            let source = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            Error::database(Path::new("ledger.db"), source).to_string()
        };
        assert_eq!(said(ffi::SQLITE_IOERR_SHMSIZE), "write the ledger ledger.db: the disk is full");
        assert_eq!(said(ffi::SQLITE_READONLY), "use ledger.db: it may not be written");
        assert!(said(ffi::SQLITE_IOERR_READ).starts_with("use the ledger ledger.db: "));
        let full = Error::io(Path::new("ledger.db"))(ErrorKind::StorageFull.into());
        assert!(matches!(full, Error::Full { .. }));
    }
}
