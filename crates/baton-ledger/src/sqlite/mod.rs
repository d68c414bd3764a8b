//! A ledger in one SQLite file, for all processes of one machine.
//!
//! An append is one row of the log (`entry.rs`), whatever it changes. What streams can be found by, where their
//! records are, and which claims and payloads there are is kept in memory for the last few thousand rows
//! (`unflushed.rs`) and in tables for those before (`views.rs`, `key_index.rs`). Callers work out ahead what they can
//! (`precompute.rs`) and share commits (`group_commit.rs`), processes take turns (`ticket_lock.rs`).

mod codec;
mod entry;
mod examine;
mod failure;
mod file;
mod files;
mod group_commit;
mod key_index;
mod permissions;
mod precompute;
mod read;
mod rebuild;
mod sqlite_store;
mod ticket_lock;
mod unflushed;
mod views;
mod wal;
mod write;

pub use file::FORMAT;
pub use sqlite_store::Sqlite;
pub(crate) use sqlite_store::SqliteBackend;
