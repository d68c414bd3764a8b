//! Why a run went where it went.
//!
//! Names of variants are a stored format; see `event.rs` for how they may change.

use core::fmt;

use serde::{Deserialize, Serialize};

/// Reason of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the sentence of each, which people see, is in `text`")]
pub enum Reason {
    Started,
    Forked,
    Done,
    Concerns,
    Skipped,
    Decision,
    Outcome,
    Holds,
    Review,
    FurtherHelp,
    NoFurtherHelp,
    Verified,
    Blocked,
    Stop,
    Clarify,
    EscalationAsked,
    PlanEscalates,
    DetourAsked,
    DetourUnknown,
    DetoursExhausted,
    DetourOver,
    Stalled,
    RoundsExhausted,
    VisitsExhausted,
    HandoffsExhausted,
    PairExhausted,
    TimeExhausted,
    TokensExhausted,
    NestingExhausted,
    LanesExhausted,
    AttemptsExhausted,
    ClarificationsExhausted,
    PingPong,
    DelegationAsked,
    DelegationOver,
    UnknownReceiver,
    Rework,
    ReworkExhausted,
    Unrecoverable,
    RetriesExhausted,
    TimedOut,
    Expired,
    MayHaveBegun,
    PermissionAsked,
    SenderAsked,
    SenderAnswered,
    NoSender,
    GateApproved,
    GateRejected,
    GateUnanswered,
    GateChecksHeld,
    JoinPassed,
    JoinFailed,
    JoinBlocked,
    WaitOver,
    Signalled,
    PersonSaid,
    ThreadOver,
    Runaway,
    ExpressionUnknown,
    UnknownHolds,
}

impl Reason {
    /// True if it ends a branch from outside, whatever the agents of the branch answered.
    #[must_use]
    pub fn cuts_off(self) -> bool {
        matches!(
            self,
            Self::VisitsExhausted
                | Self::HandoffsExhausted
                | Self::PairExhausted
                | Self::TimeExhausted
                | Self::TokensExhausted
                | Self::NestingExhausted
                | Self::LanesExhausted
                | Self::PingPong
                | Self::GateRejected
                | Self::JoinFailed
                | Self::JoinBlocked
        )
    }

    /// The reason as a sentence without its beginning: "… because …".
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Started => "the run starts here",
            Self::Forked => "the branches run side by side",
            Self::Done => "the work is done",
            Self::Concerns => "the work is done, with concerns that go along",
            Self::Skipped => "there was nothing to do",
            Self::Decision => "the answer decides so, and the flow has a route for that word",
            Self::Outcome => "the flow has a route for that outcome",
            Self::Holds => "an expression of the flow held",
            Self::Review => "the critic looks at what the author made",
            Self::FurtherHelp => "the critic has concerns and says that another round helps",
            Self::NoFurtherHelp => "the critic has concerns and says that another round does not help",
            Self::Verified => "the critic is content",
            Self::Blocked => "the work cannot go on without somebody",
            Self::Stop => "the agent says stop",
            Self::Clarify => "the agent needs to know something from the user",
            Self::EscalationAsked => "the agent asks for a person",
            Self::PlanEscalates => "the flow asks a person here",
            Self::DetourAsked => "the agent asks for this detour",
            Self::DetourUnknown => "the agent asks for a detour that the flow does not have",
            Self::DetoursExhausted => "this detour was taken as often as it may be",
            Self::DetourOver => "the detour is over",
            Self::Stalled => "the same failure came twice in a row",
            Self::RoundsExhausted => "the rounds of the loop are used up",
            Self::VisitsExhausted => "the step was entered as often as it may be",
            Self::HandoffsExhausted => "the run has used up its handoffs",
            Self::PairExhausted => "these two agents have used up the handoffs between them",
            Self::TimeExhausted => "the run has used up its time",
            Self::TokensExhausted => "the run has used up its tokens",
            Self::NestingExhausted => "delegations, detours or branches lie too deep in each other",
            Self::LanesExhausted => "too many branches are open at once",
            Self::AttemptsExhausted => "the delivery was attempted as often as it may be",
            Self::ClarificationsExhausted => "the step has asked its sender as often as it may",
            Self::PingPong => "two agents hand the same thing back and forth",
            Self::DelegationAsked => "the agent delegates a part",
            Self::DelegationOver => "what was delegated is answered",
            Self::UnknownReceiver => "the answer names a receiver that the flow does not know",
            Self::Rework => "what blocks can be mended by rework",
            Self::ReworkExhausted => "rework was tried as often as it may be",
            Self::Unrecoverable => "it failed, and trying again does not help",
            Self::RetriesExhausted => "it failed, and all retries are used up",
            Self::TimedOut => "the answer did not come in time",
            Self::Expired => "the delivery expired",
            Self::MayHaveBegun => "the work may have begun before the crash, and may not simply begin again",
            Self::PermissionAsked => "the agent asks whether it may do something",
            Self::SenderAsked => "the receiver asks the sender what was meant",
            Self::SenderAnswered => "the sender has answered",
            Self::NoSender => "there is no agent that could answer the question",
            Self::GateApproved => "a person approved",
            Self::GateRejected => "a person rejected",
            Self::GateUnanswered => "nobody answered in time, and the gate only informs",
            Self::GateChecksHeld => "all checks of the gate held",
            Self::JoinPassed => "the branches pass",
            Self::JoinFailed => "the branches can no longer pass",
            Self::JoinBlocked => "a branch is blocked, and the worst status wins",
            Self::WaitOver => "the time is over",
            Self::Signalled => "the signal came",
            Self::PersonSaid => "a person said so",
            Self::ThreadOver => "nothing follows",
            Self::Runaway => "the flow runs in a circle without ever waiting",
            Self::ExpressionUnknown => "an expression of the flow could not be evaluated",
            Self::UnknownHolds => {
                "an expression of the flow could not be evaluated, which its route counts as holding"
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.text())
    }
}
