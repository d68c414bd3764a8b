//! Contents of lanes: the one text that a lane carries, or what its branches ended with.
//!
//! A branch that its agent did not end carries what stands for it: never what the branch was given.
//!
//! Invariant: all of it follows from the events, so that a replay carries the same.

use alloc::vec::Vec;
use core::slice;

use super::{Doing, Lane, State};
use crate::{Digest, Key, LaneId, Plan, Reason, StepId, Verdict};

/// One thing that a lane carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Content {
    /// A text.
    Text(Digest),
    /// The handoff that stands for a delivery that was given up.
    Substitute(Key),
    /// The note that stands for a branch that was cut off.
    CutOff(CutOff),
}

/// A branch that ended without an answer that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CutOff {
    /// Its lane.
    pub lane: LaneId,
    /// The step that it was at.
    pub step: StepId,
    /// Reason of its last move.
    pub reason: Reason,
    /// True if an agent had answered in it.
    pub has_own: bool,
}

/// All that a lane carries. Most lanes carry one text, and none of those allocates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    One(Digest),
    /// What branches ended with, in the order in which they ended.
    Joined(Vec<Content>),
}

/// Course of a lane so far, which decides what its branch ends with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Course {
    /// Reason of its last move.
    pub routed: Option<Reason>,
    /// The delivery that was given up, while nothing else has come of it.
    pub lost: Option<Key>,
    /// True if an agent has answered in it, or branches were joined.
    pub has_own: bool,
}

impl From<Digest> for Content {
    fn from(text: Digest) -> Self {
        Self::Text(text)
    }
}

impl Content {
    /// The same content by the numbers of another plan; a step that it lacks gets a number that no plan has.
    #[must_use]
    pub fn in_plan(self, old: &Plan, new: &Plan) -> Self {
        match self {
            Self::CutOff(cut_off) => {
                let step = old.step(cut_off.step).and_then(|step| new.step_named(&step.name));
                Self::CutOff(CutOff { step: step.unwrap_or(StepId(u16::MAX)), ..cut_off })
            }
            Self::Text(_) | Self::Substitute(_) => self,
        }
    }
}

impl Contents {
    /// The text, where there is one and no branches were joined.
    pub(crate) fn one(&self) -> Option<Digest> {
        match self {
            Self::One(text) => Some(*text),
            Self::Joined(_) => None,
        }
    }

    fn has(&self, content: Content) -> bool {
        match self {
            Self::One(text) => Content::Text(*text) == content,
            Self::Joined(all) => all.contains(&content),
        }
    }

    fn to_vec(&self) -> Vec<Content> {
        match self {
            Self::One(text) => alloc::vec![Content::Text(*text)],
            Self::Joined(all) => all.clone(),
        }
    }

    /// The contents, to be moved to another plan.
    pub(crate) fn joined_mut(&mut self) -> slice::IterMut<'_, Content> {
        match self {
            Self::One(_) => [].iter_mut(),
            Self::Joined(all) => all.iter_mut(),
        }
    }
}

impl Lane {
    /// Digest of the one text that the lane carries; none behind a join.
    #[must_use]
    pub fn content(&self) -> Option<Digest> {
        self.carried.contents.one()
    }

    /// All that the lane carries: one text, or what its branches ended with.
    #[must_use]
    pub fn contents(&self) -> Vec<Content> {
        self.carried.contents.to_vec()
    }

    /// Contents that the branches of the lane ended with, while others still run and behind their join.
    #[must_use]
    pub fn ended(&self) -> &[Content] {
        match (&self.doing, &self.carried.contents) {
            (Doing::Join(joining), _) => &joining.ended,
            (_, Contents::Joined(all)) => all,
            (_, Contents::One(_)) => &[],
        }
    }

    /// Contents that the branches of the lane were given, if they were joined and may be done again.
    #[must_use]
    pub fn given_before(&self) -> Option<Vec<Content>> {
        self.before.as_ref().map(|before| before.given.contents.to_vec())
    }
}

impl State {
    /// Contents that a branch hands to its join if it ends now.
    #[must_use]
    pub fn ends_with(&self, branch: LaneId, verdict: Verdict) -> Vec<Content> {
        let Some(branch) = self.lane(branch) else { return Vec::new() };
        if let Some(key) = branch.course.lost {
            return alloc::vec![Content::Substitute(key)];
        }
        let reason = branch.course.routed.filter(|reason| verdict == Verdict::Blocked && reason.cuts_off());
        match reason {
            Some(reason) => {
                let has_own = branch.course.has_own;
                let cut_off = CutOff { lane: branch.id, step: branch.step, reason, has_own };
                alloc::vec![Content::CutOff(cut_off)]
            }
            None => branch.contents(),
        }
    }

    /// True if an open lane carries this, shows it at a gate, or keeps it for branches that may be done again.
    pub fn carries(&self, content: impl Into<Content>) -> bool {
        let content = content.into();
        let is_in = |answers: &[super::Answer]| {
            super::kept::contents(answers).any(|kept| Content::Text(kept) == content)
        };
        let does = |lane: &Lane| match &lane.doing {
            Doing::Gate(gate) => gate.shown.map(Content::Text) == Some(content),
            Doing::Join(joining) => {
                is_in(&joining.answers) || is_in(&joining.kept) || joining.ended.contains(&content)
            }
            Doing::Between | Doing::Delivery(_) | Doing::Wait { .. } | Doing::Person(_) => false,
        };
        let keeps = |lane: &Lane| {
            let before = lane.before.as_ref();
            before.is_some_and(|before| before.given.contents.has(content) || is_in(&before.answers))
        };
        self.lanes.iter().any(|lane| lane.carried.contents.has(content) || does(lane) || keeps(lane))
    }
}
