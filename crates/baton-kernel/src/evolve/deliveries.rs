//! What the events of deliveries change.

use alloc::vec::Vec;

use super::does;
use crate::state::{Carried, Contents, Delivery, Doing, Stages, Standing, State};
use crate::{AgentId, Digest, Event, Facts, Failure, FailureKind, Fence, How, Key, Millis, Reason, Role};

#[expect(clippy::wildcard_enum_match_arm, reason = "`evolve` gives the events of deliveries alone")]
pub(super) fn evolve(state: &mut State, event: &Event) {
    match event {
        Event::DeliveryStarted { key, attempt, fence, to, role, how, due, expires } => {
            state.fence = Fence::max(*fence, state.fence);
            if let Some(lane) = state.lane_mut(key.lane) {
                lane.course.lost = None;
            }
            if *attempt > 1 {
                again(state, *key, *attempt, *how, (*due, *expires));
            } else {
                first(state, *key, *to, *role, (*due, *expires));
            }
        }
        Event::SessionKnown { key, attempt: _, session } => {
            on_delivery(state, *key, |delivery| delivery.session = Some(session.clone()));
        }
        Event::Acknowledged { key, attempt: _, stage } => {
            on_delivery(state, *key, |delivery| *delivery.stages.at(*stage) = true);
        }
        Event::DraftTaken { key, attempt: _, content } => {
            on_delivery(state, *key, |delivery| delivery.draft = Some(*content));
        }
        Event::Questioned { key, attempt: _, at: _, content } => questioned(state, *key, *content),
        Event::Answered { key, attempt: _, at: _, facts } => answered(state, *key, facts),
        Event::AttemptFailed { key, attempt: _, at: _, failure } => failed(state, *key, failure),
        Event::RetryPlanned { key, due } => on_delivery(state, *key, |delivery| {
            let timed_out = match delivery.standing {
                Standing::Out => false,
                Standing::Failed { timed_out } | Standing::Paused { timed_out, .. } => timed_out,
            };
            delivery.standing = Standing::Paused { until: *due, timed_out };
        }),
        Event::LateReport { key, attempt } => late(state, *key, *attempt),
        Event::DeadLettered { key, reason } => given_up(state, *key, *reason),
        Event::DeliveryStopped { key } if state.delivery(*key).is_some() => {
            does(state, key.lane, Doing::Between);
        }
        // That it is still open is known; that it was said is in the history.
        _ => {}
    }
}

fn on_delivery(state: &mut State, key: Key, change: impl FnOnce(&mut Delivery)) {
    if let Some(Doing::Delivery(delivery)) = state.lane_mut(key.lane).map(|lane| &mut lane.doing)
        && delivery.key == key
    {
        change(delivery);
    }
}

/// Starts a delivery for the first time: that is a handoff.
fn first(
    state: &mut State,
    key: Key,
    to: AgentId,
    role: Role,
    (due, expires): (Option<Millis>, Option<Millis>),
) {
    let from = state.lane(key.lane).and_then(|lane| lane.carried.from);
    count(state, key, from, to);
    let delivery = Delivery {
        key,
        attempt: 1,
        to,
        from,
        role,
        standing: Standing::Out,
        due,
        expires,
        retries: 0,
        interrupted: false,
        session: None,
        stages: Stages::default(),
        draft: None,
        late: Vec::new(),
    };
    does(state, key.lane, Doing::Delivery(delivery));
}

fn count(state: &mut State, key: Key, from: Option<AgentId>, to: AgentId) {
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

/// Starts another attempt of a delivery. `due` is when the time of the attempt is over, `expires` that of the delivery.
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

fn questioned(state: &mut State, key: Key, content: Digest) {
    let from = state.delivery(key).map(|delivery| delivery.to);
    let Some(lane) = state.lane_mut(key.lane) else { return };
    lane.doing = Doing::Between;
    lane.carried.from = from;
    lane.carried.contents = Contents::One(content);
    lane.carried.signature = None;
    let step = lane.step;
    if let Some(count) = state.count_mut(step) {
        count.clarifications = count.clarifications.saturating_add(1);
    }
}

fn answered(state: &mut State, key: Key, facts: &Facts) {
    state.tokens = state.tokens.saturating_add(facts.tokens);
    let delivered = state.delivery(key).map(|delivery| (delivery.to, delivery.role));
    let Some(lane) = state.lane_mut(key.lane) else { return };
    lane.course.has_own |= delivered.is_some_and(|(_, role)| role != Role::Question);
    lane.doing = Doing::Between;
    lane.carried = Carried {
        from: delivered.map(|(to, _)| to),
        contents: Contents::One(facts.content),
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

fn failed(state: &mut State, key: Key, failure: &Failure) {
    state.tokens = state.tokens.saturating_add(failure.tokens);
    let timed_out = failure.kind == FailureKind::TimedOut;
    on_delivery(state, key, |delivery| {
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

fn late(state: &mut State, key: Key, attempt: u16) {
    on_delivery(state, key, |delivery| delivery.late.push(attempt));
    if let Some(dead) = state.lane_mut(key.lane).and_then(|lane| lane.dead.as_mut())
        && dead.key == key
    {
        dead.late.push(attempt);
    }
}

fn given_up(state: &mut State, key: Key, reason: Reason) {
    let dead = state.delivery(key).cloned();
    let Some(lane) = state.lane_mut(key.lane) else { return };
    lane.dead = dead;
    lane.doing = Doing::Between;
    // A delivery that waits for a permission goes on.
    if reason != Reason::PermissionAsked {
        lane.course.lost = Some(key);
    }
}
