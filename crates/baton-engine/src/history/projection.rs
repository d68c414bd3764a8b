//! Projection of a run: its records, folded one by one into what people ask about. Who was given what, what was handed on,
//! and what became of it.
//!
//! It serves a whole run and a run that grows. The same records always give the same. Names are taken when something happens,
//! because a changed plan numbers its steps and agents anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use baton_kernel::{
    AgentId, AskId, Choice, Digest, Does, Doing, Event, Facts, Failure, GateAnswer, GateId, Held, Key,
    LaneId, Millis, Outcome, Plan, Reason, Role, Stage, State, StepId, Target, position,
};

use baton_ledger::Erasure;

use crate::history::receipts::Receipt;
use crate::records::checklist;
use crate::records::codec;
use crate::records::codec::content_of;
use crate::records::entry::{Entry, Pinned};
use crate::records::substitute::Made;
use crate::run::exposure::Enforced;
use crate::run::progress::{Progress, step_of};
use crate::run::summary::Summary;

/// What a person is called among agents.
pub(crate) const HUMAN: &str = "human";

/// A run, as far as its records were pushed.
#[derive(Default)]
pub struct Projection {
    /// As it stands.
    pub state: State,
    /// How far it has come.
    pub progress: Progress,
    /// What the agents were asked to do, in order.
    pub deliveries: Vec<Delivery>,
    /// What they handed on, in order.
    pub handoffs: Vec<Handoff>,
    /// The steps of the gates whose answers agents could have given.
    pub unenforced: Vec<String>,
    /// What the checks of each gate came to last.
    pub checks: BTreeMap<GateId, Vec<Held>>,
    /// The files that it pins now, where texts are kept.
    pub pinned: Vec<Pinned>,
    /// The texts that were erased, and when.
    pub erasures: Vec<(Millis, Erasure)>,
    /// The digest of every text that was recorded.
    pub(crate) recorded: Vec<Digest>,
    started: Option<Millis>,
    pub(crate) ended: Option<Millis>,
    /// The last record.
    seq: u64,
    /// The last record of which it is known what the file in it says.
    learned: u64,
    /// The texts by their digests, where they are kept.
    texts: Option<BTreeMap<Digest, Arc<[u8]>>>,
    by_key: BTreeMap<Key, usize>,
    /// The handoffs that each lane carries.
    carried: BTreeMap<LaneId, Vec<usize>>,
    /// The handoffs that the branches of each lane ended with.
    branches: BTreeMap<LaneId, Vec<usize>>,
    /// The handoffs that the branches of each lane were given, while they may be done again.
    given: BTreeMap<LaneId, Vec<usize>>,
    /// The deliveries that were given up, and for which no handoff was met yet.
    dead: BTreeMap<Key, GivenUp>,
    /// The last answer, while it is open where it went.
    latest: Option<usize>,
}

/// A delivery.
pub struct Delivery {
    /// Its key.
    pub key: Key,
    /// Its receiver.
    pub to: String,
    pub(crate) role: Role,
    pub(crate) step: String,
    /// When its first attempt began.
    pub(crate) started: Millis,
    /// When its last attempt began.
    pub(crate) sent: Millis,
    pub(crate) attempts: u16,
    /// The texts that were handed over.
    pub(crate) given: Vec<Arc<[u8]>>,
    /// The handoffs among them.
    pub(crate) handoffs: Vec<usize>,
    /// How many handoffs there were before it.
    pub(crate) before: usize,
    pub(crate) stage: Option<Stage>,
    pub(crate) session: Option<String>,
    pub(crate) draft: Option<Arc<[u8]>>,
    pub(crate) end: End,
    /// When its agent was let go of last; nothing while it works.
    pub(crate) closed: Option<Millis>,
    /// How it was received.
    pub receipt: Receipt,
    /// Its attempts that failed, in order.
    pub failures: Vec<FailedAttempt>,
}

/// An attempt that failed.
pub struct FailedAttempt {
    /// Which of its delivery.
    pub attempt: u16,
    /// When it failed.
    pub at: Millis,
    /// Why.
    pub failure: Failure,
    /// The last words of the agent, where texts are kept.
    pub words: Option<Arc<[u8]>>,
}

/// What became of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Its agent works.
    Out,
    /// Its attempt failed; another may follow.
    Failed,
    /// It was given up.
    Dead,
    /// It was no longer wanted.
    Stopped,
    /// The agent asked what was meant.
    Questioned,
    /// The agent answered.
    Answered,
}

/// A handoff: the answer to a delivery, or what Baton wrote because none came.
pub struct Handoff {
    /// The record that holds it.
    pub(crate) seq: u64,
    /// When it was recorded.
    pub at: Millis,
    /// The delivery that it answers.
    pub(crate) answers: usize,
    /// Its writer, or the agent that was to write it.
    pub from: String,
    /// What it says.
    pub facts: Facts,
    /// When its record was made.
    pub recorded: Millis,
    /// Digest of its text as it was recorded.
    pub payload: Option<Digest>,
    /// Its text, unless it was erased or texts are not kept.
    pub text: Option<Arc<[u8]>>,
    /// Why its agent was given up, where Baton wrote it because that agent gave none.
    pub(crate) given_up: Option<Reason>,
    /// Whether Baton wrote it, because its agent gave none.
    pub by_baton: bool,
    /// Where its run was when it was written.
    pub(crate) place: Place,
    /// Its receivers, in order.
    pub(crate) receivers: Vec<Receiver>,
    /// Where it went next.
    pub went: Went,
    /// The delivery with which it went to an agent next.
    pub(crate) next: Option<usize>,
}

impl Handoff {
    /// Whether it stands for a delivery that was given up.
    pub fn is_substitute(&self) -> bool {
        self.given_up.is_some()
    }

    /// The step at which it was written.
    pub fn step(&self) -> &str {
        &self.place.step
    }
}

/// Where a handoff went next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Went {
    /// Nothing is recorded of that yet.
    #[default]
    Nowhere,
    /// To a step: its name, what it does, and the names of the agents that do it.
    Step(String, Does, Vec<String>),
    /// To an agent.
    Agent(String),
    /// To a person.
    Person,
    /// To the join of its branch.
    Join,
    /// To the end of the run.
    End,
    /// To a halt of the run.
    Halt,
}

/// Where a run was, by the names of steps.
pub(crate) struct Place {
    pub(crate) step: String,
    pub(crate) completed: Vec<String>,
    pub(crate) remaining: Vec<String>,
}

/// A receiver of a handoff.
pub(crate) enum Receiver {
    /// An agent, by its delivery.
    Agent(usize),
    /// A person at a gate.
    Gate { gate: GateId, answer: Option<GateAnswer>, is_over: bool },
    /// A person who was asked how to go on.
    Person { ask: AskId, answer: Option<Choice> },
    /// A person who is no longer asked: the branch was closed in which they were.
    Withdrawn,
}

/// A delivery that was given up.
struct GivenUp {
    /// Where the run was.
    place: Place,
    reason: Reason,
    /// The people who were asked about it.
    receivers: Vec<Receiver>,
}

impl Projection {
    /// A projection that keeps texts too.
    pub fn with_texts() -> Self {
        Self { texts: Some(BTreeMap::new()), ..Self::default() }
    }

    /// The projection of a whole run with its texts; none where its history has no beginning.
    pub fn of(history: &[Entry]) -> Option<Self> {
        let mut projection = Self::with_texts();
        history.iter().for_each(|entry| projection.push(entry));
        projection.started.map(|_| projection)
    }

    /// Takes in the next record.
    pub fn push(&mut self, entry: &Entry) {
        self.learn(entry);
        let record = &entry.record;
        self.seq = record.seq;
        let payload = record.payload.as_ref();
        self.recorded.extend(payload.map(|payload| payload.digest));
        let text: Option<Arc<[u8]>> = match self.texts {
            Some(_) => payload.and_then(|payload| payload.bytes.as_deref()).map(Arc::from),
            None => None,
        };
        let Some(event) = &entry.event else { return self.own(entry, text) };
        if let (Some(texts), Some(text), Some(content)) = (&mut self.texts, &text, content_of(event)) {
            texts.insert(content, Arc::clone(text));
        }
        let place = self.before(event);
        self.progress.event(&mut self.state, event, record.at);
        self.after(entry, event, text, place);
    }

    /// Learns what a file says that is in a record. Records may be learned before they are pushed: a run's files stand behind
    /// its first events, which are told with what they say.
    pub fn learn(&mut self, entry: &Entry) {
        let record = &entry.record;
        if record.seq <= self.learned {
            return;
        }
        self.learned = record.seq;
        let is_change = matches!(entry.event, Some(Event::PlanChanged { .. }));
        let payload = record.payload.as_ref().and_then(|payload| payload.bytes.as_deref());
        self.progress.learn(is_change, (record.seq, &record.kind), &record.body, payload);
    }

    /// What lists say of it.
    pub fn summary(&self) -> Summary {
        Summary::of(&self.state, &self.progress, self.seq)
    }

    /// The plan that it goes by.
    pub(crate) fn plan(&self) -> &Plan {
        self.state.plan()
    }

    /// When it started.
    pub(crate) fn began(&self) -> Millis {
        self.started.unwrap_or(Millis(0))
    }

    /// Its name.
    pub(crate) fn run(&self) -> &str {
        self.state.run()
    }

    /// The delivery of a key.
    pub fn delivery(&self, key: Key) -> Option<&Delivery> {
        self.by_key.get(&key).and_then(|at| self.deliveries.get(*at))
    }

    /// How its deliveries were received, in order.
    pub fn receipts(&self) -> impl Iterator<Item = &Receipt> {
        self.deliveries.iter().map(|delivery| &delivery.receipt)
    }

    /// The delivery that a handoff answers.
    pub fn answered(&self, handoff: &Handoff) -> Option<&Delivery> {
        self.deliveries.get(handoff.answers)
    }

    /// The delivery with which a handoff went to an agent next.
    pub fn next_of(&self, handoff: &Handoff) -> Option<&Delivery> {
        self.deliveries.get(handoff.next?)
    }

    /// The deliveries on which agents work.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Delivery> {
        self.deliveries.iter().filter(|delivery| delivery.end == End::Out)
    }

    /// The name of the last receiver of a handoff: an agent, or a person.
    pub(crate) fn receiver(&self, handoff: &Handoff) -> Option<&str> {
        match handoff.receivers.last()? {
            Receiver::Agent(delivery) => self.deliveries.get(*delivery).map(|delivery| delivery.to.as_str()),
            Receiver::Gate { .. } | Receiver::Person { .. } | Receiver::Withdrawn => Some(HUMAN),
        }
    }

    /// Takes in what only the state before an event knows; gives where the run is at an answer.
    fn before(&mut self, event: &Event) -> Option<Place> {
        if let Event::Answered { key, .. } = event {
            self.latest = None;
            return Some(place(&self.state, step_of(&self.state, *key)));
        } else if let Event::DeadLettered { key, reason } = event {
            let place = place(&self.state, step_of(&self.state, *key));
            self.dead.insert(*key, GivenUp { place, reason: *reason, receivers: Vec::new() });
        } else if let Event::BranchEnded { lane, .. } = event
            && let Some(parent) = self.state.lane(*lane).and_then(|lane| lane.parent)
        {
            let ended = self.carried.remove(lane).unwrap_or_default();
            self.branches.entry(parent).or_default().extend(ended);
        } else if let Event::Routed { lane, winner, .. } = event {
            if let Some(handoff) = self.latest_of(*lane) {
                self.handoffs[handoff].went = went(&self.state, *lane, *winner);
            }
        } else if let Event::GateOpened { .. } | Event::RunEnded { .. } = event {
            self.latest = None;
        } else if let Event::PlanChanged { .. } = event {
            self.pinned.clear();
        }
        None
    }

    /// The last answer, if it was given in this lane and it is still open where it went.
    fn latest_of(&self, lane: LaneId) -> Option<usize> {
        let handoff = self.handoffs.get(self.latest?)?;
        self.latest.filter(|_| self.deliveries[handoff.answers].key.lane == lane)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other events change the state alone")]
    fn after(&mut self, entry: &Entry, event: &Event, text: Option<Arc<[u8]>>, place: Option<Place>) {
        let at = entry.record.at;
        match event {
            Event::RunStarted { at, .. } => self.started = Some(*at),
            Event::RunEnded { at, .. } => self.ended = Some(*at),
            Event::DeliveryStarted { key, attempt, .. } => self.sent(*key, *attempt, at),
            Event::SessionKnown { key, session, .. } => {
                self.on(*key, |delivery| delivery.session = Some(session.clone()));
            }
            Event::Acknowledged { key, stage, .. } => self.on(*key, |delivery| {
                delivery.stage = Some(*stage);
                match stage {
                    Stage::Received => delivery.receipt.received = Some(at),
                    Stage::Accepted => delivery.receipt.accepted = Some(at),
                    Stage::Started => delivery.receipt.started = Some(at),
                }
            }),
            Event::DraftTaken { key, .. } => self.on(*key, |delivery| delivery.draft = text),
            Event::Questioned { key, .. } => {
                let bytes = entry.record.payload.as_ref().and_then(|payload| payload.bytes.as_deref());
                let question = String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
                self.on(*key, |delivery| delivery.receipt.questioned = Some((at, question)));
                self.close(*key, End::Questioned, entry);
            }
            Event::AttemptFailed { key, attempt, at, failure } => {
                let failed =
                    FailedAttempt { attempt: *attempt, at: *at, failure: failure.clone(), words: text };
                self.on(*key, |delivery| delivery.failures.push(failed));
                self.close(*key, End::Failed, entry);
            }
            Event::DeadLettered { key, .. } => self.close(*key, End::Dead, entry),
            Event::DeliveryStopped { key } => self.close(*key, End::Stopped, entry),
            Event::Answered { key, at, facts, .. } => {
                self.close(*key, End::Answered, entry);
                if let Some(place) = place {
                    self.handed_on(*key, (entry, *at), facts, text, place);
                }
            }
            Event::Forked { lane, first, branches } => self.forked(*lane, *first, *branches),
            Event::Routed { lane, winner: Target::Again, .. } => {
                let given = self.given.get(lane).cloned();
                self.carried.extend(given.map(|given| (*lane, given)));
            }
            Event::Routed { lane, winner, .. } if *winner != Target::Person => {
                self.given.remove(lane);
            }
            Event::Joined { lane, .. } => {
                let ended = self.branches.remove(lane).unwrap_or_default();
                self.carried.insert(*lane, ended);
                self.withdraw();
            }
            Event::GateOpened { gate, lane, .. } => {
                self.received(*lane, || Receiver::Gate { gate: *gate, answer: None, is_over: false });
            }
            Event::GateAnswered { gate, answer, .. } => self.at_gate(*gate, Some(*answer)),
            Event::GateUnanswered { gate, .. } => self.at_gate(*gate, None),
            Event::GateChecked { gate, held, checks, .. } => {
                self.checks.insert(*gate, checks.clone());
                if *held {
                    self.at_gate(*gate, None);
                }
            }
            Event::PersonAsked { ask, lane, .. } => self.asked(*ask, *lane),
            Event::PersonAnswered { ask, choice, .. } => self.said(*ask, *choice),
            _ => {}
        }
    }

    fn handed_on(
        &mut self,
        key: Key,
        (entry, at): (&Entry, Millis),
        facts: &Facts,
        text: Option<Arc<[u8]>>,
        place: Place,
    ) {
        let Some(answers) = self.by_key.get(&key).copied() else { return };
        self.carried.insert(key.lane, vec![self.handoffs.len()]);
        self.latest = Some(self.handoffs.len());
        self.handoffs.push(Handoff {
            seq: entry.record.seq,
            at,
            answers,
            from: self.deliveries[answers].to.clone(),
            facts: facts.clone(),
            recorded: entry.record.at,
            payload: entry.record.payload.as_ref().map(|payload| payload.digest),
            text,
            given_up: None,
            by_baton: false,
            place,
            receivers: Vec::new(),
            went: Went::Nowhere,
            next: None,
        });
    }

    /// Takes in a record of the engine itself.
    fn own(&mut self, entry: &Entry, text: Option<Arc<[u8]>>) {
        let record = &entry.record;
        self.progress.own(&self.state, &record.kind, &record.body, record.at);
        match record.kind.as_str() {
            codec::MADE => self.substituted(entry, text),
            codec::PINNED => self.pinned.extend(text.and_then(|text| Pinned::of(&record.body, &text))),
            baton_ledger::ERASURE => {
                self.erasures.extend(Erasure::read(record).map(|erasure| (record.at, erasure)));
            }
            codec::RECEIVED => {
                if let Some(checklist) = checklist::read(record) {
                    self.on(checklist.key, |delivery| delivery.receipt.checklist = Some(checklist.clone()));
                }
            }
            codec::ENFORCED => {
                let answer = serde_json::from_slice::<Enforced>(&record.body).ok();
                self.unenforced.extend(answer.filter(|answer| !answer.enforced).map(|answer| answer.step));
            }
            _ => {}
        }
    }

    /// Takes in what stands for a delivery that was given up. It is no answer: what its lane carries stays as it was.
    fn substituted(&mut self, entry: &Entry, text: Option<Arc<[u8]>>) {
        let Some(made) = Made::read(&entry.record) else { return };
        let Some(answers) = self.by_key.get(&made.key).copied() else { return };
        let Some(GivenUp { place, reason, receivers }) = self.dead.remove(&made.key) else { return };
        let Some(content) = entry.record.payload.as_ref().map(|payload| payload.digest) else { return };
        let went = if self.state.ending().is_some() { Went::Halt } else { Went::Person };
        self.handoffs.push(Handoff {
            seq: entry.record.seq,
            at: entry.record.at,
            answers,
            from: self.deliveries[answers].to.clone(),
            facts: Facts::new(Outcome::Blocked, content),
            recorded: entry.record.at,
            payload: Some(content),
            text,
            given_up: Some(reason),
            by_baton: !made.is_error,
            place,
            receivers,
            went,
            next: None,
        });
    }

    /// Lets go of the agent of a delivery.
    fn close(&mut self, key: Key, end: End, entry: &Entry) {
        self.on(key, |delivery| {
            delivery.end = end;
            delivery.closed = delivery.closed.or(Some(entry.record.at));
        });
    }

    fn on(&mut self, key: Key, change: impl FnOnce(&mut Delivery)) {
        if let Some(delivery) = self.by_key.get(&key).and_then(|at| self.deliveries.get_mut(*at)) {
            change(delivery);
        }
    }

    fn sent(&mut self, key: Key, attempt: u16, at: Millis) {
        if self.by_key.contains_key(&key) {
            self.went_to(key);
            return self.on(key, |delivery| {
                delivery.sent = at;
                delivery.attempts = attempt;
                delivery.end = End::Out;
                delivery.closed = None;
            });
        }
        let Some(open) = self.state.delivery(key) else { return };
        let (to, role) = (agent(&self.state, open.to), open.role);
        let lane = self.state.lane(key.lane);
        let carried = self.carried.get(&key.lane).cloned().unwrap_or_default();
        let given = match lane.and_then(baton_kernel::Lane::content) {
            Some(content) => {
                self.texts.as_ref().and_then(|texts| texts.get(&content)).cloned().into_iter().collect()
            }
            None => carried.iter().filter_map(|handoff| self.handoffs[*handoff].text.clone()).collect(),
        };
        let receipt = Receipt {
            key,
            receiver: to.clone(),
            sent: at,
            received: None,
            accepted: None,
            started: None,
            questioned: None,
            checklist: None,
        };
        let delivery = Delivery {
            key,
            to,
            role,
            step: step_name(&self.state, step_of(&self.state, key)),
            started: at,
            sent: at,
            attempts: attempt,
            given,
            handoffs: carried,
            before: self.handoffs.len(),
            stage: None,
            session: None,
            draft: None,
            end: End::Out,
            closed: None,
            receipt,
            failures: Vec::new(),
        };
        let at = self.deliveries.len();
        self.by_key.insert(key, at);
        self.deliveries.push(delivery);
        self.went_to(key);
        // An agent that is asked what it meant does not receive the handoff again.
        if role != Role::Question {
            self.received(key.lane, || Receiver::Agent(at));
        }
    }

    /// The last answer went to the agent of a delivery.
    fn went_to(&mut self, key: Key) {
        let Some(at) = self.by_key.get(&key).copied() else { return };
        if let Some(handoff) = self.latest_of(key.lane) {
            self.handoffs[handoff].went = Went::Agent(self.deliveries[at].to.clone());
            self.handoffs[handoff].next = Some(at);
            self.latest = None;
        }
    }

    fn forked(&mut self, lane: LaneId, first: LaneId, branches: u16) {
        let carried = self.carried.get(&lane).cloned().unwrap_or_default();
        for branch in (first.0..).take(usize::from(branches)) {
            self.carried.insert(LaneId(branch), carried.clone());
        }
        self.branches.remove(&lane);
        self.given.insert(lane, carried);
    }

    /// What a lane carries was received.
    fn received(&mut self, lane: LaneId, by: impl Fn() -> Receiver) {
        for at in self.carried.get(&lane).into_iter().flatten() {
            if let Some(handoff) = self.handoffs.get_mut(*at) {
                handoff.receivers.push(by());
            }
        }
    }

    fn asked(&mut self, ask: AskId, lane: LaneId) {
        let asked = || Receiver::Person { ask, answer: None };
        self.received(lane, asked);
        let dead = self.dead.iter_mut().filter(|(key, _)| key.lane == lane);
        dead.for_each(|(_, dead)| dead.receivers.push(asked()));
    }

    fn said(&mut self, answered: AskId, choice: Choice) {
        for receiver in self.receivers_mut() {
            if let Receiver::Person { ask, answer } = receiver
                && *ask == answered
            {
                *answer = Some(choice);
            }
        }
    }

    fn receivers_mut(&mut self) -> impl Iterator<Item = &mut Receiver> {
        let dead = self.dead.values_mut().flat_map(|dead| &mut dead.receivers);
        self.handoffs.iter_mut().flat_map(|handoff| &mut handoff.receivers).chain(dead)
    }

    /// Branches were closed: what was asked in them is asked no more.
    fn withdraw(&mut self) {
        let doing: Vec<Doing> = self.state.lanes().iter().map(|lane| lane.doing.clone()).collect();
        for receiver in self.receivers_mut() {
            let is_asked = match receiver {
                Receiver::Gate { gate: asked, is_over: false, .. } => {
                    doing.iter().any(|doing| matches!(doing, Doing::Gate(open) if open.gate == *asked))
                }
                Receiver::Person { ask: asked, answer: None } => {
                    doing.iter().any(|doing| matches!(doing, Doing::Person(open) if open.ask == *asked))
                }
                Receiver::Agent(_)
                | Receiver::Gate { is_over: true, .. }
                | Receiver::Person { answer: Some(_), .. }
                | Receiver::Withdrawn => continue,
            };
            if !is_asked {
                *receiver = Receiver::Withdrawn;
            }
        }
    }

    fn at_gate(&mut self, closed: GateId, given: Option<GateAnswer>) {
        for receiver in self.handoffs.iter_mut().flat_map(|handoff| &mut handoff.receivers) {
            if let Receiver::Gate { gate, answer, is_over, .. } = receiver
                && *gate == closed
            {
                *answer = given;
                *is_over = true;
            }
        }
    }
}

fn agent(state: &State, id: AgentId) -> String {
    state.plan().agents.get(usize::from(id.0)).map_or_else(String::new, |agent| agent.name.clone())
}

fn step_name(state: &State, id: StepId) -> String {
    state.plan().step(id).map_or_else(String::new, |step| step.name.clone())
}

/// Where a lane goes, as far as the plan says.
fn went(state: &State, lane: LaneId, target: Target) -> Went {
    let to = |step: StepId| match state.plan().step(step) {
        Some(step) => {
            let agents = match &step.does {
                Does::Pass(pass) => vec![agent(state, pass.agent)],
                Does::Microloop(both) => vec![agent(state, both.author), agent(state, both.critic)],
                Does::Gate(_) | Does::Parallel(_) | Does::Wait(_) | Does::Escalate | Does::End(_) => {
                    Vec::new()
                }
            };
            Went::Step(step.name.clone(), step.does.clone(), agents)
        }
        None => Went::Nowhere,
    };
    match target {
        Target::Step(step) => to(step),
        Target::Delegate(id) | Target::Sender(id) => Went::Agent(agent(state, id)),
        Target::Person => Went::Person,
        Target::Join => Went::Join,
        Target::End => Went::End,
        Target::Halt => Went::Halt,
        Target::Detour(_) | Target::Author | Target::Critic | Target::Back | Target::Again => {
            state.lane(lane).map_or(Went::Nowhere, |lane| to(lane.step))
        }
    }
}

/// Where a run is, seen from one of its steps: what others are at remains.
fn place(state: &State, at: StepId) -> Place {
    let position = position(state);
    let name = |step: StepId| step_name(state, step);
    let mut remaining: Vec<StepId> = position.current.into_iter().chain(position.remaining).collect();
    remaining.retain(|step| *step != at);
    remaining.sort_unstable();
    let completed = position.completed.into_iter().filter(|step| *step != at);
    Place {
        step: name(at),
        completed: completed.map(name).collect(),
        remaining: remaining.into_iter().map(name).collect(),
    }
}
