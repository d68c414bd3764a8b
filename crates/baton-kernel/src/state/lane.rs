//! A lane: one thread of a run, with what it is doing and where it will go back to.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::kept::{Answer, Before};
use super::seen::Seen;
use crate::facts::Verdict;
use crate::{
    AgentId, AskId, Digest, Does, GateId, Key, LaneId, Millis, Outcome, Plan, Reason, Role, Stage, StepId,
    Target,
};

/// One thread of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Its number.
    pub id: LaneId,
    /// The lane whose branch it is.
    pub parent: Option<LaneId>,
    /// The step that it is at.
    pub step: StepId,
    /// Where it will go back to, innermost last.
    pub frames: Vec<Frame>,
    /// What it is doing.
    pub doing: Doing,
    /// The delivery that was given up and may be retried.
    pub dead: Option<Delivery>,
    pub(crate) carried: Carried,
    /// The branches that were joined here and may be done again.
    pub(crate) before: Option<Box<Before>>,
    /// What agents handed each other in it.
    pub(crate) seen: Vec<Seen>,
}

/// Something that a lane is inside of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A loop of author and critic.
    Loop(LoopFrame),
    /// A detour, and the step that it left.
    Detour {
        /// That step.
        back: StepId,
    },
    /// A delegation to this agent.
    Delegation {
        /// Who does the part.
        to: AgentId,
    },
    /// A question to this agent about what it handed over.
    Asked {
        /// Who is asked.
        to: AgentId,
    },
}

/// Where a loop of author and critic is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopFrame {
    pub(crate) side: Side,
    pub(crate) rounds: u16,
    pub(crate) rounds_max: u16,
    /// The failure of the last round.
    pub(crate) signature: Option<String>,
}

impl LoopFrame {
    /// Rounds of the critic so far.
    #[must_use]
    pub fn rounds(&self) -> u16 {
        self.rounds
    }

    /// Rounds that the critic may have.
    #[must_use]
    pub fn rounds_max(&self) -> u16 {
        self.rounds_max
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Author,
    Critic,
}

/// What a lane is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It is on its way; never so after a command is decided.
    Between,
    /// An agent works.
    Delivery(Delivery),
    /// A gate is open.
    Gate(OpenGate),
    /// It waits until this time.
    Wait {
        /// The time.
        until: Millis,
    },
    /// Its branches run.
    Join(Joining),
    /// A person is asked.
    Person(OpenQuestion),
}

/// A delivery that is not over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its name, the same for all attempts.
    pub key: Key,
    /// The attempt that counts.
    pub attempt: u16,
    /// Who works.
    pub to: AgentId,
    /// Who handed it over, if an agent did.
    pub from: Option<AgentId>,
    /// What it is for.
    pub role: Role,
    /// How its attempt stands.
    pub standing: Standing,
    /// When the time of the attempt is over.
    pub due: Option<Millis>,
    /// When the delivery expires, whatever its attempts.
    pub expires: Option<Millis>,
    /// Retries so far.
    pub retries: u16,
    /// Whether its last attempt was interrupted, and failed at nothing.
    pub interrupted: bool,
    /// The session in which the agent works, if it is known.
    pub session: Option<String>,
    /// What the receiver acknowledged.
    pub stages: Stages,
    /// The last draft.
    pub draft: Option<Digest>,
    /// Attempts that reported after they had been replaced.
    pub(crate) late: Vec<u16>,
}

/// How the attempt of a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is under way.
    Out,
    /// It failed; what becomes of it is being decided.
    Failed {
        /// Whether only its time ran out, so that its answer is still welcome.
        timed_out: bool,
    },
    /// The next one begins at this time.
    Paused {
        /// The time.
        until: Millis,
        /// Whether only the time of this one ran out, so that its answer is still welcome.
        timed_out: bool,
    },
}

/// What a receiver has acknowledged: three different facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// It has the handoff.
    pub received: bool,
    /// It understood the task and takes it.
    pub accepted: bool,
    /// It has begun.
    pub started: bool,
}

impl Stages {
    pub(crate) fn at(&mut self, stage: Stage) -> &mut bool {
        match stage {
            Stage::Received => &mut self.received,
            Stage::Accepted => &mut self.accepted,
            Stage::Started => &mut self.started,
        }
    }
}

/// A gate that is not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenGate {
    /// Its number.
    pub gate: GateId,
    /// What it shows; an answer must be about exactly this.
    pub shown: Option<Digest>,
    /// When an answer is due.
    pub due: Option<Millis>,
    /// Whether its checks are awaited, and not a person.
    pub checking: bool,
    /// Whether it was noted that the answer is overdue.
    pub overdue: bool,
}

/// Branches that run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joining {
    /// The lane of the first branch; the others follow in order.
    pub first: LaneId,
    /// What came of each branch, in order.
    pub results: Vec<Option<BranchResult>>,
    /// Whether what came of the expression over them is awaited.
    pub value_awaited: bool,
    /// What people answered in these branches.
    pub(crate) answers: Vec<Answer>,
    /// What they answered the last time, where the branches are done again, and nobody asked yet this time.
    pub(crate) kept: Vec<Answer>,
}

/// What came of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchResult {
    /// Its status.
    pub verdict: Verdict,
    /// Whether it passes.
    pub passed: bool,
}

/// A question to a person that is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenQuestion {
    /// Its number.
    pub ask: AskId,
    /// Why somebody is asked.
    pub reason: Reason,
    /// Where the lane wanted to go, if something stood in its way.
    pub wanted: Option<Target>,
}

/// What a lane carries from step to step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Carried {
    /// The agent that handed it over, if an agent did.
    pub from: Option<AgentId>,
    /// Names it; nothing does behind a join, whose content only the engine can put together.
    pub content: Option<Digest>,
    pub signature: Option<String>,
    pub outcome: Outcome,
    pub passed: bool,
}

impl Lane {
    /// Names what the lane carries; nothing behind a join, whose content only the engine can put together.
    #[must_use]
    pub fn content(&self) -> Option<Digest> {
        self.carried.content
    }

    /// Who waits for the answer of whoever works in it, where that was delegated or is asked something.
    #[must_use]
    pub fn waiting(&self, plan: &Plan) -> Option<AgentId> {
        let (last, frames) = self.frames.split_last()?;
        match last {
            Frame::Delegation { .. } | Frame::Asked { .. } => {
                agent_at(plan, self.step, frames).map(|(agent, _)| agent)
            }
            Frame::Loop(_) | Frame::Detour { .. } => None,
        }
    }

    /// Whether its branches run.
    #[must_use]
    pub fn is_joining(&self) -> bool {
        matches!(self.doing, Doing::Join(_))
    }

    /// How deep detours, delegations and questions lie in each other here.
    pub(crate) fn nesting(&self) -> usize {
        self.frames.iter().filter(|frame| !matches!(frame, Frame::Loop(_))).count()
    }

    /// Whether the agent at work is a delegate or is asked something.
    pub(crate) fn is_asked_or_delegated(&self) -> bool {
        matches!(self.frames.last(), Some(Frame::Delegation { .. } | Frame::Asked { .. }))
    }

    /// Whether a detour has left somewhere.
    pub(crate) fn is_on_detour(&self) -> bool {
        self.frames.iter().any(|frame| matches!(frame, Frame::Detour { .. }))
    }

    /// The loop that the lane is in at its step.
    pub(crate) fn loop_mut(&mut self) -> Option<&mut LoopFrame> {
        match self.frames.last_mut() {
            Some(Frame::Loop(frame)) => Some(frame),
            Some(Frame::Detour { .. } | Frame::Delegation { .. } | Frame::Asked { .. }) | None => None,
        }
    }

    /// Where the lane would be, and inside of what, if it went back.
    pub(crate) fn after_back(&self) -> (StepId, &[Frame]) {
        let mut frames = self.frames.as_slice();
        while let Some((frame, rest)) = frames.split_last() {
            frames = rest;
            match frame {
                // The loop of a side step ends with the detour.
                Frame::Loop(_) => {}
                Frame::Detour { back } => return (*back, frames),
                Frame::Delegation { .. } | Frame::Asked { .. } => return (self.step, frames),
            }
        }
        (self.step, frames)
    }

    /// Whether the lane waits for a person.
    pub(crate) fn waits_for_person(&self) -> bool {
        match &self.doing {
            Doing::Person(_) => true,
            Doing::Gate(gate) => !gate.checking,
            Doing::Between | Doing::Delivery(_) | Doing::Wait { .. } | Doing::Join(_) => false,
        }
    }
}

/// Who works at a step, inside of these frames, and as what; nobody where no agent does.
pub(crate) fn agent_at(plan: &Plan, step: StepId, frames: &[Frame]) -> Option<(AgentId, Role)> {
    match frames.last() {
        Some(Frame::Delegation { to }) => return Some((*to, Role::Delegated)),
        Some(Frame::Asked { to }) => return Some((*to, Role::Question)),
        Some(Frame::Loop(_) | Frame::Detour { .. }) | None => {}
    }
    match &plan.step(step)?.does {
        Does::Pass(pass) => Some((pass.agent, Role::Work)),
        Does::Microloop(microloop) => match frames.last() {
            Some(Frame::Loop(frame)) if frame.side == Side::Critic => Some((microloop.critic, Role::Review)),
            Some(Frame::Loop(_) | Frame::Detour { .. } | Frame::Delegation { .. } | Frame::Asked { .. })
            | None => Some((microloop.author, Role::Work)),
        },
        Does::Gate(_) | Does::Parallel(_) | Does::Wait(_) | Does::Escalate | Does::End(_) => None,
    }
}
