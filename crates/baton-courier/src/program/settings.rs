//! How a program is started and spoken with, as its owner wrote it down.

use crate::Kind;

use super::Template;

/// A program that works as an agent.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program and its arguments. `{handoff}`, `{answer}`, `{draft}`, `{prompt}` and `{root}` in an argument are
    /// the paths of these; nothing else is replaced. A program without a `/` is looked for on the `PATH`, one with a
    /// `/` from the root.
    pub command: Vec<String>,
    /// How it gets the handoff.
    pub given: Given,
    /// Where its answer is.
    pub taken: Taken,
    /// Where it keeps the handoff that it is working on, if it does.
    pub draft: Option<Place>,
    /// Whether lines that it writes can be more than progress.
    pub spoken: Spoken,
    /// What may be done with an attempt whose end nobody saw.
    pub kind: Kind,
}

impl Program {
    /// A program that reads the handoff from its standard input and writes the answer to its standard output.
    #[must_use]
    pub fn new(command: Vec<String>) -> Self {
        Self {
            command,
            given: Given::Stdin,
            taken: Taken::Stdout,
            draft: None,
            spoken: Spoken::Progress,
            kind: Kind::Neither,
        }
    }
}

/// How a program gets the handoff.
#[derive(Clone, Debug)]
pub enum Given {
    /// On its standard input.
    Stdin,
    /// As a file, whose path is `{handoff}` and `BATON_HANDOFF`.
    File(Place),
}

/// Where the answer of a program is.
#[derive(Clone, Debug)]
pub enum Taken {
    /// All of its standard output.
    Stdout,
    /// A file that it writes at `{answer}` or `BATON_ANSWER`. Its standard output is progress then.
    File(Place),
}

/// Where a file is.
#[derive(Clone, Debug)]
pub enum Place {
    /// In a folder that only this attempt has, and that is gone afterwards.
    Private,
    /// At this path inside the root. It stays there.
    InRoot(Template),
}

/// Whether lines of progress can say more.
///
/// An agent that repeats on standard error what it was given lets others speak through it, so this is for programs
/// that are known not to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// Every line is progress.
    Progress,
    /// A line `baton:question TEXT` is a question, and `baton:session ID` names the session to go on with.
    Words,
}
