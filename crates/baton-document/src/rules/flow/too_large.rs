//! `flow/too-large`: a flow that is larger than a run may be.

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::flow::{Does, bounds};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/too-large",
    level: Some(Level::Error),
    page: include_str!("too_large.md"),
    check: Check::Reading,
};

/// Counts steps, agents, branches, routes, detours and checks.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    let flow = look.flow;
    let mut most = |found: usize, max: usize, what: &str, span: Span| {
        if found > max {
            let finding = Finding::new(RULE.id, format!("there are {found} {what}")).at(span);
            findings.push(finding.expected(format!("at most {max}")).help("make several flows of it"));
        }
    };
    most(flow.steps.len(), bounds::STEPS_MAX, "steps", flow.name.span);
    most(look.full.agents.len(), bounds::AGENTS_MAX, "agents", flow.name.span);
    for step in &flow.steps {
        most(step.detours.len(), bounds::ROUTES_MAX, "detours in this step", step.name.span);
        match &step.does {
            Does::Agent(pass) => {
                most(pass.routes.len(), bounds::ROUTES_MAX, "routes in this step", step.name.span);
            }
            Does::Gate(gate) => {
                most(gate.checks.len(), bounds::ROUTES_MAX, "checks at this gate", step.name.span);
            }
            Does::Parallel(parallel) => {
                most(parallel.branches.len(), bounds::BRANCHES_MAX, "branches in this step", step.name.span);
            }
            Does::Loop(_) | Does::Wait(_) | Does::Escalate(_) | Does::End(_) => {}
        }
    }
}
