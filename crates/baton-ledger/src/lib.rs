//! Memory: append, read, find, lease; on SQLite, and in memory for tests.
//!
//! Cannot: decide anything, or read a clock. Events and payloads are bytes to it. It is the only crate that may
//! speak SQL.

mod error;
mod ledger;
mod limits;
mod record;
mod sqlite;

pub use error::{Error, Fault};
pub use ledger::{
    Append, Appended, Fence, Head, Lease, Ledger, Limit, NewEvent, NewHead, NewLease, Query, ReadFrom,
    Refused,
};
pub use record::{FIRST, Payload, Record, digest};
pub use sqlite::{FORMAT, Sqlite};
