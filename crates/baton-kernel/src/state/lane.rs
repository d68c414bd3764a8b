//! A lane: one thread of a run, with what it is doing and where it will go back to.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::contents::{Content, Contents, Course};
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
    /// Frames to which it goes back, innermost last.
    pub frames: Vec<Frame>,
    /// Its activity.
    pub doing: Doing,
    /// The delivery that was given up and may be retried.
    pub dead: Option<Delivery>,
    pub(crate) carried: Carried,
    pub(crate) course: Course,
    /// The branches that were joined here and may be done again.
    pub(crate) before: Option<Box<Before>>,
    /// Last handoffs between each two agents in it.
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
        /// The delegate.
        to: AgentId,
    },
    /// A question to this agent about what it handed over.
    Asked {
        /// The agent that is asked.
        to: AgentId,
    },
}

/// Standing of a loop of author and critic.
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

/// Activity of a lane.
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
    /// The agent.
    pub to: AgentId,
    /// The agent that handed it over, if one did.
    pub from: Option<AgentId>,
    /// Its role.
    pub role: Role,
    /// Standing of its attempt.
    pub standing: Standing,
    /// Time-out of the attempt.
    pub due: Option<Millis>,
    /// Expiry of the delivery, whatever its attempts.
    pub expires: Option<Millis>,
    /// Retries so far.
    pub retries: u16,
    /// True if its last attempt was interrupted.
    pub interrupted: bool,
    /// The session in which the agent works, if it is known.
    pub session: Option<String>,
    /// Acknowledgements of the receiver.
    pub stages: Stages,
    /// The last draft.
    pub draft: Option<Digest>,
    /// Attempts that reported after they had been replaced.
    pub(crate) late: Vec<u16>,
}

/// Standing of the attempt of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is under way.
    Out,
    /// It failed; what becomes of it is being decided.
    Failed {
        /// True if it timed out, so that its answer still counts.
        timed_out: bool,
    },
    /// The next one begins at this time.
    Paused {
        /// The time.
        until: Millis,
        /// True if this one timed out, so that its answer still counts.
        timed_out: bool,
    },
}

/// Acknowledgements of a receiver: three different facts.
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
    /// Digest of what it shows; an answer must be about exactly this.
    pub shown: Option<Digest>,
    /// Time when an answer is due.
    pub due: Option<Millis>,
    /// True while its checks are awaited, and not a person.
    pub checking: bool,
    /// True once it was noted that the answer is overdue.
    pub overdue: bool,
}

/// Branches that run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joining {
    /// The lane of the first branch; the others follow in order.
    pub first: LaneId,
    /// Results of the branches, in order.
    pub results: Vec<Option<BranchResult>>,
    /// True while the value of the expression over them is awaited.
    pub value_awaited: bool,
    /// Contents that those which ended hand on, in the order in which they ended.
    pub(crate) ended: Vec<Content>,
    /// Answers of people in these branches.
    pub(crate) answers: Vec<Answer>,
    /// Answers of the last time, where the branches are done again and the question has not come up yet.
    pub(crate) kept: Vec<Answer>,
}

/// Result of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchResult {
    /// Its status.
    pub verdict: Verdict,
    /// True if it passes.
    pub passed: bool,
}

/// A question to a person that is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenQuestion {
    /// Its number.
    pub ask: AskId,
    /// Reason of the question.
    pub reason: Reason,
    /// The move that was stopped, if one was.
    pub wanted: Option<Target>,
}

/// Contents that a lane carries from step to step, with their outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Carried {
    /// The agent that handed it over, if an agent did.
    pub from: Option<AgentId>,
    pub contents: Contents,
    pub signature: Option<String>,
    pub outcome: Outcome,
    pub passed: bool,
}

impl Lane {
    /// The agent that waits for an answer in it: it delegated, or asked something.
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

    /// True while its branches run.
    #[must_use]
    pub fn is_joining(&self) -> bool {
        matches!(self.doing, Doing::Join(_))
    }

    /// Depth of detours, delegations and questions here.
    pub(crate) fn nesting(&self) -> usize {
        self.frames.iter().filter(|frame| !matches!(frame, Frame::Loop(_))).count()
    }

    /// True if the agent at work is a delegate or is asked something.
    pub(crate) fn is_asked_or_delegated(&self) -> bool {
        matches!(self.frames.last(), Some(Frame::Delegation { .. } | Frame::Asked { .. }))
    }

    /// True on a detour.
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

    /// Step and frames of the lane if it went back.
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

    /// True if the lane waits for a person.
    pub(crate) fn waits_for_person(&self) -> bool {
        match &self.doing {
            Doing::Person(_) => true,
            Doing::Gate(gate) => !gate.checking,
            Doing::Between | Doing::Delivery(_) | Doing::Wait { .. } | Doing::Join(_) => false,
        }
    }
}

/// The agent at a step, inside of these frames, with its role; none where no agent works.
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
