//! One run as it stands: the object that lists, views and drivers show.

use baton_kernel::Millis;
use schemars::JsonSchema;
use serde::Serialize;

use super::follow::{Run, View};
use super::steps::{self, StepEntry};
use super::{event_text, moment, standing};
use crate::run::summary::Summary;

/// A run as it stands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunSummary {
    /// Its name.
    pub run: String,
    /// Its flow.
    pub flow: String,
    /// `working`, `waiting` (for people and inboxes only) or `over`.
    pub state: String,
    /// How it ended, if it has.
    pub ending: Option<EndingReply>,
    /// The steps that it is at.
    pub current: Vec<String>,
    /// The steps that are done.
    pub completed: Vec<String>,
    /// The steps that follow.
    pub remaining: Vec<String>,
    /// What it waits for.
    pub awaits: Vec<AwaitedReply>,
    /// How many handoffs were taken.
    pub handoffs: usize,
    /// Tokens that count against its cap; none where nothing is known.
    pub tokens: Option<u64>,
    /// When it started.
    pub started: Option<String>,
    /// When something was recorded last.
    pub last: Option<String>,
    /// When it started, in milliseconds.
    #[serde(skip)]
    pub started_ms: Option<u64>,
    /// When something was recorded last, in milliseconds.
    #[serde(skip)]
    pub last_ms: Option<u64>,
    /// Whether the wait is over only by a person or an inbox.
    #[serde(skip)]
    pub waits_elsewhere: bool,
    /// How it stands, in a few words.
    #[serde(skip)]
    pub words: String,
}

/// How a run ended.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EndingReply {
    /// How.
    pub how: String,
    /// Why.
    pub why: Option<String>,
}

/// What a run waits for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AwaitedReply {
    /// Its id, by which it is answered.
    pub id: String,
    /// `agent`, `inbox`, `expired`, `retry`, `gate`, `dead`, `permission`, `question` or `time`.
    pub kind: String,
    /// The step that waits.
    pub step: String,
    /// Who or what, in a few words.
    pub text: String,
}

/// A command that can be typed next.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NextStep {
    /// The command.
    #[serde(rename = "type")]
    pub command: String,
    /// What it does.
    pub does: String,
}

/// A run that is watched while it is driven; each part is computed when it is asked for.
pub struct Watched<'r> {
    run: &'r Run,
    view: View,
}

impl<'r> Watched<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        Self { run, view: run.view() }
    }

    /// The run as it stands.
    pub fn summary(&self) -> RunSummary {
        summary(&self.view.summary)
    }

    /// Its steps.
    pub fn steps(&self, now_ms: u64) -> Vec<StepEntry> {
        steps::entries(self.run, &self.view, Millis(now_ms))
    }

    /// What can be typed next.
    pub fn next(&self) -> Vec<NextStep> {
        next(&self.view.summary)
    }
}

/// What can be typed next.
pub(super) fn next(summary: &Summary) -> Vec<NextStep> {
    standing::next(summary).into_iter().map(|(command, does)| NextStep { command, does }).collect()
}

/// A run as it stands; its summary must have its steps.
pub(super) fn summary(kept: &Summary) -> RunSummary {
    let ending = kept.ending.as_ref().map(|ending| {
        let (how, why) = event_text::ended(ending);
        EndingReply { how, why }
    });
    let awaited = standing::awaited(kept);
    let waits_elsewhere = awaited.iter().any(|one| one.kind.is_elsewhere());
    let awaits = awaited.into_iter().map(|one| AwaitedReply {
        id: one.id,
        kind: one.kind.word().to_owned(),
        step: one.step,
        text: one.text,
    });
    let steps = kept.steps.as_ref();
    RunSummary {
        run: kept.run.clone(),
        flow: kept.flow.clone(),
        state: standing::word(kept).to_owned(),
        ending,
        current: kept.current.clone(),
        completed: steps.map(|steps| steps.completed.clone()).unwrap_or_default(),
        remaining: steps.map(|steps| steps.remaining.clone()).unwrap_or_default(),
        awaits: awaits.collect(),
        handoffs: kept.handoffs,
        // None where no agent claims any and no cap has them counted.
        tokens: (kept.tokens > 0).then_some(kept.tokens),
        started: kept.started.map(moment::stamp),
        last: kept.last.map(moment::stamp),
        started_ms: kept.started.map(|at| at.0),
        last_ms: kept.last.map(|at| at.0),
        waits_elsewhere,
        words: standing::words(kept),
    }
}
