//! What an agent's answer says, as values: the kernel never sees a document or an expression.
//!
//! Names of variants and fields are a stored format; see `event.rs` for how they may change.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::Digest;

/// Outcome of the work of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Complete, requirements met (VERIFIED, success, complete).
    Done,
    /// Complete, with concerns that are written down (UNVERIFIED).
    Concerns,
    /// Some of it is done.
    Partial,
    /// It cannot go on without somebody.
    Blocked,
    /// It broke.
    Failed,
    /// There was nothing to do.
    Skipped,
    /// It is still being worked on (pending).
    Running,
}

/// Worth of a status at a join; the worst comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing can be built on it.
    Blocked,
    /// It is there, unverified.
    Unverified,
    /// It is there and holds.
    Verified,
}

impl Outcome {
    /// Worth of the outcome at a join. Skipped work was not verified.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Done => Verdict::Verified,
            Self::Concerns | Self::Partial | Self::Skipped => Verdict::Unverified,
            Self::Blocked | Self::Failed | Self::Running => Verdict::Blocked,
        }
    }
}

impl Verdict {
    /// The outcome that a join with this verdict hands on.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Blocked => Outcome::Blocked,
            Self::Unverified => Outcome::Concerns,
            Self::Verified => Outcome::Done,
        }
    }
}

/// Recommendation of an agent for what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    /// CONTINUE, PROCEED.
    Continue,
    /// LOOP.
    Repeat,
    /// DETOUR, to the kind that the facts name.
    Detour,
    /// ESCALATE, to a person.
    Escalate,
    /// CLARIFY: ask the user, then the same step again.
    Ask,
    /// STOP: halt and report.
    Stop,
}

/// Value of an expression that the engine evaluated, or result of a check that it ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It holds.
    Holds,
    /// It does not hold.
    Fails,
    /// It cannot be evaluated, for this reason.
    Unknown(String),
}

impl Truth {
    /// True if it is known to hold.
    #[must_use]
    pub fn holds(&self) -> bool {
        *self == Self::Holds
    }

    /// Reason why it is unknown.
    #[must_use]
    pub fn unknown(&self) -> Option<&str> {
        match self {
            Self::Unknown(why) => Some(why),
            Self::Holds | Self::Fails => None,
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

/// Result of an expression or a check that the engine evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredHeld", into = "StoredHeld")]
pub struct Held {
    /// The expression's or check's name in the plan.
    pub name: String,
    /// Its value.
    pub truth: Truth,
}

/// Stored form of [`Held`]: a reader that does not know `unknown` takes it for what does not hold.
#[derive(Serialize, Deserialize)]
struct StoredHeld {
    name: String,
    holds: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
}

impl From<StoredHeld> for Held {
    fn from(StoredHeld { name, holds, unknown }: StoredHeld) -> Self {
        Self { name, truth: unknown.map_or(Truth::from(holds), Truth::Unknown) }
    }
}

impl From<Held> for StoredHeld {
    fn from(Held { name, truth }: Held) -> Self {
        let holds = truth.holds();
        let unknown = if let Truth::Unknown(why) = truth { Some(why) } else { None };
        Self { name, holds, unknown }
    }
}

/// Facts of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Its outcome.
    pub outcome: Outcome,
    /// Names what is handed on, without what changes by itself (time stamps, ids): two rounds that hand on the same
    /// thing have the same one.
    pub content: Digest,
    /// Recommendation of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<Recommendation>,
    /// A critic's word on whether another round would help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub further_help: Option<bool>,
    /// The word that routes of the plan may ask for: approved, changes_requested, merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The kind of detour that is recommended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detour: Option<String>,
    /// The agent to whom a part is delegated, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegate: Option<String>,
    /// Signature of the fault, as made by [`signature`](crate::signature).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Tokens that were counted for it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// Of a failure: whether trying again may help.
    #[serde(default, skip_serializing_if = "is_false")]
    pub recoverable: bool,
    /// Of a stop: whether all that blocks is failed types, lint or tests, so that rework may mend it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub mendable: bool,
    /// Verdict of the answer itself, where a join counts that; else a verified outcome passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<bool>,
    /// Results of the expressions that the routes of the step ask for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
}

fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}

impl Facts {
    /// The facts of an answer that says nothing but how it came out and what is handed on.
    #[must_use]
    pub fn new(outcome: Outcome, content: Digest) -> Self {
        Self {
            outcome,
            content,
            recommendation: None,
            further_help: None,
            decision: None,
            detour: None,
            delegate: None,
            signature: None,
            tokens: 0,
            recoverable: false,
            mendable: false,
            passed: None,
            held: Vec::new(),
        }
    }

    /// True if the answer passes where a join counts that.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.passed.unwrap_or(
            self.outcome.verdict() == Verdict::Verified && self.recommendation != Some(Recommendation::Stop),
        )
    }
}

/// Failure of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Its kind.
    pub kind: FailureKind,
    /// True if a retry may help.
    pub recoverable: bool,
    /// Signature of the fault, as made by [`signature`](crate::signature).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Tokens that were counted for it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens: u64,
}

/// Source of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The agent, in an error handoff.
    Agent,
    /// The courier: it could not deliver, or the agent died.
    Courier,
    /// The attempt timed out.
    TimedOut,
    /// The agent, whose answer cannot be taken: it is asked again at once.
    Answer,
    /// The driver was asked to end and stopped the agent. The attempt goes on when the run is resumed.
    Interrupted,
    /// The agent asks for a permission, which a person gives.
    Permission,
}
