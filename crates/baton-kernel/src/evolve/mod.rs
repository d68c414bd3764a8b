//! One event into the state. Total: any event changes any state in some way, and none fails.
//!
//! `decide` applies each event that it makes with this same function, so that a replay of the recorded events cannot
//! give another state than the one that was decided on.

mod branches;
mod deliveries;
mod gates;
mod people;
mod routed;
mod time;

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::state::{Carried, Contents, Course, Doing, Lane, Phase, State, StepCount, remap};
use crate::{Digest, Ending, Event, Fence, LaneId, Millis, Outcome, Plan, StepId};

/// Takes an event into the state.
pub fn evolve(state: &mut State, event: &Event) {
    if let Some(at) = time::of(event) {
        state.clock = state.clock.max(at);
    }
    match event {
        Event::RunStarted { run, at, fence, pins, input, plan } => {
            started(state, run, (*at, *fence, *pins), *input, plan);
        }
        Event::PlanChanged { by: _, pins, plan } => {
            remap(state, plan);
            state.pins = *pins;
        }
        Event::Routed { lane, candidates: _, winner, reason, contradiction: _ } => {
            routed::routed(state, *lane, *winner, *reason);
        }
        Event::DeliveryStarted { .. }
        | Event::SessionKnown { .. }
        | Event::Acknowledged { .. }
        | Event::Progressed { .. }
        | Event::DraftTaken { .. }
        | Event::Questioned { .. }
        | Event::Answered { .. }
        | Event::AttemptFailed { .. }
        | Event::RetryPlanned { .. }
        | Event::LateReport { .. }
        | Event::DeadLettered { .. }
        | Event::DeliveryStopped { .. } => deliveries::evolve(state, event),
        // What it says is in the history alone.
        Event::Bounced { .. } => {}
        Event::GateOpened { .. }
        | Event::GateShows { .. }
        | Event::GateChecked { .. }
        | Event::GateOverdue { .. }
        | Event::GateUnanswered { .. }
        | Event::GateAnswered { .. } => gates::evolve(state, event),
        Event::Forked { lane, first, branches } => branches::forked(state, *lane, *first, *branches),
        Event::BranchEnded { lane, verdict, passed } => branches::ended(state, *lane, *verdict, *passed),
        Event::ValueAwaited { lane } => branches::value_awaited(state, *lane),
        Event::Joined { lane, passed, verdict, counts: _, unknown: _ } => {
            branches::joined(state, *lane, *verdict, *passed);
        }
        Event::WaitStarted { lane, until } => does(state, *lane, Doing::Wait { until: *until }),
        Event::WaitEnded { lane, signalled: _ } => does(state, *lane, Doing::Between),
        Event::PersonAsked { ask, lane, at: _, reason, wanted } => {
            people::asked(state, *ask, *lane, *reason, *wanted);
        }
        Event::PersonAnswered { ask, choice, by, at, content, more, kept } => {
            people::keep(state, *ask, *choice, *content, (by, *kept));
            people::answered(state, *ask, *choice, *content, *more, *at);
        }
        Event::RunEnded { at: _, ending } => run_ended(state, ending),
    }
    time::keep(state);
}

fn started(
    state: &mut State,
    run: &str,
    (at, fence, pins): (Millis, Fence, Digest),
    input: Digest,
    plan: &Plan,
) {
    *state = State::new();
    state.run = Arc::from(run);
    state.fence = fence;
    state.pins = pins;
    state.caps = plan.caps;
    state.clock = at;
    state.deadline = at.after(plan.caps.time_ms);
    state.counts = alloc::vec![StepCount::default(); plan.steps.len()];
    let contents = Contents::One(input);
    let carried = Carried { from: None, contents, signature: None, outcome: Outcome::Done, passed: true };
    state.lanes.push(lane(LaneId(0), None, plan.start, carried));
    state.next_lane = 1;
    state.plan = Arc::new(plan.clone());
    state.phase = Phase::Running;
}

fn run_ended(state: &mut State, ending: &Ending) {
    state.lanes.clear();
    state.phase = Phase::Ended(ending.clone());
}

fn lane(id: LaneId, parent: Option<LaneId>, step: StepId, carried: Carried) -> Lane {
    let (frames, seen, doing, course) = (Vec::new(), Vec::new(), Doing::Between, Course::default());
    Lane { id, parent, step, frames, doing, dead: None, carried, course, before: None, seen }
}

fn does(state: &mut State, lane: LaneId, doing: Doing) {
    if !matches!(doing, Doing::Between | Doing::Join(_)) {
        state.idle_joins = 0;
    }
    if let Some(lane) = state.lane_mut(lane) {
        lane.doing = doing;
    }
}
