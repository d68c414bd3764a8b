//! Gaps in the request to the agent of a step, found by composing one.

use crate::check::Checker;
use crate::convert::{Brief, Gap};
use crate::datum::Datum;
use crate::flow::StepSpec;
use crate::handoff::Meaning;
use crate::rules::flow::RequestGap;

/// Meanings that a run puts into every request, whatever its flow.
const ALWAYS: [Meaning; 6] =
    [Meaning::To, Meaning::From, Meaning::Thread, Meaning::Flow, Meaning::Summary, Meaning::Deliverable];

/// First missing field in the request of a step, or the reason why there can be no request.
pub(super) fn request_gap(
    checker: &Checker,
    step: &StepSpec,
    dialect: &str,
) -> Result<Option<RequestGap>, String> {
    let mut says: Vec<(Meaning, Datum<'static>)> =
        ALWAYS.iter().map(|meaning| (*meaning, Datum::text("said"))).collect();
    says.push((Meaning::Step, Datum::text(step.name.value.clone())));
    let give = step.work.give.iter().map(|(path, value)| (path.value.clone(), value.clone())).collect();
    let brief = Brief { to: dialect, says, give, ..Brief::default() };
    match checker.compose(None, &brief) {
        Ok(composed) => Ok(composed
            .gaps
            .into_iter()
            .next()
            .map(|Gap { path, expected, .. }| RequestGap { path, expected })),
        // What an input stands for is known when a run begins.
        Err(_) if step.work.give.iter().any(|(_, value)| is_open(value)) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Tells whether a value is filled in when a run begins.
fn is_open(value: &Datum<'_>) -> bool {
    value.as_text().is_some_and(|text| text.contains("{{"))
}
