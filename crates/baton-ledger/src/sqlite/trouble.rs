//! What goes wrong inside, before it is known which file it is about.

use std::path::Path;

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
    /// The files are not those that were opened.
    Gone(String),
}

impl Trouble {
    /// Something that does not fit at a record.
    pub(super) fn at(position: u64, what: &str) -> Self {
        Self::Damaged { position: Some(position), what: what.to_owned() }
    }

    /// Something that does not fit elsewhere.
    pub(super) fn view(what: impl Into<String>) -> Self {
        Self::Damaged { position: None, what: what.into() }
    }

    /// The error of a ledger at a path.
    pub(super) fn of(self, path: &Path) -> Error {
        match self {
            Self::Sql(source) => Error::database(path, source),
            Self::Damaged { position, what } => Error::Damaged { path: path.to_owned(), position, what },
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
            Self::view(source.to_string())
        } else {
            Self::Sql(source)
        }
    }
}
