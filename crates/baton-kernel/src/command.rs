//! What the kernel can be asked: the closed set of commands.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::{
    AskId, Choice, Digest, Facts, Failure, Fence, GateAnswer, GateId, Held, Key, LaneId, Millis, Plan, Stage,
    Truth,
};

/// Command to the kernel, through a driver that holds the run's lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The fencing token of that lease. One below the last that was seen is refused.
    pub fence: Fence,
    /// Request.
    pub what: What,
}

/// Request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are named for what they hold; the types say the rest")]
pub enum What {
    /// Start the run. `pins` names the files that it pins, `input` what it is given.
    Start { run: String, plan: Box<Plan>, pins: Digest, input: Digest },
    /// Hear what a courier reports of an attempt.
    Report { key: Key, attempt: u16, report: Report },
    /// Decide about an orphan: an attempt that was started before a crash.
    Found { key: Key, attempt: u16, courier: CourierKind },
    /// Answer a gate. `shown` names what the person saw.
    AnswerGate { gate: GateId, answer: GateAnswer, shown: Digest, by: By },
    /// Show something else at a gate.
    ShowAtGate { gate: GateId, shown: Digest },
    /// Hear what the checks of an automatic gate said of what it shows.
    CheckGate { gate: GateId, shown: Option<Digest>, checks: Vec<Held> },
    /// Answer a question to a person. `more` raises the cap that stopped the lane.
    AnswerPerson { ask: AskId, choice: Choice, by: By, content: Option<Digest>, more: Option<u64> },
    /// Retry a dead letter, with its key.
    Retry { key: Key, by: By },
    /// Hear what came of the expression over the branches that end in this lane.
    JoinValue { lane: LaneId, truth: Truth },
    /// Hear a signal that came at this time, which may be before it is heard.
    Signal { name: String, at: Millis },
    /// Look at the time.
    Tick,
    /// Go on with changed files.
    ChangePlan { plan: Box<Plan>, pins: Digest, by: By },
    /// Cancel the run.
    Cancel { by: By },
}

/// Report of a courier on an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// The session in which the agent works.
    Session(String),
    /// The receiver acknowledges.
    Acknowledge(Stage),
    /// The agent is at work.
    Progress,
    /// The agent wrote a draft.
    Draft(Digest),
    /// The receiver asks what was meant, in this text.
    Question(Digest),
    /// The agent answered.
    Answer(Facts),
    /// The attempt failed.
    Failure(Failure),
}

/// Retry class of a courier, for attempts that may have begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CourierKind {
    /// Sending again with the same key does nothing twice.
    Idempotent,
    /// A known session can be resumed and asked.
    Resumable,
    /// Neither.
    Neither,
}

/// Author of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// A person, as the engine has made sure.
    Person(String),
    /// An agent.
    Agent(String),
}
