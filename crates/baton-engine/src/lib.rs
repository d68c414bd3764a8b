//! The loop: intake, drive, dispatch, views.
//!
//! Follow one handoff: a courier reports an answer → `intake` (checked document to facts) → `run` (the kernel decides,
//! and what it decided waits to be recorded) → `drive` (one append for all that is ready, then what is owed is done)
//! → `dispatch` (the handoff in the receiver's dialect, handed to its courier).
//!
//! Cannot: print, parse arguments, speak HTTP.

mod agents;
mod dispatch;
mod drive;
mod error;
mod intake;
mod judge;
pub mod mailbox;
pub mod people;
mod run;
mod stored;
mod views;

pub use agents::{Agents, Setup};
pub use drive::{Engine, NewRun, Settings, Turn, World};
pub use error::{Error, Problem, Refused};
pub use judge::{Expressions, Judge};
pub use views::{Entry, RunView, history, runs, show};
