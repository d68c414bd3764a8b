//! Whether an answer belongs to what was asked: an agent that works on several things may hand over the wrong one.
//!
//! A dialect with requests says which one it answers. In the others a handoff names its step and its author, freely: what
//! is no name in this flow is no contradiction, but that of another step or agent is.

use baton_document::{Checker, Datum, Meaning, OpenReading};
use baton_kernel::{Key, Role, StepId};

use crate::run::Run;

/// What an answer says of itself that is not true of the delivery that it answers.
pub(crate) fn faults(
    checker: &Checker,
    run: &Run,
    key: Key,
    agent: &str,
    telling: &OpenReading<'_>,
) -> Vec<String> {
    let role = run.state.delivery(key).map(|delivery| delivery.role);
    match role {
        Some(Role::Work | Role::Review) => {}
        // They answer an agent, in whose name they may speak.
        Some(Role::Delegated | Role::Question) | None => return Vec::new(),
    }
    let plan = run.state.plan();
    let at = run.state.lane(key.lane).map_or(key.step, |lane| lane.step);
    let Some(step) = plan.step(at) else { return Vec::new() };
    let dialect = checker.dialects().find(telling.dialect);
    if dialect.is_some_and(|dialect| dialect.kinds.iter().any(|kind| kind.is_request)) {
        return not_echoed(run, at, &step.name, telling);
    }
    let mut faults = Vec::new();
    let mut compare = |meaning: Meaning, own: &str, what: &str, is_another: &dyn Fn(&str) -> bool| {
        let says = telling.text(meaning).filter(|says| !says.eq_ignore_ascii_case(own) && is_another(says));
        faults.extend(says.map(|says| {
            format!("it says that it is by the {what} `{says}`, but the {what} `{own}` was asked")
        }));
    };
    compare(Meaning::Step, &step.name, "step", &|name| {
        plan.steps.iter().any(|other| other.name.eq_ignore_ascii_case(name))
    });
    compare(Meaning::From, agent, "agent", &|name| {
        plan.agents.iter().any(|other| other.name.eq_ignore_ascii_case(name))
    });
    faults
}

/// What a response does not echo of its request, as the request was made for the step.
fn not_echoed(run: &Run, at: StepId, step: &str, telling: &OpenReading<'_>) -> Vec<String> {
    let Some(notes) = &run.notes else { return Vec::new() };
    let given = notes.give(at);
    let echoed = [(Meaning::Thread, run.state.run()), (Meaning::Step, step)];
    let wrong = echoed.into_iter().filter_map(|(meaning, usual)| {
        let path = telling.path(meaning)?;
        let given = given.iter().find(|(given, _)| *given == path);
        let asked = given.and_then(|(_, value)| Datum::as_text(value)).unwrap_or(usual);
        let says = telling.text(meaning)?;
        // The words of a phase are meant in any letters.
        let is_same = says == asked || (meaning == Meaning::Step && says.eq_ignore_ascii_case(asked));
        (!is_same).then(|| format!("`{path}` is `{says}`, but that of the request is `{asked}`"))
    });
    wrong.collect()
}
