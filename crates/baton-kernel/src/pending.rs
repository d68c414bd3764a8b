//! What a run still owes, recomputed from its state: after a restart, replay and ask again.

use alloc::vec::Vec;

use crate::state::{Doing, Lane, Standing, State};
use crate::{AgentId, AskId, Digest, GateId, Key, LaneId, Millis, Reason, Role, StepId, Target};

/// What a run owes.
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
    /// What happens by itself, and when.
    pub timers: Vec<Timer>,
    /// The earliest time of these.
    pub next_due: Option<Millis>,
    /// Whether that time has come, so that somebody must look at it with `What::Tick`.
    pub is_due: bool,
}

/// An attempt that is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwedDelivery {
    /// The delivery.
    pub key: Key,
    /// The attempt.
    pub attempt: u16,
    /// Who works.
    pub to: AgentId,
    /// Who handed it over, if an agent did.
    pub from: Option<AgentId>,
    /// What for.
    pub role: Role,
    /// The step that it is for now.
    pub step: StepId,
    /// What is handed over; nothing names what lies behind a join.
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
    /// What it shows; none means that the engine must put it together first.
    pub shown: Option<Digest>,
    /// Whether its checks must be run, and not a person asked.
    pub checking: bool,
    /// When an answer is due.
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
    /// Why a person is asked.
    pub reason: Reason,
    /// Where the lane wanted to go, if something stood in its way.
    pub wanted: Option<Target>,
    /// The agent that spoke last, if one did.
    pub from: Option<AgentId>,
    /// What it handed over.
    pub content: Option<Digest>,
    /// The delivery that was given up, if it is about one.
    pub dead: Option<Key>,
}

/// Something that happens by itself when a driver looks at the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer {
    /// Where.
    pub lane: LaneId,
    /// When.
    pub due: Millis,
    /// What.
    pub what: Due,
}

/// What happens by itself.
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

/// What the run owes. Nothing, if it has not started or is over; something, else.
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
                        content: lane.carried.content,
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
            content: lane.carried.content,
            dead: lane.dead.as_ref().map(|dead| dead.key),
        }),
        Doing::Between => {}
    }
}
