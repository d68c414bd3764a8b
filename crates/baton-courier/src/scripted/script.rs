//! A script: for each call, the acts of the agent in order.
//!
//! ```toml
//! [[call]]
//! does = [
//!   { say = "reading {{task_id}}" },
//!   { answer = '{"task_id": "{{task_id}}", "status": "complete"}' },
//! ]
//!
//! [[call]]
//! does = [{ answer = "half of an ans" }, { die = "kill" }]
//! ```
//!
//! The last call is played again for all that follow. `{{name}}` is the field of that name in the handoff,
//! `{{outer.name}}` the one behind `outer`; `{{baton.call}}`, `{{baton.key}}`, `{{baton.attempt}}`, `{{baton.session}}` and
//! `{{baton.handoff}}` are what Baton gave.

use std::fmt;

use serde::Deserialize;

/// A script for an agent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Acts of the first call, of the second, and so on; at least one.
    #[serde(rename = "call")]
    calls: Vec<Call>,
}

/// An act of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// One thing after the other.
    pub does: Vec<Act>,
}

/// A thing that an agent does.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Writes a line to standard error.
    Say(String),
    /// Asks a question, as a line that the courier may know.
    Question(String),
    /// Names its session, as a line that the courier may know.
    Session(String),
    /// Writes the draft, where one was asked for.
    Draft(String),
    /// Answers; a second answer follows the first.
    Answer(String),
    /// Answers byte by byte.
    Drip {
        /// The answer.
        text: String,
        /// The pause behind each byte.
        pause_ms: u64,
    },
    /// Answers with so many bytes that are no text.
    Garbage(u64),
    /// Answers with so many bytes of nothing in particular.
    Flood(u64),
    /// Writes so many bytes to standard error.
    Shout(u64),
    /// Does nothing for so many milliseconds.
    WaitMs(u64),
    /// Does nothing until there is a file at this path.
    WaitFor(String),
    /// Writes an empty file at this path, for others that wait for it.
    Touch(String),
    /// Never ends.
    Hang,
    /// Ends with this exit code; later acts are skipped.
    Exit(u8),
    /// Is ended by a signal.
    Die(Death),
}

/// The signal by which an agent dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Death {
    /// As when the system has no memory left.
    Kill,
    /// As when it is asked to end.
    Terminate,
    /// As when it finds a fault in itself.
    Abort,
    /// As when it reads memory that is not there.
    Segfault,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// Invalid TOML, an unknown key, or a script without a call.
    pub fn read(text: &str) -> Result<Self, Fault> {
        let script: Self = toml::from_str(text).map_err(|error| Fault(error.to_string()))?;
        if script.calls.is_empty() {
            return Err(Fault("the script has no [[call]]".to_owned()));
        }
        Ok(script)
    }

    /// Acts of a call; the first call is 1.
    #[must_use]
    pub fn call(&self, number: u64) -> &Call {
        let index = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        &self.calls[index.min(self.calls.len() - 1)]
    }
}

/// Error in a script, or in the input that it is played with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub(super) String);

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_call_is_played_again() {
        let script =
            Script::read("[[call]]\ndoes = [{ answer = 'a' }]\n[[call]]\ndoes = ['hang', { die = 'kill' }]")
                .expect("a script");
        assert_eq!(script.call(1).does, [Act::Answer("a".to_owned())]);
        assert_eq!(script.call(2).does, [Act::Hang, Act::Die(Death::Kill)]);
        assert_eq!(script.call(u64::MAX), script.call(2));
    }

    #[test]
    fn what_scripts_do_not_know_is_told_with_its_line() {
        let said = |text: &str| Script::read(text).expect_err("no script").to_string();
        assert!(said("[[call]]\ndoes = [{ sing = 'a' }]").contains("line 2"));
        assert!(said("[[call]]\ndose = []").contains("unknown field `dose`"));
        assert_eq!(said("call = []"), "the script has no [[call]]");
    }
}
