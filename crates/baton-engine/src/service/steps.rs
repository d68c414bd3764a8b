//! The steps of a run: done, current, ahead; with who works, how it came out and how long it took.

use baton_kernel::{Millis, StepId};
use schemars::JsonSchema;
use serde::Serialize;

use super::event_text;
use super::follow::{Run, View};
use super::standing::{self, Awaited, Kind};

/// Where a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It is done.
    Done,
    /// Its agent gave no answer that counts, and a substitute handoff says why.
    GivenUp,
    /// The run is at it.
    Current,
    /// It follows.
    Ahead,
    /// The run may never need it.
    Aside,
}

/// A step of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepEntry {
    /// Its name.
    pub step: String,
    /// Who works at it, or what happens there.
    pub doer: String,
    /// Where it stands.
    pub mark: Mark,
    /// How it came out, or what it waits for.
    pub happening: String,
    /// How long it took so far, in milliseconds.
    pub took_ms: Option<u64>,
}

/// A step that was given up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GivenUp {
    /// Its name.
    pub step: String,
    /// The handoff that says why.
    pub handoff: String,
}

/// The steps of a run, in the order of the flow.
pub(super) fn entries(run: &Run, view: &View, now: Millis) -> Vec<StepEntry> {
    let state = &view.state;
    let awaited = standing::awaited(&view.summary);
    let ids = (0..).map(StepId).take(state.plan().steps.len());
    let entry = |id| {
        let position = &view.position;
        let mark = if position.current.contains(&id) {
            Mark::Current
        } else if substitute(run, id).is_some() {
            Mark::GivenUp
        } else if position.completed.contains(&id) {
            Mark::Done
        } else if position.remaining.contains(&id) {
            Mark::Ahead
        } else {
            Mark::Aside
        };
        let (name, doer) = (standing::step_name(state, id), standing::doer(state, id));
        let one = awaited.iter().find(|one| one.step == name);
        StepEntry {
            step: name.to_owned(),
            happening: happening(run, id, mark, one, &doer),
            took_ms: took(run, id, mark, now),
            doer,
            mark,
        }
    };
    ids.map(entry).collect()
}

/// The steps that were given up.
pub(super) fn given_up(run: &Run, view: &View) -> Vec<GivenUp> {
    let ids = (0..).map(StepId).take(view.state.plan().steps.len());
    let all = ids.filter_map(|id| {
        let handoff = format!("{}/{}", view.state.run(), substitute(run, id)?);
        Some(GivenUp { step: standing::step_name(&view.state, id).to_owned(), handoff })
    });
    all.collect()
}

/// Number of the handoff that says why a step was given up, if its last one does.
fn substitute(run: &Run, id: StepId) -> Option<usize> {
    run.progress().steps.get(&id.0).and_then(|time| time.made)
}

fn happening(run: &Run, id: StepId, mark: Mark, awaited: Option<&Awaited>, doer: &str) -> String {
    let outcome = run.progress().steps.get(&id.0).and_then(|time| time.outcome);
    match (mark, awaited) {
        (Mark::Current, Some(one)) if one.kind == Kind::Gate => "waits for you".to_owned(),
        (Mark::Current, Some(one)) if one.kind.is_person() => {
            let why = substitute(run, id).filter(|_| one.kind == Kind::Dead);
            let why = why.map(|number| format!("; {}/{number} says why", run.state().run()));
            format!("waits for you: {}{}", one.text, why.unwrap_or_default())
        }
        // The worker's name stands beside it, unless two take turns.
        (Mark::Current, Some(one)) => {
            one.text.strip_prefix(doer).map_or(one.text.as_str(), str::trim_start).to_owned()
        }
        (Mark::Current, None) | (Mark::Ahead | Mark::Aside, _) => String::new(),
        (Mark::Done, _) => outcome.map(event_text::outcome).unwrap_or_default().to_owned(),
        (Mark::GivenUp, _) => {
            let why = substitute(run, id).map(|number| format!(": {}/{number} says why", run.state().run()));
            format!("given up{}", why.unwrap_or_default())
        }
    }
}

fn took(run: &Run, id: StepId, mark: Mark, now: Millis) -> Option<u64> {
    let time = run.progress().steps.get(&id.0)?;
    match (mark, time.since) {
        (Mark::Current, Some(since)) => Some(time.spent + now.0.saturating_sub(since.0)),
        (Mark::Done | Mark::GivenUp, _) => Some(time.spent),
        (Mark::Current, None) | (Mark::Ahead | Mark::Aside, _) => None,
    }
}
