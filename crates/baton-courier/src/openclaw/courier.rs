//! The courier itself: how a delivery is begun, and ended in the middle of a call or between two.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::air::Air;
use crate::program::ProgramCourier;
use crate::{Courier, Delivery, Key, Kind, Report};

use super::turn::carry;

/// How long dropping a courier waits for what it started.
const DROP_WITHIN: Duration = Duration::from_secs(15);

/// How an agent of OpenClaw is reached.
#[derive(Clone, Debug, Default)]
pub struct Openclaw {
    /// The program and its first arguments; `openclaw` unless said.
    pub command: Vec<String>,
    /// `agent:NAME:SESSION` is a session that it always works in, `agent:NAME` one for each delivery. It is `agent:main`
    /// unless said.
    pub session_key: Option<String>,
    /// Arguments behind all others.
    pub arguments: Vec<String>,
}

/// Carries handoffs to an agent of OpenClaw.
pub struct OpenclawCourier {
    openclaw: Arc<Openclaw>,
    air: Arc<Air<Arc<Flight>>>,
}

impl OpenclawCourier {
    /// A courier for one agent.
    #[must_use]
    pub fn new(openclaw: Openclaw) -> Self {
        Self { openclaw: Arc::new(openclaw), air: Arc::default() }
    }
}

/// A delivery that is under way.
#[derive(Default)]
pub(super) struct Flight {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_stopped: bool,
    calling: Option<Arc<ProgramCourier>>,
}

impl Flight {
    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is whole, so that a thread that panicked left nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.state().is_stopped
    }

    /// Makes a call known, so that it ends when the delivery is stopped.
    pub(super) fn calls(&self, courier: Option<Arc<ProgramCourier>>) {
        self.state().calling = courier;
    }

    /// Waits until then, or until the delivery is stopped.
    pub(super) fn pause(&self, until: Instant) {
        let left = until.saturating_duration_since(Instant::now());
        let waited = self.changed.wait_timeout_while(self.state(), left, |state| !state.is_stopped);
        drop(waited);
    }

    fn stop(&self, key: &Key) {
        let mut state = self.state();
        state.is_stopped = true;
        let calling = state.calling.clone();
        drop(state);
        self.changed.notify_all();
        if let Some(calling) = calling {
            calling.stop(key);
        }
    }
}

impl Courier for OpenclawCourier {
    fn kind(&self) -> Kind {
        Kind::Idempotent
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        let (openclaw, flight) = (Arc::clone(&self.openclaw), Arc::new(Flight::default()));
        self.air.start(delivery, reports, Arc::clone(&flight), move |delivery, tell| {
            carry(&openclaw, &flight, delivery, tell)
        });
    }

    fn stop(&self, key: &Key) {
        if let Some(flight) = self.air.find(key) {
            flight.stop(key);
        }
    }
}

impl Drop for OpenclawCourier {
    fn drop(&mut self) {
        self.air.clear(DROP_WITHIN, |key, flight| flight.stop(key));
    }
}
