//! The courier for OpenClaw.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use crate::in_flight::InFlight;
use crate::{Courier, Delivery, Key, Kind, Report};

use super::Openclaw;
use super::attempt::run_attempt;
use super::stop_signal::StopSignal;

/// Time limit for attempts to end when the courier is dropped.
const DROP_WITHIN: Duration = Duration::from_secs(15);

/// Courier for an agent of OpenClaw.
pub struct OpenclawCourier {
    openclaw: Arc<Openclaw>,
    in_flight: Arc<InFlight<Arc<StopSignal>>>,
}

impl OpenclawCourier {
    /// A courier for one agent.
    #[must_use]
    pub fn new(openclaw: Openclaw) -> Self {
        Self { openclaw: Arc::new(openclaw), in_flight: Arc::default() }
    }
}

impl Courier for OpenclawCourier {
    fn kind(&self) -> Kind {
        Kind::Idempotent
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        let (openclaw, attempt) = (Arc::clone(&self.openclaw), Arc::new(StopSignal::default()));
        self.in_flight.start(delivery, reports, Arc::clone(&attempt), move |delivery, tell| {
            run_attempt(&openclaw, &attempt, delivery, tell)
        });
    }

    fn stop(&self, key: &Key) {
        if let Some(attempt) = self.in_flight.find(key) {
            attempt.stop(key);
        }
    }
}

impl Drop for OpenclawCourier {
    fn drop(&mut self) {
        self.in_flight.clear(DROP_WITHIN, |key, attempt| attempt.stop(key));
    }
}
