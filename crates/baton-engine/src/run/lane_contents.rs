//! Texts that a run carries, and what each of them is about.
//!
//! The kernel knows what each lane carries, behind joins too. What an answer or a question is about is remembered here before
//! it takes that one's place.
//!
//! Invariant: all of it follows from the events, and from what is recorded of Baton's own handoffs, so that a replay carries
//! the same.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

use baton_document::{Checker, Said, Scratch};

use baton_kernel::{
    AgentId, AskId, Choice, Content, CutOff, Digest, Doing, Event, Frame, Key, Lane, LaneId, Reason, Role,
    State, StepId, Target, Verdict,
};

use crate::records::reading;
use crate::run::plan_mapping::PlanMapping;

/// How far it is looked back for what a text is about.
const BEHIND_MAX: usize = 8;
/// How far it is looked back for what all of that is about.
const ROOT_MAX: usize = 64;

/// A text that a run carries, with what was read of it: each is parsed once.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) bytes: Arc<[u8]>,
    /// The dialect that it is known to be in; what was replayed is looked at again.
    pub(crate) dialect: Option<Arc<str>>,
    reading: Arc<OnceLock<Option<Arc<Said>>>>,
}

impl Text {
    /// A text that nothing has read yet.
    pub(crate) fn new(bytes: impl Into<Arc<[u8]>>, dialect: Option<Arc<str>>) -> Self {
        Self { bytes: bytes.into(), dialect, reading: Arc::default() }
    }

    /// The same text with what it says, where that was read already.
    pub(crate) fn with(self, said: Option<Arc<Said>>) -> Self {
        match said {
            Some(said) => Self { reading: Arc::new(OnceLock::from(Some(said))), ..self },
            None => self,
        }
    }

    /// What it says, if it is a handoff.
    pub(crate) fn said(&self, checker: &Checker, scratch: &mut Scratch) -> Option<Arc<Said>> {
        self.reading.get_or_init(|| reading::said(checker, scratch, &self.bytes).map(Arc::new)).clone()
    }
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
    about: Vec<Content>,
}

/// A text that is about others, with those.
pub(crate) struct Annotation {
    pub(crate) word: Word,
    /// What it is.
    pub(crate) content: Content,
    /// Nothing, if it was erased.
    pub(crate) text: Option<Text>,
    /// Those of them that are about nothing but themselves.
    pub(crate) about: Vec<Text>,
}

/// The note that stands for a branch that was cut off at this step.
fn note(cut_off: CutOff, step: &str) -> String {
    let why = cut_off.reason.text();
    if cut_off.has_own {
        format!("Written by Baton: nothing follows the step {step} in its branch, because {why}.")
    } else {
        format!("Written by Baton: the step {step} has no handoff, because {why}.")
    }
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
    pub(crate) worked: Vec<Content>,
}

/// What an answer came out of.
#[derive(Clone, Debug)]
struct Worked {
    role: Role,
    given: Vec<Content>,
    /// What was worked on: what was given, or, where something came back, what had been left for it.
    on: Vec<Content>,
}

/// Texts that a run carries, and what each is about.
#[derive(Default)]
pub(crate) struct LaneContents {
    texts: BTreeMap<Content, Text>,
    /// What each answer of a person, and each question with its answer, is about, by the lane in which it was given: the
    /// same words may be said about different things.
    behind: BTreeMap<(LaneId, Content), Behind>,
    /// What each answer that a lane carries came out of, and what it was for.
    worked: BTreeMap<(LaneId, Digest), Worked>,
    /// What was left in each lane and is not gone on with yet, the outermost first.
    left: BTreeMap<LaneId, Vec<Left>>,
    /// What was left for what came back, by its lane; a side step may end with a join.
    returned: BTreeMap<(LaneId, Option<Digest>), Left>,
    /// The step at which each answer that is carried was given, and who gave it.
    given_at: BTreeMap<Digest, (StepId, AgentId)>,
}

impl LaneContents {
    /// Takes in a text.
    pub(crate) fn put(&mut self, content: impl Into<Content>, text: Text) {
        self.texts.insert(content.into(), text);
    }

    /// Takes in the handoff that stands for a delivery that was given up.
    pub(crate) fn put_substitute(&mut self, key: Key, bytes: Arc<[u8]>) {
        self.put(Content::Substitute(key), Text::new(bytes, None));
    }

    /// The text of a content, if the run still carries it.
    pub(crate) fn text(&self, content: impl Into<Content>) -> Option<Text> {
        self.texts.get(&content.into()).cloned()
    }

    pub(crate) fn texts_of(&self, contents: &[Content]) -> Vec<Text> {
        contents.iter().filter_map(|content| self.text(*content)).collect()
    }

    /// What a text says about others in a lane, the nearest first; most are about nothing but themselves.
    pub(crate) fn annotations(&self, state: &State, lane: LaneId, content: Content) -> Vec<Annotation> {
        let mut remarks: Vec<Annotation> = Vec::new();
        let mut next = VecDeque::from([content]);
        for _ in 0..ROOT_MAX {
            let Some(content) = next.pop_front() else { break };
            let Some(behind) = self.behind(state, lane, content) else { continue };
            let is_remark = |about: &Content| self.behind(state, lane, *about).is_some();
            let (further, about): (Vec<_>, Vec<_>) = behind.about.iter().copied().partition(is_remark);
            let about = self.texts_of(&about);
            let remarks_full = remarks.len() >= BEHIND_MAX;
            match remarks.last_mut().filter(|_| remarks_full) {
                // What was said long ago is left out, but not what it was about.
                Some(last) => last.about.extend(about),
                None => {
                    let text = self.text(content);
                    remarks.push(Annotation { word: behind.word, content, text, about });
                }
            }
            next.extend(further);
        }
        remarks
    }

    /// What a text is about; a branch has its first one from the lane that it is a branch of.
    fn behind(&self, state: &State, lane: LaneId, content: Content) -> Option<&Behind> {
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

    /// Takes in an event, while the state is still the one before it.
    pub(crate) fn hear(&mut self, state: &State, event: &Event) {
        if let Event::PlanChanged { plan, .. } = event {
            self.change(PlanMapping { old: state.plan(), new: plan });
        } else if let Event::BranchEnded { lane, verdict, .. } = event {
            self.branch_ended(state, *lane, *verdict);
        } else if let Event::Routed { lane, winner, .. } = event {
            self.leave(state, *lane, *winner);
        } else if let Event::PersonAnswered { ask, content, choice, .. } = event {
            self.person_answered(state, *ask, *choice, *content);
        } else if let Event::Questioned { key, content, .. } = event {
            let about = state.lane(key.lane).map(Lane::contents);
            self.put_behind(state, (key.lane, (*content).into()), Word::Question, about.unwrap_or_default());
        } else if let Event::Answered { key, facts, .. } = event {
            self.answered(state, *key, facts.content);
        }
    }

    /// An agent answers: its answer came out of what the lane carries.
    fn answered(&mut self, state: &State, key: Key, answer: Digest) {
        let Some(delivery) = state.delivery(key) else { return };
        let Some(lane) = state.lane(key.lane) else { return };
        self.given_at.insert(answer, (lane.step, delivery.to));
        let given = lane.contents();
        // What repeats what was asked before is still about the same; what else has the same words is not.
        if !given.iter().any(|given| self.leads_to(state, key.lane, *given, answer.into())) {
            self.behind.remove(&(key.lane, answer.into()));
        }
        // Whoever leaves its work once more still works on the same.
        let left = self.returned.remove(&(key.lane, lane.content()));
        let on = left.map_or_else(|| given.clone(), |left| left.worked);
        let role = delivery.role;
        self.worked.insert((key.lane, answer), Worked { role, given: given.clone(), on });
        if role == Role::Question {
            self.put_behind(state, (key.lane, answer.into()), Word::Answer, given);
        }
    }

    /// The run goes on with another plan, in which steps and agents have other numbers.
    fn change(&mut self, moved: PlanMapping<'_>) {
        for (step, agent) in self.given_at.values_mut() {
            (*step, *agent) = (moved.step(*step), moved.agent(*agent));
        }
        let to = |content: Content| content.in_plan(moved.old, moved.new);
        let all_to = |contents: &mut Vec<Content>| contents.iter_mut().for_each(|one| *one = to(*one));
        for left in self.left.values_mut().flatten().chain(self.returned.values_mut()) {
            left.to = match left.to {
                Away::Delegated(to) => Away::Delegated(moved.agent(to)),
                Away::Detour(to) => Away::Detour(moved.step(to)),
            };
            all_to(&mut left.worked);
        }
        for worked in self.worked.values_mut() {
            all_to(&mut worked.given);
            all_to(&mut worked.on);
        }
        self.behind.values_mut().for_each(|behind| all_to(&mut behind.about));
        let behind = std::mem::take(&mut self.behind).into_iter();
        self.behind = behind.map(|((lane, content), behind)| ((lane, to(content)), behind)).collect();
        let texts = std::mem::take(&mut self.texts).into_iter();
        // With the files of the run its dialects may have changed: what was read counts no more.
        let unread = |text: Text| Text { reading: Arc::default(), ..text };
        self.texts = texts.map(|(content, text)| (to(content), unread(text))).collect();
    }

    /// A branch ends: what was said about it is said behind its join, and what was cut off is noted.
    fn branch_ended(&mut self, state: &State, id: LaneId, verdict: Verdict) {
        let Some(branch) = state.lane(id) else { return };
        let Some(parent) = branch.parent else { return };
        if let [content @ Content::CutOff(cut_off)] = state.ends_with(id, verdict)[..] {
            let step = state.plan().step(cut_off.step).map_or("", |step| &step.name);
            let bytes = note(cut_off, step).into_bytes();
            self.put(content, Text::new(bytes, None));
            if cut_off.has_own {
                self.put_behind(state, (id, content), Word::Stopped, branch.contents());
            }
        }
        let own = |(of, _): &(LaneId, Content), _: &mut Behind| *of == id;
        let own: Vec<_> = self.behind.extract_if(.., own).collect();
        self.behind.extend(own.into_iter().map(|((_, content), behind)| ((parent, content), behind)));
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
    fn person_answered(&mut self, state: &State, ask: AskId, choice: Choice, content: Option<Digest>) {
        let is_asked = |lane: &&Lane| matches!(&lane.doing, Doing::Person(open) if open.ask == ask);
        let Some(lane) = state.lanes().iter().find(is_asked) else { return };
        let again = lane.given_before().filter(|_| choice == Choice::Again);
        if again.is_none() && choice == Choice::Again {
            let reason = if let Doing::Person(open) = &lane.doing { Some(open.reason) } else { None };
            self.redo(state, lane, matches!(reason, Some(Reason::Clarify | Reason::EscalationAsked)));
        }
        let about = again.unwrap_or_else(|| lane.contents());
        if let Some(content) = content {
            self.put_behind(state, (lane.id, content.into()), Word::Answer, about);
        }
    }

    /// A step is done again whose answer the lane carries; that may have asked something.
    fn redo(&mut self, state: &State, lane: &Lane, is_question: bool) {
        let Some(own) = lane.content().filter(|_| lane.dead.is_none()) else { return };
        if self.given_at(own) != Some(lane.step) || self.behind.contains_key(&(lane.id, own.into())) {
            return;
        }
        let Some(Worked { role, given, .. }) = self.worked.get(&(lane.id, own)).cloned() else { return };
        let word = match role {
            Role::Review => Word::Review,
            Role::Work | Role::Delegated | Role::Question if is_question => Word::Question,
            Role::Work | Role::Delegated | Role::Question => Word::Earlier,
        };
        self.put_behind(state, (lane.id, own.into()), word, given);
    }

    /// Whether a text is about another one, however far behind it.
    fn leads_to(&self, state: &State, lane: LaneId, from: Content, to: Content) -> bool {
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

    fn put_behind(&mut self, state: &State, content: (LaneId, Content), word: Word, mut about: Vec<Content>) {
        // What is said once more in the same words stays about what it was about first: nothing is about itself.
        about.retain(|about| !self.leads_to(state, content.0, *about, content.1));
        if !about.is_empty() {
            self.behind.insert(content, Behind { word, about });
        }
    }

    /// Lets go of what nothing refers to any more.
    pub(crate) fn forget(&mut self, state: &State) {
        self.worked.retain(|(lane, content), _| {
            state.lane(*lane).is_some_and(|lane| lane.content() == Some(*content))
        });
        let carried = |content: &Content| state.carries(*content);
        let mut kept: Vec<Content> = self.texts.keys().copied().filter(carried).collect();
        kept.extend(self.worked.values().flat_map(|worked| worked.given.iter().chain(&worked.on)));
        self.left.retain(|lane, left| state.lane(*lane).is_some() && !left.is_empty());
        self.returned.retain(|(lane, content), _| {
            state.lane(*lane).is_some_and(|lane| match content {
                Some(content) => kept.contains(&(*content).into()),
                None => lane.content().is_none(),
            })
        });
        for left in self.left.values().flatten().chain(self.returned.values()) {
            kept.push(left.asked.into());
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
        self.given_at.retain(|content, _| kept.contains(&(*content).into()));
    }
}
