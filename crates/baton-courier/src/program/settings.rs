//! Settings of a program, as its owner writes them.

use crate::Kind;

use super::Template;

/// A program that works as an agent.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program and its arguments. `{handoff}`, `{answer}`, `{draft}`, `{prompt}` and `{root}` in an argument are
    /// the paths of these; nothing else is replaced. A program without a `/` is looked for on the `PATH`, one with a
    /// `/` from the root.
    pub command: Vec<String>,
    /// Input of the handoff.
    pub input: Input,
    /// Output of the answer.
    pub output: Output,
    /// File of the draft, if the program writes one.
    pub draft: Option<FileLocation>,
    /// Protocol of the lines that it writes.
    pub protocol: LineProtocol,
    /// Recovery of an attempt whose end was not reported.
    pub kind: Kind,
}

impl Program {
    /// A program that reads the handoff from its standard input and writes the answer to its standard output.
    #[must_use]
    pub fn new(command: Vec<String>) -> Self {
        Self {
            command,
            input: Input::Stdin,
            output: Output::Stdout,
            draft: None,
            protocol: LineProtocol::Progress,
            kind: Kind::Neither,
        }
    }
}

/// Input of the handoff.
#[derive(Clone, Debug)]
pub enum Input {
    /// On its standard input.
    Stdin,
    /// As a file, whose path is `{handoff}` and `BATON_HANDOFF`.
    File(FileLocation),
}

/// Output of the answer.
#[derive(Clone, Debug)]
pub enum Output {
    /// All of its standard output.
    Stdout,
    /// A file that it writes at `{answer}` or `BATON_ANSWER`. Its standard output is progress then.
    File(FileLocation),
}

/// Location of a file.
#[derive(Clone, Debug)]
pub enum FileLocation {
    /// In a folder that only this attempt has, and that is gone afterwards.
    Private,
    /// At this path inside the root. It stays there.
    InRoot(Template),
}

/// Protocol of the lines that a program writes.
///
/// An agent that repeats on standard error what it was given lets others speak through it, so this is for programs
/// that are known not to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineProtocol {
    /// Every line is progress.
    Progress,
    /// A line `baton:question TEXT` is a question, and `baton:session ID` names the session to go on with.
    Directives,
}
