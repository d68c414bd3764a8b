//! Delivery: brings a handoff to an agent and reports what came back.
//!
//! A [`Courier`] is given a [`Delivery`] and sends [`Report`]s; what it means that an agent answered or failed is for
//! others to decide. Each courier has a folder of its own here and passes [`conformance::check`].
//!
//! Cannot: remember anything. What is under way is all it knows, and nothing of that outlives the courier.
//! Cannot: read a handoff. Bytes go in and bytes come out; dialects are names to it.
//! It is the only crate that may call agents.

#[cfg(unix)]
pub mod acp;
#[cfg(unix)]
pub mod agent_ancestry;
#[cfg(unix)]
pub mod beneath;
#[cfg(unix)]
pub mod claude;
#[cfg(unix)]
pub mod codex;
pub mod conformance;
mod courier;
mod delivery;
pub mod http;
mod human;
pub mod id;
mod in_flight;
mod inbox;
mod key;
#[cfg(unix)]
pub mod openclaw;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod process_lock;
#[cfg(unix)]
pub mod program;
mod report;
pub mod sandbox;
pub mod scripted;
#[cfg(unix)]
mod session;
pub mod system;
pub mod temporary;

pub use courier::{Courier, Kind};
pub use delivery::{Delivery, Finalization, Limits, Permit};
pub use human::Human;
pub use inbox::Inbox;
pub use key::Key;
pub use report::{Again, Cause, Failure, Fault, Report, Wants, What};
