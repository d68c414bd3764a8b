//! Commits of one row and nothing else: the limit for one flow, which the ledger is measured against.
//!
//! Cannot: be used as a ledger. It is here because no other crate speaks SQL.

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;

use crate::Error;

/// A file that takes one row per commit, as durable as the ledger.
pub struct Raw(Connection);

impl Raw {
    /// Opens a new file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        opened(path).map(Self).map_err(failed)
    }

    /// Commits one row.
    pub fn commit(&self, text: &[u8]) -> Result<(), Error> {
        let commit = self.0.prepare_cached("INSERT INTO row (text) VALUES (?1)");
        commit.and_then(|mut commit| commit.execute([text])).map(drop).map_err(failed)
    }
}

fn opened(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", 8_000)?;
    connection.execute_batch("CREATE TABLE row (id INTEGER PRIMARY KEY, text BLOB NOT NULL)")?;
    Ok(connection)
}

fn failed(source: rusqlite::Error) -> Error {
    Error::Store { ledger: "of bare commits".to_owned(), source: Arc::new(source) }
}
