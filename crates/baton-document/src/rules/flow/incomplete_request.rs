//! `flow/incomplete-request`: a step whose agent is asked in a kind of its own, of which something has no source.

use super::Look;
use crate::convert::{Brief, Gap};
use crate::datum::Datum;
use crate::finding::{Finding, Level};
use crate::flow::StepSpec;
use crate::handoff::Meaning;
use crate::rules::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/incomplete-request",
    level: Some(Level::Error),
    page: include_str!("incomplete_request.md"),
    check: Check::Reading,
};

/// What a run says of itself with every request, whatever its flow says.
const ALWAYS: [Meaning; 6] =
    [Meaning::To, Meaning::From, Meaning::Thread, Meaning::Flow, Meaning::Summary, Meaning::Deliverable];

/// Looks at everybody who is asked in a request.
pub(crate) fn check(look: &Look<'_>, findings: &mut Vec<Finding>) {
    for worker in look.flow.workers() {
        let Some(step) = look.flow.steps.get(worker.step) else { continue };
        let agent = look.full.agent(&worker.agent.value);
        let Some(dialect) = agent.and_then(|agent| agent.dialect.as_ref()) else { continue };
        let known = look.checker.dialects().handoffs.iter().find(|known| *known.name == *dialect.value);
        if !known.is_some_and(|known| known.kinds.iter().any(|kind| kind.is_request)) {
            continue;
        }
        let (name, agent) = (&step.name.value, &worker.agent.value);
        let finding = match gap(look, step, &dialect.value) {
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

/// What would be missing first in the request of a step, or why it could not be written at all.
fn gap(look: &Look<'_>, step: &StepSpec, dialect: &str) -> Result<Option<Gap>, String> {
    let mut says: Vec<(Meaning, Datum<'static>)> =
        ALWAYS.iter().map(|meaning| (*meaning, Datum::text("said"))).collect();
    says.push((Meaning::Step, Datum::text(step.name.value.clone())));
    let give = step.work.give.iter().map(|(path, value)| (path.value.clone(), value.clone())).collect();
    let brief = Brief { to: dialect, says, give, ..Brief::default() };
    match look.checker.compose(None, &brief) {
        Ok(composed) => Ok(composed.gaps.into_iter().next()),
        // What an input stands for is known when a run begins.
        Err(_) if step.work.give.iter().any(|(_, value)| is_open(value)) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether a value is filled in when a run begins.
fn is_open(value: &Datum<'_>) -> bool {
    value.as_text().is_some_and(|text| text.contains("{{"))
}
