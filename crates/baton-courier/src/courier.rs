//! What every courier can do.

use std::path::Path;
use std::sync::mpsc::Sender;

use crate::{Delivery, Key, Report};

/// Brings handoffs to agents, many at a time, and reports what comes of each.
///
/// Every attempt that was started, unless it is [kept](Kind::Kept), gets exactly one report that [ends it](crate::What::is_final), and none after it. A courier
/// that is dropped ends what is still under way, and reports it as stopped.
pub trait Courier: Send + Sync {
    /// What may be done with an attempt whose end nobody saw.
    fn kind(&self) -> Kind;

    /// Starts an attempt and returns at once; all that comes of it, a failure to start included, is a report.
    fn start(&self, delivery: Delivery, reports: Sender<Report>);

    /// Ends what is left of a delivery that a Baton was at work with when it was killed; it may take a moment.
    fn clear(&self, root: &Path, key: &Key) {
        let _ = (root, key);
    }

    /// Ends the attempt that is under way with this key, and returns at once; without one it does nothing.
    fn stop(&self, key: &Key);
}

/// What may be done with an attempt that was started, and whose end was never reported because Baton itself ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Send it again with the same key: the agent does the work once.
    Idempotent,
    /// Resume its session and ask.
    Resumable,
    /// Neither: what was done is not known.
    Neither,
    /// Nothing: it lies where the agent looks for it, and the answer is handed in to Baton and not to the courier.
    Kept,
}
