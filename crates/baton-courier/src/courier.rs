//! The trait of all couriers.

use std::path::Path;
use std::sync::mpsc::Sender;

use crate::{Delivery, Key, Report};

/// Delivers handoffs to agents, many at a time, and reports the events of each.
///
/// Every attempt that was started, unless it is [kept](Kind::Kept), gets exactly one report that [ends it](crate::What::is_final), and none after it. A courier
/// that is dropped ends what is still under way, and reports it as stopped.
pub trait Courier: Send + Sync {
    /// Recovery of an attempt whose end was not reported.
    fn kind(&self) -> Kind;

    /// Starts an attempt and returns at once; every event, a failed start included, is a report.
    fn start(&self, delivery: Delivery, reports: Sender<Report>);

    /// Ends orphans of a delivery whose Baton was killed; may take a moment.
    fn clear(&self, root: &Path, key: &Key) {
        let _ = (root, key);
    }

    /// Stops the attempt in flight with this key, if any, and returns at once.
    fn stop(&self, key: &Key);
}

/// Recovery of an attempt that was started, and whose end was not reported because Baton ended first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Send it again with the same key: the agent does the work once.
    Idempotent,
    /// Resume its session and ask.
    Resumable,
    /// Neither: the work that was done is unknown.
    Neither,
    /// Nothing: the agent finds it by itself, and hands its answer in to Baton.
    Kept,
}
