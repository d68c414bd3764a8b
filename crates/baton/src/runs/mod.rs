//! Runs as faces show them: where they are remembered, what they are called, what happened, what is awaited.
//!
//! Cannot: decide anything about a run. What the engine says is put into words and columns here, and nowhere else.

pub(crate) mod authority;
pub(crate) mod behind;
pub(crate) mod book;
pub(crate) mod caps;
pub(crate) mod crew;
pub(crate) mod drive;
pub(crate) mod follow;
mod handles;
pub(crate) mod live;
pub(crate) mod moment;
pub(crate) mod names;
pub(crate) mod open;
pub(crate) mod permission;
pub(crate) mod print;
pub(crate) mod reception;
pub(crate) mod standing;
pub(crate) mod steps;
pub(crate) mod table;
pub(crate) mod tale;
pub(crate) mod wish;
