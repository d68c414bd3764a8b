//! `document/not-text`: bytes that are not UTF-8 text.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/not-text",
    level: Some(Level::Error),
    page: include_str!("not_text.md"),
    check: Check::Reading,
};

/// Reports bytes that are no UTF-8 text.
pub(crate) fn finding(message: &str, span: Span, found: &str) -> Finding {
    Finding::new(RULE.id, message).at(span).found(found).expected("UTF-8 text")
}
