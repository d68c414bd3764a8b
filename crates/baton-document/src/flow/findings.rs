//! The findings of reading a flow file.
//!
//! Invariant: each id here is the id of a rule in `rules/flow`, which has the page and the level.

use super::Spanned;
use crate::finding::Finding;
use crate::span::Span;
use crate::tree::{Kind, NodeId, Tree};

const BAD_VALUE: &str = "flow/bad-value";
const UNCLEAR_STEP: &str = "flow/unclear-step";

/// The ids of all of them.
#[cfg(test)]
pub(crate) const IDS: [&str; 2] = [BAD_VALUE, UNCLEAR_STEP];

const KINDS: &str = "agent, loop, gate, parallel, wait, escalate or end";

/// Reports a value that cannot be used.
pub(crate) fn bad_value(tree: &Tree<'_>, node: NodeId, expected: &str) -> Finding {
    let (kind, text) = (tree.kind(node), tree.text(node));
    let found = match kind {
        Kind::List | Kind::Map | Kind::Null => kind.word(),
        Kind::False | Kind::True | Kind::Integer | Kind::Float | Kind::Text | Kind::Broken => text,
    };
    Finding::new(BAD_VALUE, "the value cannot be used here")
        .at(tree.span(node))
        .found(found)
        .expected(expected)
}

/// Reports a file in which nothing stands.
pub(crate) fn empty() -> Finding {
    let expected = "a map with the keys flow and steps";
    Finding::new(BAD_VALUE, "the file holds no flow").at(Span::at(0)).found("nothing").expected(expected)
}

/// Reports a key that must be there.
pub(crate) fn missing(at: Span, key: &str) -> Finding {
    Finding::new(BAD_VALUE, format!("`{key}` is missing")).at(at).expected(format!("the key `{key}`"))
}

/// Reports an entry of the list that is not one step.
pub(crate) fn not_one_step(tree: &Tree<'_>, item: NodeId) -> Finding {
    let count = tree.entries(item).count();
    let found = if count > 1 { format!("a map of {count} keys") } else { tree.kind(item).word().to_owned() };
    let help = "what belongs to a step is indented deeper than its name";
    let finding = Finding::new(UNCLEAR_STEP, "this is not one step").at(tree.first_char(item)).found(found);
    let finding = finding.expected("one name with what it does, such as `- write: writer`");
    if count > 1 { finding.help(help) } else { finding }
}

/// Reports a step that does nothing.
pub(crate) fn empty_step(name: &Spanned<String>) -> Finding {
    Finding::new(UNCLEAR_STEP, format!("the step `{}` does not say what is done", name.value))
        .at(name.span)
        .expected(format!("one of {KINDS}"))
}

/// Reports a step that does two things.
pub(crate) fn two_steps(tree: &Tree<'_>, at: NodeId, name: &str, first: &str, second: &str) -> Finding {
    Finding::new(UNCLEAR_STEP, format!("the step `{name}` is both `{first}` and `{second}`"))
        .at(tree.span(at))
        .expected(format!("only one of {KINDS}"))
        .help("make two steps of it")
}

/// Reports a key that says nothing in a step of this kind.
pub(crate) fn idle_key(tree: &Tree<'_>, key: NodeId, kind: &str, owners: &[&str]) -> Finding {
    let name = tree.text(key);
    let owners = if owners.is_empty() { "any other step".to_owned() } else { owners.join(" or ") };
    Finding::new(UNCLEAR_STEP, format!("`{name}` says nothing in a step that is `{kind}`"))
        .at(tree.span(key))
        .expected(format!("`{name}` in a step with {owners}"))
}
