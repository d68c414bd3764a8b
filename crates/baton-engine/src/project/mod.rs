//! A project as it is read from disk: root, settings, dialect and flow files, agents and their couriers, people, and where its
//! ledger lies.
//!
//! *Cannot:* print. Problems with a project's own files are data (`fault.rs`).

pub mod agents;
pub mod config;
mod couriers;
mod created;
pub mod dialects;
pub mod fault;
pub mod flows;
pub mod loaded;
pub mod paths;
pub mod people;
pub mod pinned;
pub mod plan;
pub(crate) mod programs;
pub mod read;
pub mod root;
pub mod roster;
pub mod settings;
pub mod since;
pub mod store;
mod worktrees;
mod world;

pub use loaded::Project;
pub use world::DiskWorld;
