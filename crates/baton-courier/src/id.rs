//! Ids that come from agents, handoffs, the ledger or a definition: session, model, persona.
//!
//! Invariant: an id never begins with `-`, holds no blank and no control character, and is bounded, so that it is one argument,
//! never an option, one line of a terminal, and one value of a variable.

use std::fmt;

use crate::{Cause, Failure};

/// The most bytes of an id; the longest in use, an ARN as a model, has about 150.
const BYTES_MAX: usize = 256;
/// The most characters of a refused id that are shown.
const SHOWN_MAX: usize = 80;

/// Kind of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// A session, a thread or a conversation of an agent.
    Session,
    /// A model.
    Model,
    /// An agent of Claude Code.
    Persona,
}

impl Names {
    fn word(self) -> &'static str {
        match self {
            Self::Session => "session id",
            Self::Model => "model",
            Self::Persona => "persona",
        }
    }

    /// Characters allowed beside letters and digits.
    fn signs(self) -> &'static [u8] {
        match self {
            // Sessions that Baton names itself are keys of deliveries, with `%` for what a name cannot hold.
            Self::Session => b"-_.:/@+%",
            // As in `opus[1m]`.
            Self::Model => b"-_.:/@+[]",
            Self::Persona => b"-_.:/@+",
        }
    }
}

/// An id that can be handed to a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(String);

impl Id {
    /// Checks an id.
    ///
    /// # Errors
    /// If it is empty, too long, begins with another sign than a letter or a digit, holds a sign that it does not need, or
    /// has `..` as one of its parts.
    pub fn new(names: Names, text: &str) -> Result<Self, BadId> {
        let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || names.signs().contains(&byte);
        let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        let leads_up = text.split('/').any(|part| part == "..");
        if begins && text.len() <= BYTES_MAX && text.bytes().all(is_fine) && !leads_up {
            return Ok(Self(text.to_owned()));
        }
        Err(BadId { names, shown: shown(text) })
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// An id that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadId {
    names: Names,
    shown: String,
}

impl BadId {
    /// The failure of an attempt whose agent named something by this id; to give it the work again is of no use.
    pub(crate) fn said_by(&self, name: &str) -> Failure {
        Failure::new(Cause::Impossible, format!("{name} gave an {self}")).with_hint(self.expected())
    }

    /// The failure of a delivery for which this id is recorded or written down.
    #[must_use]
    pub fn recorded(&self) -> Failure {
        Failure::new(Cause::Impossible, self.to_string()).with_hint(self.expected())
    }

    fn expected(&self) -> String {
        let signs: Vec<String> =
            self.names.signs().iter().map(|sign| format!("`{}`", char::from(*sign))).collect();
        format!(
            "a {} begins with a letter or a digit, goes on with these and {}, and has at most {BYTES_MAX} bytes",
            self.names.word(),
            signs.join(" ")
        )
    }
}

impl fmt::Display for BadId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "invalid {} `{}`", self.names.word(), self.shown)
    }
}

impl std::error::Error for BadId {}

/// The beginning of a text, on one line.
fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN_MAX).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_agents_use_are_taken() {
        for id in [
            "0b0f5f0e-1111-4222-8333-444444444444",
            "ses_5f3a",
            "20251101_1",
            "agent:main:baton-run%201/5-1-0",
            "s-1",
            "a",
        ] {
            assert_eq!(Id::new(Names::Session, id).as_ref().map(Id::as_str), Ok(id));
        }
        for id in ["opus", "sonnet[1m]", "gpt-5.1", "arn:aws:bedrock:us-east-1:1:x/y", "claude-opus-4@2025"] {
            assert!(Id::new(Names::Model, id).is_ok(), "{id}");
        }
        assert!(Id::new(Names::Persona, "plugin:code-reviewer").is_ok());
    }

    #[test]
    fn what_could_be_an_option_or_two_arguments_is_no_id() {
        let long = "a".repeat(BYTES_MAX + 1);
        let odd = [
            "",
            "-",
            "--",
            "-c",
            "--dangerously-skip-permissions",
            " -x",
            "\t-x",
            "\u{a0}-x",
            "a b",
            "a\nb",
            "a\0b",
            "a=b",
            "a\u{1b}[31m",
            "../x",
            "a/../x",
            "a/..",
            "/etc/passwd",
            ".",
            "é",
            "a\u{202e}b",
            "=x",
            "@file",
            "a;b",
            "$(x)",
            "a\"b",
            "{x}",
            "~x",
            long.as_str(),
        ];
        for odd in odd {
            for names in [Names::Session, Names::Model, Names::Persona] {
                assert!(Id::new(names, odd).is_err(), "{odd:?}");
            }
        }
    }

    #[test]
    fn a_refused_id_is_told_on_one_short_line() {
        let said = Id::new(Names::Session, &format!("-\u{1b}]0;x\n{}", "y".repeat(500))).expect_err("no id");
        let said = said.said_by("claude");
        assert!(said.message.starts_with("claude gave an invalid session id `-\\u{1b}]0;x\\nyy"), "{said}");
        assert!(said.message.len() < 200 && !said.message.contains(char::is_control), "{said}");
        assert_eq!(said.cause, Cause::Impossible);
    }
}
