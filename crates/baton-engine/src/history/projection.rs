//! A run's history, told as what people ask about: who was given what, what they handed on, and what became of it.
//!
//! Pure: the same history always tells the same. Names are taken when something happens, because a changed plan numbers
//! its steps and agents anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use baton_kernel::{
    Choice, Digest, Doing, Event, Facts, GateAnswer, GateId, Key, LaneId, Millis, Outcome, Plan, Reason,
    Role, Stage, State, StepId, Target, evolve, position,
};

use crate::records::codec::content_of;
use crate::records::entry::Entry;
use crate::records::substitute::Made;

/// A run, told.
pub(crate) struct Told {
    pub(crate) run: String,
    /// As it stands.
    pub(crate) state: State,
    pub(crate) started: Millis,
    pub(crate) ended: Option<Millis>,
    /// What the agents were asked to do, in order.
    pub(crate) deliveries: Vec<Sent>,
    /// What they handed on, in order.
    pub(crate) handoffs: Vec<Handed>,
    /// What every text is called that was recorded.
    pub(crate) recorded: Vec<Digest>,
}

/// A delivery.
pub(crate) struct Sent {
    pub(crate) key: Key,
    pub(crate) to: String,
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
pub(crate) struct Handed {
    /// The record that holds it.
    pub(crate) seq: u64,
    pub(crate) at: Millis,
    /// The delivery that it answers.
    pub(crate) answers: usize,
    pub(crate) from: String,
    pub(crate) facts: Facts,
    /// Its text, unless it was erased.
    pub(crate) text: Option<Arc<[u8]>>,
    /// Why its agent was given up, where Baton wrote it because that agent gave none.
    pub(crate) given_up: Option<Reason>,
    /// Whether Baton wrote it, because its agent gave none.
    pub(crate) by_baton: bool,
    /// Where its run was when it was written.
    pub(crate) place: Place,
    /// Who got it, in order.
    pub(crate) receivers: Vec<Receiver>,
}

/// Where a run was, by the names of steps.
pub(crate) struct Place {
    pub(crate) step: String,
    pub(crate) completed: Vec<String>,
    pub(crate) remaining: Vec<String>,
}

/// Who got a handoff.
pub(crate) enum Receiver {
    /// An agent, by its delivery.
    Agent(usize),
    /// A person at a gate.
    Gate { gate: GateId, answer: Option<GateAnswer>, is_over: bool },
    /// A person who was asked how to go on.
    Person { ask: baton_kernel::AskId, answer: Option<Choice> },
    /// A person who is no longer asked: the branch was closed in which they were.
    Withdrawn,
}

impl Told {
    /// Tells a run; nothing where its history has no beginning.
    pub(crate) fn of(history: &[Entry]) -> Option<Self> {
        let mut teller = Teller::default();
        for entry in history {
            let payload = entry.record.payload.as_ref();
            teller.recorded.extend(payload.map(|payload| payload.digest));
            let text: Option<Arc<[u8]>> = payload.and_then(|payload| payload.bytes.as_deref()).map(Arc::from);
            let Some(event) = &entry.event else {
                teller.made(entry, text);
                continue;
            };
            if let (Some(text), Some(content)) = (&text, content_of(event)) {
                teller.texts.insert(content, Arc::clone(text));
            }
            teller.before(event);
            evolve(&mut teller.state, event);
            teller.after(entry, event, text);
        }
        Some(Self {
            run: teller.state.run().to_owned(),
            started: teller.started?,
            ended: teller.ended,
            deliveries: teller.deliveries,
            handoffs: teller.handoffs,
            recorded: teller.recorded,
            state: teller.state,
        })
    }

    pub(crate) fn plan(&self) -> &Plan {
        self.state.plan()
    }

    /// The delivery that a handoff answers.
    pub(crate) fn answered(&self, handed: &Handed) -> Option<&Sent> {
        self.deliveries.get(handed.answers)
    }

    /// The delivery that an agent works on, if it works.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Sent> {
        self.deliveries.iter().filter(|sent| sent.end == End::Out)
    }

    /// The name of whoever got a handoff last: an agent, or a person.
    pub(crate) fn receiver(&self, handed: &Handed) -> Option<&str> {
        match handed.receivers.last()? {
            Receiver::Agent(delivery) => self.deliveries.get(*delivery).map(|sent| sent.to.as_str()),
            Receiver::Gate { .. } | Receiver::Person { .. } | Receiver::Withdrawn => Some(HUMAN),
        }
    }
}

/// What a person is called among agents.
pub(crate) const HUMAN: &str = "human";

/// What is known while the history is read.
#[derive(Default)]
struct Teller {
    state: State,
    started: Option<Millis>,
    ended: Option<Millis>,
    deliveries: Vec<Sent>,
    handoffs: Vec<Handed>,
    recorded: Vec<Digest>,
    texts: BTreeMap<Digest, Arc<[u8]>>,
    by_key: BTreeMap<Key, usize>,
    /// The handoffs that each lane carries.
    carried: BTreeMap<LaneId, Vec<usize>>,
    /// The handoffs that the branches of each lane ended with.
    branches: BTreeMap<LaneId, Vec<usize>>,
    /// The handoffs that the branches of each lane were given, while they may be done again.
    given: BTreeMap<LaneId, Vec<usize>>,
    /// Where the run is, before the event that is looked at.
    place: Option<Place>,
    /// The deliveries that were given up, and for which no handoff was met yet.
    dead: BTreeMap<Key, Dead>,
}

/// A delivery that was given up.
struct Dead {
    /// Where the run was.
    place: Place,
    reason: Reason,
    /// Who was asked about it.
    receivers: Vec<Receiver>,
}

impl Teller {
    /// What only the state before an event knows.
    fn before(&mut self, event: &Event) {
        if let Event::Answered { key, .. } = event {
            let step = self.state.lane(key.lane).map_or(key.step, |lane| lane.step);
            self.place = Some(place(&self.state, step));
        } else if let Event::DeadLettered { key, reason } = event {
            let step = self.state.lane(key.lane).map_or(key.step, |lane| lane.step);
            let dead = Dead { place: place(&self.state, step), reason: *reason, receivers: Vec::new() };
            self.dead.insert(*key, dead);
        } else if let Event::BranchEnded { lane, .. } = event
            && let Some(parent) = self.state.lane(*lane).and_then(|lane| lane.parent)
        {
            let ended = self.carried.remove(lane).unwrap_or_default();
            self.branches.entry(parent).or_default().extend(ended);
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what is told is a choice; other events tell nothing here"
    )]
    fn after(&mut self, entry: &Entry, event: &Event, text: Option<Arc<[u8]>>) {
        match event {
            Event::RunStarted { at, .. } => self.started = Some(*at),
            Event::RunEnded { at, .. } => self.ended = Some(*at),
            Event::DeliveryStarted { key, attempt, .. } => self.sent(*key, *attempt, entry.record.at),
            Event::SessionKnown { key, session, .. } => {
                self.on(*key, |sent| sent.session = Some(session.clone()));
            }
            Event::Acknowledged { key, stage, .. } => self.on(*key, |sent| sent.stage = Some(*stage)),
            Event::DraftTaken { key, .. } => self.on(*key, |sent| sent.draft = text),
            Event::Questioned { key, .. } => self.close(*key, End::Questioned, entry),
            Event::AttemptFailed { key, .. } => self.close(*key, End::Failed, entry),
            Event::DeadLettered { key, .. } => self.close(*key, End::Dead, entry),
            Event::DeliveryStopped { key } => self.close(*key, End::Stopped, entry),
            Event::Answered { key, at, facts, .. } => {
                self.close(*key, End::Answered, entry);
                let Some(answers) = self.by_key.get(key).copied() else { return };
                let Some(place) = self.place.take() else { return };
                self.carried.insert(key.lane, vec![self.handoffs.len()]);
                self.handoffs.push(Handed {
                    seq: entry.record.seq,
                    at: *at,
                    answers,
                    from: self.deliveries[answers].to.clone(),
                    facts: facts.clone(),
                    text,
                    given_up: None,
                    by_baton: false,
                    place,
                    receivers: Vec::new(),
                });
            }
            Event::Forked { lane, first, branches } => {
                let carried = self.carried.get(lane).cloned().unwrap_or_default();
                for branch in (first.0..).take(usize::from(*branches)) {
                    self.carried.insert(LaneId(branch), carried.clone());
                }
                self.branches.remove(lane);
                self.given.insert(*lane, carried);
            }
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
            Event::GateUnanswered { gate, .. } | Event::GateChecked { gate, held: true, .. } => {
                self.at_gate(*gate, None);
            }
            Event::PersonAsked { ask, lane, .. } => {
                let asked = || Receiver::Person { ask: *ask, answer: None };
                self.received(*lane, asked);
                let dead = self.dead.iter_mut().filter(|(key, _)| key.lane == *lane);
                dead.for_each(|(_, dead)| dead.receivers.push(asked()));
            }
            Event::PersonAnswered { ask: answered, choice, .. } => {
                let dead = self.dead.values_mut().flat_map(|dead| &mut dead.receivers);
                let handed = self.handoffs.iter_mut().flat_map(|handed| &mut handed.receivers);
                for receiver in handed.chain(dead) {
                    if let Receiver::Person { ask, answer } = receiver
                        && ask == answered
                    {
                        *answer = Some(*choice);
                    }
                }
            }
            _ => {}
        }
    }

    /// What Baton wrote for a delivery that was given up. It is no answer: what its lane carries stays as it was.
    fn made(&mut self, entry: &Entry, text: Option<Arc<[u8]>>) {
        let Some(made) = Made::read(&entry.record) else { return };
        let Some(answers) = self.by_key.get(&made.key).copied() else { return };
        let Some(Dead { place, reason, receivers }) = self.dead.remove(&made.key) else { return };
        let Some(content) = entry.record.payload.as_ref().map(|payload| payload.digest) else { return };
        self.handoffs.push(Handed {
            seq: entry.record.seq,
            at: entry.record.at,
            answers,
            from: self.deliveries[answers].to.clone(),
            facts: Facts::new(Outcome::Blocked, content),
            text,
            given_up: Some(reason),
            by_baton: !made.is_error,
            place,
            receivers,
        });
    }

    /// The agent of a delivery was let go of.
    fn close(&mut self, key: Key, end: End, entry: &Entry) {
        self.on(key, |sent| {
            sent.end = end;
            sent.closed = sent.closed.or(Some(entry.record.at));
        });
    }

    fn on(&mut self, key: Key, change: impl FnOnce(&mut Sent)) {
        if let Some(sent) = self.by_key.get(&key).and_then(|at| self.deliveries.get_mut(*at)) {
            change(sent);
        }
    }

    fn sent(&mut self, key: Key, attempt: u16, at: Millis) {
        if self.by_key.contains_key(&key) {
            return self.on(key, |sent| {
                sent.sent = at;
                sent.attempts = attempt;
                sent.end = End::Out;
                sent.closed = None;
            });
        }
        let Some(delivery) = self.state.delivery(key) else { return };
        let plan = self.state.plan();
        let name = |agent: baton_kernel::AgentId| {
            plan.agents.get(usize::from(agent.0)).map_or_else(String::new, |agent| agent.name.clone())
        };
        let lane = self.state.lane(key.lane);
        let step = lane.map_or(key.step, |lane| lane.step);
        let carried = self.carried.get(&key.lane).cloned().unwrap_or_default();
        let given = match lane.and_then(baton_kernel::Lane::content) {
            Some(content) => self.texts.get(&content).cloned().into_iter().collect(),
            None => carried.iter().filter_map(|handed| self.handoffs[*handed].text.clone()).collect(),
        };
        let made = Sent {
            key,
            to: name(delivery.to),
            role: delivery.role,
            step: plan.step(step).map_or_else(String::new, |step| step.name.clone()),
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
        };
        let at = self.deliveries.len();
        self.by_key.insert(key, at);
        // Who is asked what was meant does not receive the handoff again.
        if made.role != Role::Question {
            self.received(key.lane, || Receiver::Agent(at));
        }
        self.deliveries.push(made);
    }

    /// What a lane carries was received.
    fn received(&mut self, lane: LaneId, by: impl Fn() -> Receiver) {
        for at in self.carried.get(&lane).into_iter().flatten() {
            if let Some(handed) = self.handoffs.get_mut(*at) {
                handed.receivers.push(by());
            }
        }
    }

    /// Branches were closed: what was asked in them is asked no more.
    fn withdraw(&mut self) {
        let is_open = |is: &dyn Fn(&Doing) -> bool| self.state.lanes().iter().any(|lane| is(&lane.doing));
        let dead = self.dead.values_mut().flat_map(|dead| &mut dead.receivers);
        for receiver in self.handoffs.iter_mut().flat_map(|handed| &mut handed.receivers).chain(dead) {
            let is_asked = match receiver {
                Receiver::Gate { gate: asked, is_over: false, .. } => {
                    is_open(&|doing| matches!(doing, Doing::Gate(open) if open.gate == *asked))
                }
                Receiver::Person { ask: asked, answer: None } => {
                    is_open(&|doing| matches!(doing, Doing::Person(open) if open.ask == *asked))
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
        for receiver in self.handoffs.iter_mut().flat_map(|handed| &mut handed.receivers) {
            if let Receiver::Gate { gate, answer, is_over, .. } = receiver
                && *gate == closed
            {
                *answer = given;
                *is_over = true;
            }
        }
    }
}

/// Where a run is, seen from one of its steps: what others are at remains.
fn place(state: &State, at: StepId) -> Place {
    let position = position(state);
    let name = |step: StepId| state.plan().step(step).map_or_else(String::new, |step| step.name.clone());
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
