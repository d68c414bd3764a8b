//! What the history of a run amounts to.
//!
//! Invariant: its size is bounded by the plan and the open work, never by how long the run has been going on: counters
//! and last digests, and no list that grows with each hop.

mod change;
mod contents;
mod kept;
mod lane;
mod seen;

use alloc::sync::Arc;
use alloc::vec::Vec;

pub(crate) use change::{remap, what_lacks};
pub use contents::{Content, CutOff};
pub(crate) use contents::{Contents, Course};
pub(crate) use kept::Answer;
pub use lane::{
    BranchResult, Delivery, Doing, Frame, Joining, Lane, LoopFrame, OpenGate, OpenQuestion, Stages, Standing,
};
pub(crate) use lane::{Carried, Side, agent_at};

use crate::{AgentId, Caps, Digest, Ending, Fence, Key, LaneId, Millis, Plan, StepId, Target};

/// One run, as its events tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub(crate) run: Arc<str>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) pins: Digest,
    pub(crate) phase: Phase,
    pub(crate) fence: Fence,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) counts: Vec<StepCount>,
    pub(crate) pairs: Vec<Pair>,
    /// The plan's, raised by what people allowed.
    pub(crate) caps: Caps,
    pub(crate) handoffs: u32,
    pub(crate) tokens: u64,
    pub(crate) next_number: u32,
    pub(crate) next_lane: u32,
    /// Joins since anybody worked, waited or was asked.
    pub(crate) idle_joins: u16,
    /// The latest time that an event has told; it never goes back, whatever clocks do.
    pub(crate) clock: Millis,
    /// Deadline of the run.
    pub(crate) deadline: Millis,
    /// Since when the run waits for people only; its time stands still meanwhile.
    pub(crate) people_since: Option<Millis>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    New,
    Running,
    Ended(Ending),
}

/// Counters of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StepCount {
    pub visits: u16,
    /// Visits that people allowed beyond the step's own cap.
    pub visits_more: u16,
    pub reworks: u16,
    pub clarifications: u16,
    pub done: bool,
    /// By the place in the step's list of detours; empty until the first.
    pub detours: Vec<u16>,
}

/// Handoffs between two agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub low: AgentId,
    pub high: AgentId,
    pub handoffs: u32,
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}

impl State {
    /// The state of a run of which nothing is recorded yet.
    #[must_use]
    pub fn new() -> Self {
        let plan = Plan {
            name: alloc::string::String::new(),
            agents: Vec::new(),
            steps: Vec::new(),
            start: StepId(0),
            caps: Caps::default(),
        };
        Self {
            run: Arc::from(""),
            caps: plan.caps,
            plan: Arc::new(plan),
            pins: Digest([0; 32]),
            phase: Phase::New,
            fence: Fence(0),
            lanes: Vec::new(),
            counts: Vec::new(),
            pairs: Vec::new(),
            handoffs: 0,
            tokens: 0,
            next_number: 0,
            next_lane: 0,
            idle_joins: 0,
            clock: Millis(0),
            deadline: Millis(0),
            people_since: None,
        }
    }

    /// The run's name.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// The plan that the run goes by.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The files that the run has pinned.
    #[must_use]
    pub fn pins(&self) -> Digest {
        self.pins
    }

    /// True if the run has started and is not over.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    /// Ending of the run, if it is over.
    #[must_use]
    pub fn ending(&self) -> Option<&Ending> {
        match &self.phase {
            Phase::Ended(ending) => Some(ending),
            Phase::New | Phase::Running => None,
        }
    }

    /// The open lanes.
    #[must_use]
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// Handoffs so far.
    #[must_use]
    pub fn handoffs(&self) -> u32 {
        self.handoffs
    }

    /// Tokens so far.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Caps of the run: the plan's, raised by what people allowed.
    #[must_use]
    pub fn caps(&self) -> Caps {
        self.caps
    }

    /// Visits of a step.
    #[must_use]
    pub fn visits(&self, step: StepId) -> u16 {
        self.counts.get(usize::from(step.0)).map_or(0, |count| count.visits)
    }

    /// The lane of this id, if it is open.
    #[must_use]
    pub fn lane(&self, id: LaneId) -> Option<&Lane> {
        self.lanes.iter().find(|lane| lane.id == id)
    }

    /// The open delivery of this key.
    #[must_use]
    pub fn delivery(&self, key: Key) -> Option<&Delivery> {
        match &self.lane(key.lane)?.doing {
            Doing::Delivery(delivery) if delivery.key == key => Some(delivery),
            Doing::Delivery(_)
            | Doing::Between
            | Doing::Gate(_)
            | Doing::Wait { .. }
            | Doing::Join(_)
            | Doing::Person(_) => None,
        }
    }

    pub(crate) fn lane_mut(&mut self, id: LaneId) -> Option<&mut Lane> {
        self.lanes.iter_mut().find(|lane| lane.id == id)
    }

    pub(crate) fn count_mut(&mut self, step: StepId) -> Option<&mut StepCount> {
        self.counts.get_mut(usize::from(step.0))
    }

    pub(crate) fn pair(&self, one: AgentId, other: AgentId) -> Option<&Pair> {
        let (low, high) = (one.min(other), one.max(other));
        self.pairs.iter().find(|pair| pair.low == low && pair.high == high)
    }

    pub(crate) fn pair_mut(&mut self, one: AgentId, other: AgentId) -> Option<&mut Pair> {
        let (low, high) = (one.min(other), one.max(other));
        let place = match self.pairs.iter().position(|pair| pair.low == low && pair.high == high) {
            Some(place) => place,
            None => {
                self.pairs.push(Pair { low, high, handoffs: 0 });
                self.pairs.len() - 1
            }
        };
        self.pairs.get_mut(place)
    }

    /// The step that a lane would enter, if it would enter one.
    pub(crate) fn entered(&self, id: LaneId, target: Target) -> Option<StepId> {
        match target {
            Target::Step(step) => Some(step),
            Target::Detour(kind) => {
                Some(self.plan.step(self.lane(id)?.step)?.detours.get(usize::from(kind))?.to)
            }
            Target::Author
            | Target::Critic
            | Target::Delegate(_)
            | Target::Sender(_)
            | Target::Back
            | Target::Again
            | Target::Person
            | Target::Join
            | Target::End
            | Target::Halt => None,
        }
    }

    /// Number of lanes above this one.
    pub(crate) fn depth(&self, lane: &Lane) -> usize {
        core::iter::successors(lane.parent, |&parent| self.lane(parent)?.parent).count()
    }

    /// The lanes below this one, at any depth.
    pub(crate) fn below(&self, id: LaneId) -> Vec<LaneId> {
        let mut below = alloc::vec![id];
        let mut next = 0;
        while let Some(&above) = below.get(next) {
            below.extend(self.lanes.iter().filter(|lane| lane.parent == Some(above)).map(|lane| lane.id));
            next += 1;
        }
        below.remove(0);
        below
    }
}
