//! `document/template`: a block that is a template and not a handoff.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/template",
    level: Some(Level::Info),
    page: include_str!("template.md"),
    check: Check::Reading,
};

/// Says that a block was passed over.
pub(crate) fn finding(span: Span, placeholder: &str) -> Finding {
    Finding::new(RULE.id, "this block is a template and is passed over")
        .at(span)
        .found(placeholder)
        .expected("a value in place of the placeholder")
}
