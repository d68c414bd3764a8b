//! Progress of a run: how far it has come, folded event by event.
//!
//! Invariant: its size is bounded by the plan and the open work, so that whoever drives a run can hold it.

use std::collections::{BTreeMap, BTreeSet};

use baton_document::flow::{AgentSpec, CourierWord, Does, Flow, StepSpec};
use baton_kernel::{Event, Key, LaneId, Millis, Outcome, State, StepId, evolve};

use baton_ledger::ERASURE;

use crate::records::codec;
use crate::records::substitute::Made;
use crate::run::unknown;

/// The file with the settings of a project.
const CONFIG: &str = "baton.toml";

/// Why an attempt failed that says nothing of it.
pub const TIME_OVER: &str = "its time is over";

/// How far a run has come.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Its handoffs: answers that were accepted, and what stands where none came.
    pub handoffs: usize,
    /// When it started.
    pub started: Option<Millis>,
    /// When something was last recorded.
    pub last: Option<Millis>,
    /// What each step took so far, by its place in the plan.
    pub steps: BTreeMap<u16, StepTime>,
    /// Why an expression could not be evaluated last, by the lane that it was for.
    pub unknown: BTreeMap<LaneId, String>,
    /// Why the last attempt of each open delivery failed.
    pub(crate) failed: BTreeMap<Key, String>,
    /// What the files say that it pinned, and those of each time that a person went on with changed ones.
    files: Vec<Files>,
    /// How often a person has gone on with changed files.
    changes: usize,
}

/// When a step was worked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepTime {
    /// Since when it is current, if it is.
    pub since: Option<Millis>,
    /// What it took before that, in milliseconds.
    pub spent: u64,
    /// How the last handoff of it came out.
    pub outcome: Option<Outcome>,
    /// The number of that handoff, where it says why the step was given up.
    pub made: Option<usize>,
}

/// What the files say that a run goes by.
#[derive(Clone, Debug, Default)]
struct Files {
    /// The agents that look for their work themselves.
    inboxes: BTreeSet<String>,
    /// The agents that Baton calls, as its flow says.
    called: BTreeSet<String>,
    /// What its flow asks people, by the step that does.
    asks: BTreeMap<String, String>,
    /// The record that holds its flow.
    flow: Option<u64>,
}

impl Progress {
    /// Takes in an event, and evolves the state with it.
    pub fn event(&mut self, state: &mut State, event: &Event, at: Millis) {
        self.at(at);
        if let Some((lane, why)) = unknown::of(state, event) {
            match why {
                Some(why) => self.unknown.insert(lane, why),
                None => self.unknown.remove(&lane),
            };
        }
        if let Event::Answered { key, facts, .. } = event {
            self.handoffs += 1;
            let time = self.steps.entry(step_of(state, *key).0).or_default();
            (time.outcome, time.made) = (Some(facts.outcome), None);
        } else if let Event::PlanChanged { plan, .. } = event {
            self.changes += 1;
            self.files.resize_with(self.files.len().max(self.changes + 1), Files::default);
            let old = state.plan();
            let moved = |step: u16| plan.step_named(&old.step(StepId(step))?.name).map(|step| step.0);
            let steps = std::mem::take(&mut self.steps).into_iter();
            self.steps = steps.filter_map(|(step, time)| Some((moved(step)?, time))).collect();
        }
        if let Event::AttemptFailed { key, failure, .. } = event {
            let why = failure.signature.clone().unwrap_or_else(|| TIME_OVER.to_owned());
            self.failed.insert(*key, why);
        }
        evolve(state, event);
        self.failed.retain(|key, _| state.lane(key.lane).is_some_and(|lane| !lane.is_joining()));
        self.unknown.retain(|lane, _| state.lane(*lane).is_some());
        let current: Vec<StepId> = state.lanes().iter().map(|lane| lane.step).collect();
        for step in &current {
            self.steps.entry(step.0).or_default().since.get_or_insert(at);
        }
        for (step, time) in &mut self.steps {
            if !current.contains(&StepId(*step))
                && let Some(since) = time.since.take()
            {
                time.spent += at.0.saturating_sub(since.0);
            }
        }
    }

    /// Takes in a record of the engine itself.
    pub(crate) fn own(&mut self, state: &State, kind: &str, body: &[u8], at: Millis) {
        // A run does not last longer because something of it is erased.
        if kind == ERASURE {
            return;
        }
        self.at(at);
        if kind == codec::MADE
            && let Some(made) = Made::of_body(body)
        {
            self.handoffs += 1;
            let step = state.plan().step_named(&made.step).unwrap_or(made.key.step);
            let time = self.steps.entry(step.0).or_default();
            (time.outcome, time.made) = (Some(Outcome::Blocked), Some(self.handoffs));
        }
    }

    /// Learns what a file says that the run pins, if this is the record of one. The files that a person went on with may
    /// be learned before the event that says so.
    pub(crate) fn learn(
        &mut self,
        is_change: bool,
        (seq, kind): (u64, &str),
        body: &[u8],
        payload: Option<&[u8]>,
    ) {
        if is_change {
            self.files.resize_with(self.files.len().max(1) + 1, Files::default);
        } else if kind == codec::PINNED {
            if self.files.is_empty() {
                self.files.push(Files::default());
            }
            if let Some(files) = self.files.last_mut() {
                files.learn(seq, body, payload);
            }
        }
    }

    /// The agents that look for their work themselves.
    pub fn inboxes(&self) -> BTreeSet<String> {
        let files = self.files.last();
        files.map(|files| files.inboxes.difference(&files.called).cloned().collect()).unwrap_or_default()
    }

    /// What the flow asks people at a step, by the files that the run went by at the latest event.
    pub fn asks(&self, step: &str) -> Option<&str> {
        self.files.get(self.changes)?.asks.get(step).map(String::as_str)
    }

    /// The record that holds the flow which the run goes by now.
    pub(crate) fn flow_record(&self) -> Option<u64> {
        self.files.last()?.flow
    }

    /// What the flow asks people at a step, by the files that the run goes by now.
    pub(crate) fn asks_now(&self, step: &str) -> Option<&str> {
        self.files.last()?.asks.get(step).map(String::as_str)
    }

    fn at(&mut self, at: Millis) {
        self.started.get_or_insert(at);
        self.last = Some(at);
    }
}

/// What a flow asks people, by the step that does.
pub(crate) fn asks(steps: Vec<StepSpec>) -> BTreeMap<String, String> {
    let asks = |step: StepSpec| match step.does {
        Does::Escalate(text) => Some((step.name.value, text)),
        Does::Agent(_) | Does::Loop(_) | Does::Gate(_) | Does::Parallel(_) | Does::Wait(_) | Does::End(_) => {
            None
        }
    };
    steps.into_iter().filter_map(asks).collect()
}

/// The step at which a delivery is answered.
pub(crate) fn step_of(state: &State, key: Key) -> StepId {
    state.lane(key.lane).map_or(key.step, |lane| lane.step)
}

impl Files {
    fn learn(&mut self, seq: u64, body: &[u8], payload: Option<&[u8]>) {
        let Some((path, is_flow)) = codec::pinned_file(body) else { return };
        let text = payload.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
        let agents = if is_flow {
            let Some(flow) = Flow::read(text).0 else { return };
            self.flow = Some(seq);
            self.asks = asks(flow.steps);
            let agents = flow.agents;
            let is_called = |agent: &AgentSpec| agent.way().is_some_and(|way| !way.is_kept());
            let called = agents.iter().filter(|agent| is_called(agent));
            self.called.extend(called.map(|agent| agent.name.value.clone()));
            agents
        } else if path == CONFIG {
            AgentSpec::of_config(text).0
        } else {
            AgentSpec::of_definition(&path, text).map(|(agent, _)| agent).into_iter().collect()
        };
        let kept = agents.into_iter().filter(|agent| agent.way().is_some_and(CourierWord::is_kept));
        self.inboxes.extend(kept.map(|agent| agent.name.value));
    }
}
