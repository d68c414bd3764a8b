//! `document/duplicate-key`: a key that stands twice in one map.

use crate::finding::{Finding, Level};
use crate::rules::{Check, Rule};
use crate::tree::{NodeId, Tree};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/duplicate-key",
    level: Some(Level::Error),
    page: include_str!("duplicate_key.md"),
    check: Check::Reading,
};

/// Reports the second place of a key.
pub(crate) fn finding(tree: &Tree<'_>, first: NodeId, second: NodeId) -> Finding {
    let name = tree.text(second);
    Finding::new(RULE.id, format!("`{name}` stands twice in this map"))
        .at(tree.span(second))
        .label("again here")
        .found(name)
        .expected("each key once")
        .related(tree.span(first), "first here")
        .help("readers disagree on which of the two counts; keep one")
}
