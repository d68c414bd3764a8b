//! A request that was not carried out: whose fault it is, in words and as data.
//!
//! Cannot: print. A face renders the message, the hint and the findings as it likes.

use std::io;
use std::sync::Arc;

use baton_document::{Checked, Checker, Finding, Span};

use crate::error::{Error, Problem, Refused};

/// Result of reading a project or of asking the service.
pub type Result<T> = std::result::Result<T, Fault>;

/// A request that was not carried out.
#[derive(Debug)]
pub struct Fault {
    /// Whose fault it is.
    pub kind: FaultKind,
    /// Its stable code, one of [`CODES`].
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What would help.
    pub hint: Option<String>,
    /// The findings that block, where a file was checked.
    pub findings: Option<Box<FileFindings>>,
    /// The fault behind it, which is shown before it.
    pub cause: Option<Box<Fault>>,
}

/// Whose fault it is that a request was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The caller's: it asked for something that does not exist.
    Usage,
    /// A document's: its findings block.
    Blocked,
    /// The state does not allow it.
    Refused,
    /// The system's: disk, store, git.
    Failed,
    /// The reader of the output is gone, which is no failure.
    Unread,
}

impl Fault {
    /// A request for something that does not exist.
    pub fn usage(message: impl Into<String>, hint: Option<String>) -> Self {
        Self {
            kind: FaultKind::Usage,
            code: "usage",
            message: message.into(),
            hint,
            findings: None,
            cause: None,
        }
    }

    /// A request that the state does not allow.
    pub fn refused(message: impl Into<String>, hint: Option<String>) -> Self {
        Self {
            kind: FaultKind::Refused,
            code: "refused",
            message: message.into(),
            hint,
            findings: None,
            cause: None,
        }
    }

    /// A failure of the system.
    pub fn failed(message: impl Into<String>) -> Self {
        Self {
            kind: FaultKind::Failed,
            code: "failed",
            message: message.into(),
            hint: None,
            findings: None,
            cause: None,
        }
    }

    /// A document with findings that block.
    pub fn blocked(message: impl Into<String>, hint: Option<String>, findings: FileFindings) -> Self {
        let findings = Some(Box::new(findings));
        Self {
            kind: FaultKind::Blocked,
            code: "findings",
            message: message.into(),
            hint,
            findings,
            cause: None,
        }
    }
}

impl From<io::Error> for Fault {
    /// Output is all that a face writes, so an I/O error of its own is one of the output.
    fn from(error: io::Error) -> Self {
        let is_unread = error.kind() == io::ErrorKind::BrokenPipe;
        let fault = Self::failed(format!("cannot write the output: {error}"));
        if is_unread { Self { kind: FaultKind::Unread, ..fault } } else { fault }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::failed(format!("{error}; {}", error.hint()))
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Refused(refused) => {
                let fault = Self::refused(refused.to_string(), refused.hint().map(str::to_owned));
                Self { code: code(&refused), ..fault }
            }
            Problem::Failed(error) => error.into(),
        }
    }
}

/// The code of a refusal.
fn code(refused: &Refused) -> &'static str {
    match refused {
        Refused::NoRun { .. } => "no_run",
        Refused::NotOver { .. } | Refused::StillHeld { .. } => "not_over",
        Refused::Posted { .. } => "already_handed_in",
        Refused::BadSignature
        | Refused::OtherLedger
        | Refused::OlderAnswer
        | Refused::ManyPeople { .. }
        | Refused::UnknownPerson { .. } => "signature",
        Refused::Secret { .. } => "secret",
        Refused::Run(_)
        | Refused::Ledger(_)
        | Refused::Reserved { .. }
        | Refused::NoInbox { .. }
        | Refused::NoEnvironment { .. }
        | Refused::RunRequest { .. } => "refused",
    }
}

/// The codes of faults, with what each means. A code is never renamed.
pub const CODES: &[(&str, FaultKind, &str)] = &[
    ("usage", FaultKind::Usage, "the request names something that does not exist, or contradicts itself"),
    ("findings", FaultKind::Blocked, "findings in a document block the request"),
    ("refused", FaultKind::Refused, "the state does not allow the request"),
    ("no_run", FaultKind::Refused, "no run has that name"),
    ("not_over", FaultKind::Refused, "a run is not over, and may still need its texts"),
    ("already_handed_in", FaultKind::Refused, "the same was handed in before"),
    ("signature", FaultKind::Refused, "the answer is not signed by a person whose key counts"),
    ("secret", FaultKind::Refused, "a secret would be recorded"),
    ("failed", FaultKind::Failed, "disk, store, network or git failed"),
];

/// Findings in one file of the project, with what a report of them needs.
#[derive(Debug)]
pub struct FileFindings {
    /// Path of the file, from the root.
    pub path: String,
    /// Its text, where it is text.
    pub text: Option<String>,
    /// The findings.
    pub findings: Vec<Finding>,
    /// Secrets in the text, which a report must not show.
    pub hidden: Vec<Span>,
    /// The checker that found them.
    pub checker: Arc<Checker>,
}

impl FileFindings {
    /// Keeps what was found in a file.
    pub fn new(path: impl Into<String>, checked: Checked<'_>, checker: &Arc<Checker>) -> Self {
        Self {
            path: path.into(),
            text: checked.text.map(str::to_owned),
            findings: checked.findings,
            hidden: checked.hidden,
            checker: Arc::clone(checker),
        }
    }

    /// The findings as reports take them.
    pub fn checked(&self) -> Checked<'_> {
        Checked {
            text: self.text.as_deref(),
            handoffs: Vec::new(),
            findings: self.findings.clone(),
            hidden: self.hidden.clone(),
            looked: None,
        }
    }
}

/// A warning or an error of a project's own files that did not stop what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// File that it is about, from the root.
    pub path: Option<String>,
    /// Line in the file, from 1.
    pub line: Option<u32>,
    /// Column in the line, from 1.
    pub column: Option<u32>,
    /// The sentence.
    pub message: String,
    /// What would help.
    pub hint: Option<String>,
}

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The file is not used.
    Error,
    /// The file is used without this.
    Warning,
    /// Worth knowing.
    Note,
}

impl Diagnostic {
    /// A diagnostic without a place.
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self { severity, path: None, line: None, column: None, message: message.into(), hint: None }
    }

    /// The same about a file.
    #[must_use]
    pub fn about(mut self, path: impl Into<String>, place: Option<baton_document::LineColumn>) -> Self {
        self.path = Some(path.into());
        self.line = place.map(|place| place.line);
        self.column = place.map(|place| place.column);
        self
    }
}
