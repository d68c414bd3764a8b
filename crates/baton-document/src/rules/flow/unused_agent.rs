//! `flow/unused-agent`: an agent that no step names.

use std::collections::HashSet;

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/unused-agent",
    level: Some(Level::Info),
    page: include_str!("unused_agent.md"),
    check: Check::Reading,
};

/// Looks at the agents that the flow lists.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    // A step that could not be read may name any agent.
    if !look.flow.unread.is_empty() {
        return;
    }
    let used: HashSet<&str> = look.flow.workers().map(|worker| worker.agent.value.as_str()).collect();
    for agent in look.flow.agents.iter().filter(|agent| !used.contains(agent.name.value.as_str())) {
        let name = &agent.name.value;
        let finding = Finding::new(RULE.id, format!("no step names the agent `{name}`")).at(agent.name.span);
        findings.push(finding.help("it works only if another agent delegates to it"));
    }
}
