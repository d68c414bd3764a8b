//! What is recorded: the closed set of facts of a run.
//!
//! The names of variants and fields, here and in `plan/mod.rs`, `facts.rs`, `reason.rs` and `words.rs`, are a stored
//! format, and a run is replayed for as long as its ledger is kept. Therefore:
//!
//! - a name never changes and never gets another meaning; what is no longer written is still read;
//! - a new variant may be added; a new field has a `#[serde(default)]` that means what older events meant;
//! - a field is left out of the JSON only where its default says the same;
//! - `tests/all/golden.rs` holds one of each against `tests/all/golden.json`, which only ever grows.
//!
//! Events are small: a plain hop writes three of them, and none repeats the plan or a list that grows with the run.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::facts::is_false;
use crate::{
    AgentId, AskId, Digest, Facts, Failure, Fence, GateId, Held, Key, LaneId, Millis, Outcome, Plan, Reason,
    StepId, Verdict,
};

/// A fact of a run, recorded and never changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "fields are named for what they hold; the types say the rest")]
pub enum Event {
    /// The run started, with the plan that it pins.
    RunStarted { run: String, at: Millis, fence: Fence, pins: Digest, input: Digest, plan: Box<Plan> },
    /// A person chose to go on with changed files, and the plan that they make.
    PlanChanged { by: String, pins: Digest, plan: Box<Plan> },
    /// It was decided where a lane goes: among what, which, and why. `contradiction`: the answer's recommendation said
    /// otherwise than its status.
    Routed {
        lane: LaneId,
        candidates: Vec<Target>,
        winner: Target,
        reason: Reason,
        #[serde(default, skip_serializing_if = "is_false")]
        contradiction: bool,
    },
    /// An attempt of a delivery begins; recorded before the courier is called.
    DeliveryStarted {
        key: Key,
        attempt: u16,
        fence: Fence,
        to: AgentId,
        #[serde(default, skip_serializing_if = "Role::is_work")]
        role: Role,
        #[serde(default, skip_serializing_if = "How::is_first")]
        how: How,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        due: Option<Millis>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires: Option<Millis>,
    },
    /// The courier knows the session in which the agent works.
    SessionKnown { key: Key, attempt: u16, session: String },
    /// The receiver said that it received, accepted or started the work: three different facts.
    Acknowledged { key: Key, attempt: u16, stage: Stage },
    /// The agent is still at work.
    Progressed { key: Key, attempt: u16 },
    /// The agent's draft was taken in.
    DraftTaken { key: Key, attempt: u16, content: Digest },
    /// The receiver asks what was meant, and this delivery is over.
    Questioned { key: Key, attempt: u16, at: Millis, content: Digest },
    /// The agent answered, and this delivery is over.
    Answered { key: Key, attempt: u16, at: Millis, facts: Facts },
    /// An attempt failed.
    AttemptFailed { key: Key, attempt: u16, at: Millis, failure: Failure },
    /// It is tried again at this time.
    RetryPlanned { key: Key, due: Millis },
    /// An attempt that another one had replaced reported after all; its report counts for nothing.
    LateReport { key: Key, attempt: u16 },
    /// A delivery is given up; a person may retry it.
    DeadLettered { key: Key, reason: Reason },
    /// A delivery is no longer wanted.
    DeliveryStopped { key: Key },
    /// An answer named a receiver that the plan does not know.
    Bounced { lane: LaneId, receiver: String },
    /// A gate was opened. Without `shown` nothing has been shown yet that could be approved.
    GateOpened {
        gate: GateId,
        lane: LaneId,
        at: Millis,
        checking: bool,
        shown: Option<Digest>,
        due: Option<Millis>,
    },
    /// What the gate shows is something else now; answers to what it showed before do not count.
    GateShows { gate: GateId, shown: Digest },
    /// The checks of an automatic gate ran; if `held` is false, the gate is blocking from now on.
    GateChecked { gate: GateId, held: bool, checks: Vec<Held>, at: Millis },
    /// The answer is overdue. That is no refusal.
    GateOverdue { gate: GateId },
    /// A gate that only informs goes on unanswered.
    GateUnanswered { gate: GateId, at: Millis },
    /// A person answered a gate.
    GateAnswered { gate: GateId, answer: GateAnswer, by: String, shown: Digest, at: Millis },
    /// Branches were opened; their lanes are numbered from `first`.
    Forked { lane: LaneId, first: LaneId, branches: u16 },
    /// A branch ended.
    BranchEnded { lane: LaneId, verdict: Verdict, passed: bool },
    /// All branches ended, and what came of the expression over them is awaited.
    ValueAwaited { lane: LaneId },
    /// The branches were joined; those still open are closed. `unknown`: why the expression over them could not be evaluated;
    /// `passed` is then what the plan has that count as.
    Joined {
        lane: LaneId,
        passed: bool,
        verdict: Verdict,
        counts: Counts,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unknown: Option<String>,
    },
    /// A lane waits.
    WaitStarted { lane: LaneId, until: Millis },
    /// A lane waits no longer.
    WaitEnded { lane: LaneId, signalled: bool },
    /// A person is asked.
    PersonAsked { ask: AskId, lane: LaneId, at: Millis, reason: Reason, wanted: Option<Target> },
    /// A person answered; `more` was added to the cap that had stopped the lane. `kept`: they did so when this very thing
    /// was asked before, in branches that are done again, and that answer counts.
    PersonAnswered {
        ask: AskId,
        choice: Choice,
        by: String,
        at: Millis,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<Digest>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        more: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<AskId>,
    },
    /// The run is over.
    RunEnded { at: Millis, ending: Ending },
}

/// Target of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// To a step.
    Step(StepId),
    /// To a side step, by its place in the step's list of detours, and back later.
    Detour(u16),
    /// To the author of the loop, for another round.
    Author,
    /// To the critic of the loop.
    Critic,
    /// To an agent that does a part, and back later.
    Delegate(AgentId),
    /// To the sender, who is asked something, and back later.
    Sender(AgentId),
    /// Back to where it left.
    Back,
    /// To where it is, once more.
    Again,
    /// To a person.
    Person,
    /// To the join of its branch.
    Join,
    /// To the end of the run.
    End,
    /// To a halt of the run.
    Halt,
}

/// Role of a delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The work of a step, or of a loop's author.
    #[default]
    Work,
    /// A critic's look at the work.
    Review,
    /// A part that another agent delegated.
    Delegated,
    /// A question about what the agent handed over.
    Question,
}

/// Cause of an attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It is the first.
    #[default]
    First,
    /// The one before failed.
    Retry,
    /// The one before was lost in a crash, and sending it again with its key is safe.
    Resent,
    /// The one before was lost in a crash, and its session is resumed.
    Resumed,
    /// A person asked for it.
    Asked,
    /// The one before was interrupted.
    Interrupted,
    /// A person answered what the agent wanted to know, and its session goes on.
    Answered,
}

impl Role {
    fn is_work(&self) -> bool {
        *self == Self::Work
    }
}

impl How {
    fn is_first(&self) -> bool {
        *self == Self::First
    }
}

/// Acknowledgement of a receiver, before its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// It has the handoff.
    Received,
    /// It understood the task and takes it.
    Accepted,
    /// It has begun.
    Started,
}

/// A person's answer to a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateAnswer {
    /// Go on.
    Approve,
    /// It needs changes.
    Reject,
    /// Something must be explained first.
    Question,
}

/// Choice of a person where the run cannot go on by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The same once more, with the answer.
    Again,
    /// On to where it wanted to go, or to what follows.
    GoOn,
    /// To this step; open detours and delegations of the lane are given up.
    Go(StepId),
    /// The run halts.
    Halt,
}

impl Reason {
    /// True if the cap behind a question would stop this choice at once, unless it is raised.
    #[must_use]
    pub fn holds_against(self, choice: Choice) -> bool {
        match choice {
            Choice::Halt => false,
            Choice::GoOn if self == Self::VisitsExhausted => true,
            Choice::Again | Choice::GoOn | Choice::Go(_) => matches!(
                self,
                Self::HandoffsExhausted | Self::PairExhausted | Self::TimeExhausted | Self::TokensExhausted
            ),
        }
    }
}

/// The branches of a join, as the kernel counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// All of them.
    pub total: u16,
    /// Those that ended; the others were stopped.
    pub ended: u16,
    /// Those of the ended that are verified.
    pub verified: u16,
    /// Those of the ended that pass.
    pub passed: u16,
    /// Those of the ended that do not pass.
    pub failed: u16,
}

/// Ending of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It came to its end.
    Finished(Outcome),
    /// It was halted, and the user must hear of it.
    Halted(Reason),
    /// It was cancelled.
    Cancelled(String),
}
