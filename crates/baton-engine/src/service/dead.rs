//! Dead letters: deliveries that were given up, with all that is needed to resume by hand.

use baton_kernel::{Doing, Event, Key, Reason};
use baton_ledger::Ledger;
use schemars::JsonSchema;
use serde::Serialize;

use super::facade::Service;
use super::summary::{NextStep, next};
use super::{lookup, moment, standing};
use crate::history::views::show;
use crate::project::fault::{Fault, Result};
use crate::records::entry::history;

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
                reply.dead.extend(of_run(ledger, &head.stream)?);
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

fn of_run(ledger: &dyn Ledger, name: &str) -> Result<Vec<DeadLetter>> {
    let run = lookup::one(ledger, name)?;
    let view = run.view();
    let state = &view.state;
    let carried = show(ledger, name, moment::now())?;
    let mut letters = Vec::new();
    for lane in state.lanes() {
        let (Doing::Person(question), Some(dead)) = (&lane.doing, &lane.dead) else { continue };
        // An agent that asks for a permission waits, and is not given up.
        if question.reason == Reason::PermissionAsked {
            continue;
        }
        let agent = state.plan().agents.get(usize::from(dead.to.0));
        let asked = carried.pending.questions.iter().find(|asked| asked.dead == Some(dead.key));
        let handoff = asked.and_then(|asked| carried.text(asked.content?));
        letters.push(DeadLetter {
            id: format!("{}/{}", state.run(), dead.key),
            run: state.run().to_owned(),
            step: standing::step_name(state, lane.step).to_owned(),
            agent: agent.map_or_else(String::new, |agent| agent.name.clone()),
            attempts: dead.attempt,
            reason: question.reason.text().to_owned(),
            failures: failures(ledger, name, dead.key)?,
            handoff: handoff
                .map(|handoff| String::from_utf8_lossy(&handoff).into_owned())
                .filter(|handoff| !handoff.trim().is_empty()),
            next: next(&view),
        });
    }
    Ok(letters)
}

/// What the attempts of a delivery failed with, in their order.
fn failures(ledger: &dyn Ledger, run: &str, dead: Key) -> Result<Vec<FailedAttempt>> {
    let mut failures = Vec::new();
    for entry in history(ledger, run)? {
        let Some(Event::AttemptFailed { key, attempt, at, failure }) = entry.event else { continue };
        if key != dead {
            continue;
        }
        let words = entry.record.payload.and_then(|payload| payload.bytes).unwrap_or_default();
        let why = failure.signature.unwrap_or_else(|| "its time is over".to_owned());
        let words = String::from_utf8_lossy(&words).trim().to_owned();
        failures.push(FailedAttempt { attempt, at: moment::stamp(at), why, words, at_ms: at.0 });
    }
    Ok(failures)
}
