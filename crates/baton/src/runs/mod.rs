//! Runs as the command line shows them, and the driver that it watches.
//!
//! *Cannot:* decide anything about a run. What the service replies is put into words and columns here.

pub(crate) mod drive;
mod handles;
mod live;
pub(crate) mod next;
pub(crate) mod print;
pub(crate) mod reception;
pub(crate) mod steps;
pub(crate) mod table;
