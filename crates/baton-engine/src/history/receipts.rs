//! Receipts: how each delivery of a run was received, accepted and started.

use baton_kernel::{Key, Millis};

use crate::history::projection::Projection;
use crate::records::checklist::Checklist;
use crate::records::entry::Entry;

/// How a delivery was received: each is a fact of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The delivery.
    pub key: Key,
    /// Its receiver.
    pub receiver: String,
    /// When it was sent.
    pub sent: Millis,
    /// When its receiver said that it has it.
    pub received: Option<Millis>,
    /// When its receiver said that it understood it, and takes it.
    pub accepted: Option<Millis>,
    /// When its receiver said that it began.
    pub started: Option<Millis>,
    /// When the receiver asked what was meant, with the question.
    pub questioned: Option<(Millis, String)>,
    /// What the checklist found, if it was gone through.
    pub checklist: Option<Checklist>,
}

/// How the deliveries of a run were received, in order.
pub fn receipts(history: &[Entry]) -> Vec<Receipt> {
    let mut projection = Projection::default();
    history.iter().for_each(|entry| projection.push(entry));
    projection.receipts().cloned().collect()
}
