//! What a run waits for: agents, people, a time.
//!
//! Cannot: read a clock. What depends on the time carries it, and is worded where it is shown.

use baton_kernel::{
    Does, Doing, Gate, GateKind, Lane, Millis, Pass, Reason, Standing, State, StepId, Wait as WaitStep, When,
};
use serde::{Deserialize, Serialize};

use crate::run::progress::Progress;

/// One thing that a run waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Awaited {
    /// What it is called: a delivery, a gate, a question.
    pub id: String,
    /// The step that waits.
    pub step: String,
    /// Who or what is awaited.
    pub what: Waiting,
    /// Since when its step is current.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Millis>,
}

/// Who or what a run waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    /// The answer of an agent that Baton called.
    Agent {
        /// The agent.
        to: String,
        /// The attempt that is under way.
        attempt: u16,
    },
    /// The answer of an agent that looks for its work itself.
    Inbox {
        /// The agent.
        to: String,
        /// Whether it said that it began.
        started: bool,
        /// When its delivery expires.
        expires: Option<Millis>,
    },
    /// The time of the next attempt.
    Retry {
        /// The agent.
        to: String,
        /// When it is.
        until: Millis,
        /// Whether the last attempt was interrupted, so that only a person goes on.
        interrupted: bool,
    },
    /// A person's answer to a gate.
    Gate {
        /// When the answer is due.
        due: Option<Millis>,
        /// Whether it was noted that the answer is overdue.
        overdue: bool,
        /// Whether the gate passes unanswered when the answer is due.
        informs: bool,
    },
    /// A person's decision.
    Person(Question),
    /// A time, or a signal before it.
    Time {
        /// The time.
        until: Millis,
        /// The signal.
        signal: Option<String>,
    },
}

/// A question to a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Why the person is asked.
    pub reason: Reason,
    /// What the flow itself says, or why an expression is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// The delivery that was given up, or waits for a permission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dead: Option<Dead>,
    /// The steps that routes by an expression lead to from there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<String>,
    /// Whether branches are joined there.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub is_join: bool,
}

/// Why a person is asked, in words that are not the kernel's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// What the flow asks. A ledger keeps it in the flow alone, where it can be erased.
    Flow(#[serde(skip)] String),
    /// Why an expression could not be evaluated.
    Unknown(String),
}

/// A delivery about which a person is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dead {
    /// Its key, as it is written.
    pub key: String,
    /// Its agent.
    pub to: String,
    /// Attempts so far.
    pub attempts: u16,
    /// Why the last of them failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Question {
    /// Whether the flow itself says what is asked.
    pub(crate) fn is_by_flow(&self) -> bool {
        matches!(self.why, Some(Why::Flow(_)))
    }

    /// Whether an agent asks for a permission.
    pub fn is_permission(&self) -> bool {
        self.reason == Reason::PermissionAsked && self.dead.is_some()
    }
}

impl Waiting {
    /// Whether only a person can go on.
    pub fn is_person(&self) -> bool {
        match self {
            Self::Gate { .. } | Self::Person(_) => true,
            Self::Agent { .. } | Self::Inbox { .. } | Self::Retry { .. } | Self::Time { .. } => false,
        }
    }
}

/// All that a run waits for, agents first.
pub(crate) fn awaited(state: &State, progress: &Progress) -> Vec<Awaited> {
    let inboxes = progress.inboxes();
    let mut all = Vec::new();
    for lane in state.lanes() {
        let step = step_name(state, lane.step);
        let (id, what) = match &lane.doing {
            Doing::Delivery(delivery) => {
                let to = agent(state, delivery.to);
                let what = match delivery.standing {
                    Standing::Paused { until, .. } => {
                        Waiting::Retry { to, until, interrupted: delivery.interrupted }
                    }
                    Standing::Out | Standing::Failed { .. } if inboxes.contains(&to) => {
                        let (started, expires) = (delivery.stages.started, delivery.expires);
                        Waiting::Inbox { to, started, expires }
                    }
                    Standing::Out | Standing::Failed { .. } => {
                        Waiting::Agent { to, attempt: delivery.attempt }
                    }
                };
                (delivery.key.to_string(), what)
            }
            Doing::Gate(gate) if gate.checking => continue,
            Doing::Gate(gate) => {
                let (due, overdue) = (gate.due, gate.overdue);
                (step.to_owned(), Waiting::Gate { due, overdue, informs: informs(state, lane.step) })
            }
            Doing::Person(question) => (
                format!("?{}", question.ask.0),
                Waiting::Person(asked(state, progress, lane, question.reason)),
            ),
            Doing::Wait { until } => {
                (step.to_owned(), Waiting::Time { until: *until, signal: signal(state, lane.step) })
            }
            Doing::Between | Doing::Join(_) => continue,
        };
        let since = progress.steps.get(&lane.step.0).and_then(|time| time.since);
        all.push(Awaited { id: format!("{}/{id}", state.run()), step: step.to_owned(), what, since });
    }
    all.sort_by_key(|awaited| awaited.what.is_person());
    all
}

fn step_name(state: &State, step: StepId) -> &str {
    state.plan().step(step).map_or("", |step| &step.name)
}

fn agent(state: &State, id: baton_kernel::AgentId) -> String {
    state.plan().agents.get(usize::from(id.0)).map_or_else(String::new, |agent| agent.name.clone())
}

fn informs(state: &State, step: StepId) -> bool {
    let does = state.plan().step(step).map(|step| &step.does);
    matches!(does, Some(Does::Gate(Gate { kind: GateKind::Informative, .. })))
}

fn signal(state: &State, step: StepId) -> Option<String> {
    match state.plan().step(step).map(|step| &step.does) {
        Some(Does::Wait(WaitStep { signal, .. })) => signal.clone(),
        Some(
            Does::Pass(_)
            | Does::Microloop(_)
            | Does::Gate(_)
            | Does::Parallel(_)
            | Does::Escalate
            | Does::End(_),
        )
        | None => None,
    }
}

fn asked(state: &State, progress: &Progress, lane: &Lane, reason: Reason) -> Question {
    let does = state.plan().step(lane.step).map(|step| &step.does);
    let unknown = progress.unknown.get(&lane.id).filter(|_| reason == Reason::ExpressionUnknown);
    let flow = || progress.asks_now(step_name(state, lane.step)).filter(|_| reason == Reason::PlanEscalates);
    let why = unknown.cloned().map(Why::Unknown).or_else(|| flow().map(|said| Why::Flow(said.to_owned())));
    let dead = lane.dead.as_ref().map(|dead| Dead {
        key: dead.key.to_string(),
        to: agent(state, dead.to),
        attempts: dead.attempt,
        why: progress.failed.get(&dead.key).cloned(),
    });
    let ways = if let Some(Does::Pass(pass)) = does { ways(state, pass) } else { Vec::new() };
    Question { reason, why, dead, ways, is_join: matches!(does, Some(Does::Parallel(_))) }
}

/// The steps that the routes by an expression lead to.
fn ways(state: &State, pass: &Pass) -> Vec<String> {
    let mut ways: Vec<String> = Vec::new();
    for route in pass.routes.iter().filter(|route| matches!(route.when, When::Holds(_))) {
        let name = step_name(state, route.to).to_owned();
        if !ways.contains(&name) {
            ways.push(name);
        }
    }
    ways
}
