//! The steps of a run as lines: done, at work, to come; with who works, how it came out and how long it took.

use baton_engine::kernel::{Millis, StepId};
use clap::builder::styling::{AnsiColor, Style};
use serde_json::{Value, json};

use super::follow::{Run, View};
use super::standing::{self, Awaited, Kind};
use super::{moment, table, tale};

/// Where a step stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Done,
    /// Its agent gave no answer that counts, and nobody is asked any more: a handoff says why.
    GivenUp,
    Current,
    Ahead,
    Aside,
}

impl Mark {
    fn sign(self) -> char {
        match self {
            Self::Done => '✔',
            Self::GivenUp => '✘',
            Self::Current => '●',
            Self::Ahead => '○',
            Self::Aside => '·',
        }
    }

    fn style(self) -> Style {
        match self {
            Self::Done => AnsiColor::Green.on_default(),
            Self::GivenUp => AnsiColor::Red.on_default(),
            Self::Current => AnsiColor::BrightCyan.on_default().bold(),
            Self::Ahead | Self::Aside => Style::new().dimmed(),
        }
    }
}

/// A line for each step, in the order of the flow.
pub(crate) fn lines(run: &Run, view: &View, now: Millis, width: Option<usize>) -> Vec<String> {
    let state = &view.state;
    let awaited = standing::awaited(&view.summary);
    let mut marks = Vec::new();
    let mut rows = Vec::new();
    for id in (0..).map(StepId).take(state.plan().steps.len()) {
        let position = &view.position;
        let mark = if position.current.contains(&id) {
            Mark::Current
        } else if made(run, id).is_some() {
            Mark::GivenUp
        } else if position.completed.contains(&id) {
            Mark::Done
        } else if position.remaining.contains(&id) {
            Mark::Ahead
        } else {
            Mark::Aside
        };
        let name = standing::step_name(state, id);
        marks.push(mark);
        rows.push(vec![
            name.to_owned(),
            standing::doer(state, id),
            happening(run, id, mark, awaited.iter().find(|one| one.step == name), &standing::doer(state, id)),
            took(run, id, mark, now),
        ]);
    }
    // Two blanks, the sign and a blank stand before the columns.
    let shown = table::lines(&[], &rows, 2, width.map(|width| width.saturating_sub(4)));
    let signed = marks.iter().zip(shown).map(|(mark, line)| {
        let style = mark.style();
        let line = if *mark == Mark::Aside || *mark == Mark::Ahead {
            format!("{style}{} {line}{style:#}", mark.sign())
        } else {
            format!("{style}{}{style:#} {line}", mark.sign())
        };
        format!("  {}", line.trim_end())
    });
    signed.collect()
}

/// The number of the handoff that says why a step was given up, if the last one of it is such.
fn made(run: &Run, id: StepId) -> Option<usize> {
    run.progress().steps.get(&id.0).and_then(|time| time.made)
}

/// The steps that were given up, each with its name and the handoff that says why.
pub(crate) fn given_up(run: &Run, view: &View) -> Value {
    let ids = (0..).map(StepId).take(view.state.plan().steps.len());
    let all = ids.filter_map(|id| {
        let handoff = format!("{}/{}", view.state.run(), made(run, id)?);
        Some(json!({ "step": standing::step_name(&view.state, id), "handoff": handoff }))
    });
    all.collect()
}

fn happening(run: &Run, id: StepId, mark: Mark, awaited: Option<&Awaited>, doer: &str) -> String {
    let outcome = run.progress().steps.get(&id.0).and_then(|time| time.outcome);
    match (mark, awaited) {
        (Mark::Current, Some(one)) if one.kind == Kind::Gate => "waits for you".to_owned(),
        (Mark::Current, Some(one)) if one.kind.is_person() => {
            let why = made(run, id).filter(|_| one.kind == Kind::Dead);
            let why = why.map(|number| format!("; {}/{number} says why", run.state().run()));
            format!("waits for you: {}{}", one.text, why.unwrap_or_default())
        }
        // Who works stands beside it, unless two take turns.
        (Mark::Current, Some(one)) => {
            one.text.strip_prefix(doer).map_or(one.text.as_str(), str::trim_start).to_owned()
        }
        (Mark::Current, None) | (Mark::Ahead | Mark::Aside, _) => String::new(),
        (Mark::Done, _) => outcome.map(tale::outcome).unwrap_or_default().to_owned(),
        (Mark::GivenUp, _) => {
            let why = made(run, id).map(|number| format!(": {}/{number} says why", run.state().run()));
            format!("given up{}", why.unwrap_or_default())
        }
    }
}

fn took(run: &Run, id: StepId, mark: Mark, now: Millis) -> String {
    let Some(time) = run.progress().steps.get(&id.0) else { return String::new() };
    match (mark, time.since) {
        (Mark::Current, Some(since)) => moment::growing(time.spent + now.0.saturating_sub(since.0)),
        (Mark::Done | Mark::GivenUp, _) => moment::span(time.spent),
        (Mark::Current, None) | (Mark::Ahead | Mark::Aside, _) => String::new(),
    }
}
