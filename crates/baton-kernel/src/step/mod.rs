//! What a step can be, one file each, and the three moments at which the kernel asks it: when a lane enters it, when an
//! agent has answered, and when something is due.

pub(crate) mod clarify;
pub(crate) mod delegate;
pub(crate) mod detour;
pub(crate) mod end;
pub(crate) mod escalation;
pub(crate) mod gate;
pub(crate) mod microloop;
pub(crate) mod parallel;
pub(crate) mod pass;
pub(crate) mod retry;
pub(crate) mod turn;
pub(crate) mod wait;

use self::turn::Turn;
use crate::state::{Delivery, Doing, Standing, agent_at};
use crate::{Does, Event, Facts, Failure, FailureKind, How, LaneId, Outcome, Reason, Recommendation, Role};

/// Enters a step: an agent is set to work, a person asked, or a time awaited.
pub(crate) fn enter(turn: &mut Turn, id: LaneId) {
    let Some(lane) = turn.lane(id) else { return };
    if let Some((to, role)) = agent_at(&turn.state.plan, lane.step, &lane.frames) {
        return turn.deliver(id, to, role);
    }
    let Some(step) = turn.step_of(id) else { return };
    match step.does.clone() {
        Does::Gate(of) => gate::open(turn, id, &of),
        Does::Parallel(of) => parallel::fork(turn, id, &of),
        Does::Wait(of) => wait::start(turn, id, &of),
        Does::Escalate => escalation::ask(turn, id, &[], Reason::PlanEscalates, None),
        Does::End(outcome) => end::thread(turn, id, outcome),
        // An agent works in these, and was set to work above.
        Does::Pass(_) | Does::Microloop(_) => {}
    }
}

/// An agent has answered.
pub(crate) fn answered(turn: &mut Turn, delivery: &Delivery, facts: &Facts) {
    let (key, attempt, at) = (delivery.key, delivery.attempt, turn.now);
    if facts.outcome == Outcome::Running {
        return turn.emit(Event::Progressed { key, attempt });
    }
    let route = match delivery.role {
        Role::Work => pass::route(turn, key.lane, facts),
        Role::Review | Role::Delegated | Role::Question => None,
    };
    let stops = facts.recommendation == Some(Recommendation::Stop);
    if facts.outcome == Outcome::Failed && route.is_none() && !stops {
        let failure = Failure {
            kind: FailureKind::Agent,
            recoverable: facts.recoverable,
            signature: facts.signature.clone(),
            tokens: facts.tokens,
        };
        return retry::failed(turn, delivery, &failure);
    }
    let stalled = microloop::is_stalled(turn, key.lane, facts);
    turn.emit(Event::Answered { key, attempt, at, facts: facts.clone() });
    match delivery.role {
        Role::Delegated => delegate::answered(turn, key.lane, facts),
        Role::Question => clarify::answered(turn, key.lane, facts),
        Role::Review => microloop::reviewed(turn, key.lane, facts, stalled),
        Role::Work => match turn.step_of(key.lane).map(|step| step.does.clone()) {
            Some(Does::Pass(of)) => pass::answered(turn, key.lane, &of, facts, route),
            Some(Does::Microloop(_)) => microloop::written(turn, key.lane, facts),
            // Agents work nowhere else.
            Some(Does::Gate(_) | Does::Parallel(_) | Does::Wait(_) | Does::Escalate | Does::End(_))
            | None => {}
        },
    }
}

/// What any answer may ask for instead of the ordinary way on. Gives whether it did.
pub(crate) fn interrupted(turn: &mut Turn, id: LaneId, facts: &Facts) -> bool {
    let ordinary = [turn.onward(id)];
    if facts.recommendation == Some(Recommendation::Stop) {
        end::halt_instead(turn, id, &ordinary, Reason::Stop);
    } else if facts.outcome == Outcome::Blocked && facts.recommendation != Some(Recommendation::Ask) {
        escalation::ask(turn, id, &ordinary, Reason::Blocked, None);
    } else if let Some(receiver) = &facts.delegate {
        delegate::asked(turn, id, receiver);
    } else if facts.recommendation == Some(Recommendation::Ask) {
        escalation::ask(turn, id, &ordinary, Reason::Clarify, None);
    } else if facts.recommendation == Some(Recommendation::Escalate) {
        escalation::ask(turn, id, &ordinary, Reason::EscalationAsked, None);
    } else if facts.recommendation == Some(Recommendation::Detour) {
        detour::asked(turn, id, facts.detour.as_deref());
    } else {
        return false;
    }
    true
}

/// The time of something in a lane may be over.
pub(crate) fn due(turn: &mut Turn, id: LaneId) {
    let Some(lane) = turn.lane(id) else { return };
    let now = turn.now;
    let is_past = |time: Option<crate::Millis>| time.is_some_and(|time| time <= now);
    match lane.doing.clone() {
        Doing::Delivery(delivery) => {
            if now >= turn.state.deadline {
                return retry::give_up(turn, delivery.key, Reason::TimeExhausted);
            }
            if is_past(delivery.expires) {
                return retry::give_up(turn, delivery.key, Reason::Expired);
            }
            match delivery.standing {
                Standing::Out if is_past(delivery.due) => {
                    let kind = FailureKind::TimedOut;
                    let failure = Failure { kind, recoverable: true, signature: None, tokens: 0 };
                    retry::failed(turn, &delivery, &failure);
                }
                Standing::Paused { until, .. } if until <= now => {
                    let how = if delivery.interrupted { How::Interrupted } else { How::Retry };
                    turn.attempt_again(delivery.key, how);
                }
                Standing::Out | Standing::Paused { .. } | Standing::Failed { .. } => {}
            }
        }
        Doing::Gate(open) => gate::due(turn, id, &open),
        Doing::Wait { until } => {
            if until <= now {
                wait::over(turn, id, false);
            }
        }
        Doing::Join(_) | Doing::Person(_) | Doing::Between => {}
    }
}
