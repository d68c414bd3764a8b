//! One event into the state. Total: any event changes any state in some way, and none fails.
//!
//! `decide` applies each event that it makes with this same function, so that a replay of the recorded events cannot
//! give another state than the one that was decided on.

mod person;
mod routed;

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::state::{
    BranchResult, Carried, Delivery, Doing, Joining, Lane, OpenGate, OpenQuestion, Phase, Stages, Standing,
    State, StepCount, remap,
};
use crate::{AgentId, Event, FailureKind, GateId, How, Key, LaneId, Millis, Outcome, Role, StepId};

/// Takes an event into the state.
pub fn evolve(state: &mut State, event: &Event) {
    match event {
        Event::RunStarted { run, at, fence, pins, input, plan } => {
            *state = State::new();
            state.run = Arc::from(run.as_str());
            state.fence = *fence;
            state.pins = *pins;
            state.caps = plan.caps;
            state.clock = *at;
            state.deadline = at.after(plan.caps.time_ms);
            state.counts = alloc::vec![StepCount::default(); plan.steps.len()];
            let carried = Carried {
                from: None,
                content: Some(*input),
                signature: None,
                outcome: Outcome::Done,
                passed: true,
            };
            state.lanes.push(lane(LaneId(0), None, plan.start, carried));
            state.next_lane = 1;
            state.plan = Arc::new(plan.as_ref().clone());
            state.phase = Phase::Running;
        }
        Event::PlanChanged { by: _, pins, plan } => {
            remap(state, plan);
            state.pins = *pins;
        }
        Event::Routed { lane, candidates: _, winner, reason, contradiction: _ } => {
            routed::routed(state, *lane, *winner, *reason);
        }
        Event::DeliveryStarted { key, attempt, fence, to, role, how, due, expires } => {
            state.fence = (*fence).max(state.fence);
            if *attempt > 1 {
                again(state, *key, *attempt, *how, (*due, *expires));
            } else {
                let from = state.lane(key.lane).and_then(|lane| lane.carried.from);
                first(state, *key, from, *to);
                let delivery = Delivery {
                    key: *key,
                    attempt: 1,
                    to: *to,
                    from,
                    role: *role,
                    standing: Standing::Out,
                    due: *due,
                    expires: *expires,
                    retries: 0,
                    interrupted: false,
                    session: None,
                    stages: Stages::default(),
                    draft: None,
                    late: Vec::new(),
                };
                does(state, key.lane, Doing::Delivery(delivery));
            }
        }
        Event::SessionKnown { key, attempt: _, session } => {
            on_delivery(state, *key, |delivery| delivery.session = Some(session.clone()));
        }
        Event::Acknowledged { key, attempt: _, stage } => {
            on_delivery(state, *key, |delivery| *delivery.stages.at(*stage) = true);
        }
        // That it is still open is known; that it was said is in the history.
        Event::Progressed { .. } | Event::Bounced { .. } => {}
        Event::DraftTaken { key, attempt: _, content } => {
            on_delivery(state, *key, |delivery| delivery.draft = Some(*content));
        }
        Event::Questioned { key, attempt: _, at, content } => {
            state.clock = state.clock.max(*at);
            let from = state.delivery(*key).map(|delivery| delivery.to);
            if let Some(lane) = state.lane_mut(key.lane) {
                lane.doing = Doing::Between;
                lane.carried.from = from;
                lane.carried.content = Some(*content);
                lane.carried.signature = None;
                let step = lane.step;
                if let Some(count) = state.count_mut(step) {
                    count.clarifications = count.clarifications.saturating_add(1);
                }
            }
        }
        Event::Answered { key, attempt: _, at, facts } => {
            state.clock = state.clock.max(*at);
            state.tokens = state.tokens.saturating_add(facts.tokens);
            let delivered = state.delivery(*key).map(|delivery| (delivery.to, delivery.role));
            if let Some(lane) = state.lane_mut(key.lane) {
                lane.doing = Doing::Between;
                lane.carried = Carried {
                    from: delivered.map(|(to, _)| to),
                    content: Some(facts.content),
                    signature: facts.signature.clone(),
                    outcome: facts.outcome,
                    passed: facts.passes(),
                };
                if delivered.is_some_and(|(_, role)| role == Role::Review)
                    && let Some(frame) = lane.loop_mut()
                {
                    frame.signature.clone_from(&facts.signature);
                }
            }
        }
        Event::AttemptFailed { key, attempt: _, at, failure } => {
            state.clock = state.clock.max(*at);
            state.tokens = state.tokens.saturating_add(failure.tokens);
            let timed_out = failure.kind == FailureKind::TimedOut;
            on_delivery(state, *key, |delivery| {
                delivery.standing = Standing::Failed { timed_out };
                // Only an agent that answered, or asked, has a session in which it can be spoken with again.
                match failure.kind {
                    FailureKind::Answer | FailureKind::Permission => {}
                    // What was done in its session is there.
                    FailureKind::Interrupted => delivery.interrupted = true,
                    FailureKind::Agent | FailureKind::Courier | FailureKind::TimedOut => {
                        delivery.session = None;
                    }
                }
            });
        }
        Event::RetryPlanned { key, due } => on_delivery(state, *key, |delivery| {
            let timed_out = match delivery.standing {
                Standing::Out => false,
                Standing::Failed { timed_out } | Standing::Paused { timed_out, .. } => timed_out,
            };
            delivery.standing = Standing::Paused { until: *due, timed_out };
        }),
        Event::LateReport { key, attempt } => {
            on_delivery(state, *key, |delivery| delivery.late.push(*attempt));
            if let Some(dead) = state.lane_mut(key.lane).and_then(|lane| lane.dead.as_mut())
                && dead.key == *key
            {
                dead.late.push(*attempt);
            }
        }
        Event::DeadLettered { key, reason: _ } => {
            let dead = state.delivery(*key).cloned();
            if let Some(lane) = state.lane_mut(key.lane) {
                lane.dead = dead;
                lane.doing = Doing::Between;
            }
        }
        Event::DeliveryStopped { key } => {
            if state.delivery(*key).is_some() {
                does(state, key.lane, Doing::Between);
            }
        }
        Event::GateOpened { gate, lane, at, checking, shown, due } => {
            state.clock = state.clock.max(*at);
            state.next_number = state.next_number.max(gate.0.saturating_add(1));
            let gate =
                OpenGate { gate: *gate, shown: *shown, due: *due, checking: *checking, overdue: false };
            does(state, *lane, Doing::Gate(gate));
        }
        Event::GateShows { gate, shown } => on_gate(state, *gate, |gate| gate.shown = Some(*shown)),
        Event::GateChecked { gate, held, checks: _, at } => {
            state.clock = state.clock.max(*at);
            on_gate(state, *gate, |gate| gate.checking = false);
            if *held {
                close_gate(state, *gate);
            }
        }
        Event::GateOverdue { gate } => on_gate(state, *gate, |gate| gate.overdue = true),
        Event::GateUnanswered { gate, at } | Event::GateAnswered { gate, at, .. } => {
            state.clock = state.clock.max(*at);
            close_gate(state, *gate);
        }
        Event::Forked { lane, first, branches } => routed::forked(state, *lane, *first, *branches),
        Event::BranchEnded { lane, verdict, passed } => {
            let parent = state.lane(*lane).and_then(|lane| lane.parent);
            state.lanes.retain(|open| open.id != *lane);
            if let Some(joining) = parent.and_then(|parent| joining_mut(state, parent))
                && let Some(place) = lane.0.checked_sub(joining.first.0)
                && let Some(result) = joining.results.get_mut(place as usize)
            {
                *result = Some(BranchResult { verdict: *verdict, passed: *passed });
            }
        }
        Event::ValueAwaited { lane } => {
            if let Some(joining) = joining_mut(state, *lane) {
                joining.value_awaited = true;
            }
        }
        Event::Joined { lane, passed, verdict, counts: _, unknown: _ } => {
            state.idle_joins = state.idle_joins.saturating_add(1);
            let below = state.below(*lane);
            state.lanes.retain(|open| !below.contains(&open.id));
            let outcome = verdict.outcome();
            let after = Carried { from: None, content: None, signature: None, outcome, passed: *passed };
            state.keep_before(*lane, after);
        }
        Event::WaitStarted { lane, until } => does(state, *lane, Doing::Wait { until: *until }),
        Event::WaitEnded { lane, signalled: _ } => does(state, *lane, Doing::Between),
        Event::PersonAsked { ask, lane, at, reason, wanted } => {
            state.clock = state.clock.max(*at);
            state.next_number = state.next_number.max(ask.0.saturating_add(1));
            let question = OpenQuestion { ask: *ask, reason: *reason, wanted: *wanted };
            does(state, *lane, Doing::Person(question));
        }
        Event::PersonAnswered { ask, choice, by, at, content, more, kept } => {
            state.clock = state.clock.max(*at);
            person::keep(state, *ask, *choice, *content, (by, *kept));
            person::answered(state, *ask, *choice, *content, *more, *at);
        }
        Event::RunEnded { at, ending } => {
            state.clock = state.clock.max(*at);
            state.lanes.clear();
            state.phase = Phase::Ended(ending.clone());
        }
    }
    keep_time(state);
}

/// The run's time stands still while it waits for people only.
fn keep_time(state: &mut State) {
    let waits = state.phase == Phase::Running
        && state.lanes.iter().any(Lane::waits_for_person)
        && state.lanes.iter().all(|lane| lane.waits_for_person() || matches!(lane.doing, Doing::Join(_)));
    match state.people_since {
        None if waits => state.people_since = Some(state.clock),
        Some(since) if !waits => {
            state.deadline = state.deadline.after(state.clock.0.saturating_sub(since.0));
            state.people_since = None;
        }
        None | Some(_) => {}
    }
}

fn lane(id: LaneId, parent: Option<LaneId>, step: StepId, carried: Carried) -> Lane {
    let (frames, seen, doing) = (Vec::new(), Vec::new(), Doing::Between);
    Lane { id, parent, step, frames, doing, dead: None, carried, before: None, seen }
}

fn does(state: &mut State, lane: LaneId, doing: Doing) {
    if !matches!(doing, Doing::Between | Doing::Join(_)) {
        state.idle_joins = 0;
    }
    if let Some(lane) = state.lane_mut(lane) {
        lane.doing = doing;
    }
}

fn on_delivery(state: &mut State, key: Key, change: impl FnOnce(&mut Delivery)) {
    if let Some(Doing::Delivery(delivery)) = state.lane_mut(key.lane).map(|lane| &mut lane.doing)
        && delivery.key == key
    {
        change(delivery);
    }
}

fn on_gate(state: &mut State, id: GateId, change: impl FnOnce(&mut OpenGate)) {
    for lane in &mut state.lanes {
        if let Doing::Gate(gate) = &mut lane.doing
            && gate.gate == id
        {
            return change(gate);
        }
    }
}

fn close_gate(state: &mut State, id: GateId) {
    for lane in &mut state.lanes {
        if matches!(&lane.doing, Doing::Gate(gate) if gate.gate == id) {
            lane.doing = Doing::Between;
        }
    }
}

fn joining_mut(state: &mut State, lane: LaneId) -> Option<&mut Joining> {
    match &mut state.lane_mut(lane)?.doing {
        Doing::Join(joining) => Some(joining),
        Doing::Between | Doing::Delivery(_) | Doing::Gate(_) | Doing::Wait { .. } | Doing::Person(_) => None,
    }
}

/// A delivery begins for the first time: it is a handoff.
fn first(state: &mut State, key: Key, from: Option<AgentId>, to: AgentId) {
    state.handoffs = state.handoffs.saturating_add(1);
    state.next_number = state.next_number.max(key.number.saturating_add(1));
    let Some(from) = from.filter(|&from| from != to) else { return };
    if let Some(pair) = state.pair_mut(from, to) {
        pair.handoffs = pair.handoffs.saturating_add(1);
    }
    if let Some(lane) = state.lane_mut(key.lane) {
        lane.hand(from, to);
    }
}

/// Another attempt of a delivery begins; its own time is over at the first of these, that of the delivery at the other.
fn again(
    state: &mut State,
    key: Key,
    attempt: u16,
    how: How,
    (due, expires): (Option<Millis>, Option<Millis>),
) {
    let Some(lane) = state.lane_mut(key.lane) else { return };
    if let Some(dead) = lane.dead.take_if(|dead| dead.key == key) {
        lane.doing = Doing::Delivery(dead);
    }
    on_delivery(state, key, |delivery| {
        delivery.attempt = attempt;
        delivery.standing = Standing::Out;
        delivery.due = due;
        delivery.expires = expires;
        delivery.stages = Stages::default();
        delivery.interrupted = false;
        match how {
            How::Retry => delivery.retries = delivery.retries.saturating_add(1),
            // A person's word makes a new beginning.
            How::Asked => {
                delivery.retries = 0;
                delivery.session = None;
            }
            How::Answered => delivery.retries = 0,
            How::First | How::Resent => delivery.session = None,
            How::Resumed | How::Interrupted => {}
        }
    });
}
