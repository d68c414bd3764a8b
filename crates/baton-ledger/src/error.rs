//! Failures of any store, whose fault they are, and what helps.
//!
//! Cannot: name a type of a database; a store says here what its database meant. Refusals are answers (`Refused`).

use std::error::Error as StdError;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A failure of the world, of the chosen ledger or of the caller; nothing was half done.
///
/// `ledger` is always the address as people see it: a path, or a URL without its secrets. Callers that share a commit
/// share its error, so it can be cloned.
#[derive(Clone, Debug)]
pub enum Error {
    /// The caller asked for nonsense. Fault: the caller's.
    Misuse {
        /// What has no meaning.
        what: String,
    },
    /// The address names a store that this build does not have. Fault: the user's.
    NoStore {
        /// Scheme of the address.
        scheme: String,
        /// The store behind the scheme, where it is known.
        store: Option<&'static str>,
    },
    /// A file or folder cannot be used. Fault: the world's.
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: Arc<io::Error>,
    },
    /// The store failed. Fault: the world's.
    Store {
        /// The ledger.
        ledger: String,
        /// Error of the store's database.
        source: Arc<dyn StdError + Send + Sync>,
    },
    /// The disk has no room. Fault: the world's.
    Full {
        /// The ledger.
        ledger: String,
    },
    /// Another program keeps the ledger locked. Fault: the world's.
    Locked {
        /// The ledger.
        ledger: String,
    },
    /// The address leads to something else. Fault: the user's.
    Foreign {
        /// The address.
        ledger: String,
        /// What it seems to be.
        what: String,
    },
    /// A later Baton wrote the ledger. Fault: the user's.
    Newer {
        /// The ledger.
        ledger: String,
        /// Its format.
        found: u32,
        /// The newest format that this build reads.
        known: u32,
    },
    /// Stored bytes are not those that were written. Fault: the world's.
    Damaged {
        /// The ledger.
        ledger: String,
        /// Position of the first record that cannot be trusted, where that is known.
        position: Option<u64>,
        /// What does not fit.
        what: String,
    },
    /// A view differs from the log that it is derived from. Fault: the world's.
    View {
        /// The ledger.
        ledger: String,
        /// The table and row, and what does not fit.
        what: String,
    },
    /// Files of the ledger were removed, replaced or cut while it was open. Fault: the world's.
    Gone {
        /// The ledger.
        ledger: String,
        /// The file, and what happened to it.
        what: String,
    },
    /// Other processes have the ledger open, and what they share was removed. Fault: the world's.
    Unshared {
        /// The ledger.
        ledger: String,
        /// What was removed.
        what: String,
    },
    /// A write failed before, and nothing is written until the ledger is opened again. Fault: the world's.
    Stopped {
        /// The ledger.
        ledger: String,
        /// The failure that stopped it.
        because: String,
    },
}

/// Side at fault for an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The calling code.
    Caller,
    /// The person who chose the ledger.
    User,
    /// The disk, the system or another program.
    World,
}

impl Error {
    /// Side at fault.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Misuse { .. } => Fault::Caller,
            Self::NoStore { .. } | Self::Foreign { .. } | Self::Newer { .. } => Fault::User,
            Self::Io { .. }
            | Self::Store { .. }
            | Self::Full { .. }
            | Self::Locked { .. }
            | Self::Damaged { .. }
            | Self::View { .. }
            | Self::Gone { .. }
            | Self::Unshared { .. }
            | Self::Stopped { .. } => Fault::World,
        }
    }

    /// Advice that helps.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Misuse { .. } => "this is a mistake in the program that called; please report it",
            Self::NoStore { .. } => "give a path or `sqlite:PATH`",
            Self::Io { .. } => "see that the folder exists, is on a local disk and may be written",
            Self::Store { .. } => "see that the disk works and has room, then open the ledger again",
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

    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| {
            if matches!(source.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) {
                Self::Full { ledger: path.display().to_string() }
            } else {
                Self::Io { path: path.to_owned(), source: source.into() }
            }
        }
    }

    pub(crate) fn misuse(what: impl Into<String>) -> Self {
        Self::Misuse { what: what.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Misuse { what } => write!(out, "use the ledger: {what}"),
            Self::NoStore { scheme, store: Some(store) } => {
                write!(out, "open the ledger: this build has no {store} store (`{scheme}:`)")
            }
            Self::NoStore { scheme, store: None } => {
                write!(out, "open the ledger: unknown store `{scheme}:`")
            }
            Self::Io { path, source } => write!(out, "use {}: {source}", path.display()),
            Self::Store { ledger, source } => write!(out, "use the ledger {ledger}: {source}"),
            Self::Full { ledger } => write!(out, "write the ledger {ledger}: the disk is full"),
            Self::Locked { ledger } => {
                write!(out, "use the ledger {ledger}: another program keeps it locked")
            }
            Self::Foreign { ledger, what } => write!(out, "open {ledger}: it is no ledger of Baton, {what}"),
            Self::Newer { ledger, found, known } => write!(
                out,
                "open the ledger {ledger}: it has format {found}, and this Baton knows formats up to {known}"
            ),
            Self::Damaged { ledger, position: Some(position), what } => {
                write!(out, "read the ledger {ledger}: it is damaged at record {position}: {what}")
            }
            Self::Damaged { ledger, position: None, what } => {
                write!(out, "read the ledger {ledger}: it is damaged: {what}")
            }
            Self::View { ledger, what } => {
                write!(out, "read the ledger {ledger}: what is derived from its log is damaged, {what}")
            }
            Self::Gone { ledger, what } => {
                write!(out, "write the ledger {ledger}: {what}, and nothing is written since")
            }
            Self::Unshared { ledger, what } => write!(out, "open the ledger {ledger}: {what}"),
            Self::Stopped { ledger, because } => write!(
                out,
                "write the ledger {ledger}: an earlier write failed ({because}), and nothing is written since"
            ),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source.as_ref()),
            Self::Store { source, .. } => Some(source.as_ref()),
            Self::Misuse { .. }
            | Self::NoStore { .. }
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

    #[test]
    fn a_full_disk_is_told_from_other_io_errors() {
        let full = Error::io(Path::new("ledger.db"))(ErrorKind::StorageFull.into());
        assert_eq!(full.to_string(), "write the ledger ledger.db: the disk is full");
        let denied = Error::io(Path::new("ledger.db"))(ErrorKind::PermissionDenied.into());
        assert!(matches!(denied, Error::Io { .. }));
    }

    #[test]
    fn a_store_that_is_not_built_in_is_named() {
        let none = Error::NoStore { scheme: "postgres".to_owned(), store: Some("PostgreSQL") };
        assert_eq!(none.to_string(), "open the ledger: this build has no PostgreSQL store (`postgres:`)");
        assert_eq!(none.hint(), "give a path or `sqlite:PATH`");
    }
}
