//! `flow/unknown-agent`: an agent that is not defined.

use std::collections::HashSet;

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::flow::{definition_path, is_name};
use crate::rule::{Check, Rule};
use crate::spelling::nearest;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/unknown-agent",
    level: Some(Level::Error),
    page: include_str!("unknown_agent.md"),
    check: Check::Reading,
};

/// Looks at everybody who works.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    if look.is_alone() {
        return;
    }
    let mut seen = HashSet::new();
    for worker in look.flow.workers() {
        let name = worker.agent;
        let is_known = look.flow.agent(&name.value).is_some()
            || look.known.iter().any(|known| known.name.value == name.value);
        if is_known || !seen.insert(&name.value) || !is_name(&name.value) {
            continue;
        }
        let finding = Finding::new(RULE.id, format!("nobody says who `{}` is", name.value))
            .at(name.span)
            .found(&name.value)
            .expected(format!(
                "the agent under `agents`, in baton.toml, or in {}",
                definition_path(&name.value)
            ));
        let names = look.flow.agents.iter().map(|agent| agent.name.value.as_str());
        findings.push(match nearest(&name.value, names) {
            Some(near) => finding.help(format!("did you mean `{near}`?")).fix(name.span, near).unsafe_fix(),
            None => finding,
        });
    }
}
