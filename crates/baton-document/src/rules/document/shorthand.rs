//! `document/shorthand`: a plain word where the dialect has a map.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/shorthand",
    level: Some(Level::Info),
    page: include_str!("shorthand.md"),
    check: Check::Reading,
};

/// Reports a plain word that is read as the map it stands for.
pub(crate) fn finding(span: Span, key: &str, inner: &str, found: &str) -> Finding {
    Finding::new(RULE.id, format!("`{key}: {found}` is read as `{key}.{inner}`"))
        .at(span)
        .found(found)
        .expected(format!("a map with `{inner}`"))
}
