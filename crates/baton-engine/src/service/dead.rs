//! Dead letters: deliveries that were given up, with all that is needed to resume by hand.

use baton_kernel::Key;
use baton_ledger::Ledger;
use schemars::JsonSchema;
use serde::Serialize;

use super::facade::Service;
use super::summary::{NextStep, next};
use super::{lookup, moment};
use crate::history::projection;
use crate::history::views::{self, show};
use crate::project::fault::{Fault, Result};
use crate::run::awaited::{Awaited, Waiting};
use crate::run::progress::TIME_OVER;
use crate::run::summary::Summary;

/// The dead letters.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct DeadReply {
    /// The deliveries that were given up.
    pub dead: Vec<DeadLetter>,
    /// Whether the project has a ledger.
    #[serde(skip)]
    pub has_ledger: bool,
}

/// A delivery that was given up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeadLetter {
    /// Its id.
    pub id: String,
    /// The run.
    pub run: String,
    /// The step.
    pub step: String,
    /// The receiver.
    pub agent: String,
    /// How many attempts were made.
    pub attempts: u16,
    /// Why it was given up.
    pub reason: String,
    /// What each attempt failed with.
    pub failures: Vec<FailedAttempt>,
    /// The handoff that it was to bring, as its sender wrote it.
    pub handoff: Option<String>,
    /// What can be typed now.
    pub next: Vec<NextStep>,
}

/// An attempt that failed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FailedAttempt {
    /// Its number, from 1.
    pub attempt: u16,
    /// When it failed.
    pub at: String,
    /// What it failed with.
    pub why: String,
    /// The last words of the agent.
    pub words: String,
    /// When it failed, in milliseconds.
    #[serde(skip)]
    pub at_ms: u64,
}

impl Service {
    /// The dead letters: all, those of a run, or one.
    pub fn dead(&self, id: Option<&str>) -> Result<DeadReply> {
        let ledger = self.existing()?;
        let mut reply = DeadReply { has_ledger: ledger.is_some(), ..DeadReply::default() };
        if let Some(ledger) = &ledger {
            for head in lookup::heads(ledger, &["question"])? {
                let summary = views::summary(ledger, &head)?;
                let is_asked = id.is_none_or(|id| id.split('/').next() == Some(&*summary.run));
                if is_asked && !in_short(&summary).is_empty() {
                    reply.dead.extend(of_run(ledger, &summary)?);
                }
            }
        }
        if let Some(id) = id {
            reply.dead.retain(|letter| letter.id == id || letter.run == id);
            if reply.dead.is_empty() {
                let hint = Some("`baton dead` lists them".to_owned());
                return Err(Fault::refused(format!("{id} is no delivery that was given up"), hint));
            }
        }
        Ok(reply)
    }
}

/// The dead letters of a run, without what its records alone have.
fn in_short(summary: &Summary) -> Vec<DeadLetter> {
    let letter = |one: &Awaited| {
        let Waiting::Person(question) = &one.what else { return None };
        // An agent that asks for a permission waits, and is not given up.
        let dead = question.dead.as_ref().filter(|_| !question.is_permission())?;
        Some(DeadLetter {
            id: format!("{}/{}", summary.run, dead.key),
            run: summary.run.clone(),
            step: one.step.clone(),
            agent: dead.to.clone(),
            attempts: dead.attempts,
            reason: question.reason.text().to_owned(),
            failures: Vec::new(),
            handoff: None,
            next: next(summary),
        })
    };
    summary.awaited.iter().filter_map(letter).collect()
}

fn of_run(ledger: &dyn Ledger, summary: &Summary) -> Result<Vec<DeadLetter>> {
    let run = lookup::whole(ledger, &summary.run)?;
    let carried = show(ledger, &summary.run, moment::now())?;
    let mut letters = in_short(summary);
    for letter in &mut letters {
        let is_it = |key: Key| format!("{}/{key}", letter.run) == letter.id;
        let asked = carried.pending.questions.iter().find(|asked| asked.dead.is_some_and(is_it));
        let handoff = asked.and_then(|asked| carried.text(asked.content?));
        letter.handoff = handoff
            .map(|handoff| String::from_utf8_lossy(&handoff).into_owned())
            .filter(|handoff| !handoff.trim().is_empty());
        let delivery = asked.and_then(|asked| run.history.delivery(asked.dead?));
        let failures = delivery.map(|delivery| delivery.failures.as_slice()).unwrap_or_default();
        letter.failures = failures.iter().map(FailedAttempt::of).collect();
    }
    Ok(letters)
}

impl FailedAttempt {
    fn of(failed: &projection::FailedAttempt) -> Self {
        let words = String::from_utf8_lossy(failed.words.as_deref().unwrap_or_default()).trim().to_owned();
        Self {
            attempt: failed.attempt,
            at: moment::stamp(failed.at),
            why: failed.failure.signature.clone().unwrap_or_else(|| TIME_OVER.to_owned()),
            words,
            at_ms: failed.at.0,
        }
    }
}
