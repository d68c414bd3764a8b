//! `document/boolean-word`: a word such as `yes` where `true` or `false` belongs.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/boolean-word",
    level: Some(Level::Info),
    page: include_str!("boolean_word.md"),
    check: Check::Reading,
};

/// Reports a word that is taken as a boolean.
pub(crate) fn finding(span: Span, found: &str, meant: bool) -> Finding {
    Finding::new(RULE.id, format!("the word `{found}` is taken as the boolean `{meant}`"))
        .at(span)
        .found(found)
        .expected(meant.to_string())
}
