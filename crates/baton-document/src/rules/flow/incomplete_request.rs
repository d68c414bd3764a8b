//! `flow/incomplete-request`: a step whose agent is asked in a kind of its own, of which something has no source.

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/incomplete-request",
    level: Some(Level::Error),
    page: include_str!("incomplete_request.md"),
    check: Check::Reading,
};

/// Looks at everybody who is asked in a request.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    for worker in look.flow.workers() {
        let Some(step) = look.flow.steps.get(worker.step) else { continue };
        let agent = look.full.agent(&worker.agent.value);
        let Some(dialect) = agent.and_then(|agent| agent.dialect.as_ref()) else { continue };
        let known = look.dialects.handoffs.iter().find(|known| *known.name == *dialect.value);
        if !known.is_some_and(|known| known.kinds.iter().any(|kind| kind.is_request)) {
            continue;
        }
        let (name, agent) = (&step.name.value, &worker.agent.value);
        let finding = match (look.request_gap)(step, &dialect.value) {
            Ok(None) => continue,
            Ok(Some(gap)) => {
                let message = format!("nothing says the `{}` of the request to `{agent}`", gap.path);
                let help =
                    format!("say `give: {{ {}: … }}`, or call the step so if it is such a word", gap.path);
                Finding::new(RULE.id, message).expected(gap.expected).help(help)
            }
            Err(why) => Finding::new(RULE.id, format!("the request to `{agent}` cannot be written: {why}")),
        };
        findings.push(finding.at(step.name.span).found(name));
    }
}
