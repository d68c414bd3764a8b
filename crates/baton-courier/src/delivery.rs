//! One attempt to bring one handoff to one agent, as data.

use std::path::PathBuf;
use std::time::Duration;

use crate::key::Key;
use crate::sandbox::Sandbox;

/// One attempt to deliver a handoff: content, receiver and limits.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Key of the delivery.
    pub key: Key,
    /// Counts the attempts of this delivery.
    pub attempt: u32,
    /// The name of the agent.
    pub receiver: String,
    /// The handoff, in the dialect of the receiver.
    pub handoff: Vec<u8>,
    /// The name of that dialect.
    pub dialect: String,
    /// Extension of files in it, without the dot.
    pub extension: String,
    /// Prompt beside the handoff.
    pub prompt: Option<String>,
    /// Request for the handoff after the work, for agents with sessions.
    pub finalization: Option<Finalization>,
    /// Tells whether only the handoff is requested again, for work that was done in the session.
    pub is_reask: bool,
    /// Permissions that a person gave or denied in this delivery.
    pub permits: Vec<Permit>,
    /// The session to resume.
    pub session: Option<String>,
    /// Limits of time and memory.
    pub limits: Limits,
    /// The variables of Baton's own environment that the agent may see. Those that start with `BATON_` never are.
    pub environment: Vec<String>,
    /// The folder that the agent works in.
    pub directory: PathBuf,
    /// The folder of the project, which no path may leave.
    pub root: PathBuf,
    /// Sandbox of its processes, if any.
    pub sandbox: Option<Sandbox>,
}

/// Answer of a person to a request for permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    /// The request, by its fingerprint.
    pub request: String,
    /// Tells whether it is allowed.
    pub is_allowed: bool,
}

/// Request for the handoff, in the session of the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finalization {
    /// Prompt.
    pub prompt: String,
    /// The shape of the handoff, as JSON Schema.
    pub schema: String,
}

/// Limits of time and memory of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time until it must have answered.
    pub time_max: Duration,
    /// The time it has to end by itself once it is asked to.
    pub grace: Duration,
    /// The bytes of an answer, and of a draft.
    pub answer_bytes_max: usize,
    /// The bytes of everything else that it says.
    pub noise_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time_max: Duration::from_secs(60 * 60),
            grace: Duration::from_secs(2),
            answer_bytes_max: 16 * 1024 * 1024,
            noise_bytes_max: 256 * 1024 * 1024,
        }
    }
}
