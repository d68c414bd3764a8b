//! `document/json-syntax`: text that is not JSON.

use crate::finding::{Finding, Level};
use crate::rules::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/json-syntax",
    level: Some(Level::Error),
    page: include_str!("json_syntax.md"),
    check: Check::Reading,
};

/// Starts a finding about JSON that does not parse.
pub(crate) fn finding(message: &str, span: Span) -> Finding {
    Finding::new(RULE.id, message).at(span)
}
