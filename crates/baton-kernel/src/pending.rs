//! What a run still owes, recomputed from its state: after a restart, replay and ask again.

use alloc::vec::Vec;

use crate::state::{Doing, Lane, Standing, State};
use crate::{AgentId, AskId, Digest, GateId, Key, LaneId, Millis, Reason, Role, StepId, Target};

/// Obligations of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// Attempts that are under way: each has begun and not reported.
    pub deliveries: Vec<OwedDelivery>,
    /// Gates that are open.
    pub gates: Vec<OwedGate>,
    /// Questions to people.
    pub questions: Vec<OwedQuestion>,
    /// Joins that await what comes of an expression.
    pub values: Vec<LaneId>,
    /// Timers.
    pub timers: Vec<Timer>,
    /// The earliest time of these.
    pub next_due: Option<Millis>,
    /// True if that time has come, so that `What::Tick` is due.
    pub is_due: bool,
}

/// An attempt that is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwedDelivery {
    /// The delivery.
    pub key: Key,
    /// The attempt.
    pub attempt: u16,
    /// The agent.
    pub to: AgentId,
    /// The agent that handed it over, if one did.
    pub from: Option<AgentId>,
    /// Its role.
    pub role: Role,
    /// The step that it is for now.
    pub step: StepId,
    /// The text that is handed over; none behind a join, where [`Lane::contents`] has what is.
    pub content: Option<Digest>,
    /// The session in which the agent works, if it is known.
    pub session: Option<alloc::string::String>,
}

/// A gate that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwedGate {
    /// The gate.
    pub gate: GateId,
    /// Its lane.
    pub lane: LaneId,
    /// Its step.
    pub step: StepId,
    /// Digest of what it shows; none until the engine has put it together.
    pub shown: Option<Digest>,
    /// True while its checks are awaited, and not a person.
    pub checking: bool,
    /// Time when an answer is due.
    pub due: Option<Millis>,
}

/// A question to a person, with what is needed to decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwedQuestion {
    /// The question.
    pub ask: AskId,
    /// Its lane.
    pub lane: LaneId,
    /// The step that the lane is at.
    pub step: StepId,
    /// Reason of the question.
    pub reason: Reason,
    /// The move that was stopped, if one was.
    pub wanted: Option<Target>,
    /// The agent that spoke last, if one did.
    pub from: Option<AgentId>,
    /// Its last text.
    pub content: Option<Digest>,
    /// The delivery that was given up, if it is about one.
    pub dead: Option<Key>,
}

/// Something that happens by itself when a driver looks at the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer {
    /// The lane.
    pub lane: LaneId,
    /// The time.
    pub due: Millis,
    /// Kind of the timer.
    pub what: Due,
}

/// Kind of a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// The time of an attempt is over.
    Attempt,
    /// A delivery expires.
    Expiry,
    /// The next attempt begins.
    Retry,
    /// The answer to a gate is due.
    Gate,
    /// A wait is over.
    Wait,
    /// The time of the run is over.
    Run,
}

/// Computes the obligations of a run. A run that has not started or is over has none.
#[must_use]
pub fn pending(state: &State, now: Millis) -> Pending {
    let mut pending = Pending::default();
    for lane in state.lanes() {
        owed(&mut pending, state, lane);
    }
    pending.next_due = pending.timers.iter().map(|timer| timer.due).min();
    pending.is_due = pending.next_due.is_some_and(|due| due <= now);
    pending
}

fn owed(pending: &mut Pending, state: &State, lane: &Lane) {
    let mut timer = |due: Option<Millis>, what: Due| {
        pending.timers.extend(due.map(|due| Timer { lane: lane.id, due, what }));
    };
    match &lane.doing {
        Doing::Delivery(delivery) => {
            timer(Some(state.deadline), Due::Run);
            timer(delivery.expires, Due::Expiry);
            match delivery.standing {
                Standing::Out => {
                    timer(delivery.due, Due::Attempt);
                    pending.deliveries.push(OwedDelivery {
                        key: delivery.key,
                        attempt: delivery.attempt,
                        to: delivery.to,
                        from: delivery.from,
                        role: delivery.role,
                        step: lane.step,
                        content: lane.content(),
                        session: delivery.session.clone(),
                    });
                }
                Standing::Paused { until, .. } => timer(Some(until), Due::Retry),
                Standing::Failed { .. } => {}
            }
        }
        Doing::Gate(gate) => {
            timer(gate.due.filter(|_| !gate.overdue), Due::Gate);
            pending.gates.push(OwedGate {
                gate: gate.gate,
                lane: lane.id,
                step: lane.step,
                shown: gate.shown,
                checking: gate.checking,
                due: gate.due,
            });
        }
        Doing::Wait { until } => timer(Some(*until), Due::Wait),
        Doing::Join(joining) => {
            if joining.value_awaited {
                pending.values.push(lane.id);
            }
        }
        Doing::Person(question) => pending.questions.push(OwedQuestion {
            ask: question.ask,
            lane: lane.id,
            step: lane.step,
            reason: question.reason,
            wanted: question.wanted,
            from: lane.carried.from,
            content: lane.content(),
            dead: lane.dead.as_ref().map(|dead| dead.key),
        }),
        Doing::Between => {}
    }
}
