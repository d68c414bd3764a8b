//! `document/alias-bomb`: YAML aliases that would multiply the document.

use crate::finding::{Finding, Level};
use crate::rules::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/alias-bomb",
    level: Some(Level::Error),
    page: include_str!("alias_bomb.md"),
    check: Check::Reading,
};

/// Reports an alias that would copy more than the budget.
pub(crate) fn finding(span: Span, nodes_max: usize) -> Finding {
    Finding::new(RULE.id, "YAML aliases copy more than a handoff needs")
        .at(span)
        .label("this alias is one too many")
        .expected(format!("at most {nodes_max} nodes copied by aliases"))
        .help("write the values out, or reference a file")
}
