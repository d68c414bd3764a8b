//! The log: what happened, record by record.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use baton_kernel::Event;
use baton_ledger::Erasure;

use super::follow::LoggedEntry;
use super::moment;
use crate::mirror::manifests::MANIFESTS;

/// One record of the ledger.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LogEntry {
    /// The stream: a run, or Baton's own.
    pub run: String,
    /// Its number in the stream; none for a line that an agent said, which is no record.
    pub seq: Option<u64>,
    /// When it was recorded.
    pub at: String,
    /// The kind of record.
    pub kind: String,
    /// Who did it: an agent, a person or `baton`.
    pub who: Option<String>,
    /// What happened.
    pub what: Option<String>,
    /// Why, where a choice was made.
    pub why: Option<String>,
    /// Hash of the record.
    pub hash: String,
    /// The record itself.
    pub event: Value,
    /// When it was recorded, in milliseconds.
    #[serde(skip)]
    pub at_ms: u64,
    /// The agents of the flow, where a run starts with this record.
    #[serde(skip)]
    pub workers: Vec<String>,
}

/// A line that an agent said while it worked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SaidLine {
    /// The run.
    pub run: String,
    /// None: it is no record.
    pub seq: Option<u64>,
    /// When it was heard.
    pub at: String,
    /// `said`.
    pub kind: String,
    /// The agent.
    pub who: String,
    /// The line; none where the rest is not kept.
    pub what: Option<String>,
    /// When it was heard, in milliseconds.
    #[serde(skip)]
    pub at_ms: u64,
}

impl LogEntry {
    /// The entry of a record.
    pub(super) fn new(told: &LoggedEntry) -> Self {
        let record = &told.entry.record;
        let body = serde_json::from_slice::<Value>(&record.body).unwrap_or(Value::Null);
        let erased = Erasure::read(record).map(|Erasure { digests, by, because }| {
            let digests: Vec<String> = digests.iter().map(ToString::to_string).collect();
            serde_json::json!({ "digests": digests, "by": by, "because": because })
        });
        let body = erased.unwrap_or(body);
        let workers = match &told.entry.event {
            Some(Event::RunStarted { plan, .. }) => {
                plan.agents.iter().map(|agent| agent.name.clone()).collect()
            }
            Some(_) | None => Vec::new(),
        };
        let line = told.line.as_ref();
        Self {
            run: record.stream.clone(),
            seq: Some(record.seq),
            at: moment::stamp(record.at),
            kind: record.kind.clone(),
            who: line.map(|line| line.who.clone()),
            what: line.map(|line| line.what.clone()),
            why: line.and_then(|line| line.why.clone()),
            hash: record.hash.to_string(),
            event: body.get(&record.kind).unwrap_or(&body).clone(),
            at_ms: record.at.0,
            workers,
        }
    }

    /// Whether it belongs to Baton's own streams, except for the manifests.
    pub fn is_internal(&self) -> bool {
        self.run.starts_with("baton/") && self.run != MANIFESTS
    }

    /// Who did what and why, without the time.
    pub fn text(&self) -> Option<(String, String)> {
        let why = self.why.as_ref().map(|why| format!(" – {why}")).unwrap_or_default();
        Some((self.who.clone()?, format!("{}{why}", self.what.as_deref()?)))
    }
}
