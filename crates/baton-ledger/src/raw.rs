//! Commits of one row and nothing else: the limit for one flow, which the ledger is measured against.
//!
//! Cannot: be used as a ledger. It is here because no other crate speaks SQL.

use std::path::Path;

use rusqlite::Connection;

/// A file that takes one row per commit, as durable as the ledger.
pub struct Raw(Connection);

impl Raw {
    /// Opens a new file.
    pub fn open(path: &Path) -> Result<Self, rusqlite::Error> {
        let connection = Connection::open(path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "wal_autocheckpoint", 8_000)?;
        connection.execute_batch("CREATE TABLE row (id INTEGER PRIMARY KEY, text BLOB NOT NULL)")?;
        Ok(Self(connection))
    }

    /// Commits one row.
    pub fn commit(&self, text: &[u8]) -> Result<(), rusqlite::Error> {
        self.0.prepare_cached("INSERT INTO row (text) VALUES (?1)")?.execute([text])?;
        Ok(())
    }
}
