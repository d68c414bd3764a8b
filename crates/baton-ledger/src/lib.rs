//! Memory: append, read, find, lease, on SQLite or PostgreSQL.
//!
//! Cannot: decide anything. It is the only crate that may speak SQL.
//! It is empty until flows are carried; its wall stands from the first day.
