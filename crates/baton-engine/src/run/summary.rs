//! Summary of a run: what lists say of it, kept with each append so that no list replays a run.
//!
//! Invariant: no text that can be erased is in it, for no erasure reaches it.
//!
//! A summary counts as long as it was made with the last record of its run; of other runs it is made by replay.

use baton_kernel::{Ending, Millis, State, StepId, position};
use baton_ledger::Head;
use serde::{Deserialize, Serialize};

use crate::run::awaited::{Awaited, Waiting, awaited};
use crate::run::progress::Progress;

/// The bytes that a ledger keeps of one.
pub(crate) const BYTES_MAX: usize = 4096;

/// What lists say of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Its name; the ledger has it as the name of the stream.
    #[serde(skip)]
    pub run: String,
    /// Its last record.
    pub seq: u64,
    /// Its flow.
    pub flow: String,
    /// How it ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// The steps that it is at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub current: Vec<String>,
    /// The steps behind it and ahead of it; none where a ledger cannot keep that many names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Steps>,
    /// What it waits for, agents first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub awaited: Vec<Awaited>,
    /// Its handoffs.
    pub handoffs: usize,
    /// The tokens that count against its cap.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// When it started.
    pub started: Option<Millis>,
    /// When something was last recorded.
    pub last: Option<Millis>,
    /// The record that holds its flow, where that asks a person something now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow_record: Option<u64>,
    /// The holder of the lease under which it was written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub driver: String,
}

/// The steps behind a run and ahead of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steps {
    /// Those that were left behind.
    pub completed: Vec<String>,
    /// Those that follow if everything goes well.
    pub remaining: Vec<String>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Summary {
    /// The summary of a run as it stands.
    pub(crate) fn of(state: &State, progress: &Progress, seq: u64) -> Self {
        let position = position(state);
        let name = |step: StepId| state.plan().step(step).map_or_else(String::new, |step| step.name.clone());
        let names = |steps: Vec<StepId>| steps.into_iter().map(name).collect();
        let awaited = awaited(state, progress);
        let is_flow = |one: &Awaited| matches!(&one.what, Waiting::Person(it) if it.is_by_flow());
        let flow_record = progress.flow_record().filter(|_| awaited.iter().any(is_flow));
        Self {
            run: state.run().to_owned(),
            seq,
            flow: state.plan().name.clone(),
            ending: state.ending().cloned(),
            current: names(position.current),
            steps: Some(Steps { completed: names(position.completed), remaining: names(position.remaining) }),
            awaited,
            handoffs: progress.handoffs,
            tokens: state.tokens(),
            started: progress.started,
            last: progress.last,
            flow_record,
            driver: String::new(),
        }
    }

    /// What a ledger keeps of it; nothing where that is too much.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        let write = |summary: &Self| serde_json::to_vec(summary).unwrap_or_default();
        let mut bytes = write(&self);
        if bytes.len() > BYTES_MAX {
            self.steps = None;
            bytes = write(&self);
        }
        if bytes.len() > BYTES_MAX { Vec::new() } else { bytes }
    }

    /// The summary that a head keeps, if it is of the last record. What a flow asks is not in it.
    pub fn read(head: &Head) -> Option<Self> {
        let mut summary: Self = serde_json::from_slice(&head.summary).ok()?;
        summary.run.clone_from(&head.stream);
        (summary.seq == head.seq).then_some(summary)
    }
}
