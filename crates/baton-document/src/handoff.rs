//! The common model: what a handoff means, whatever dialect it is written in.
//!
//! Dialect files map their fields here with `means`; conversion and delivery go through it.

/// What a field means, whatever the dialect calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// The handoff's own id.
    Id,
    /// What it is about over several handoffs: a task, an issue, a workflow.
    Thread,
    /// The agent that hands over.
    From,
    /// The agent that takes over.
    To,
    /// When it was written.
    Written,
    /// Whether it was delivered: pending, sent, failed.
    Delivery,
    /// How the work ended.
    Outcome,
    /// What should happen next.
    Recommendation,
    /// Why that should happen next.
    Reason,
    /// What this is about, in short.
    Summary,
    /// What was done.
    Did,
    /// What was found.
    Found,
    /// Decisions taken.
    Decisions,
    /// Assumptions made.
    Assumptions,
    /// Questions left open.
    Questions,
    /// Concerns, issues, failures.
    Concerns,
    /// Files made or changed.
    Artifacts,
    /// Commands that were run.
    Commands,
    /// Figures that were measured.
    Measurements,
    /// What is expected of the receiver.
    Deliverable,
    /// Limits the receiver must keep.
    Constraints,
    /// How success is told.
    Criteria,
    /// Where in the workflow this stands.
    Position,
    /// Tokens used.
    Tokens,
    /// What failed.
    Error,
    /// The decision a person is asked for.
    Gate,
}

impl Meaning {
    /// All meanings with their words in dialect files.
    pub const ALL: [(&'static str, Meaning); 26] = [
        ("id", Meaning::Id),
        ("thread", Meaning::Thread),
        ("from", Meaning::From),
        ("to", Meaning::To),
        ("written", Meaning::Written),
        ("delivery", Meaning::Delivery),
        ("outcome", Meaning::Outcome),
        ("recommendation", Meaning::Recommendation),
        ("reason", Meaning::Reason),
        ("summary", Meaning::Summary),
        ("did", Meaning::Did),
        ("found", Meaning::Found),
        ("decisions", Meaning::Decisions),
        ("assumptions", Meaning::Assumptions),
        ("questions", Meaning::Questions),
        ("concerns", Meaning::Concerns),
        ("artifacts", Meaning::Artifacts),
        ("commands", Meaning::Commands),
        ("measurements", Meaning::Measurements),
        ("deliverable", Meaning::Deliverable),
        ("constraints", Meaning::Constraints),
        ("criteria", Meaning::Criteria),
        ("position", Meaning::Position),
        ("tokens", Meaning::Tokens),
        ("error", Meaning::Error),
        ("gate", Meaning::Gate),
    ];

    /// Reads the word of a dialect file.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(name, _)| *name == word).map(|(_, meaning)| meaning)
    }
}
