//! `config/unknown-rule`: a level for a rule that does not exist.

use crate::finding::{Finding, Level};
use crate::rule::names;
use crate::rule::{Check, Rule};
use crate::span::Span;
use crate::spelling::nearest;
use crate::tree::{NodeId, Tree};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "config/unknown-rule",
    level: Some(Level::Warning),
    page: include_str!("unknown_rule.md"),
    check: Check::Reading,
};

/// Looks at the names under every `rules`.
pub(crate) fn check(
    rule_ids: &dyn Fn() -> Vec<String>,
    tree: &Tree<'_>,
    root: NodeId,
    findings: &mut Vec<Finding>,
) {
    let paths = tree.find(root, "paths").into_iter().flat_map(|paths| tree.items(paths));
    let tables = std::iter::once(root).chain(paths).filter_map(|table| tree.find(table, "rules"));
    let keys: Vec<NodeId> = tables.flat_map(|table| tree.entries(table)).map(|(key, _)| key).collect();
    if keys.is_empty() {
        return;
    }
    let ids = rule_ids();
    for key in keys {
        let name = tree.text(key);
        if !ids.iter().any(|id| names(name, id)) {
            findings.push(finding(tree.span(key), name, &ids));
        }
    }
}

fn finding(span: Span, name: &str, ids: &[String]) -> Finding {
    let finding = Finding::new(RULE.id, format!("no rule is called `{name}`, so this level has no effect"))
        .at(span)
        .found(name)
        .expected("the id of a rule, or the beginning of one");
    match nearest(name, ids.iter().map(String::as_str)) {
        Some(near) => {
            finding.help(format!("did you mean `{near}`?")).fix(span, format!("\"{near}\"")).unsafe_fix()
        }
        None => finding.help("`baton explain` lists all rules"),
    }
}
