//! What an agent's answer says, as values: the kernel never sees a document or an expression.
//!
//! Names of variants and fields are a stored format; see `event.rs` for how they may change.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Digest, Refusal, bounds};

/// How the work of a step came out.
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

/// What a status is worth where branches are joined; the worst comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing can be built on it.
    Blocked,
    /// It is there, but nobody vouches for it.
    Unverified,
    /// It is there and holds.
    Verified,
}

impl Outcome {
    /// What the outcome is worth in a join. What was skipped was not verified.
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

/// What the agent thinks should happen next.
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
    /// Whether it is known to hold.
    #[must_use]
    pub fn holds(&self) -> bool {
        *self == Self::Holds
    }

    /// Why it is unknown.
    #[must_use]
    pub fn unknown(&self) -> Option<&str> {
        match self {
            Self::Unknown(why) => Some(why),
            Self::Holds | Self::Fails => None,
        }
    }

    pub(crate) fn fits(&self) -> Result<(), Refusal> {
        self.unknown().map_or(Ok(()), |why| fits(why, bounds::TEXT_BYTES_MAX))
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

/// What came of an expression that the engine evaluated, or of a check that it ran.
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

/// What an answer says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// How it came out.
    pub outcome: Outcome,
    /// Names what is handed on, without what changes by itself (time stamps, ids): two rounds that hand on the same
    /// thing have the same one.
    pub content: Digest,
    /// What the agent recommends.
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
    /// What is wrong, as made by [`signature`](crate::signature).
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
    /// Whether it passes, where a join counts that; else a verified outcome does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<bool>,
    /// What came of the expressions that the routes of the step ask for.
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

    /// Whether the answer passes where a join counts that.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.passed.unwrap_or(
            self.outcome.verdict() == Verdict::Verified && self.recommendation != Some(Recommendation::Stop),
        )
    }

    pub(crate) fn check(&self) -> Result<(), Refusal> {
        for text in [&self.decision, &self.detour, &self.delegate, &self.signature].into_iter().flatten() {
            fits(text, bounds::TEXT_BYTES_MAX)?;
        }
        held_fits(&self.held)
    }
}

/// How an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Why.
    pub kind: FailureKind,
    /// Whether trying again may help.
    pub recoverable: bool,
    /// What is wrong, as made by [`signature`](crate::signature).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Tokens that were counted for it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens: u64,
}

/// Who says that an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The agent, in an error handoff.
    Agent,
    /// The courier: it could not deliver, or the agent died.
    Courier,
    /// Nobody: the attempt's time ran out.
    TimedOut,
    /// The agent, whose answer cannot be taken: it is asked again at once.
    Answer,
    /// Nobody: whoever drove the run was asked to end, and the agent was stopped. It goes on when the run does.
    Interrupted,
    /// Nobody: the agent asks whether it may do something, which a person says.
    Permission,
}

impl Failure {
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        self.signature.as_ref().map_or(Ok(()), |text| fits(text, bounds::TEXT_BYTES_MAX))
    }
}

pub(crate) fn held_fits(held: &[Held]) -> Result<(), Refusal> {
    if held.len() > bounds::ROUTES_MAX {
        return Err(Refusal::TooLong { found: held.len(), max: bounds::ROUTES_MAX });
    }
    held.iter().try_for_each(|held| {
        fits(&held.name, bounds::EXPRESSION_BYTES_MAX)?;
        held.truth.fits()
    })
}

pub(crate) fn fits(text: &str, max: usize) -> Result<(), Refusal> {
    if text.len() > max { Err(Refusal::TooLong { found: text.len(), max }) } else { Ok(()) }
}
