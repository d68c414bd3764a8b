//! The courier `acp`: any agent that speaks the Agent Client Protocol, one process and one session for work and handoff.
//!
//! Invariant: the protocol grants an agent no more than its settings: files and terminals are not offered, and the policy of
//! its owner answers requests for permission.
//! Invariant: a replay of an old session is not taken for new text.

mod courier;
mod dialogue;
mod settings;

pub use courier::AcpCourier;
pub use settings::{Acp, Policy};
