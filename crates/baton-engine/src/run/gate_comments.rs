//! What people say with their answers at gates, until somebody has worked with it: across forks and joins too.
//!
//! What is said before a fork is for the first who works in each branch, and for nobody behind the join; what is said in a
//! branch behind its last work goes along with what follows the join, and says where it was said.
//!
//! Invariant: all of it follows from the events and what came with them, so that a replay knows the same.

use std::collections::BTreeMap;

use baton_kernel::{Doing, Event, GateAnswer, Lane, LaneId, Role, State, Target};

use crate::run::lane_contents::Text;

/// How much that nobody has worked with yet is kept of a lane, the latest.
const KEPT_MAX: usize = 16;

/// Where something was said, as seen from the lane that it goes along with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// In the lane itself.
    Here,
    /// Before the fork that the lane is a branch of.
    BeforeFork,
    /// In a branch that has ended in the lane.
    Branch,
}

/// Something that a person said with their answer at a gate.
#[derive(Clone, Debug)]
pub(crate) struct Spoken {
    pub(crate) answer: GateAnswer,
    text: Text,
    origin: Origin,
    /// The gate, and the step whose work it was about.
    gate: String,
    about: Option<String>,
}

impl Spoken {
    /// What was said, as a line for whoever works with it; `word` says what the answer was.
    pub(crate) fn line(&self, word: &str) -> String {
        let text = String::from_utf8_lossy(&self.text.bytes);
        let Self { gate, about, .. } = self;
        match (self.origin, about) {
            (Origin::Here | Origin::BeforeFork, _) => format!("{word}: {text}"),
            // Behind a join several handoffs lie side by side.
            (Origin::Branch, Some(about)) => {
                format!("{word} at the gate {gate}, about the step {about}: {text}")
            }
            (Origin::Branch, None) => format!("{word} at the gate {gate}: {text}"),
        }
    }
}

/// What people said at the gates of a run.
#[derive(Default)]
pub(crate) struct GateComments {
    by_lane: BTreeMap<LaneId, Vec<Spoken>>,
    /// What the branches of each lane were told, while they may be done again.
    forked: BTreeMap<LaneId, Vec<Spoken>>,
}

impl GateComments {
    /// A person says something at a gate, which is still open; `about` is the step whose work lies there.
    pub(crate) fn say(
        &mut self,
        state: &State,
        lane: &Lane,
        answer: GateAnswer,
        text: Text,
        about: Option<String>,
    ) {
        let gate = state.plan().step(lane.step).map(|step| step.name.clone()).unwrap_or_default();
        self.add(lane.id, [Spoken { answer, text, origin: Origin::Here, gate, about }]);
    }

    /// What goes along with a lane, the oldest first.
    pub(crate) fn of(&self, lane: LaneId) -> &[Spoken] {
        self.by_lane.get(&lane).map(Vec::as_slice).unwrap_or_default()
    }

    fn add(&mut self, lane: LaneId, spoken: impl IntoIterator<Item = Spoken>) {
        let all = self.by_lane.entry(lane).or_default();
        all.extend(spoken);
        all.drain(..all.len().saturating_sub(KEPT_MAX));
    }

    /// What an event changes, while the state is still the one before it.
    pub(crate) fn hear(&mut self, state: &State, event: &Event) {
        if let Event::Answered { key, .. } = event {
            // Whoever answers a question has not done what the rest was said for.
            let is_question = state.delivery(*key).is_some_and(|delivery| delivery.role == Role::Question);
            let all = self.by_lane.entry(key.lane).or_default();
            all.retain(|spoken| is_question && spoken.answer != GateAnswer::Question);
        } else if let Event::Forked { lane, first, branches } = event {
            let spoken = self.by_lane.remove(lane).or_else(|| self.forked.remove(lane)).unwrap_or_default();
            for branch in (first.0..).take(usize::from(*branches)).map(LaneId) {
                let spoken = spoken.iter().cloned();
                let spoken = spoken.map(|spoken| match spoken.origin {
                    Origin::Here | Origin::BeforeFork => Spoken { origin: Origin::BeforeFork, ..spoken },
                    Origin::Branch => spoken,
                });
                self.add(branch, spoken);
            }
            self.forked.insert(*lane, spoken);
        } else if let Event::BranchEnded { lane, .. } = event
            && let Some(parent) = state.lane(*lane).and_then(|branch| branch.parent)
        {
            let spoken = self.by_lane.remove(lane).unwrap_or_default();
            let own = spoken.into_iter().filter(|spoken| spoken.origin != Origin::BeforeFork);
            self.add(parent, own.map(|spoken| Spoken { origin: Origin::Branch, ..spoken }));
        } else if let Event::Routed { lane, winner, .. } = event {
            match winner {
                // A gate in a branch that is done again is answered again.
                Target::Again if self.forked.contains_key(lane) => {
                    self.by_lane.remove(lane);
                }
                Target::Again | Target::Person => {}
                Target::Step(_)
                | Target::Detour(_)
                | Target::Author
                | Target::Critic
                | Target::Delegate(_)
                | Target::Sender(_)
                | Target::Back
                | Target::Join
                | Target::End
                | Target::Halt => {
                    self.forked.remove(lane);
                }
            }
        }
    }

    /// Lets go of what was said in lanes that are over.
    pub(crate) fn forget(&mut self, state: &State) {
        self.by_lane.retain(|lane, spoken| !spoken.is_empty() && state.lane(*lane).is_some());
        self.forked.retain(|lane, _| state.lane(*lane).is_some());
    }
}

/// The lane in which a gate is open.
pub(crate) fn lane_at(state: &State, gate: baton_kernel::GateId) -> Option<&Lane> {
    let is_open = |lane: &&Lane| matches!(&lane.doing, Doing::Gate(open) if open.gate == gate);
    state.lanes().iter().find(is_open)
}
