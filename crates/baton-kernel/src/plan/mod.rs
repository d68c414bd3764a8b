//! The compiled flow: agents, steps, where each goes, and the caps. A run pins it at its start.
//!
//! Names of variants and fields are a stored format; see `event.rs` for how they may change.
//! Cannot: hold an expression. It names them, and the engine hands in what came of them.

mod builder;
mod check;
mod ways;

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

pub use builder::Builder;
pub use check::PlanFault;

use crate::facts::Outcome;
use crate::{AgentId, StepId, bounds};

/// A flow, compiled: all that the kernel must know of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The flow's name.
    pub name: String,
    /// Its agents.
    pub agents: Vec<Agent>,
    /// Its steps.
    pub steps: Vec<Step>,
    /// Its first step.
    pub start: StepId,
    /// Caps of a whole run.
    pub caps: Caps,
}

/// Agent of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// The agent's name, unique in the plan.
    pub name: String,
    /// Restart policy for work that it may have begun.
    pub restart: Restart,
}

/// Restart policy for work that may have begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Restart {
    /// Its work has no effects that may not happen twice.
    Safe,
    /// A person decides.
    Ask,
}

/// Caps of a whole run. A cap counts executions, the first included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caps {
    /// Handoffs of the run.
    pub handoffs: u32,
    /// Handoffs between the same two agents, both directions together.
    pub pair: u32,
    /// The time for which it works; waiting for people only does not count.
    pub time_ms: u64,
    /// Tokens; none is no limit.
    pub tokens: Option<u64>,
    /// Extra attempts of a delivery that failed recoverably.
    pub retries: u16,
    /// Detours of one kind from one step.
    pub detours: u16,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            handoffs: bounds::HANDOFFS,
            pair: bounds::PAIR_HANDOFFS,
            time_ms: bounds::RUN_MS,
            tokens: None,
            retries: bounds::RETRIES,
            detours: bounds::DETOURS,
        }
    }
}

/// One step of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The step's name, unique in the plan.
    pub name: String,
    /// Its work.
    pub does: Does,
    /// The next step. Without it the thread is over: a detour goes back, a branch to its join, the run to its end.
    pub next: Option<StepId>,
    /// Cap of visits, the first included; then a person is asked.
    pub visits_max: Option<u16>,
    /// The side steps that may be recommended here.
    pub detours: Vec<Detour>,
    /// Time limits of its deliveries.
    pub limits: Limits,
}

/// The closed set of what a step can be; each has its file in `src/step/`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    /// One agent works.
    Pass(Pass),
    /// An author works and a critic looks at it, in rounds.
    Microloop(Microloop),
    /// A person approves.
    Gate(Gate),
    /// Branches run side by side and are joined.
    Parallel(Parallel),
    /// Nothing is done for a while, or until a signal comes.
    Wait(Wait),
    /// A person is asked.
    Escalate,
    /// The thread is over, with a status of its own.
    End(Outcome),
}

/// One agent works, and its answer is routed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// The agent.
    pub agent: AgentId,
    /// Routes of answers that are not simply done; the first that fits is taken.
    pub routes: Vec<Route>,
    /// Target of a stop that rework may mend.
    pub rework: Option<Rework>,
}

/// Route of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// The answers that it is for.
    pub when: When,
    /// Their target.
    pub to: StepId,
    /// What an expression that cannot be evaluated counts as. Answers of older runs have no unknown values, so that the
    /// default changes nothing about them.
    #[serde(default, skip_serializing_if = "OnUnknown::is_usual")]
    pub on_unknown: OnUnknown,
}

impl Route {
    /// A route that leaves it to a person where its expression cannot be evaluated.
    #[must_use]
    pub fn new(when: When, to: StepId) -> Self {
        Self { when, to, on_unknown: OnUnknown::Ask }
    }
}

/// Value of an expression that cannot be evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnUnknown {
    /// Nothing: a person is asked.
    #[default]
    Ask,
    /// One that holds.
    Holds,
    /// One that does not hold.
    Fails,
}

impl OnUnknown {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// The answers that a route is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Those that decide with this word; letters count in any size.
    Decision(String),
    /// Those that came out so.
    Outcome(Outcome),
    /// Those for which the expression of this name held, if nothing speaks against going on.
    Holds(String),
}

/// Rework by the writer, of what types, lint and tests found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rework {
    /// The step that mends.
    pub to: StepId,
    /// Cap of rework; each is an extra execution of that step.
    pub max: u16,
}

/// An author works and a critic looks at it, in rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Microloop {
    /// The agent.
    pub author: AgentId,
    /// The critic.
    pub critic: AgentId,
    /// Cap of the critic's rounds, the first included.
    pub rounds_max: u16,
    /// Consequence when they are used up.
    pub on_cap: OnCap,
    /// The kind of detour that is taken when the same failure comes twice in a row; else a person is asked.
    pub on_stall: Option<String>,
}

/// Consequence when the rounds of a loop are used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnCap {
    /// The loop is left, with its concerns.
    GoOn,
    /// A person is asked.
    Ask,
}

/// A side step, from which the run comes back to where it left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detour {
    /// The name by which it is recommended.
    pub kind: String,
    /// The step.
    pub to: StepId,
}

/// Time limits of the deliveries of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The time of one attempt.
    pub attempt_ms: Option<u64>,
    /// Consequence when it is over.
    pub on_timeout: OnTimeout,
    /// The time of the delivery with all its attempts; then it is a dead letter.
    pub expires_ms: Option<u64>,
}

/// Consequence when the time of an attempt is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnTimeout {
    /// It failed recoverably, and is tried again.
    Retry,
    /// It counts as blocked with a stop: the run halts.
    Stop,
    /// A person is asked.
    Ask,
}

/// A person approves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// Kind of the gate.
    pub kind: GateKind,
    /// Time until an answer is due, from the opening.
    pub due_ms: Option<u64>,
    /// Target of a rejection; without it, the run halts.
    pub on_reject: Option<StepId>,
}

/// Kind of a gate, by how much an answer is needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateKind {
    /// `bloquante`: it never passes without an answer.
    Blocking,
    /// `informative`: it goes on if unanswered when the answer is due.
    Informative,
    /// `auto`: it passes when all these checks hold, and becomes blocking when one does not.
    Auto(Vec<String>),
}

/// Branches run side by side and are joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parallel {
    /// The first step of each branch.
    pub branches: Vec<StepId>,
    /// Rule by which they pass.
    pub join: Join,
    /// Of a join by expression: the expression, which the engine evaluates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    /// Value of that expression where it cannot be evaluated.
    #[serde(default, skip_serializing_if = "OnUnknown::is_usual")]
    pub on_unknown: OnUnknown,
    /// Which status of the branches the joined one is.
    pub status: Status,
    /// Consequence when the join fails.
    pub on_fail: OnFail,
}

/// Rule by which joined branches pass. A branch that cannot go on has ended, blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Join {
    /// All have ended; their status decides what happens then.
    AllComplete,
    /// All are verified.
    AllVerified,
    /// One is verified.
    AnyVerified,
    /// One has ended that is not blocked.
    First,
    /// So many are verified.
    Quorum(u16),
    /// All pass.
    AllMustPass,
    /// One passes.
    AnyPass,
    /// More than half pass.
    MajorityPass,
    /// The engine evaluates an expression over all of them and hands in what came of it.
    Expression,
}

/// Which status of the branches the joined one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The worst of those that ended.
    Worst,
    /// The best of those that ended.
    Best,
}

/// Consequence when a join fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFail {
    /// A person is asked.
    Ask,
    /// The run halts.
    Halt,
    /// This step follows.
    Step(StepId),
}

/// Nothing is done for a while, or until a signal comes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// The longest time.
    pub for_ms: u64,
    /// The signal that ends it earlier.
    pub signal: Option<String>,
    /// The step when the signal has not come in time; without it, the next one.
    pub on_due: Option<StepId>,
}

impl Plan {
    /// A builder of a plan of this name.
    #[must_use]
    pub fn named(name: &str) -> Builder {
        Builder::new(name)
    }

    /// The step of this id.
    #[must_use]
    pub fn step(&self, id: StepId) -> Option<&Step> {
        self.steps.get(usize::from(id.0))
    }

    /// The agent of this name.
    #[must_use]
    pub fn agent_named(&self, name: &str) -> Option<AgentId> {
        let place = self.agents.iter().position(|agent| agent.name == name)?;
        u16::try_from(place).ok().map(AgentId)
    }

    /// The step of this name.
    #[must_use]
    pub fn step_named(&self, name: &str) -> Option<StepId> {
        let place = self.steps.iter().position(|step| step.name == name)?;
        u16::try_from(place).ok().map(StepId)
    }

    /// True if the agent's work may be restarted without asking.
    pub(crate) fn may_restart(&self, agent: AgentId) -> bool {
        self.agents.get(usize::from(agent.0)).is_some_and(|agent| agent.restart == Restart::Safe)
    }
}
