//! `flow/bad-name`: a name that cannot be one, or that stands twice.

use std::collections::HashMap;

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::flow::bounds::NAME_BYTES_MAX;
use crate::flow::{Spanned, is_name};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/bad-name",
    level: Some(Level::Error),
    page: include_str!("bad_name.md"),
    check: Check::Reading,
};

/// Words that mean something where a step is named.
const TAKEN: [&str; 3] = ["ask", "end", "halt"];

/// Looks at the names of steps, agents and inputs.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for name in look.flow.steps.iter().map(|step| &step.name) {
        if let Some(first) = seen.get(name.value.as_str()) {
            let finding =
                Finding::new(RULE.id, format!("there are two steps `{}`", name.value)).at(name.span);
            findings.push(finding.expected("a name of its own").related(*first, "the first"));
            continue;
        }
        seen.insert(&name.value, name.span);
        if TAKEN.contains(&name.value.as_str()) {
            let finding =
                Finding::new(RULE.id, format!("a step cannot be called `{}`", name.value)).at(name.span);
            findings.push(
                finding.expected("another name: ask, halt and end mean something where a step is named"),
            );
        } else {
            plain(name, "step", findings);
        }
    }
    look.flow.agents.iter().for_each(|agent| plain(&agent.name, "agent", findings));
    for worker in look.flow.workers().filter(|worker| look.flow.agent(&worker.agent.value).is_none()) {
        plain(worker.agent, "agent", findings);
    }
    look.flow.inputs.iter().for_each(|input| plain(&input.name, "input", findings));
    let kinds = look.flow.steps.iter().flat_map(|step| &step.detours);
    kinds.for_each(|(kind, _)| plain(kind, "detour", findings));
    plain(&look.flow.name, "flow", findings);
}

fn plain(name: &Spanned<String>, what: &str, findings: &mut Vec<Finding>) {
    if !is_name(&name.value) {
        let finding = Finding::new(RULE.id, format!("this cannot be the name of {what}s")).at(name.span);
        let expected = format!("1 to {NAME_BYTES_MAX} letters of a to z, digits, - and _");
        findings.push(finding.found(&name.value).expected(expected));
    }
}
