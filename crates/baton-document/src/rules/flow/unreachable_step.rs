//! `flow/unreachable-step`: a step that nothing leads to.

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/unreachable-step",
    level: Some(Level::Warning),
    page: include_str!("unreachable_step.md"),
    check: Check::Reading,
};

/// Looks at what can be reached from the first step.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    // A step that could not be read may lead anywhere.
    if !look.flow.unread.is_empty() || look.ways.iter().any(|way| way.to.is_none()) {
        return;
    }
    let mut below = vec![Vec::new(); look.flow.steps.len()];
    for way in &look.ways {
        below[way.from].extend(way.to);
    }
    let mut is_reached = vec![false; look.flow.steps.len()];
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut is_reached[at], true) {
            open.extend(&below[at]);
        }
    }
    for (step, _) in look.flow.steps.iter().zip(is_reached).filter(|(_, is_reached)| !is_reached) {
        let name = &step.name.value;
        let finding = Finding::new(RULE.id, format!("nothing leads to the step `{name}`")).at(step.name.span);
        findings.push(finding.expected(format!("a route, `then: {name}`, or another place in the list")));
    }
}
