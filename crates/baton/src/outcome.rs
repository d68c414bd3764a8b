//! How a command ends: its exit code, and how a fault is printed.

use std::process::ExitCode;

use baton_engine::service::{Fault, FaultKind};

use crate::{findings, say};

/// How a command that did its work ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Nothing blocks.
    Clean,
    /// Findings block.
    Blocked,
    /// The system failed at some place, and everything else was reported.
    Incomplete,
    /// It was stopped, and can be resumed.
    Interrupted,
    /// A script was played, and says itself how it ends.
    Played(ExitCode),
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => 0.into(),
            Outcome::Blocked => 1.into(),
            Outcome::Incomplete => 4.into(),
            Outcome::Played(code) => code,
            // What shells expect of a program that Ctrl-C ended.
            Outcome::Interrupted => 130.into(),
        }
    }
}

/// The exit code of a fault.
pub(crate) fn exit_code(fault: &Fault) -> ExitCode {
    match fault.kind {
        FaultKind::Unread => 0.into(),
        FaultKind::Blocked => 1.into(),
        FaultKind::Usage => 2.into(),
        FaultKind::Refused => 3.into(),
        FaultKind::Failed => 4.into(),
    }
}

/// Prints a fault on the error stream: what is behind it, its findings, its message and its hint.
pub(crate) fn print(fault: &Fault) {
    if fault.kind == FaultKind::Unread {
        return;
    }
    if let Some(cause) = &fault.cause {
        print(cause);
    }
    if let Some(findings) = &fault.findings {
        findings::print_file(findings);
    }
    say::error(&fault.message, fault.hint.as_deref());
}
