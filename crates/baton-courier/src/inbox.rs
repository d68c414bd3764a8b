//! The courier for agents that look for their work themselves: what is owed to them is in the ledger, and stays there.
//!
//! Nothing is started and nothing reported; the agent's answer is handed in to Baton.

use std::sync::mpsc::Sender;

use crate::{Courier, Delivery, Key, Kind, Report};

/// An inbox that an agent polls.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inbox;

impl Courier for Inbox {
    fn kind(&self) -> Kind {
        Kind::Kept
    }

    fn start(&self, _delivery: Delivery, _reports: Sender<Report>) {}

    fn stop(&self, _key: &Key) {}
}
