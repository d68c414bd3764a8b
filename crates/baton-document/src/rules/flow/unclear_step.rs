//! `flow/unclear-step`: a step of which nobody can tell what it does.

use crate::finding::{Finding, Level};
use crate::flow::Spanned;
use crate::rules::{Check, Rule};
use crate::tree::{NodeId, Tree};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/unclear-step",
    level: Some(Level::Error),
    page: include_str!("unclear_step.md"),
    check: Check::Reading,
};

const KINDS: &str = "agent, loop, gate, parallel, wait, escalate or end";

/// Reports an entry of the list that is not one step.
pub(crate) fn not_one(tree: &Tree<'_>, item: NodeId) -> Finding {
    let count = tree.entries(item).count();
    let found = if count > 1 { format!("a map of {count} keys") } else { tree.kind(item).word().to_owned() };
    let help = "what belongs to a step is indented deeper than its name";
    let finding = Finding::new(RULE.id, "this is not one step").at(tree.first_char(item)).found(found);
    let finding = finding.expected("one name with what it does, such as `- write: writer`");
    if count > 1 { finding.help(help) } else { finding }
}

/// Reports a step that does nothing.
pub(crate) fn nothing(name: &Spanned<String>) -> Finding {
    Finding::new(RULE.id, format!("the step `{}` does not say what is done", name.value))
        .at(name.span)
        .expected(format!("one of {KINDS}"))
}

/// Reports a step that does two things.
pub(crate) fn both(tree: &Tree<'_>, at: NodeId, name: &str, first: &str, second: &str) -> Finding {
    Finding::new(RULE.id, format!("the step `{name}` is both `{first}` and `{second}`"))
        .at(tree.span(at))
        .expected(format!("only one of {KINDS}"))
        .help("make two steps of it")
}

/// Reports a key that says nothing in a step of this kind.
pub(crate) fn idle(tree: &Tree<'_>, key: NodeId, kind: &str, owners: &[&str]) -> Finding {
    let name = tree.text(key);
    let owners = if owners.is_empty() { "any other step".to_owned() } else { owners.join(" or ") };
    Finding::new(RULE.id, format!("`{name}` says nothing in a step that is `{kind}`"))
        .at(tree.span(key))
        .expected(format!("`{name}` in a step with {owners}"))
}
