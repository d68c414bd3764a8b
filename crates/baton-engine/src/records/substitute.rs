//! The handoff that stands for a delivery which was given up.

use baton_kernel::{Digest, Key, Reason};
use baton_ledger::Record;
use serde::{Deserialize, Serialize};

use crate::records::codec;

/// A delivery that was given up.
#[derive(Clone, Debug)]
pub(crate) struct GivenUp {
    pub(crate) key: Key,
    pub(crate) agent: String,
    pub(crate) step: String,
    pub(crate) reason: Reason,
    /// What it was given.
    pub(crate) given: Option<Digest>,
}

/// What stands for a delivery that was given up, as it is recorded; the handoff itself is the payload of the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The delivery that was given up.
    pub key: Key,
    /// The agent that gave no answer that counts.
    pub agent: String,
    /// The step.
    pub step: String,
    /// Whether the agent gave it, to say what went wrong; else Baton wrote it.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub is_error: bool,
}

impl Made {
    /// What a record says, if it is one of these.
    pub fn read(record: &Record) -> Option<Self> {
        (record.kind == codec::MADE).then(|| Self::of_body(&record.body)).flatten()
    }

    /// What the body of such a record says.
    pub(crate) fn of_body(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok()
    }
}
