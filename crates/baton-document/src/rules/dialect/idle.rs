//! `dialect/idle`: a part of a definition that says nothing.

use crate::finding::{Finding, Level};
use crate::rules::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "dialect/idle",
    level: Some(Level::Warning),
    page: include_str!("idle.md"),
    check: Check::Reading,
};

/// Reports what has no effect.
pub(crate) fn finding(span: Span, message: impl Into<String>) -> Finding {
    let mut finding = Finding::new(RULE.id, message).at(span);
    finding.level = Level::Warning;
    finding
}
