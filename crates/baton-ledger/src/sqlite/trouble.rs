//! What goes wrong inside, before it is known which file it is about.

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE as NO_ROOM_FOR_INDEX;

use crate::Error;

/// Something about the database or what is stored in it.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The database said so.
    Sql(rusqlite::Error),
    /// What is stored is not what was stored.
    Damaged {
        /// The first record that cannot be trusted, where that is known.
        position: Option<u64>,
        /// What does not fit.
        what: String,
    },
    /// A view is not what the log says.
    View(String),
    /// The files are not those that were opened.
    Gone(String),
}

impl Trouble {
    /// Something that does not fit at a record.
    pub(super) fn at(position: u64, what: &str) -> Self {
        Self::Damaged { position: Some(position), what: what.to_owned() }
    }

    /// Something that does not fit elsewhere.
    pub(super) fn stored(what: impl Into<String>) -> Self {
        Self::Damaged { position: None, what: what.into() }
    }

    /// A row of a view that does not fit.
    pub(super) fn view(table: &str, what: impl Display) -> Self {
        Self::View(format!("table {table}: {what}"))
    }

    /// What goes wrong while a view is read, as what is wrong with it.
    pub(super) fn in_view(self, table: &str) -> Self {
        match self {
            Self::Sql(source) if source.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
                Self::view(table, source)
            }
            Self::Damaged { position: None, what } => Self::view(table, what),
            Self::Sql(_) | Self::Damaged { .. } | Self::View(_) | Self::Gone(_) => self,
        }
    }

    /// The error of a ledger at a path.
    pub(super) fn of(self, path: &Path) -> Error {
        match self {
            Self::Sql(source) => database(path, source),
            Self::Damaged { position, what } => Error::Damaged { ledger: shown(path), position, what },
            Self::View(what) => Error::View { ledger: shown(path), what },
            Self::Gone(what) => Error::Gone { ledger: shown(path), what },
        }
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(source: rusqlite::Error) -> Self {
        use rusqlite::Error as Said;
        // A cell of another type than was put there, or a row that is always there and is not.
        if matches!(
            source,
            Said::InvalidColumnType(..)
                | Said::IntegralValueOutOfRange(..)
                | Said::FromSqlConversionFailure(..)
                | Said::Utf8Error(..)
                | Said::QueryReturnedNoRows
        ) {
            Self::stored(source.to_string())
        } else {
            Self::Sql(source)
        }
    }
}

/// Translates an error of the database into what it means for a ledger.
pub(super) fn database(path: &Path, source: rusqlite::Error) -> Error {
    let ledger = shown(path);
    match source.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Error::Full { ledger },
        // The index that processes share cannot grow.
        Some(ErrorCode::SystemIoFailure)
            if source.sqlite_extended_error_code() == Some(NO_ROOM_FOR_INDEX) =>
        {
            Error::Full { ledger }
        }
        Some(ErrorCode::ReadOnly) => {
            let source = io::Error::new(io::ErrorKind::PermissionDenied, "it may not be written");
            Error::Io { path: path.to_owned(), source: source.into() }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Locked { ledger },
        Some(ErrorCode::NotADatabase) => {
            Error::Foreign { ledger, what: "it is no SQLite database".to_owned() }
        }
        Some(ErrorCode::DatabaseCorrupt) => {
            Error::Damaged { ledger, position: None, what: source.to_string() }
        }
        _ => Error::Store { ledger, source: Arc::new(source) },
    }
}

/// A path as errors name it.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

    #[test]
    fn errors_of_the_database_are_translated() {
        let said = |code| {
            let source = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            database(Path::new("ledger.db"), source).to_string()
        };
        assert_eq!(said(ffi::SQLITE_IOERR_SHMSIZE), "write the ledger ledger.db: the disk is full");
        assert_eq!(said(ffi::SQLITE_READONLY), "use ledger.db: it may not be written");
        assert!(said(ffi::SQLITE_IOERR_READ).starts_with("use the ledger ledger.db: "));
    }
}
