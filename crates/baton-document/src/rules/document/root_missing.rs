//! `document/root-missing`: a handoff without the key that wraps it.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/root-missing",
    level: Some(Level::Error),
    page: include_str!("root_missing.md"),
    check: Check::Reading,
};

/// Reports a handoff without the key that wraps it.
pub(crate) fn finding(span: Span, root: &str, dialect: &str) -> Finding {
    Finding::new(RULE.id, format!("`{root}` is missing around this handoff"))
        .at(span)
        .expected(format!("`{root}` at the top, as the dialect `{dialect}` has it"))
}

/// Reports a handoff of another dialect than the one that it is read as.
pub(crate) fn other(span: Span, dialect: &str, is: &str) -> Finding {
    let message = format!("a handoff of the dialect `{dialect}` is expected, and this is one of `{is}`");
    Finding::new(RULE.id, message)
        .at(span)
        .expected(format!("the same said as `{dialect}` has it; `baton schema {dialect}` shows its fields"))
}
