//! Files of a project itself – `baton.toml`, dialect files, flows – held against their forms and their rules.
//!
//! [`Checker::check`](crate::Checker::check) comes here for such a file by a method: `check` knows nothing of this module.

mod defaults;
mod dialect_files;
mod examples;
mod findings;
mod request_gap;

pub use defaults::read_dialect;
