//! `document/timestamp-form`: a timestamp in another form.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/timestamp-form",
    level: Some(Level::Info),
    page: include_str!("timestamp_form.md"),
    check: Check::Reading,
};

/// Reports a timestamp that is understood but not in the usual form.
pub(crate) fn finding(span: Span, found: &str, why: &str, expected: &str) -> Finding {
    Finding::new(RULE.id, format!("the timestamp `{found}` {why}")).at(span).found(found).expected(expected)
}
