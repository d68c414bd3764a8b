//! One run in the hands of this process: its state, what it carries, and what was decided but not yet recorded.
//!
//! Invariant: between a decision and its append the state here is ahead of the ledger. Nothing happens in the world
//! meanwhile, and a run whose append fails is dropped, never used again.

pub mod awaited;
pub mod environment;
pub mod exposure;
pub(crate) mod flow_context;
pub(crate) mod gate_comments;
pub mod judge;
pub(crate) mod lane_contents;
pub mod permissions;
mod plan_mapping;
pub mod progress;
pub mod summary;
pub mod unknown;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use baton_courier::Wants;
use baton_kernel::{
    AgentId, By, Command, Content as Carried, Digest, Event, FailureKind, Fence, GateId, Key, Lane, LaneId,
    Millis, OwedDelivery, Pending, Plan, Reason, Refusal, Role, State, What, decide, pending,
};
use baton_ledger::{Append, Appended, Lease, Ledger, Limit, NewEvent, NewHead, ReadFrom, Record, digest};

use crate::error::Error;
use crate::evidence::Before;
use crate::project::agents::Setup;
use crate::project::people::People;
use crate::records::checklist;
use crate::records::checklist::Checklist;
use crate::records::codec::content_of;
use crate::records::content::Content;
use crate::records::entry::Pinned;
use crate::records::substitute::{GivenUp, Made};
use crate::records::{codec, mailbox};
use crate::run::environment::Environment;
use crate::run::exposure::Exposure;
use crate::run::flow_context::Notes;
use crate::run::gate_comments::{GateComments, Spoken, lane_at};
use crate::run::lane_contents::{Annotation, LaneContents, Left, Text};
use crate::run::permissions::Permissions;
use crate::run::plan_mapping::PlanMapping;
use crate::run::progress::Progress;
use crate::run::summary::Summary;
use crate::sandbox::Place;
use serde::{Deserialize, Serialize};

/// A run to be started.
pub struct NewRun {
    /// Its name, new in the ledger.
    pub run: String,
    /// The flow, compiled.
    pub plan: Plan,
    /// The files that it pins, each with its path.
    pub files: Vec<(String, Vec<u8>)>,
    /// Which of them is its flow, by its path.
    pub flow: Option<String>,
    /// Whose answers count at its gates.
    pub people: People,
    /// What it is given.
    pub input: Vec<u8>,
}

impl NewRun {
    /// A run of a plan that pins nothing.
    pub fn new(run: impl Into<String>, plan: Plan, input: impl Into<Vec<u8>>) -> Self {
        let (files, flow, people) = (Vec::new(), None, People::default());
        Self { run: run.into(), plan, files, flow, people, input: input.into() }
    }
}

/// What a run goes on with, where its files have changed. Whose answers count at its gates stays as it was.
pub struct Change {
    /// The flow, compiled.
    pub plan: Plan,
    /// The files that it pins from now on, each with its path.
    pub files: Vec<(String, Vec<u8>)>,
    /// Which of them is its flow, by its path.
    pub flow: String,
    /// The person who goes on with them.
    pub by: String,
}

/// What is wrong with an answer, as it is recorded.
#[derive(Serialize, Deserialize)]
struct Rejected {
    key: Key,
    findings: Vec<String>,
}

/// The bytes of a pinned file that is kept at hand.
const PIN_BYTES_MAX: usize = 64 * 1024;

/// How many records one read asks for.
const PAGE: Limit = Limit(1_000);

/// One run.
pub(crate) struct Run {
    pub(crate) state: State,
    /// How far it has come, for its summary.
    progress: Progress,
    pub(crate) lease: Lease,
    /// What it goes by beside its plan.
    pub(crate) environment: Arc<Environment>,
    /// What the run owes, as of the last decision.
    pub(crate) owed: Pending,
    /// The texts that it carries.
    carried: LaneContents,
    /// What its flow says beside the plan.
    pub(crate) notes: Option<Notes>,
    /// What people said with their answers at gates, until somebody has worked with it.
    remarks: GateComments,
    /// What was wrong with the last answer of a delivery.
    rejected: BTreeMap<Key, Vec<String>>,
    /// The error handoff that an agent gave in its last attempt.
    errors: BTreeMap<Key, Text>,
    /// What the checklist of its receiver found wanting in each delivery that is under way.
    received: BTreeMap<Key, Vec<String>>,
    /// What was put together for a delivery, and has not begun to go out.
    packed: BTreeMap<Key, Vec<u8>>,
    /// What agents asked for, and what people said.
    pub(crate) permissions: Permissions,
    /// What the files say that it pinned, its flow and large ones left out.
    pins: BTreeMap<String, String>,
    /// The paths of all files that it pinned.
    pinned: Vec<String>,
    /// When the work of each delivery that is under way began.
    began: BTreeMap<Key, Millis>,
    /// What stood in the project when the work of each delivery that is under way began, where that is verified.
    before: BTreeMap<Key, String>,
    /// The last answer of each agent, where the flow hands on what earlier ones added.
    answers: Vec<(AgentId, Text)>,
    /// Deliveries that were given up just now, and for which nothing stands in the record yet.
    given_up: Vec<GivenUp>,
    /// Which of its agents ran behind no wall.
    pub(crate) exposure: Exposure,
    /// Attempts that begin, and of whose wall nothing is noted yet.
    begun: Vec<(Key, u16, AgentId)>,
    /// Whose answers count at its gates.
    pub(crate) people: People,
    /// The wish of its mailbox that it took last.
    pub(crate) mail: u64,
    seq: u64,
    fresh: Vec<NewEvent>,
}

impl Run {
    /// A run of which nothing is recorded yet.
    pub(crate) fn new(lease: Lease) -> Self {
        Self {
            state: State::new(),
            progress: Progress::default(),
            lease,
            environment: Environment::none(),
            owed: Pending::default(),
            carried: LaneContents::default(),
            notes: None,
            remarks: GateComments::default(),
            rejected: BTreeMap::new(),
            errors: BTreeMap::new(),
            received: BTreeMap::new(),
            packed: BTreeMap::new(),
            permissions: Permissions::default(),
            pins: BTreeMap::new(),
            pinned: Vec::new(),
            began: BTreeMap::new(),
            before: BTreeMap::new(),
            answers: Vec::new(),
            given_up: Vec::new(),
            exposure: Exposure::default(),
            begun: Vec::new(),
            people: People::default(),
            mail: 0,
            seq: 0,
            fresh: Vec::new(),
        }
    }

    /// Replays a run from the ledger; gives it with the files that it has pinned.
    pub(crate) fn load(ledger: &dyn Ledger, lease: Lease, now: Millis) -> Result<(Self, Vec<Pinned>), Error> {
        let mut run = Self::new(lease);
        let mut files = Vec::new();
        let mut input = Vec::new();
        loop {
            let from = ReadFrom::Stream { stream: run.lease.stream.clone(), after: run.seq };
            let records = ledger.read(&from, PAGE)?;
            if records.is_empty() {
                break;
            }
            for record in records {
                run.seq = record.seq;
                let Some(event) = codec::decoded(&record)? else {
                    let bytes = record.payload.as_ref().and_then(|payload| payload.bytes.as_deref());
                    run.progressed((record.seq, &record.kind), &record.body, bytes, record.at);
                    run.own(&record, &input);
                    files.extend(Pinned::read(record));
                    continue;
                };
                if let Event::PlanChanged { .. } = &event {
                    files.clear();
                }
                if let (Event::RunStarted { .. }, Some(payload)) = (&event, &record.payload) {
                    input = payload.bytes.clone().unwrap_or_default();
                }
                if let Some(bytes) = record.payload.and_then(|payload| payload.bytes) {
                    let text = Text::new(bytes, None);
                    run.remark(&event, &text);
                    run.note_error(&event, &text);
                    if let Some(content) = content_of(&event) {
                        run.carried.put(content, text);
                    }
                }
                run.begin(&event, record.at);
                run.evolve(&event, record.at);
            }
            run.forget();
        }
        // What was given up and what began before has its record.
        run.given_up.clear();
        run.begun.clear();
        run.owed = pending(&run.state, now);
        Ok((run, files))
    }

    /// A run as it stands, for looking at it: nothing can be recorded with it.
    pub(crate) fn view(ledger: &dyn Ledger, name: &str, now: Millis) -> Result<Self, Error> {
        let (fence, until) = (baton_ledger::Fence(0), Millis(0));
        let lease = Lease { stream: name.to_owned(), holder: String::new(), fence, until };
        Ok(Self::load(ledger, lease, now)?.0)
    }

    /// Takes in a record of the engine itself.
    fn own(&mut self, record: &Record, input: &[u8]) {
        match record.kind.as_str() {
            codec::PINNED => {
                let (path, is_flow) = codec::pinned_file(&record.body).unwrap_or_default();
                let bytes = record.payload.as_ref().and_then(|payload| payload.bytes.as_deref());
                self.keep_path(&path);
                if let Some(flow) = bytes.filter(|_| is_flow) {
                    self.notes = Notes::read(flow, input);
                } else if let Some(bytes) = bytes {
                    self.keep_pin(&path, bytes);
                }
            }
            codec::REJECTED => {
                if let Ok(rejected) = serde_json::from_slice::<Rejected>(&record.body) {
                    self.rejected.insert(rejected.key, rejected.findings);
                }
            }
            codec::MADE => {
                let bytes = record.payload.as_ref().and_then(|payload| payload.bytes.as_deref());
                if let (Some(made), Some(bytes)) = (Made::read(record), bytes) {
                    self.carried.put_substitute(made.key, bytes.into());
                }
            }
            codec::BEFORE => {
                if let Ok(Before { key, tree }) = serde_json::from_slice(&record.body) {
                    self.before.insert(key, tree);
                }
            }
            codec::SANDBOXED => {
                if let Ok(sandboxed) = serde_json::from_slice(&record.body) {
                    self.exposure.note(&sandboxed);
                }
            }
            codec::BREACHED => {
                if let Ok(breach) = serde_json::from_slice(&record.body) {
                    self.exposure.breach(breach);
                }
            }
            codec::RECEIVED => {
                if let Some(checklist) = checklist::read(record) {
                    self.received.insert(checklist.key, checklist.lines());
                }
            }
            codec::WANTED | codec::PERMITTED => self.permissions.read(record),
            codec::PEOPLE => self.people = serde_json::from_slice(&record.body).unwrap_or_default(),
            codec::MAIL_TAKEN => {
                let taken = mailbox::read_taken(record).map_or(0, |taken| taken.mail);
                self.mail = self.mail.max(taken);
            }
            _ => {}
        }
    }

    /// Keeps what a file says that was pinned.
    pub(crate) fn keep_pin(&mut self, path: &str, bytes: &[u8]) {
        if let Some(text) = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= PIN_BYTES_MAX) {
            self.pins.insert(path.to_owned(), text.to_owned());
        }
    }

    /// Remembers the path of a file that was pinned.
    pub(crate) fn keep_path(&mut self, path: &str) {
        self.pinned.push(path.to_owned());
    }

    /// The paths of all files that it pinned.
    pub(crate) fn pinned(&self) -> &[String] {
        &self.pinned
    }

    /// What a file says that was pinned.
    pub(crate) fn pin(&self, path: &str) -> Option<&str> {
        self.pins.get(path).map(String::as_str)
    }

    /// Whether anything is recorded of it.
    pub(crate) fn has_begun(&self) -> bool {
        self.seq > 0
    }

    /// Decides on something; what follows from it waits to be recorded.
    pub(crate) fn hear(&mut self, what: What, content: Option<Content>, now: Millis) -> Result<(), Refusal> {
        let command = Command { fence: Fence(self.lease.fence.0), what };
        let events = decide(&self.state, &command, now)?;
        let mut payload = content.map(|content| {
            let text = Text::new(content.bytes.as_slice(), content.dialect).with(content.said);
            if let Some(first) = events.first() {
                self.remark(first, &text);
                self.note_error(first, &text);
            }
            self.carried.put(content.digest, text);
            content.bytes
        });
        for event in &events {
            self.begin(event, now);
            self.evolve(event, now);
            // What came in belongs to the first fact that it caused.
            self.fresh.push(codec::encoded(event, payload.take()));
        }
        self.owed = pending(&self.state, now);
        Ok(())
    }

    /// Remembers when the work of a delivery began.
    fn begin(&mut self, event: &Event, at: Millis) {
        if let Event::DeliveryStarted { key, attempt, to, .. } = event {
            self.began.entry(*key).or_insert(at);
            self.errors.remove(key);
            self.exposure.start(*to);
            self.begun.push((*key, *attempt, *to));
        }
    }

    /// When the work of a delivery that is under way began.
    pub(crate) fn began(&self, key: Key) -> Option<Millis> {
        self.began.get(&key).copied()
    }

    /// Notes what stands in the project as the work of a delivery begins.
    pub(crate) fn work_begins(&mut self, before: Before) {
        self.note(codec::noted(codec::BEFORE, &before));
        self.before.insert(before.key, before.tree);
    }

    /// What stood in the project when the work of a delivery that is under way began, if that was noted.
    pub(crate) fn before(&self, key: Key) -> Option<&str> {
        self.before.get(&key).map(String::as_str)
    }

    /// Goes on with other files and the plan that they make; what is to be recorded of that waits with the rest.
    pub(crate) fn change(&mut self, change: Change, now: Millis) -> Result<(), Refusal> {
        let Change { plan, files, flow, by } = change;
        let (plan, pins, by) = (Box::new(plan), pins(&files), By::Person(by));
        self.hear(What::ChangePlan { plan, pins, by }, None, now)?;
        for (path, bytes) in files {
            let is_flow = path == flow;
            if is_flow {
                let notes = self.notes.as_ref();
                self.notes = notes.map_or_else(|| Notes::read(&bytes, &[]), |notes| notes.changed(&bytes));
            } else {
                self.keep_pin(&path, &bytes);
            }
            self.keep_path(&path);
            self.note(codec::pinned(&path, is_flow, bytes));
        }
        Ok(())
    }

    /// Takes in a record of the engine itself, as far as lists speak of it.
    fn progressed(&mut self, (seq, kind): (u64, &str), body: &[u8], payload: Option<&[u8]>, at: Millis) {
        self.progress.learn(false, (seq, kind), body, payload);
        self.progress.own(&self.state, kind, body, at);
    }

    fn evolve(&mut self, event: &Event, at: Millis) {
        if let Event::PlanChanged { plan, .. } = event {
            let moved = PlanMapping { old: self.state.plan(), new: plan };
            for (agent, _) in &mut self.answers {
                *agent = moved.agent(*agent);
            }
            self.exposure.change(moved.old);
            // All that it pins from now on stands behind this.
            self.pins.clear();
            self.pinned.clear();
        }
        self.note_answer(event);
        self.remarks.hear(&self.state, event);
        self.note_given_up(event);
        self.carried.hear(&self.state, event);
        self.progress.event(&mut self.state, event, at);
    }

    /// The name of the step that a gate is open at.
    pub(crate) fn gate_step(&self, gate: GateId) -> String {
        let step = lane_at(&self.state, gate).and_then(|lane| self.state.plan().step(lane.step));
        step.map(|step| step.name.clone()).unwrap_or_default()
    }

    /// Remembers what a person said with their answer at a gate.
    fn remark(&mut self, event: &Event, text: &Text) {
        if let Event::GateAnswered { gate, answer, .. } = event
            && let Some(lane) = lane_at(&self.state, *gate)
        {
            let about = lane.content().and_then(|content| self.given_at(content)).map(str::to_owned);
            self.remarks.say(&self.state, lane, *answer, text.clone(), about);
        }
    }

    /// What people said with their answers at the gates before, for whoever works in a lane.
    pub(crate) fn gate_comments_of(&self, lane: LaneId) -> &[Spoken] {
        self.remarks.of(lane)
    }

    /// Remembers the handoff in which an agent says itself that it failed.
    fn note_error(&mut self, event: &Event, text: &Text) {
        if let Event::AttemptFailed { key, failure, .. } = event
            && failure.kind == FailureKind::Agent
        {
            self.errors.insert(*key, text.clone());
        }
    }

    /// Remembers a delivery that is given up, while it is known whose it was.
    fn note_given_up(&mut self, event: &Event) {
        let Event::DeadLettered { key, reason } = event else { return };
        // It waits for a person, and goes on.
        if *reason == Reason::PermissionAsked {
            return;
        }
        let Some(delivery) = self.state.delivery(*key) else { return };
        let plan = self.state.plan();
        let agent = plan.agents.get(usize::from(delivery.to.0)).map(|agent| agent.name.clone());
        let lane = self.state.lane(key.lane);
        let step = plan.step(lane.map_or(key.step, |lane| lane.step)).map(|step| step.name.clone());
        if let (Some(agent), Some(step)) = (agent, step) {
            let given = lane.and_then(Lane::content);
            self.given_up.push(GivenUp { key: *key, agent, step, reason: *reason, given });
        }
    }

    /// The error handoff that the agent of a delivery gave in its last attempt.
    pub(crate) fn error_of(&self, key: Key) -> Option<&Text> {
        self.errors.get(&key)
    }

    /// Keeps the handoff that stands for a delivery which was given up.
    pub(crate) fn keep_made(&mut self, made: &Made, text: Vec<u8>) {
        self.carried.put_substitute(made.key, text.as_slice().into());
        let mut noted = codec::noted(codec::MADE, made);
        noted.payload = Some(text);
        self.fresh.push(noted);
    }

    /// The deliveries that were given up since this was asked last.
    pub(crate) fn take_given_up(&mut self) -> Vec<GivenUp> {
        std::mem::take(&mut self.given_up)
    }

    /// An answer takes the place of what was wrong with the last one, and of what its agent said earlier.
    fn note_answer(&mut self, event: &Event) {
        let Event::Answered { key, facts, .. } = event else { return };
        let Some(delivery) = self.state.delivery(*key) else { return };
        self.rejected.remove(key);
        if delivery.role != Role::Question
            && self.notes.as_ref().is_some_and(Notes::gathers)
            && let Some(text) = self.carried.text(facts.content)
        {
            let to = delivery.to;
            self.answers.retain(|(agent, _)| *agent != to);
            self.answers.push((to, text));
        }
    }

    /// What a text says about others in a lane, the nearest first; most are about nothing but themselves.
    pub(crate) fn annotations(&self, lane: LaneId, content: impl Into<Carried>) -> Vec<Annotation> {
        self.carried.annotations(&self.state, lane, content.into())
    }

    /// The name of the step at which an answer was given.
    pub(crate) fn given_at(&self, content: Digest) -> Option<&str> {
        let step = self.state.plan().step(self.carried.given_at(content)?)?;
        Some(&step.name)
    }

    /// Who gave an answer.
    pub(crate) fn given_by(&self, content: Digest) -> Option<AgentId> {
        self.carried.given_by(content)
    }

    /// What was left in a lane for this, which came back.
    pub(crate) fn returned(&self, lane: LaneId, content: Option<Digest>) -> Option<&Left> {
        self.carried.returned(lane, content)
    }

    /// What the run still carries of these.
    pub(crate) fn texts(&self, contents: &[Carried]) -> Vec<Text> {
        self.carried.texts_of(contents)
    }

    /// Keeps what is wrong with an answer, for whoever is asked again and for people.
    ///
    /// It stands before what follows from it, which is all that waits behind `at`.
    pub(crate) fn reject(&mut self, key: Key, findings: Vec<String>, at: usize) {
        let noted = codec::noted(codec::REJECTED, &Rejected { key, findings: findings.clone() });
        self.note_before(at, noted);
        self.rejected.insert(key, findings);
    }

    /// Keeps what the checklist of a receiver found, and what was put together for it.
    pub(crate) fn receive(&mut self, checklist: &Checklist, handoff: Vec<u8>) {
        self.fresh.push(codec::noted(codec::RECEIVED, checklist));
        self.received.insert(checklist.key, checklist.lines());
        self.packed.insert(checklist.key, handoff);
    }

    /// Whether the checklist of its receiver was gone through for a delivery.
    pub(crate) fn is_received(&self, key: Key) -> bool {
        self.received.contains_key(&key)
    }

    /// What the checklist of its receiver found wanting in a delivery.
    pub(crate) fn wanting(&self, key: Key) -> &[String] {
        self.received.get(&key).map(Vec::as_slice).unwrap_or_default()
    }

    /// What was put together for the first attempt of a delivery, when its checklist was gone through.
    pub(crate) fn packed(&self, owed: &OwedDelivery) -> Option<&[u8]> {
        self.packed.get(&owed.key).filter(|_| owed.attempt == 1).map(Vec::as_slice)
    }

    /// Keeps what an agent asks for.
    pub(crate) fn ask_for(&mut self, key: Key, wants: &Wants) {
        let noted = self.permissions.ask(key, wants);
        self.fresh.push(noted);
    }

    /// How much waits to be recorded.
    pub(crate) fn unrecorded(&self) -> usize {
        self.fresh.len()
    }

    /// What was wrong with the last answer of a delivery.
    pub(crate) fn rejected(&self, key: Key) -> &[String] {
        self.rejected.get(&key).map(Vec::as_slice).unwrap_or_default()
    }

    /// The last answer of each agent, the oldest first, where the flow hands on what they added.
    pub(crate) fn answers(&self) -> impl Iterator<Item = &Text> {
        self.answers.iter().map(|(_, text)| text)
    }

    /// The deliveries of which an attempt begins now.
    pub(crate) fn begun(&self) -> Vec<Key> {
        self.begun.iter().map(|(key, ..)| *key).collect()
    }

    /// Notes behind which walls the agents run whose attempts begin now.
    pub(crate) fn note_walls(&mut self, root: &Path, unguarded: &[String], is_shared: bool) {
        for (key, attempt, to) in std::mem::take(&mut self.begun) {
            let agent = self.state.plan().agents.get(usize::from(to.0)).map(|agent| agent.name.clone());
            let noted = agent.and_then(|name| {
                let setup = self.environment.agents.get(&name)?;
                let mut gaps =
                    setup.runs.gaps(Place { root, worktree: None, pinned: &self.pinned, is_shared });
                if setup.worktree {
                    // It cannot write where it could put anything else there.
                    gaps.clear();
                } else if setup.runs.is_walled() {
                    gaps.extend(unguarded.iter().cloned());
                }
                exposure::sandboxed(setup, key, attempt, &name, gaps)
            });
            if let Some(noted) = noted {
                self.exposure.note(&noted);
                self.fresh.push(codec::noted(codec::SANDBOXED, &noted));
            }
        }
    }

    /// Adds a record of the engine itself.
    pub(crate) fn note(&mut self, event: NewEvent) {
        self.fresh.push(event);
    }

    /// Adds a record of the engine itself before what waits to be recorded behind `at`.
    pub(crate) fn note_before(&mut self, at: usize, event: NewEvent) {
        self.fresh.insert(at.min(self.fresh.len()), event);
    }

    /// What is to be recorded, if anything is.
    pub(crate) fn append(&mut self, now: Millis) -> Option<Append> {
        if self.fresh.is_empty() {
            return None;
        }
        let fresh = std::mem::take(&mut self.fresh);
        let numbered = (self.seq + 1..).zip(&fresh);
        for (seq, own) in numbered.filter(|(_, event)| codec::is_own(&event.kind)) {
            self.progressed((seq, &own.kind), &own.body, own.payload.as_deref(), now);
        }
        self.progress.last = Some(now);
        let seq = self.seq + fresh.len() as u64;
        let driver = self.lease.holder.clone();
        let summary = Summary { driver, ..Summary::of(&self.state, &self.progress, seq) }.into_bytes();
        Some(Append {
            stream: self.lease.stream.clone(),
            expected: self.seq,
            fence: Some(self.lease.fence),
            at: now,
            events: fresh,
            head: Some(self.head(summary)),
            claims: Vec::new(),
            erase: Vec::new(),
        })
    }

    /// What was appended is recorded.
    pub(crate) fn recorded(&mut self, appended: Appended) {
        self.seq = appended.seq;
        self.forget();
    }

    /// The text of a content, if the run still carries it.
    pub(crate) fn text(&self, content: impl Into<Carried>) -> Option<Text> {
        self.carried.text(content)
    }

    /// The texts that the branches of a lane ended with.
    pub(crate) fn branches(&self, lane: LaneId) -> Vec<Text> {
        self.carried.texts_of(&self.ended(lane))
    }

    /// What the branches of a lane ended with.
    pub(crate) fn ended(&self, lane: LaneId) -> Vec<Carried> {
        self.state.lane(lane).map(|lane| lane.ended().to_vec()).unwrap_or_default()
    }

    /// By what the run can be found, and when somebody should look at it.
    fn head(&self, summary: Vec<u8>) -> NewHead {
        let state = &self.state;
        let receivers = self.owed.deliveries.iter().filter_map(|owed| {
            state.plan().agents.get(usize::from(owed.to.0)).map(|agent| agent.name.as_str())
        });
        let agents = &self.environment.agents;
        let is_inbox = |name: &&str| agents.get(name).is_some_and(Setup::is_kept);
        let (kept, called): (Vec<&str>, Vec<&str>) = receivers.partition(is_inbox);
        let mut labels = Vec::with_capacity(4);
        labels.extend(["run".to_owned(), ["flow:", &state.plan().name].concat()]);
        labels.push(match state.ending() {
            Some(_) => "over".to_owned(),
            None if called.is_empty() => "waiting".to_owned(),
            None => "working".to_owned(),
        });
        if !self.owed.gates.is_empty() {
            labels.push("gate".to_owned());
        }
        if !self.owed.questions.is_empty() {
            labels.push("question".to_owned());
        }
        labels.extend(kept.iter().map(|agent| format!("inbox:{agent}")));
        labels.sort_unstable();
        labels.dedup();
        // Work that is under way is looked for again when this lease is over, should nobody renew it.
        let watched = (!called.is_empty()).then_some(self.lease.until);
        let due = self.owed.next_due.into_iter().chain(watched).min();
        NewHead { labels, due, summary }
    }

    /// Lets go of texts that nothing refers to any more.
    fn forget(&mut self) {
        let state = &self.state;
        self.carried.forget(state);
        let is_open = |key: &Key| state.lane(key.lane).is_some();
        self.rejected.retain(|key, _| is_open(key));
        self.errors.retain(|key, _| is_open(key));
        self.began.retain(|key, _| state.delivery(*key).is_some());
        self.before.retain(|key, _| state.delivery(*key).is_some());
        self.received.retain(|key, _| is_open(key));
        self.permissions.forget(is_open);
        self.packed.retain(|key, _| state.delivery(*key).is_some_and(|delivery| delivery.attempt == 1));
        self.remarks.forget(state);
    }
}

/// Files that a run is to pin, as they will be read back.
pub(crate) fn pinned(files: &[(String, Vec<u8>)], flow: Option<&str>) -> Vec<Pinned> {
    let pinned = |(path, bytes): &(String, Vec<u8>)| Pinned {
        path: path.clone(),
        is_flow: flow == Some(path),
        bytes: bytes.clone(),
    };
    files.iter().map(pinned).collect()
}

/// What names the files that a run pins.
pub(crate) fn pins(files: &[(String, Vec<u8>)]) -> Digest {
    let mut pins = Vec::new();
    for (path, bytes) in files {
        pins.extend(format!("{path}\0{}\n", digest(bytes)).into_bytes());
    }
    digest(&pins)
}
