//! `document/enum-case`: an enum word in other letters.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/enum-case",
    level: Some(Level::Info),
    page: include_str!("enum_case.md"),
    check: Check::Reading,
};

/// Reports an enum word in other letters.
pub(crate) fn finding(span: Span, found: &str, word: &str) -> Finding {
    Finding::new(RULE.id, format!("`{found}` is taken as `{word}`")).at(span).found(found).expected(word)
}
