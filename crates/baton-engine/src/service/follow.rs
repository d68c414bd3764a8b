//! Follows the history of runs as it grows: each record with its line, and the state that it led to.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Error;
use crate::history::projection::Projection;
use crate::mirror::Filed;
use crate::mirror::manifests::MANIFESTS;
use crate::records::entry::Entry;
use crate::records::entry::entries;
use crate::records::substitute::Made;
use crate::run::exposure::{Breach, Enforced, Sandboxed, UNENFORCED, Wall};
use crate::run::progress::Progress;
use crate::run::summary::Summary;
use baton_document::secrets;
use baton_kernel::{Digest, Event, Millis, Position, Reason, State, position};
use baton_ledger::{Erasure, Ledger, ReadFrom, Record};
use serde_json::Value;

use super::event_text::{self, Line};
use super::text as table;

/// How much of what a person said stands in one line; the ledger has all of it.
const SAID_COLUMNS: usize = 240;

/// A record, and how it is told; records of Baton's own that nobody asks for have no line.
pub(crate) struct LoggedEntry {
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
    /// What lists say of it.
    pub(crate) summary: Summary,
}

/// One run as far as it was followed.
#[derive(Default)]
pub(crate) struct Run {
    /// What its records amount to.
    pub(crate) history: Projection,
    /// What people answered, and when.
    pub(crate) people: Vec<(Millis, Line)>,
    /// Digest of each file that it has pinned, as far as it was told.
    pins: BTreeMap<String, Digest>,
}

impl Run {
    /// What the kernel knows of it.
    pub(crate) fn state(&self) -> &State {
        &self.history.state
    }

    /// How far it has come.
    pub(crate) fn progress(&self) -> &Progress {
        &self.history.progress
    }

    /// The run as it stands.
    pub(crate) fn view(&self) -> View {
        let state = self.state().clone();
        let position = position(&state);
        View { state, position, summary: self.history.summary() }
    }

    /// Takes in the next record; gives its line.
    fn take(&mut self, entry: &Entry) -> Option<Line> {
        let line = self.line(entry);
        self.history.push(entry);
        if let (Some(Event::GateAnswered { .. } | Event::PersonAnswered { .. }), Some(line)) =
            (&entry.event, &line)
        {
            self.people.push((entry.record.at, line.clone()));
        }
        line
    }

    /// The line of a record that is not taken in yet.
    fn line(&mut self, entry: &Entry) -> Option<Line> {
        if let Some(erasure) = Erasure::read(&entry.record) {
            return Some(self.erased(&erasure));
        }
        let Some(event) = &entry.event else {
            return entry.made().map(|made| self.made(&made)).or_else(|| self.own(&entry.record));
        };
        let state = self.state();
        let mut line = event_text::line(state, event, self.progress().handoffs);
        if let Event::PersonAsked { lane, reason: Reason::ExpressionUnknown, .. } = event {
            line.why = self.progress().unknown.get(lane).cloned().or(line.why);
        } else if let Event::PersonAsked { lane, reason: Reason::PlanEscalates, .. } = event {
            let step = state.lane(*lane).and_then(|lane| state.plan().step(lane.step));
            let said = step.and_then(|step| self.progress().asks(&step.name));
            line.why = said.map(|said| format!("the flow asks: {said}")).or(line.why);
        } else if let Event::GateAnswered { .. } | Event::PersonAnswered { .. } = event {
            line.why = said(&entry.record).or(line.why);
        }
        Some(line)
    }

    /// A handoff that says why a step was given up: the agent's own, or one that Baton wrote because it gave none.
    fn made(&self, made: &Made) -> Line {
        let number = self.progress().handoffs + 1;
        let (id, agent) = (format!("{}/{number}", self.state().run()), &made.agent);
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
        let number = |text: &Digest| {
            self.history.handoffs.iter().rposition(|handoff| handoff.payload == Some(*text)).map(|at| at + 1)
        };
        let numbers: BTreeSet<usize> = erasure.digests.iter().filter_map(number).collect();
        let others = erasure.digests.iter().filter(|text| number(text).is_none()).count();
        let mut names: Vec<String> =
            numbers.into_iter().map(|number| format!("{}/{number}", self.state().run())).collect();
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
}

/// Reads on where it stopped.
pub(crate) struct Follow {
    from: ReadFrom,
    keeps_texts: bool,
    /// The runs that were met, as far as they were read.
    pub(crate) runs: BTreeMap<String, Run>,
}

impl Follow {
    /// One run from its beginning.
    pub(crate) fn run(name: &str) -> Self {
        Self {
            from: ReadFrom::Stream { stream: name.to_owned(), after: 0 },
            keeps_texts: false,
            runs: BTreeMap::new(),
        }
    }

    /// One run from its beginning, with its texts.
    pub(crate) fn whole(name: &str) -> Self {
        Self { keeps_texts: true, ..Self::run(name) }
    }

    /// All runs from the beginning.
    pub(crate) fn all() -> Self {
        Self { from: ReadFrom::Position { after: 0 }, keeps_texts: false, runs: BTreeMap::new() }
    }

    /// The next records; none means that there are no more yet.
    pub(crate) fn next(&mut self, ledger: &dyn Ledger) -> Result<Vec<LoggedEntry>, Error> {
        let page = entries(ledger, &self.from)?;
        if let Some(last) = page.last() {
            match &mut self.from {
                ReadFrom::Stream { after, .. } => *after = last.record.seq,
                ReadFrom::Position { after } => *after = last.record.position,
            }
        }
        // A run's files are recorded behind its first events, which need them to be told.
        for entry in page.iter().filter(|entry| !is_own(entry)) {
            let run = self.runs.entry(entry.record.stream.clone()).or_insert_with(|| {
                let history = if self.keeps_texts { Projection::with_texts() } else { Projection::default() };
                Run { history, ..Run::default() }
            });
            run.history.learn(entry);
        }
        let told = |entry: Entry| {
            let line = if entry.record.stream == MANIFESTS {
                event_text::manifest(&entry.record)
            } else {
                let run =
                    (!is_own(&entry)).then(|| self.runs.entry(entry.record.stream.clone()).or_default());
                run.and_then(|run| run.take(&entry))
            };
            LoggedEntry { entry, line }
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
