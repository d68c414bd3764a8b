//! `document/enum-synonym`: a word that the dialect knows as another one.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/enum-synonym",
    level: Some(Level::Info),
    page: include_str!("enum_synonym.md"),
    check: Check::Reading,
};

/// Reports a word that the dialect knows as another one.
pub(crate) fn finding(span: Span, found: &str, word: &str) -> Finding {
    Finding::new(RULE.id, format!("`{found}` is taken as `{word}`")).at(span).found(found).expected(word)
}
