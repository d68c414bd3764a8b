//! Memory: append, read, find, lease; on SQLite, and in memory for tests.
//!
//! Cannot: decide anything, or read a clock. Events and payloads are bytes to it. It is the only crate that may
//! speak SQL.

mod address;
pub mod conformance;
mod erasure;
mod error;
mod ledger;
mod limits;
mod memory;
pub mod raw;
mod record;
mod seal;
mod sqlite;
mod store;
mod verify;

pub use address::{Address, open};
pub use erasure::{ERASURE, Erasure};
pub use error::{Error, Fault};
pub use ledger::{
    Append, Appended, Fence, Head, Lease, Ledger, Limit, NewEvent, NewHead, NewLease, Query, ReadFrom,
    Refused,
};
pub use memory::{Call, Failing, Memory, Syncing};
pub use record::{FIRST, Payload, Record, digest};
pub use seal::{SEALS, Seal, seal};
pub use sqlite::{FORMAT, Sqlite};
pub use store::{Maintenance, Store};
pub use verify::{Bad, Earlier, Report, verify};
