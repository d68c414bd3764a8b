//! What goes wrong inside, before it is known which file it is about.

use std::fmt::Display;
use std::path::Path;

use rusqlite::ErrorCode;

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
            Self::Sql(source) => Error::database(path, source),
            Self::Damaged { position, what } => Error::Damaged { path: path.to_owned(), position, what },
            Self::View(what) => Error::View { path: path.to_owned(), what },
            Self::Gone(what) => Error::Gone { path: path.to_owned(), what },
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
