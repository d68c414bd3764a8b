//! What is kept of branches for as long as they may be done again: what they were given, and what people answered in them.
//!
//! Only the outermost join keeps answers: in a branch a failed join ends the branch, and one whose expression could not be
//! evaluated asks anew when its branches are done again.
//!
//! Cannot: keep what is said at a gate, or leave that is given for one deed. Those count once.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Carried, Contents, Doing, State};
use crate::{AskId, Choice, Digest, LaneId, Outcome, Reason, StepId, bounds};

/// Branches that were joined, while they may be done again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Before {
    /// Contents that they were given.
    pub given: Carried,
    /// Answers of people in them.
    pub answers: Vec<Answer>,
}

/// Answer of a person in a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The question.
    pub ask: AskId,
    /// Place of the question.
    pub place: Place,
    pub choice: Choice,
    pub by: String,
    pub content: Option<Digest>,
}

/// Place of a question, with what was asked: the same is not asked twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The branch, by its number in each join from the outermost inwards.
    branch: Vec<u16>,
    pub step: StepId,
    reason: Reason,
    asked: Digest,
}

impl State {
    /// Place of a question in the branches of the outermost join, if its answer may be kept.
    pub(crate) fn place(&self, id: LaneId, reason: Reason) -> Option<(LaneId, Place)> {
        if !is_kept(reason) {
            return None;
        }
        let lane = self.lane(id)?;
        let (asked, step) = (lane.content()?, lane.step);
        let (outer, branch) = self.branch(id)?;
        Some((outer, Place { branch, step, reason, asked }))
    }

    /// The outermost join around a lane, and the branch of it that the lane is.
    fn branch(&self, id: LaneId) -> Option<(LaneId, Vec<u16>)> {
        let (mut branch, mut outer) = (Vec::new(), self.lane(id)?);
        while let Some(parent) = outer.parent.and_then(|parent| self.lane(parent)) {
            let Doing::Join(joining) = &parent.doing else { return None };
            branch.push(u16::try_from(outer.id.0.checked_sub(joining.first.0)?).ok()?);
            outer = parent;
        }
        branch.reverse();
        (!branch.is_empty()).then_some((outer.id, branch))
    }

    /// Earlier answer to the same question, from before the branches were done again.
    pub(crate) fn kept_answer(&self, id: LaneId, reason: Reason) -> Option<&Answer> {
        let (outer, place) = self.place(id, reason)?;
        let Doing::Join(joining) = &self.lane(outer)?.doing else { return None };
        joining.kept.iter().find(|answer| answer.place == place)
    }

    /// What people answered to whoever worked where this lane is, before its branches were done again: what was asked, and
    /// what was said.
    pub fn answered_before(&self, id: LaneId) -> Vec<(Digest, Digest)> {
        let Some((outer, branch)) = self.branch(id) else { return Vec::new() };
        let (Some(lane), Some(outer)) = (self.lane(id), self.lane(outer)) else { return Vec::new() };
        let Doing::Join(joining) = &outer.doing else { return Vec::new() };
        let here = |answer: &&Answer| answer.place.step == lane.step && answer.place.branch == branch;
        let said = joining.kept.iter().filter(here);
        said.filter_map(|answer| Some((answer.place.asked, answer.content?))).collect()
    }

    /// Keeps an answer that is given now; one that it repeats is used up.
    pub(crate) fn keep_answer(&mut self, outer: LaneId, answer: Answer, repeats: Option<AskId>) {
        let Some(Doing::Join(joining)) = self.lane_mut(outer).map(|lane| &mut lane.doing) else { return };
        joining.kept.retain(|kept| Some(kept.ask) != repeats);
        joining.answers.push(answer);
        trim(&mut joining.answers);
    }

    /// Joins the branches of a lane, and keeps what is needed to do them again.
    pub(crate) fn join(&mut self, id: LaneId, outcome: Outcome, passed: bool) {
        let Some(lane) = self.lane_mut(id) else { return };
        lane.course.has_own = true;
        let joined = Contents::Joined(lane.ended().to_vec());
        let after = Carried { from: None, contents: joined, signature: None, outcome, passed };
        let given = core::mem::replace(&mut lane.carried, after);
        if let Doing::Join(joining) = core::mem::replace(&mut lane.doing, Doing::Between) {
            let mut answers = joining.answers;
            // What was not asked this time may be asked the next.
            answers.extend(joining.kept);
            trim(&mut answers);
            lane.before = Some(Box::new(Before { given, answers }));
        }
    }
}

/// True if the answer to this is about nothing but what was asked.
fn is_kept(reason: Reason) -> bool {
    matches!(reason, Reason::Clarify | Reason::EscalationAsked | Reason::PlanEscalates | Reason::NoSender)
}

/// Digests of the answers and of their questions.
pub(crate) fn contents(answers: &[Answer]) -> impl Iterator<Item = Digest> {
    answers.iter().flat_map(|answer| answer.content.into_iter().chain([answer.place.asked]))
}

fn trim(answers: &mut Vec<Answer>) {
    let over = answers.len().saturating_sub(bounds::ANSWERS_KEPT_MAX);
    answers.drain(..over);
}
