//! One attempt to bring one handoff to one agent, as data.

use std::borrow::Borrow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::sandbox::Sandbox;

/// Names a delivery: the same for all its attempts, and never used for another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Arc<str>);

impl Key {
    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key in letters, digits, `-`, `_` and `/`, for heads and names. No two keys share one.
    pub(crate) fn plain(&self) -> String {
        use fmt::Write as _;
        let mut plain = String::new();
        for byte in self.0.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_/".contains(&byte) {
                plain.push(char::from(byte));
            } else {
                write!(plain, "%{byte:02X}").expect("a string takes what is written to it");
            }
        }
        plain
    }
}

impl Borrow<str> for Key {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// What a courier is to bring, to whom, and within which limits.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Names the delivery.
    pub key: Key,
    /// Counts the attempts of this delivery.
    pub attempt: u32,
    /// The name of the agent.
    pub receiver: String,
    /// The handoff, in the dialect of the receiver.
    pub handoff: Vec<u8>,
    /// The name of that dialect.
    pub dialect: String,
    /// How the names of its files end, without the dot.
    pub extension: String,
    /// What to tell the agent beside the handoff.
    pub prompt: Option<String>,
    /// How the agent is asked for its handoff when the work is done, where it works in a session.
    pub finalization: Option<Finalization>,
    /// Whether only that is wanted: the work was done in the session, and its handoff could not be taken.
    pub is_reask: bool,
    /// What a person said to requests of the agent, in this delivery.
    pub permits: Vec<Permit>,
    /// The session to go on with.
    pub session: Option<String>,
    /// What the agent may take.
    pub limits: Limits,
    /// The variables of Baton's own environment that the agent may see. Those that start with `BATON_` never are.
    pub environment: Vec<String>,
    /// The folder that the agent works in.
    pub directory: PathBuf,
    /// The folder of the project, which no path may leave.
    pub root: PathBuf,
    /// What keeps what is started for it from the rest of the machine; nothing does unless said.
    pub sandbox: Option<Sandbox>,
}

/// What a person said to a request of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    /// The request, by its fingerprint.
    pub request: String,
    /// Whether it may.
    pub is_allowed: bool,
}

/// How an agent is asked for its handoff, in the session in which it worked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finalization {
    /// What it is told.
    pub prompt: String,
    /// The shape of the handoff, as JSON Schema.
    pub schema: String,
}

/// What one attempt may take of time and memory.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_keys_look_alike() {
        assert_eq!(Key::from("article-3/5-1-0").plain(), "article-3/5-1-0");
        assert_eq!(Key::from("a.b c\r\nx: ü%").plain(), "a%2Eb%20c%0D%0Ax%3A%20%C3%BC%25");
    }
}
