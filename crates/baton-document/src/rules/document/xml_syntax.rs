//! `document/xml-syntax`: text that is not well-formed XML.

use crate::finding::{Finding, Level};
use crate::rules::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/xml-syntax",
    level: Some(Level::Error),
    page: include_str!("xml_syntax.md"),
    check: Check::Reading,
};

/// Starts a finding about XML that is not well-formed.
pub(crate) fn finding(message: &str, span: Span) -> Finding {
    Finding::new(RULE.id, message).at(span)
}
