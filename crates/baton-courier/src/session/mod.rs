//! Shared parts of couriers for agents with sessions: prompts, the handoff in a reply, and the lock of a session.

mod extract;
mod prompts;
mod runner;
mod session_lock;

pub(crate) use extract::extract;
pub(crate) use prompts::{finalizes, for_finalization, for_work, go_on, is_lost};
pub(crate) use runner::{AgentProtocol, Arguments, OutputEvent, SessionRunner};
pub(crate) use session_lock::SessionLock;
