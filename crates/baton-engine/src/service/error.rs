//! Errors as replies.

use baton_document::LineIndex;
use schemars::JsonSchema;
use serde::Serialize;

use crate::project::fault::{Fault, FileFindings};

/// A request that was not carried out, as JSON.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErrorReply {
    /// The error.
    pub error: ErrorBody,
}

/// What is wrong, and what helps.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErrorBody {
    /// Stable code, for scripts.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What would help.
    pub hint: Option<String>,
    /// The findings that block, where a file was checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ErrorProblem>,
}

/// A finding that blocks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErrorProblem {
    /// The file, from the root.
    pub path: String,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column, from 1.
    pub column: Option<u32>,
    /// The rule.
    pub rule: String,
    /// What is wrong.
    pub message: String,
    /// What would help.
    pub hint: Option<String>,
}

impl ErrorReply {
    /// The reply for a fault.
    pub fn new(fault: &Fault) -> Self {
        let findings =
            fault.findings.iter().chain(fault.cause.iter().filter_map(|cause| cause.findings.as_ref()));
        Self {
            error: ErrorBody {
                code: fault.code.to_owned(),
                message: fault.message.clone(),
                hint: fault.hint.clone(),
                problems: findings.flat_map(|file| problems(file)).collect(),
            },
        }
    }
}

fn problems(file: &FileFindings) -> Vec<ErrorProblem> {
    let lines = file.text.as_deref().map(LineIndex::new);
    let problem = |finding: &baton_document::Finding| {
        let place = lines.as_ref().zip(finding.span).map(|(lines, span)| lines.place(span.start));
        ErrorProblem {
            path: file.path.clone(),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            rule: finding.rule.to_string(),
            message: finding.message.clone(),
            hint: finding.help.clone(),
        }
    };
    file.findings.iter().map(problem).collect()
}
