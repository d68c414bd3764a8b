//! `dialect/impossible`: a definition that cannot be used.

use crate::finding::{Finding, Level};
use crate::rules::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "dialect/impossible",
    level: Some(Level::Error),
    page: include_str!("impossible.md"),
    check: Check::Reading,
};

/// Reports a definition that cannot be used.
pub(crate) fn finding(span: Span, message: impl Into<String>) -> Finding {
    Finding::new(RULE.id, message).at(span)
}
