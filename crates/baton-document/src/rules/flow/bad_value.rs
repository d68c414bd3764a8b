//! `flow/bad-value`: a value that cannot be used.

use crate::finding::{Finding, Level};
use crate::rules::{Check, Rule};
use crate::span::Span;
use crate::tree::{Kind, NodeId, Tree};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/bad-value",
    level: Some(Level::Error),
    page: include_str!("bad_value.md"),
    check: Check::Reading,
};

/// Reports a value that cannot be used.
pub(crate) fn finding(tree: &Tree<'_>, node: NodeId, expected: &str) -> Finding {
    let (kind, text) = (tree.kind(node), tree.text(node));
    let found = match kind {
        Kind::List | Kind::Map | Kind::Null => kind.word(),
        Kind::False | Kind::True | Kind::Integer | Kind::Float | Kind::Text | Kind::Broken => text,
    };
    Finding::new(RULE.id, "the value cannot be used here").at(tree.span(node)).found(found).expected(expected)
}

/// Reports a file in which nothing stands.
pub(crate) fn empty() -> Finding {
    let expected = "a map with the keys flow and steps";
    Finding::new(RULE.id, "the file holds no flow").at(Span::at(0)).found("nothing").expected(expected)
}

/// Reports a key that must be there.
pub(crate) fn missing(at: Span, key: &str) -> Finding {
    Finding::new(RULE.id, format!("`{key}` is missing")).at(at).expected(format!("the key `{key}`"))
}
