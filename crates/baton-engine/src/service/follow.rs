//! Follows the history of runs as it grows: each record with its line, and the state that it led to.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Error;
use crate::mirror::Filed;
use crate::mirror::manifests::MANIFESTS;
use crate::records::entry::Entry;
use crate::records::entry::entries;
use crate::records::substitute::Made;
use crate::run::exposure::{Breach, Enforced, Sandboxed, UNENFORCED, Wall};
use baton_document::flow::{AgentSpec, CourierWord, Does, Flow, StepSpec};
use baton_document::secrets;
use baton_kernel::{
    Digest, Event, Key, LaneId, Millis, Outcome, Position, Reason, State, StepId, evolve, position,
};
use baton_ledger::{Erasure, Ledger, ReadFrom, Record};
use serde_json::Value;

use super::tale::{self, Line};
use super::text as table;
use crate::project::root::CONFIG_NAME;

/// How much of what a person said stands in one line; the ledger has all of it.
const SAID_COLUMNS: usize = 240;

/// A record, and how it is told; records of Baton's own that nobody asks for have no line.
pub(crate) struct Told {
    /// As it is recorded.
    pub(crate) entry: Entry,
    /// Its line.
    pub(crate) line: Option<Line>,
}

/// One run as it stands.
pub(crate) struct View {
    /// What the kernel knows of it.
    pub(crate) state: State,
    /// Where it is in its flow.
    pub(crate) position: Position,
    /// The agents that look for their work themselves.
    pub(crate) inboxes: BTreeSet<String>,
    /// What the flow asks people, by the step that does.
    pub(crate) asks: BTreeMap<String, String>,
    /// Why an expression could not be evaluated, by the lane that it was for.
    pub(crate) unknown: BTreeMap<LaneId, String>,
}

/// One run as far as it was followed.
#[derive(Default)]
pub(crate) struct Run {
    /// What the history amounts to.
    pub(crate) state: State,
    /// Its handoffs: answers that were accepted, and what stands where none came.
    pub(crate) handoffs: usize,
    /// When it started.
    pub(crate) started: Option<Millis>,
    /// When something was last recorded.
    pub(crate) last: Option<Millis>,
    /// What each step took so far, by its place in the plan.
    pub(crate) steps: BTreeMap<u16, StepTime>,
    /// Who each delivery went to.
    pub(crate) receivers: BTreeMap<Key, String>,
    /// The steps of the gates whose answers agents could have given.
    pub(crate) unenforced: Vec<String>,
    /// What people answered, and when.
    pub(crate) people: Vec<(Millis, Line)>,
    /// Why an expression could not be evaluated last, by the lane that it was for.
    unknown: BTreeMap<LaneId, String>,
    /// The number of the handoff that each digest names.
    numbers: BTreeMap<Digest, usize>,
    /// What the files say that it pinned, and those of each time that a person went on with changed ones.
    files: Vec<Files>,
    /// How often a person has gone on with changed files, as far as it was told.
    changes: usize,
    /// What names the content of each file that it has pinned, as far as it was told.
    pins: BTreeMap<String, Digest>,
}

/// What the files say that a run goes by.
#[derive(Default)]
struct Files {
    /// The agents that look for their work themselves.
    inboxes: BTreeSet<String>,
    /// The agents that Baton calls, as its flow says.
    called: BTreeSet<String>,
    /// What its flow asks people, by the step that does.
    asks: BTreeMap<String, String>,
}

/// When a step was worked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StepTime {
    /// Since when it is current, if it is.
    pub(crate) since: Option<Millis>,
    /// What it took before that, in milliseconds.
    pub(crate) spent: u64,
    /// How the last handoff of it came out.
    pub(crate) outcome: Option<Outcome>,
    /// The number of that handoff, where it says why the step was given up.
    pub(crate) made: Option<usize>,
}

impl Run {
    /// The run as it stands.
    pub(crate) fn view(&self) -> View {
        let state = self.state.clone();
        let position = position(&state);
        let files = self.files.last();
        let inboxes = files.map(|files| files.inboxes.difference(&files.called).cloned().collect());
        let asks = files.map(|files| files.asks.clone());
        let unknown = self.unknown.clone();
        View {
            state,
            position,
            inboxes: inboxes.unwrap_or_default(),
            asks: asks.unwrap_or_default(),
            unknown,
        }
    }

    fn take(&mut self, entry: &Entry) -> Option<Line> {
        let at = entry.record.at;
        // A run does not last longer because something of it is erased.
        if let Some(erasure) = Erasure::read(&entry.record) {
            return Some(self.erased(&erasure));
        }
        self.started.get_or_insert(at);
        self.last = Some(at);
        if entry.is_handoff() {
            let digest = entry.record.payload.as_ref().map(|payload| payload.digest);
            self.numbers.extend(digest.map(|digest| (digest, self.handoffs + 1)));
        }
        let Some(event) = &entry.event else {
            return entry.made().map(|made| self.made(&made)).or_else(|| self.own(&entry.record));
        };
        let mut line = tale::told(&self.state, event, self.handoffs);
        self.unknown_at(event, line.why.as_deref());
        if let Event::Answered { key, facts, .. } = event {
            self.handoffs += 1;
            let step = self.state.lane(key.lane).map_or(key.step, |lane| lane.step);
            let time = self.steps.entry(step.0).or_default();
            (time.outcome, time.made) = (Some(facts.outcome), None);
        } else if let Event::DeliveryStarted { key, to, .. } = event {
            let agent = self.state.plan().agents.get(usize::from(to.0));
            self.receivers.extend(agent.map(|agent| (*key, agent.name.clone())));
        } else if let Event::PersonAsked { lane, reason: Reason::ExpressionUnknown, .. } = event {
            line.why = self.unknown.get(lane).cloned().or(line.why);
        } else if let Event::PersonAsked { lane, reason: Reason::PlanEscalates, .. } = event {
            let step = self.state.lane(*lane).and_then(|lane| self.state.plan().step(lane.step));
            let files = self.files.get(self.changes);
            let said = step.and_then(|step| files?.asks.get(&step.name));
            line.why = said.map(|said| format!("the flow asks: {said}")).or(line.why);
        } else if let Event::GateAnswered { .. } | Event::PersonAnswered { .. } = event {
            line.why = said(&entry.record).or(line.why);
            self.people.push((at, line.clone()));
        }
        if let Event::PlanChanged { plan, .. } = event {
            self.changes += 1;
            let old = self.state.plan();
            let moved = |step: u16| plan.step_named(&old.step(StepId(step))?.name).map(|step| step.0);
            let steps = std::mem::take(&mut self.steps).into_iter();
            self.steps = steps.filter_map(|(step, time)| Some((moved(step)?, time))).collect();
        }
        evolve(&mut self.state, event);
        let current: Vec<StepId> = self.state.lanes().iter().map(|lane| lane.step).collect();
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
        Some(line)
    }

    /// Keeps why an expression could not be evaluated, for as long as its lane stays where it is.
    fn unknown_at(&mut self, event: &Event, why: Option<&str>) {
        let (lane, is_unknown) = if let Event::Answered { key, facts, .. } = event {
            (key.lane, facts.held.iter().any(|held| held.truth.unknown().is_some()))
        } else if let Event::Joined { lane, unknown, .. } = event {
            (*lane, unknown.is_some())
        } else {
            return;
        };
        match why.filter(|_| is_unknown) {
            Some(why) => self.unknown.insert(lane, why.to_owned()),
            None => self.unknown.remove(&lane),
        };
    }

    /// A handoff that says why a step was given up: the agent's own, or one that Baton wrote because it gave none.
    fn made(&mut self, made: &Made) -> Line {
        self.handoffs += 1;
        let step = self.state.plan().step_named(&made.step).unwrap_or(made.key.step);
        let time = self.steps.entry(step.0).or_default();
        (time.outcome, time.made) = (Some(Outcome::Blocked), Some(self.handoffs));
        let (id, agent) = (format!("{}/{}", self.state.run(), self.handoffs), &made.agent);
        let (what, why) = if made.is_error {
            (format!("keeps what {agent} says of its failure as {id}: blocked"), None)
        } else {
            let why = format!("{agent} gave no handoff");
            (format!("writes {id} in the place of {agent}: blocked"), Some(why))
        };
        Line { who: "baton".to_owned(), what, why }
    }

    /// Texts of it that somebody had erased.
    fn erased(&self, erasure: &Erasure) -> Line {
        let numbers: BTreeSet<_> = erasure.digests.iter().filter_map(|text| self.numbers.get(text)).collect();
        let others = erasure.digests.iter().filter(|text| !self.numbers.contains_key(text)).count();
        let mut names: Vec<String> =
            numbers.into_iter().map(|number| format!("{}/{number}", self.state.run())).collect();
        if others > 0 {
            names.push(match (others, names.is_empty()) {
                (1, true) => "a text".to_owned(),
                (1, false) => "another text".to_owned(),
                (_, true) => format!("{others} texts"),
                (_, false) => format!("{others} other texts"),
            });
        }
        let last = names.pop().unwrap_or_default();
        let names = if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) };
        let (why, _) = secrets::redacted(erasure.because.trim(), None);
        let why = table::cut(&table::one_line(&why), SAID_COLUMNS);
        Line { who: erasure.by.clone(), what: format!("erases {names}"), why: Some(format!("“{why}”")) }
    }

    /// A record of the engine itself.
    fn own(&mut self, record: &Record) -> Option<Line> {
        let body = serde_json::from_slice::<Value>(&record.body).ok()?;
        let line = |what: String, why| Some(Line { who: "baton".to_owned(), what, why });
        match record.kind.as_str() {
            "answer_rejected" => {
                let findings = body.get("findings").and_then(Value::as_array).into_iter().flatten();
                let findings: Vec<&str> = findings.filter_map(Value::as_str).collect();
                return line("does not take the answer".to_owned(), Some(findings.join("; ")));
            }
            "evidence_verified" => {
                let verdict = body.get("verdict")?;
                let findings = verdict.get("findings").and_then(Value::as_array).into_iter().flatten();
                let findings: Vec<&str> = findings.filter_map(Value::as_str).collect();
                let holds = verdict.get("holds").is_some_and(|holds| holds == true);
                let what = if holds { "finds the evidence as it says" } else { "finds the evidence wanting" };
                return line(what.to_owned(), (!findings.is_empty()).then(|| findings.join("; ")));
            }
            "gate_enforced" => {
                let answer: Enforced = serde_json::from_value(body).ok()?;
                if answer.enforced {
                    return None;
                }
                let agents = answer.agents.join(", ");
                self.unenforced.push(answer.step.clone());
                let what = format!("notes of the answer at {}: {UNENFORCED}", answer.step);
                return line(what, Some(format!("without a sandbox: {agents}")));
            }
            "delivery_sandboxed" => {
                let of: Sandboxed = serde_json::from_value(body).ok()?;
                return match of.sandbox {
                    Wall::Bubblewrap | Wall::Person if !of.gaps.is_empty() => {
                        line(format!("starts {}: unenforced", of.agent), Some(of.gaps.join("; ")))
                    }
                    Wall::None => line(format!("starts {} without a sandbox: unenforced", of.agent), None),
                    Wall::Bubblewrap | Wall::Refused | Wall::Person => None,
                };
            }
            "wall_breached" => {
                let of: Breach = serde_json::from_value(body).ok()?;
                let what =
                    format!("finds protected files changed while {} was at work: unenforced", of.agent);
                return line(what, Some(of.changed.join(", ")));
            }
            "permission_answered" => {
                let is_allowed = body.get("allowed").is_some_and(|allowed| allowed == true);
                let what =
                    if is_allowed { "notes that the agent may" } else { "notes that the agent may not" };
                return line(what.to_owned(), body.get("because").and_then(Value::as_str).map(str::to_owned));
            }
            "reception_checked" => {
                let findings = body.get("findings").and_then(Value::as_array).into_iter().flatten();
                let texts = findings.filter_map(|finding| finding.get("text").and_then(Value::as_str));
                let texts: Vec<&str> = texts.collect();
                // That all is well goes without saying.
                let why = (!texts.is_empty()).then(|| texts.join("; "))?;
                let is_handed = body.get("handed_over").is_some_and(|handed| handed == true);
                let what = if is_handed {
                    "tells the receiver what is wanting in the handoff"
                } else {
                    "does not hand it over: its receiver could not start with it"
                };
                return line(what.to_owned(), Some(why));
            }
            "answer_in_file" => {
                let filed = Filed::read(record)?;
                return line(
                    format!("takes what {} answers through its file {}", filed.agent, filed.path),
                    None,
                );
            }
            "mail_taken" => {
                let refused = body.get("refused").and_then(Value::as_str)?;
                return line("refuses what was handed in".to_owned(), Some(refused.to_owned()));
            }
            _ => {}
        }
        let path = body.get("path")?.as_str()?;
        let named = record.payload.as_ref().map(|payload| payload.digest);
        let before = named.and_then(|named| self.pins.insert(path.to_owned(), named));
        // What has not changed is kept as it was.
        if before.is_some() && before == named {
            return None;
        }
        line(format!("keeps {path} as it is now"), None)
    }

    /// Learns what a file says that the run keeps, if this is the record of one, or that others follow.
    fn learn(&mut self, entry: &Entry) {
        if let Some(Event::PlanChanged { .. }) = entry.event {
            self.files.resize_with(self.files.len().max(1) + 1, Files::default);
        }
        if entry.event.is_some() {
            return;
        }
        if self.files.is_empty() {
            self.files.push(Files::default());
        }
        if let Some(files) = self.files.last_mut() {
            files.learn(&entry.record);
        }
    }
}

impl Files {
    /// Learns what a file says, if this is the record of one.
    fn learn(&mut self, record: &Record) {
        let Ok(body) = serde_json::from_slice::<Value>(&record.body) else { return };
        let Some(path) = body.get("path").and_then(Value::as_str) else { return };
        let bytes = record.payload.as_ref().and_then(|payload| payload.bytes.as_deref());
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
        let agents = if body.get("is").is_some_and(|is| is == "flow") {
            let Some(flow) = Flow::read(text).0 else { return };
            let asks = |step: StepSpec| match step.does {
                Does::Escalate(text) => Some((step.name.value, text)),
                Does::Agent(_)
                | Does::Loop(_)
                | Does::Gate(_)
                | Does::Parallel(_)
                | Does::Wait(_)
                | Does::End(_) => None,
            };
            self.asks = flow.steps.into_iter().filter_map(asks).collect();
            let agents = flow.agents;
            let is_called = |agent: &AgentSpec| agent.way().is_some_and(|way| !way.is_kept());
            let called = agents.iter().filter(|agent| is_called(agent));
            self.called.extend(called.map(|agent| agent.name.value.clone()));
            agents
        } else if path == CONFIG_NAME {
            AgentSpec::of_config(text).0
        } else {
            AgentSpec::of_definition(path, text).map(|(agent, _)| agent).into_iter().collect()
        };
        let kept = agents.into_iter().filter(|agent| agent.way().is_some_and(CourierWord::is_kept));
        self.inboxes.extend(kept.map(|agent| agent.name.value));
    }
}

/// Reads on where it stopped.
pub(crate) struct Follow {
    from: ReadFrom,
    /// The runs that were met, as far as they were read.
    pub(crate) runs: BTreeMap<String, Run>,
}

impl Follow {
    /// One run from its beginning.
    pub(crate) fn run(name: &str) -> Self {
        Self { from: ReadFrom::Stream { stream: name.to_owned(), after: 0 }, runs: BTreeMap::new() }
    }

    /// All runs from the beginning.
    pub(crate) fn all() -> Self {
        Self { from: ReadFrom::Position { after: 0 }, runs: BTreeMap::new() }
    }

    /// The next records; none means that there are no more yet.
    pub(crate) fn next(&mut self, ledger: &dyn Ledger) -> Result<Vec<Told>, Error> {
        let page = entries(ledger, &self.from)?;
        if let Some(last) = page.last() {
            match &mut self.from {
                ReadFrom::Stream { after, .. } => *after = last.record.seq,
                ReadFrom::Position { after } => *after = last.record.position,
            }
        }
        // A run's files are recorded behind its first events, which need them to be told.
        for entry in page.iter().filter(|entry| !is_own(entry)) {
            self.runs.entry(entry.record.stream.clone()).or_default().learn(entry);
        }
        let told = |entry: Entry| {
            let line = if entry.record.stream == MANIFESTS {
                tale::manifest(&entry.record)
            } else {
                let run =
                    (!is_own(&entry)).then(|| self.runs.entry(entry.record.stream.clone()).or_default());
                run.and_then(|run| run.take(&entry))
            };
            Told { entry, line }
        };
        Ok(page.into_iter().map(told).collect())
    }

    /// All records up to now, without keeping them.
    pub(crate) fn catch_up(&mut self, ledger: &dyn Ledger) -> Result<(), Error> {
        while !self.next(ledger)?.is_empty() {}
        Ok(())
    }
}

/// What a person said with an answer, in one line.
fn said(record: &Record) -> Option<String> {
    let bytes = record.payload.as_ref()?.bytes.as_deref()?;
    // What was recorded is without secrets; what is shown is looked at again, as everything is.
    let (text, _) = secrets::redacted(&String::from_utf8_lossy(bytes), None);
    let text = table::cut(table::one_line(text.trim()).as_str(), SAID_COLUMNS);
    (!text.is_empty()).then(|| format!("“{text}”"))
}

/// Whether a record is of no run.
fn is_own(entry: &Entry) -> bool {
    entry.record.stream.starts_with("baton/")
}
