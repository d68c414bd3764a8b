//! `flow/incomplete-agent`: an agent of whom it is not said how it is reached, or what it reads.

use std::collections::HashSet;

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/incomplete-agent",
    level: Some(Level::Warning),
    page: include_str!("incomplete_agent.md"),
    check: Check::Reading,
};

/// Looks at what all places together say of each agent that works.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    let used: HashSet<&str> = look.flow.workers().map(|worker| worker.agent.value.as_str()).collect();
    for agent in look.full.agents.iter().filter(|agent| used.contains(agent.name.value.as_str())) {
        let name = &agent.name.value;
        let is_known =
            look.flow.agent(name).is_some() || look.known.iter().any(|known| known.name.value == *name);
        let missing = match (&agent.dialect, agent.is_reachable()) {
            (Some(_), true) => continue,
            (Some(_), false) => "how it is reached",
            (None, true) => "which dialect it reads and writes",
            (None, false) => "how it is reached and which dialect it reads and writes",
        };
        // An unknown agent is another finding, unless the world is unknown too.
        let message = match (is_known, look.is_alone()) {
            (true, false) => format!("it is not said of `{name}` {missing}"),
            (_, true) => format!("baton.toml must say of `{name}` {missing}"),
            (false, false) => continue,
        };
        let finding = Finding::new(RULE.id, message).at(agent.name.span);
        findings.push(finding.expected("`dialect`, and `courier`, `run` with a program, or `inbox: true`"));
    }
}
