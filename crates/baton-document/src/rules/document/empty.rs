//! `document/empty`: a handoff file without a handoff in it.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/empty",
    level: Some(Level::Error),
    page: include_str!("empty.md"),
    check: Check::Reading,
};

/// Reports a file that should hold a handoff and holds nothing.
pub(crate) fn finding(span: Span, dialect: &str) -> Finding {
    Finding::new(RULE.id, format!("the file holds no {dialect} handoff"))
        .at(span)
        .found("nothing")
        .expected(format!("a handoff of the dialect `{dialect}`"))
}
