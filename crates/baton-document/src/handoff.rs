//! The common model: what a handoff means, whatever dialect it is written in.
//!
//! Dialect files map their fields here with `means`; conversion and delivery go through it.

/// The key, in every dialect, of what its fields cannot hold.
pub(crate) const EXTENSION: &str = "x-baton";

/// Meaning of a field, whatever the dialect calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Meaning {
    /// The handoff's own id.
    Id,
    /// Its subject over several handoffs: a task, an issue, a workflow.
    Thread,
    /// The flow it belongs to.
    Flow,
    /// The step of the flow that wrote it.
    Step,
    /// The git branch of the work.
    Branch,
    /// The agent that hands over.
    From,
    /// The agent that takes over.
    To,
    /// When it was written.
    Written,
    /// True if it was delivered: pending, sent, failed.
    Delivery,
    /// Outcome of the work.
    Outcome,
    /// Recommended next step.
    Recommendation,
    /// Why that should happen next.
    Reason,
    /// Summary.
    Summary,
    /// Work that was done.
    Did,
    /// Observations.
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
    /// Commits made.
    Commits,
    /// Commands that were run.
    Commands,
    /// Figures that were measured.
    Measurements,
    /// Expected work of the receiver.
    Deliverable,
    /// Limits the receiver must keep.
    Constraints,
    /// Criteria of success.
    Criteria,
    /// Tokens used.
    Tokens,
    /// Failure.
    Error,
    /// The decision a person is asked for.
    Gate,
}

impl Meaning {
    /// All meanings with their words in dialect files.
    pub const ALL: [(&'static str, Meaning); 29] = [
        ("id", Meaning::Id),
        ("thread", Meaning::Thread),
        ("flow", Meaning::Flow),
        ("step", Meaning::Step),
        ("branch", Meaning::Branch),
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
        ("commits", Meaning::Commits),
        ("commands", Meaning::Commands),
        ("measurements", Meaning::Measurements),
        ("deliverable", Meaning::Deliverable),
        ("constraints", Meaning::Constraints),
        ("criteria", Meaning::Criteria),
        ("tokens", Meaning::Tokens),
        ("error", Meaning::Error),
        ("gate", Meaning::Gate),
    ];

    /// Reads the word of a dialect file.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(name, _)| *name == word).map(|(_, meaning)| meaning)
    }

    /// Its word in dialect files.
    pub fn word(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, meaning)| *meaning == self).map_or("", |(word, _)| word)
    }

    /// The words that a dialect without this one would use instead, the nearest first.
    ///
    /// Never one that says more than the original: what stopped does not go on, what failed is not done.
    pub(crate) fn instead_of(self, word: &str) -> &'static [&'static str] {
        match (self, word) {
            (Meaning::Outcome, "done-with-concerns") => &["partial", "done"],
            (Meaning::Outcome, "partial") => &["done-with-concerns", "blocked"],
            (Meaning::Outcome, "running") => &["partial", "done-with-concerns", "blocked", "failed"],
            (Meaning::Outcome, "blocked") => &["failed"],
            (Meaning::Outcome, "failed") => &["blocked"],
            (Meaning::Outcome, "skipped") => &["partial", "done-with-concerns"],
            (Meaning::Recommendation, "repeat") => &["stop", "ask", "escalate"],
            (Meaning::Recommendation, "detour") => &["ask", "escalate", "stop"],
            (Meaning::Recommendation, "escalate") => &["ask", "stop"],
            (Meaning::Recommendation, "ask") => &["escalate", "stop"],
            (Meaning::Recommendation, "stop") => &["escalate", "ask"],
            _ => &[],
        }
    }
}

/// What an outcome comes to for a reader who is not told the recommendation: what should not go on has not ended well.
pub(crate) fn outcome_within(outcome: &str, recommendation: &str) -> Option<&'static str> {
    match (recommendation, outcome) {
        (_, "blocked" | "failed") | ("repeat", "running") => None,
        ("repeat", _) => Some("running"),
        ("detour" | "escalate" | "ask" | "stop", _) => Some("blocked"),
        _ => None,
    }
}

/// Recommendation after an outcome that allows no next step, where the handoff has none.
pub(crate) fn recommendation_after(outcome: &str) -> Option<&'static str> {
    match outcome {
        "running" | "partial" => Some("repeat"),
        "blocked" | "failed" => Some("escalate"),
        _ => None,
    }
}

/// A set of meanings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meanings(u32);

const _: () = assert!(Meaning::ALL.len() <= 32, "each meaning has a bit of its own");

impl Meanings {
    /// Adds one.
    pub(crate) fn add(&mut self, meaning: Meaning) {
        self.0 |= 1 << (meaning as u32);
    }

    /// Tells whether one is in it.
    pub(crate) fn has(self, meaning: Meaning) -> bool {
        self.0 & 1 << (meaning as u32) != 0
    }

    /// Adds all of another set.
    pub(crate) fn join(&mut self, other: Meanings) {
        self.0 |= other.0;
    }

    /// Tells whether any is in both.
    pub(crate) fn meets(self, other: Meanings) -> bool {
        self.0 & other.0 != 0
    }

    /// Number of meanings in both.
    pub(crate) fn shared(self, other: Meanings) -> u32 {
        (self.0 & other.0).count_ones()
    }
}

impl FromIterator<Meaning> for Meanings {
    fn from_iter<I: IntoIterator<Item = Meaning>>(all: I) -> Self {
        let mut set = Self::default();
        all.into_iter().for_each(|meaning| set.add(meaning));
        set
    }
}

/// Part of a field in an entry: of a decision its reason, of a concern its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Its statement; the whole of an entry that is plain text.
    What,
    /// Its id.
    Id,
    /// Why it is so.
    Why,
    /// Its place, as `file:line`.
    Where,
    /// Its weight: high, medium, low.
    Weight,
    /// Its remedy.
    Remedy,
    /// Consequence if it does not hold.
    Impact,
    /// Its sort.
    Sort,
    /// Further notes.
    Note,
}

impl Part {
    /// All parts with their words in dialect files.
    pub const ALL: [(&'static str, Part); 9] = [
        ("what", Part::What),
        ("id", Part::Id),
        ("why", Part::Why),
        ("where", Part::Where),
        ("weight", Part::Weight),
        ("remedy", Part::Remedy),
        ("impact", Part::Impact),
        ("sort", Part::Sort),
        ("note", Part::Note),
    ];

    /// Reads the word of a dialect file.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(name, _)| *name == word).map(|(_, part)| part)
    }
}
