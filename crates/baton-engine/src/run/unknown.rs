//! Why an expression of the flow could not be evaluated, in the words that people are asked with.

use baton_kernel::{Doing, Event, Facts, Key, LaneId, State};

use crate::run::progress::step_of;

/// What an event says of the expressions that were evaluated for a lane: why one is unknown, or that none is. Nothing where
/// none was evaluated.
pub(crate) fn of(state: &State, event: &Event) -> Option<(LaneId, Option<String>)> {
    if let Event::Answered { key, facts, .. } = event {
        Some((key.lane, routes(state, *key, facts)))
    } else if let Event::Joined { lane, unknown, .. } = event {
        Some((*lane, unknown.as_ref().and_then(|_| join(state, event))))
    } else {
        None
    }
}

/// What is unknown of the expressions that the routes of a step ask for.
pub fn routes(state: &State, key: Key, facts: &Facts) -> Option<String> {
    let step = state.plan().step(step_of(state, key)).map_or("", |step| step.name.as_str());
    let unknown = facts.held.iter().filter_map(|held| held.truth.unknown());
    let unknown: Vec<String> =
        unknown.map(|why| format!("unknown: {why} (route `if` of step {step})")).collect();
    (!unknown.is_empty()).then(|| unknown.join("; "))
}

/// How the branches of a join came out, and why the expression over them is unknown, if it is.
pub fn join(state: &State, event: &Event) -> Option<String> {
    let Event::Joined { lane, counts, unknown, .. } = event else { return None };
    let asked = asked_below(state, *lane);
    let unknown = unknown.as_ref().map(|why| {
        let step = state.lane(*lane).and_then(|lane| state.plan().step(lane.step));
        let step = step.map_or("", |step| step.name.as_str());
        format!("unknown: {why} (join `if` of step {step}); ")
    });
    let unknown = unknown.unwrap_or_default();
    Some(format!("{unknown}{} of {} branches pass{asked}", counts.passed, counts.total))
}

/// What people are asked in the branches of a lane, which are closed with it.
fn asked_below(state: &State, lane: LaneId) -> String {
    let run = state.run();
    let mut below = vec![lane];
    let mut asked = Vec::new();
    // A branch is opened behind the lane that it is a branch of.
    for open in state.lanes() {
        if !open.parent.is_some_and(|parent| below.contains(&parent)) {
            continue;
        }
        below.push(open.id);
        match &open.doing {
            Doing::Person(question) => asked.push(format!("{run}/?{}", question.ask.0)),
            Doing::Gate(_) => {
                let step = state.plan().step(open.step).map_or("", |step| step.name.as_str());
                asked.push(format!("{run}/{step}"));
            }
            Doing::Between | Doing::Delivery(_) | Doing::Wait { .. } | Doing::Join(_) => {}
        }
    }
    if asked.is_empty() { String::new() } else { format!("; nobody is asked {} any more", asked.join(", ")) }
}
