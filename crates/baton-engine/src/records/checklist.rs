//! The checklist of a package's receiver, as it is recorded.

use baton_kernel::Key;
use serde::{Deserialize, Serialize};

use crate::records::codec;

/// What a receiver goes through before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// The summary can be understood.
    Summary,
    /// All artifacts exist.
    Artifacts,
    /// What is expected is clear.
    Deliverable,
    /// The constraints fit what the receiver can do.
    Constraints,
}

/// Something that is missing or unclear.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanting {
    /// What of the checklist does not hold.
    pub item: Item,
    /// Why, in a line.
    pub text: String,
}

/// A checklist that was gone through, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checklist {
    /// The delivery.
    pub key: Key,
    /// Whether the receiver got it all the same.
    pub handed_over: bool,
    /// What is missing or unclear; nothing means that all of the checklist holds.
    pub findings: Vec<Wanting>,
}

impl Checklist {
    /// Its findings, each in a line.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.findings.iter().map(|finding| finding.text.clone()).collect()
    }

    /// What the sender is asked, where the receiver does not get it.
    pub(crate) fn question(&self, receiver: &str) -> String {
        let lines = self.findings.iter().map(|finding| format!("\n- {}", finding.text));
        format!(
            "{receiver} cannot start with this handoff. What is missing or unclear?{}",
            lines.collect::<String>()
        )
    }
}

/// The checklist that a record holds, if it holds one.
pub(crate) fn read(record: &baton_ledger::Record) -> Option<Checklist> {
    (record.kind == codec::RECEIVED).then(|| serde_json::from_slice(&record.body).ok()).flatten()
}
