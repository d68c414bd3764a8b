//! `document/key-alias`: a key that the dialect knows by another name.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/key-alias",
    level: Some(Level::Info),
    page: include_str!("key_alias.md"),
    check: Check::Reading,
};

/// Reports a key that the dialect knows by another name.
pub(crate) fn finding(span: Span, found: &str, key: &str) -> Finding {
    Finding::new(RULE.id, format!("`{found}` is read as `{key}`")).at(span).found(found).expected(key)
}
