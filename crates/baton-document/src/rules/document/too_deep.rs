//! `document/too-deep`: nesting beyond the limit.

use crate::finding::{Finding, Level};
use crate::rules::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/too-deep",
    level: Some(Level::Error),
    page: include_str!("too_deep.md"),
    check: Check::Reading,
};

/// Reports nesting beyond the limit; nothing below it is read.
pub(crate) fn finding(span: Span, depth_max: usize) -> Finding {
    Finding::new(RULE.id, format!("nested more than {depth_max} levels deep"))
        .at(span)
        .expected(format!("at most {depth_max} levels"))
}
