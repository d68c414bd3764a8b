//! How a command ends: what it says to the shell, and what went wrong where nothing could be said.

use std::io;
use std::process::ExitCode;

use baton_engine::project::fault::{Fault, FaultKind, FileFindings};

/// How a command that did its work ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Nothing blocks.
    Clean,
    /// Findings block.
    Blocked,
    /// The world failed at some place, and everything else was reported.
    Incomplete,
    /// Somebody stopped it, and it can go on later.
    Interrupted,
    /// A script was played, and says itself how it ends.
    Played(ExitCode),
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The user asked for something that is not there; `hint` says what is.
    Usage { message: String, hint: Option<String> },
    /// The findings in a file block; `hint` says what helps.
    Blocked { message: String, hint: Option<String>, findings: Option<Box<FileFindings>> },
    /// The state of things does not allow it; `hint` says what it does allow.
    Refused { message: String, hint: Option<String> },
    /// The world failed.
    World(String),
    /// Whoever read the output has gone; nothing is wrong with that.
    Unread,
}

impl Failure {
    /// A usage error without a hint.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: None }
    }

    /// A failure of the world.
    pub(crate) fn world(message: impl Into<String>) -> Self {
        Self::World(message.into())
    }
}

impl From<io::Error> for Failure {
    /// Output is all that is written, so an error of writing is one of the output.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::Unread
        } else {
            Self::World(format!("cannot write the output: {error}"))
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let Fault { kind, message, hint, findings } = fault;
        match kind {
            FaultKind::Usage => Self::Usage { message, hint },
            FaultKind::Blocked => Self::Blocked { message, hint, findings },
            FaultKind::Refused => Self::Refused { message, hint },
            FaultKind::Failed => Self::World(message),
        }
    }
}

impl From<baton_engine::error::Error> for Failure {
    fn from(error: baton_engine::error::Error) -> Self {
        Fault::from(error).into()
    }
}

impl From<baton_engine::error::Problem> for Failure {
    fn from(problem: baton_engine::error::Problem) -> Self {
        Fault::from(problem).into()
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => 0.into(),
            Outcome::Blocked => 1.into(),
            Outcome::Incomplete => 4.into(),
            // What shells expect of a program that Ctrl-C ended.
            Outcome::Played(code) => code,
            Outcome::Interrupted => 130.into(),
        }
    }
}

impl From<&Failure> for ExitCode {
    fn from(failure: &Failure) -> Self {
        match failure {
            Failure::Unread => 0.into(),
            Failure::Blocked { .. } => 1.into(),
            Failure::Usage { .. } => 2.into(),
            Failure::Refused { .. } => 3.into(),
            Failure::World(_) => 4.into(),
        }
    }
}
