//! Receipts: how each delivery of a run was received, accepted and started.

use std::collections::BTreeMap;

use baton_kernel::{Event, Key, Millis, Stage, State, evolve};

use crate::records::checklist::{Checklist, read};
use crate::records::entry::Entry;

/// How a delivery was received: each is a fact of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The delivery.
    pub key: Key,
    /// Who it went to.
    pub receiver: String,
    /// When it was sent.
    pub sent: Millis,
    /// When its receiver said that it has it.
    pub received: Option<Millis>,
    /// When its receiver said that it understood it, and takes it.
    pub accepted: Option<Millis>,
    /// When its receiver said that it began.
    pub started: Option<Millis>,
    /// When somebody asked what was meant, with the question.
    pub questioned: Option<(Millis, String)>,
    /// What the checklist found, if it was gone through.
    pub checklist: Option<Checklist>,
}

/// How the deliveries of a run were received, in order.
pub fn receipts(history: &[Entry]) -> Vec<Receipt> {
    let mut state = State::new();
    let mut all: Vec<Receipt> = Vec::new();
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    for entry in history {
        let at = entry.record.at;
        let Some(event) = &entry.event else {
            if let Some(checklist) = read(&entry.record)
                && let Some(receipt) = places.get(&checklist.key).and_then(|place| all.get_mut(*place))
            {
                receipt.checklist = Some(checklist);
            }
            continue;
        };
        if let Event::DeliveryStarted { key, to, .. } = event {
            places.entry(*key).or_insert_with(|| {
                let agent = state.plan().agents.get(usize::from(to.0));
                all.push(Receipt {
                    key: *key,
                    receiver: agent.map_or_else(String::new, |agent| agent.name.clone()),
                    sent: at,
                    received: None,
                    accepted: None,
                    started: None,
                    questioned: None,
                    checklist: None,
                });
                all.len() - 1
            });
        }
        let mut on = |key: &Key, change: &dyn Fn(&mut Receipt)| {
            if let Some(receipt) = places.get(key).and_then(|place| all.get_mut(*place)) {
                change(receipt);
            }
        };
        if let Event::Acknowledged { key, stage, .. } = event {
            on(key, &|receipt| match stage {
                Stage::Received => receipt.received = Some(at),
                Stage::Accepted => receipt.accepted = Some(at),
                Stage::Started => receipt.started = Some(at),
            });
        } else if let Event::Questioned { key, .. } = event {
            let bytes = entry.record.payload.as_ref().and_then(|payload| payload.bytes.as_deref());
            let text = String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
            on(key, &|receipt| receipt.questioned = Some((at, text.clone())));
        }
        evolve(&mut state, event);
    }
    all
}
