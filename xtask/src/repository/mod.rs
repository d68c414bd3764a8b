//! The repository as the tests see it: its files, its manifests, its Rust.
//!
//! Everything here works on texts in memory, so that a test can plant a fault.
//!
//! Cannot: change a file.

mod files;
mod manifest;
mod modules;
mod rust;

pub(crate) use files::{Complaint, Repository, assert_clean, assert_complaints};
pub(crate) use manifest::{Crate, Purpose};
pub(crate) use modules::{Reached, reached};
pub(crate) use rust::{line_at, masked, next_word, paths_from, without_tests, word_offsets};
