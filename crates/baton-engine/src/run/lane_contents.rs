//! What a run carries: its texts by what names them, what lies before and behind joins, and what each text is about.
//!
//! The kernel names one content per lane, and none behind a join: what the branches ended with is known here. What an answer
//! or a question is about is remembered before it takes that one's place. A branch that was ended from outside, and not by
//! an answer of its own, ends with what Baton says of it, and never with what it was given.
//!
//! Invariant: all of it follows from the events, and from what is recorded of Baton's own handoffs, so that a replay carries
//! the same.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use baton_kernel::{
    AgentId, AskId, Choice, Digest, Doing, Event, Frame, Key, Lane, LaneId, Reason, Role, State, StepId,
    Target, Verdict,
};
use baton_ledger::digest;

use crate::run::plan_mapping::Moved;

/// How far it is looked back for what a text is about.
const BEHIND_MAX: usize = 8;
/// How far it is looked back for what all of that is about.
const ROOT_MAX: usize = 64;

/// A text that a run carries.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) bytes: Arc<[u8]>,
    /// The dialect that it is known to be in; what was replayed is looked at again.
    pub(crate) dialect: Option<Arc<str>>,
}

/// What a text is to what lies behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// It asks about it.
    Question,
    /// It answers to it.
    Answer,
    /// It says what is wrong with it.
    Review,
    /// It is what was made of it before.
    Earlier,
    /// It says why nothing more came of it.
    Stopped,
}

/// What a text is about.
#[derive(Clone, Debug)]
struct Behind {
    word: Word,
    about: Vec<Digest>,
}

/// A text that is about others, with those.
pub(crate) struct Remark {
    pub(crate) word: Word,
    /// What names it.
    pub(crate) content: Digest,
    /// Nothing, if it was erased.
    pub(crate) text: Option<Text>,
    /// Those of them that are about nothing but themselves.
    pub(crate) about: Vec<Text>,
}

/// Why and where a branch was ended without an answer that says so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CutOff {
    pub(crate) step: StepId,
    pub(crate) reason: Reason,
    /// Whether anybody had answered in the branch.
    has_own: bool,
}

impl CutOff {
    /// What is said of it, as the step is called.
    fn text(self, step: &str) -> String {
        let why = self.reason.text();
        if self.has_own {
            format!("Written by Baton: nothing follows the step {step} in its branch, because {why}.")
        } else {
            format!("Written by Baton: the step {step} has no handoff, because {why}.")
        }
    }
}

/// What names the handoff that Baton writes for a delivery which was given up. Its text comes later, with its record.
fn made_for(key: Key) -> Digest {
    digest(format!("baton/handoff-made/{key}").as_bytes())
}

/// Whether this ends a branch from outside: what its agents answered says nothing of it.
fn is_from_outside(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::VisitsExhausted
            | Reason::HandoffsExhausted
            | Reason::PairExhausted
            | Reason::TimeExhausted
            | Reason::TokensExhausted
            | Reason::NestingExhausted
            | Reason::LanesExhausted
            | Reason::PingPong
            | Reason::GateRejected
            | Reason::JoinFailed
            | Reason::JoinBlocked
    )
}

/// Where work goes from which it comes back.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Away {
    /// To an agent that does a part of it.
    Delegated(AgentId),
    /// To a side step.
    Detour(StepId),
}

/// Work that is left for something else, and gone on with when that comes back.
#[derive(Clone, Debug)]
pub(crate) struct Left {
    pub(crate) to: Away,
    /// What was said last: what is delegated, or why a detour is taken.
    pub(crate) asked: Digest,
    /// What is worked on.
    pub(crate) worked: Vec<Digest>,
}

/// What an answer came out of.
#[derive(Clone, Debug)]
struct Worked {
    role: Role,
    given: Vec<Digest>,
    /// What was worked on: what was given, or, where something came back, what had been left for it.
    on: Vec<Digest>,
}

/// What a run carries.
#[derive(Default)]
pub(crate) struct Carried {
    texts: BTreeMap<Digest, Text>,
    /// What a lane carries where no content names it: what branches ended with, while they end and behind their join.
    joined: BTreeMap<LaneId, Vec<Digest>>,
    /// What the branches of each lane were given, while they may be done again.
    given: BTreeMap<LaneId, Vec<Digest>>,
    /// What each answer of a person, and each question with its answer, is about, by the lane in which it was given: the
    /// same words may be said about different things.
    behind: BTreeMap<(LaneId, Digest), Behind>,
    /// What each answer that a lane carries came out of, and what it was for.
    worked: BTreeMap<(LaneId, Digest), Worked>,
    /// What was left in each lane and is not gone on with yet, the outermost first.
    left: BTreeMap<LaneId, Vec<Left>>,
    /// What was left for what came back, by its lane; a side step may end with a join.
    returned: BTreeMap<(LaneId, Option<Digest>), Left>,
    /// The step at which each answer that is carried was given, and who gave it.
    given_at: BTreeMap<Digest, (StepId, AgentId)>,
    /// The lanes in which somebody has answered, or branches have.
    has_own: BTreeSet<LaneId>,
    /// The delivery of each lane that was given up, while nothing else has come of it.
    lost: BTreeMap<LaneId, Key>,
    /// Why each lane was sent to its join or its end.
    ending: BTreeMap<LaneId, Reason>,
    /// What stands in the place of branches that gave nothing, and why those ended where no agent was at work.
    stand_ins: BTreeMap<Digest, Option<CutOff>>,
}

impl Carried {
    /// Takes in a text.
    pub(crate) fn put(&mut self, content: Digest, text: Text) {
        self.texts.insert(content, text);
    }

    /// Takes in the handoff that Baton wrote for a delivery which was given up.
    pub(crate) fn put_made(&mut self, key: Key, bytes: Arc<[u8]>) {
        self.put(made_for(key), Text { bytes, dialect: None });
    }

    /// Whether a text is Baton's own word for a branch that gave nothing.
    pub(crate) fn is_stand_in(&self, content: Digest) -> bool {
        self.stand_ins.contains_key(&content)
    }

    /// Why and where the branch ended for which a text stands, if no handoff was written for it.
    pub(crate) fn cut_off(&self, content: Digest) -> Option<CutOff> {
        self.stand_ins.get(&content).copied().flatten()
    }

    /// The text that a digest names, if the run still carries it.
    pub(crate) fn text(&self, content: Digest) -> Option<Text> {
        self.texts.get(&content).cloned()
    }

    /// What a lane carries behind a join: what its branches ended with.
    pub(crate) fn joined(&self, lane: LaneId) -> &[Digest] {
        self.joined.get(&lane).map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn texts_of(&self, contents: &[Digest]) -> Vec<Text> {
        contents.iter().filter_map(|content| self.text(*content)).collect()
    }

    /// What a text says about others in a lane, the nearest first; most are about nothing but themselves.
    pub(crate) fn remarks(&self, state: &State, lane: LaneId, content: Digest) -> Vec<Remark> {
        let mut remarks: Vec<Remark> = Vec::new();
        let mut next = VecDeque::from([content]);
        for _ in 0..ROOT_MAX {
            let Some(content) = next.pop_front() else { break };
            let Some(behind) = self.behind(state, lane, content) else { continue };
            let is_remark = |about: &Digest| self.behind(state, lane, *about).is_some();
            let (further, about): (Vec<_>, Vec<_>) = behind.about.iter().copied().partition(is_remark);
            let about = self.texts_of(&about);
            let remarks_full = remarks.len() >= BEHIND_MAX;
            match remarks.last_mut().filter(|_| remarks_full) {
                // What was said long ago is left out, but not what it was about.
                Some(last) => last.about.extend(about),
                None => {
                    let text = self.text(content);
                    remarks.push(Remark { word: behind.word, content, text, about });
                }
            }
            next.extend(further);
        }
        remarks
    }

    /// What a text is about; a branch has its first one from the lane that it is a branch of.
    fn behind(&self, state: &State, lane: LaneId, content: Digest) -> Option<&Behind> {
        let mut lanes = std::iter::successors(Some(lane), |&lane| state.lane(lane)?.parent);
        lanes.find_map(|lane| self.behind.get(&(lane, content)))
    }

    /// The step at which an answer was given.
    pub(crate) fn given_at(&self, content: Digest) -> Option<StepId> {
        self.given_at.get(&content).map(|(step, _)| *step)
    }

    /// Who gave an answer.
    pub(crate) fn given_by(&self, content: Digest) -> Option<AgentId> {
        self.given_at.get(&content).map(|(_, agent)| *agent)
    }

    /// What was left in a lane for this, which came back.
    pub(crate) fn returned(&self, lane: LaneId, content: Option<Digest>) -> Option<&Left> {
        self.returned.get(&(lane, content))
    }

    /// What an event changes, while the state is still the one before it.
    pub(crate) fn hear(&mut self, state: &State, event: &Event) {
        if let Event::PlanChanged { plan, .. } = event {
            self.change(Moved { old: state.plan(), new: plan });
        } else if let Event::BranchEnded { lane, verdict, .. } = event {
            self.branch_ended(state, *lane, *verdict);
        } else if let Event::Forked { lane, first, branches } = event {
            self.fork(state, *lane, *first, *branches);
        } else if let Event::DeadLettered { key, reason } = event {
            // What waits for a permission goes on.
            if *reason != Reason::PermissionAsked {
                self.lost.insert(key.lane, *key);
            }
        } else if let Event::DeliveryStarted { key, .. } = event {
            self.lost.remove(&key.lane);
        } else if let Event::Joined { lane, .. } = event {
            self.has_own.insert(*lane);
        } else if let Event::Routed { lane, winner, reason, .. } = event {
            self.leave(state, *lane, *winner);
            self.ending.insert(*lane, *reason);
            match winner {
                // Branches that are done again get what they were given.
                Target::Again => {
                    let given = self.given.get(lane).cloned();
                    self.joined.extend(given.map(|given| (*lane, given)));
                }
                Target::Person => {}
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
                    self.given.remove(lane);
                }
            }
        } else if let Event::PersonAnswered { ask, content, choice, .. } = event {
            self.answered(state, *ask, *choice, *content);
        } else if let Event::Questioned { key, content, .. } = event {
            let about = state.lane(key.lane).map(|lane| self.of(lane));
            self.put_behind(state, (key.lane, *content), Word::Question, about.unwrap_or_default());
        } else if let Event::Answered { key, facts, .. } = event
            && let Some(delivery) = state.delivery(*key)
            && let Some(lane) = state.lane(key.lane)
        {
            self.given_at.insert(facts.content, (lane.step, delivery.to));
            if delivery.role != Role::Question {
                self.has_own.insert(key.lane);
            }
            let given = self.of(lane);
            // What repeats what was asked before is still about the same; what else has the same words is not.
            if !given.iter().any(|given| self.leads_to(state, key.lane, *given, facts.content)) {
                self.behind.remove(&(key.lane, facts.content));
            }
            // Whoever leaves its work once more still works on the same.
            let left = self.returned.remove(&(key.lane, lane.content()));
            let on = left.map_or_else(|| given.clone(), |left| left.worked);
            self.worked.insert((key.lane, facts.content), Worked { role: delivery.role, given, on });
            if delivery.role == Role::Question {
                self.put_behind(state, (key.lane, facts.content), Word::Answer, self.of(lane));
            }
        }
    }

    /// The run goes on with another plan, in which steps and agents have other numbers.
    fn change(&mut self, moved: Moved<'_>) {
        for (step, agent) in self.given_at.values_mut() {
            (*step, *agent) = (moved.step(*step), moved.agent(*agent));
        }
        for left in self.left.values_mut().flatten().chain(self.returned.values_mut()) {
            left.to = match left.to {
                Away::Delegated(to) => Away::Delegated(moved.agent(to)),
                Away::Detour(to) => Away::Detour(moved.step(to)),
            };
        }
        for cut_off in self.stand_ins.values_mut().flatten() {
            cut_off.step = moved.step(cut_off.step);
        }
    }

    /// A branch ends: what it ended with is carried behind its join, with what was said about it.
    fn branch_ended(&mut self, state: &State, id: LaneId, verdict: Verdict) {
        let Some(branch) = state.lane(id) else { return };
        let Some(parent) = branch.parent else { return };
        let ended = self.stand_in(state, branch, verdict).map_or_else(|| self.of(branch), |own| vec![own]);
        self.joined.entry(parent).or_default().extend(ended);
        let own = |(of, _): &(LaneId, Digest), _: &mut Behind| *of == id;
        let own: Vec<_> = self.behind.extract_if(.., own).collect();
        self.behind.extend(own.into_iter().map(|((_, content), behind)| ((parent, content), behind)));
    }

    /// What stands in the place of a branch that ended otherwise than by an answer of its own.
    fn stand_in(&mut self, state: &State, branch: &Lane, verdict: Verdict) -> Option<Digest> {
        if let Some(key) = self.lost.remove(&branch.id) {
            let content = made_for(key);
            self.stand_ins.insert(content, None);
            return Some(content);
        }
        let reason = self.ending.get(&branch.id).copied();
        let reason = reason.filter(|reason| verdict == Verdict::Blocked && is_from_outside(*reason))?;
        let cut_off = CutOff { step: branch.step, reason, has_own: self.has_own.contains(&branch.id) };
        let step = state.plan().step(branch.step).map_or("", |step| &step.name);
        let text = cut_off.text(step);
        let content = digest(text.as_bytes());
        self.put(content, Text { bytes: text.as_bytes().into(), dialect: None });
        self.stand_ins.insert(content, Some(cut_off));
        if cut_off.has_own {
            self.put_behind(state, (branch.id, content), Word::Stopped, self.of(branch));
        }
        Some(content)
    }

    /// Remembers what is left for a delegation or a detour, and what came back of it.
    fn leave(&mut self, state: &State, id: LaneId, winner: Target) {
        let Some(lane) = state.lane(id) else { return };
        let is_away = |frame: &&Frame| matches!(frame, Frame::Delegation { .. } | Frame::Detour { .. });
        let depth = lane.frames.iter().filter(is_away).count();
        let left = self.left.entry(id).or_default();
        // A person may have sent the lane elsewhere.
        left.truncate(depth);
        let is_loop = |frame: &&Frame| matches!(frame, Frame::Loop(_));
        let inner = lane.frames.iter().rev().find(|frame| !is_loop(frame));
        let to = match winner {
            Target::Delegate(to) => Away::Delegated(to),
            Target::Detour(kind) => {
                let detours = state.plan().step(lane.step).map(|step| step.detours.as_slice());
                let Some(detour) = detours.and_then(|all| all.get(usize::from(kind))) else { return };
                Away::Detour(detour.to)
            }
            Target::Back => {
                if inner.as_ref().is_some_and(is_away)
                    && let Some(left) = left.pop()
                {
                    self.returned.insert((id, lane.content()), left);
                }
                return;
            }
            Target::Step(_)
            | Target::Author
            | Target::Critic
            | Target::Sender(_)
            | Target::Again
            | Target::Person
            | Target::Join
            | Target::End
            | Target::Halt => return,
        };
        let Some(asked) = lane.content() else { return };
        let worked = self.worked.get(&(id, asked)).map(|worked| worked.on.clone()).unwrap_or_default();
        left.push(Left { to, asked, worked });
    }

    /// A person answers: what they say is about what the lane carries, and if the step is done again, that is about what
    /// it came out of.
    fn answered(&mut self, state: &State, ask: AskId, choice: Choice, content: Option<Digest>) {
        let is_asked = |lane: &&Lane| matches!(&lane.doing, Doing::Person(open) if open.ask == ask);
        let Some(lane) = state.lanes().iter().find(is_asked) else { return };
        // Who lets it go on without an answer has decided on what there is.
        self.lost.remove(&lane.id);
        let again = self.given.get(&lane.id).filter(|_| choice == Choice::Again).cloned();
        if again.is_none() && choice == Choice::Again {
            let reason = if let Doing::Person(open) = &lane.doing { Some(open.reason) } else { None };
            self.redo(state, lane, matches!(reason, Some(Reason::Clarify | Reason::EscalationAsked)));
        }
        let about = again.unwrap_or_else(|| self.of(lane));
        if let Some(content) = content {
            self.put_behind(state, (lane.id, content), Word::Answer, about);
        }
    }

    /// A step is done again whose answer the lane carries; that may have asked something.
    fn redo(&mut self, state: &State, lane: &Lane, is_question: bool) {
        let Some(own) = lane.content().filter(|_| lane.dead.is_none()) else { return };
        if self.given_at(own) != Some(lane.step) || self.behind.contains_key(&(lane.id, own)) {
            return;
        }
        let Some(Worked { role, given, .. }) = self.worked.get(&(lane.id, own)).cloned() else { return };
        let word = match role {
            Role::Review => Word::Review,
            Role::Work | Role::Delegated | Role::Question if is_question => Word::Question,
            Role::Work | Role::Delegated | Role::Question => Word::Earlier,
        };
        self.put_behind(state, (lane.id, own), word, given);
    }

    /// Whether a text is about another one, however far behind it.
    fn leads_to(&self, state: &State, lane: LaneId, from: Digest, to: Digest) -> bool {
        let mut seen = vec![from];
        let mut next = 0;
        while let Some(&content) = seen.get(next) {
            let about = self.behind(state, lane, content).map(|behind| behind.about.as_slice());
            for about in about.unwrap_or_default() {
                if !seen.contains(about) {
                    seen.push(*about);
                }
            }
            next += 1;
        }
        seen.contains(&to)
    }

    /// What a lane carries.
    fn of(&self, lane: &Lane) -> Vec<Digest> {
        match lane.content() {
            Some(content) => vec![content],
            None => self.joined.get(&lane.id).cloned().unwrap_or_default(),
        }
    }

    fn fork(&mut self, state: &State, id: LaneId, first: LaneId, branches: u16) {
        let Some(lane) = state.lane(id) else { return };
        let given = self.of(lane);
        self.joined.remove(&id);
        if lane.content().is_none() {
            let branches = (first.0..).take(usize::from(branches)).map(LaneId);
            self.joined.extend(branches.map(|branch| (branch, given.clone())));
        }
        self.given.insert(id, given);
    }

    fn put_behind(&mut self, state: &State, content: (LaneId, Digest), word: Word, mut about: Vec<Digest>) {
        // What is said once more in the same words stays about what it was about first: nothing is about itself.
        about.retain(|about| !self.leads_to(state, content.0, *about, content.1));
        if !about.is_empty() {
            self.behind.insert(content, Behind { word, about });
        }
    }

    /// Lets go of what nothing refers to any more.
    pub(crate) fn forget(&mut self, state: &State) {
        // What lies behind a join is carried until the lane has something of its own again, or is gone.
        self.joined.retain(|lane, _| {
            state.lane(*lane).is_some_and(|lane| lane.content().is_none() || lane.is_joining())
        });
        self.given.retain(|lane, _| state.lane(*lane).is_some());
        self.has_own.retain(|lane| state.lane(*lane).is_some());
        self.lost.retain(|lane, _| state.lane(*lane).is_some());
        self.ending.retain(|lane, _| state.lane(*lane).is_some());
        let held: Vec<Digest> = self.joined.values().chain(self.given.values()).flatten().copied().collect();
        let is_carried = |content: &Digest| state.carries(*content) || held.contains(content);
        self.worked.retain(|(lane, content), _| {
            state.lane(*lane).is_some_and(|lane| lane.content() == Some(*content))
        });
        let mut kept: Vec<Digest> = self.texts.keys().copied().filter(is_carried).collect();
        kept.extend(self.worked.values().flat_map(|worked| worked.given.iter().chain(&worked.on)));
        self.left.retain(|lane, left| state.lane(*lane).is_some() && !left.is_empty());
        self.returned.retain(|(lane, content), _| {
            state.lane(*lane).is_some_and(|lane| match content {
                Some(content) => kept.contains(content),
                None => lane.content().is_none(),
            })
        });
        for left in self.left.values().flatten().chain(self.returned.values()) {
            kept.push(left.asked);
            kept.extend(&left.worked);
        }
        let mut next = 0;
        while let Some(&content) = kept.get(next) {
            let about = self.behind.iter().filter(|((_, of), _)| *of == content);
            let about = about.flat_map(|(_, behind)| &behind.about);
            for before in about {
                if !kept.contains(before) {
                    kept.push(*before);
                }
            }
            next += 1;
        }
        self.behind.retain(|(lane, content), _| state.lane(*lane).is_some() && kept.contains(content));
        self.texts.retain(|content, _| kept.contains(content));
        self.given_at.retain(|content, _| kept.contains(content));
        // The handoff that Baton wrote comes behind the event that it stands for.
        self.stand_ins.retain(|content, _| kept.contains(content) || held.contains(content));
    }
}
