//! `config/bad-value`: a setting of the right type that cannot be used.

use crate::dialect::{Dialects, Place, Settings};
use crate::finding::{Finding, Level};
use crate::flow::{AgentSpec, is_name};
use crate::rule::{Check, Rule};
use crate::secrets;
use crate::spelling::nearest;
use crate::tree::{Kind, NodeId, Tree};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "config/bad-value",
    level: Some(Level::Error),
    page: include_str!("bad_value.md"),
    check: Check::Reading,
};

/// Looks at globs, dialects, limits, the place of runs and what is allowed.
pub(crate) fn check(dialects: &Dialects, tree: &Tree<'_>, root: NodeId, findings: &mut Vec<Finding>) {
    let table = |name: &str| tree.find(root, name);
    if let Some(check) = table("check") {
        for key in ["exclude", "prose"] {
            globs(tree, tree.find(check, key), findings);
        }
    }
    globs(tree, table("dialects"), findings);
    for paths in table("paths").into_iter().flat_map(|paths| tree.items(paths)) {
        globs(tree, tree.find(paths, "paths"), findings);
        dialect(dialects, tree, tree.find(paths, "dialect"), findings);
    }
    agents(dialects, tree, root, findings);
    for (_, value) in table("limits").into_iter().flat_map(|limits| tree.entries(limits)) {
        limit(tree, value, findings);
    }
    allowed(tree, table("secrets").and_then(|secrets| tree.find(secrets, "allow")), findings);
    run_base(tree, table("settings").and_then(|settings| tree.find(settings, "run-base")), findings);
}

/// Looks at what the form of an agent cannot say.
fn agents(dialects: &Dialects, tree: &Tree<'_>, root: NodeId, findings: &mut Vec<Finding>) {
    let Some(map) = tree.find(root, "agents") else { return };
    let mut wrong = Vec::new();
    AgentSpec::of_tables(tree, root, &mut wrong);
    findings.extend(wrong.into_iter().map(|wrong| Finding { rule: RULE.id.into(), ..wrong }));
    for (key, agent) in tree.entries(map) {
        if !is_name(tree.text(key)) {
            let finding = finding(tree, key, "no flow can name this agent");
            findings.push(finding.expected("letters of a to z, digits, - and _"));
        }
        dialect(dialects, tree, tree.find(agent, "dialect"), findings);
    }
}

fn globs(tree: &Tree<'_>, list: Option<NodeId>, findings: &mut Vec<Finding>) {
    let items = list.into_iter().flat_map(|list| tree.items(list));
    for item in items.filter(|item| tree.kind(*item) == Kind::Text) {
        if let Err(error) = globset::Glob::new(tree.text(item)) {
            let finding = finding(tree, item, "the glob cannot be read, so it matches nothing");
            findings.push(finding.expected("a path with *, ** or ?").help(error.kind().to_string()));
        }
    }
}

fn dialect(dialects: &Dialects, tree: &Tree<'_>, value: Option<NodeId>, findings: &mut Vec<Finding>) {
    let Some(value) = value.filter(|value| tree.kind(*value) == Kind::Text) else { return };
    let names = || dialects.handoffs.iter().map(|dialect| &*dialect.name);
    let name = tree.text(value);
    if names().any(|known| known == name) {
        return;
    }
    let finding = finding(tree, value, &format!("no dialect is called `{name}`"))
        .expected(format!("one of {}", names().collect::<Vec<_>>().join(", ")));
    findings.push(match nearest(name, names()) {
        Some(near) => {
            let span = tree.span(value);
            finding.help(format!("did you mean `{near}`?")).fix(span, format!("\"{near}\"")).unsafe_fix()
        }
        None => finding,
    });
}

fn limit(tree: &Tree<'_>, value: NodeId, findings: &mut Vec<Finding>) {
    let is_bad =
        tree.kind(value) == Kind::Integer && tree.text(value).parse::<u32>().map_or(true, |n| n == 0);
    if is_bad {
        let finding = finding(tree, value, "the limit cannot be kept, so the usual one holds");
        findings.push(finding.expected("a whole number from 1 to 4294967295"));
    }
}

/// The form of a fingerprint is checked as a pattern is; here is whether its kind exists.
fn allowed(tree: &Tree<'_>, list: Option<NodeId>, findings: &mut Vec<Finding>) {
    let items = list.into_iter().flat_map(|list| tree.items(list));
    for item in items.filter(|item| tree.kind(*item) == Kind::Text) {
        let Some((kind, _)) = tree.text(item).split_once(':') else { continue };
        if !secrets::is_kind(kind) {
            let finding =
                finding(tree, item, &format!("no kind of secret is called `{kind}`, so nothing is allowed"));
            findings.push(finding.expected("a fingerprint as a finding of document/secret names it"));
        }
    }
}

fn run_base(tree: &Tree<'_>, value: Option<NodeId>, findings: &mut Vec<Finding>) {
    let Some(value) = value.filter(|value| tree.kind(*value) == Kind::Text) else { return };
    let path = tree.text(value);
    if path.starts_with(['/', '\\', '~']) || path.split('/').any(|part| part == "..") {
        let finding = finding(tree, value, "the path leads out of the project");
        findings.push(finding.expected("a path below the project root, such as .runs/{run}"));
    } else if let Err(message) = Place::new(path, &Settings::default()) {
        let finding = finding(tree, value, "the path cannot be read, so the usual one holds");
        findings.push(finding.expected("a path such as .runs/{run}").help(message));
    }
}

fn finding(tree: &Tree<'_>, value: NodeId, message: &str) -> Finding {
    Finding::new(RULE.id, message).at(tree.span(value)).found(tree.text(value))
}
