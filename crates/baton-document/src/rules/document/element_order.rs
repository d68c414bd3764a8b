//! `document/element-order`: elements in another order than the dialect's own.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/element-order",
    level: Some(Level::Info),
    page: include_str!("element_order.md"),
    check: Check::Reading,
};

/// Reports the first element that stands before one it should follow.
pub(crate) fn finding(span: Span, name: &str, before: &str) -> Finding {
    Finding::new(RULE.id, format!("`{name}` usually stands before `{before}`"))
        .at(span)
        .found(name)
        .expected(format!("`{name}` before `{before}`"))
}
