//! Signal that stops a delivery, in the middle of a call or between two.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::program::ProgramCourier;
use crate::{Courier as _, Key};

/// Signal that stops a delivery.
#[derive(Default)]
pub(super) struct StopSignal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_stopped: bool,
    calling: Option<Arc<ProgramCourier>>,
}

impl StopSignal {
    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is complete, so a panic leaves the state consistent.
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

    pub(super) fn stop(&self, key: &Key) {
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
