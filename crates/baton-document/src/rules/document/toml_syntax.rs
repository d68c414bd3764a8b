//! `document/toml-syntax`: text that is not TOML.

use crate::finding::{Finding, Level};
use crate::rules::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/toml-syntax",
    level: Some(Level::Error),
    page: include_str!("toml_syntax.md"),
    check: Check::Reading,
};

/// Reports TOML that does not parse.
pub(crate) fn finding(message: &str, span: Span) -> Finding {
    Finding::new(RULE.id, message.trim()).at(span).expected("valid TOML")
}
