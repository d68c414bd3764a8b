//! The deliveries of a courier that are under way, each with a thread of its own.
//!
//! Invariant: a delivery is off the table before its end is reported, so that whoever hears of it can start the next
//! attempt at once.
//! Invariant: one delivery has one attempt at a time.

use std::collections::HashMap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::{Cause, Delivery, Failure, Key, Report, What};

const STACK_BYTES: usize = 256 * 1024;

/// All that is under way, with what ends it.
pub(crate) struct Air<F> {
    table: Mutex<Table<F>>,
    changed: Condvar,
}

struct Table<F> {
    /// Each with the number of its attempt.
    flights: HashMap<Key, (u32, F)>,
    /// Counts those that are off the table but not yet reported too.
    in_the_air: usize,
}

impl<F> Default for Air<F> {
    fn default() -> Self {
        let table = Table { flights: HashMap::new(), in_the_air: 0 };
        Self { table: Mutex::new(table), changed: Condvar::new() }
    }
}

impl<F: Clone + Send + 'static> Air<F> {
    /// Carries a delivery in a thread of its own, and reports its end.
    pub(crate) fn start(
        self: &Arc<Self>,
        delivery: Delivery,
        reports: Sender<Report>,
        flight: F,
        carry: impl FnOnce(&Delivery, &dyn Fn(What)) -> Result<Vec<u8>, Failure> + Send + 'static,
    ) {
        let (key, attempt) = (delivery.key.clone(), delivery.attempt);
        let send = move |what: What| {
            // Nobody may be there to hear it any more; the delivery goes on all the same.
            let _ = reports.send(Report { key: key.clone(), attempt, what });
        };
        if let Err(failure) = self.take_off(&delivery, flight) {
            return send(What::Failure(failure));
        }
        let (air, key, on_failure) = (Arc::clone(self), delivery.key.clone(), send.clone());
        let fly = move || {
            let end = carry(&delivery, &send);
            air.table().flights.remove(&delivery.key);
            send(end.map_or_else(What::Failure, What::Answer));
            // Whoever waits for the courier to be gone waits for the channel of the reports too.
            drop(send);
            air.leave();
        };
        let started =
            thread::Builder::new().name("baton-delivery".to_owned()).stack_size(STACK_BYTES).spawn(fly);
        if let Err(error) = started {
            let message = format!("no thread could be started for the delivery: {error}");
            self.table().flights.remove(&key);
            on_failure(What::Failure(Failure::new(Cause::Broken, message)));
            self.leave();
        }
    }

    /// What ends a delivery that is under way.
    pub(crate) fn find(&self, key: &Key) -> Option<F> {
        self.table().flights.get(key).map(|(_, flight)| flight.clone())
    }

    /// Ends all that is under way, and waits until it is gone; what does not let go by then cannot be waited for.
    pub(crate) fn clear(&self, within: Duration, end: impl Fn(&Key, &F)) {
        let flights: Vec<(Key, F)> =
            self.table().flights.iter().map(|(key, (_, flight))| (key.clone(), flight.clone())).collect();
        for (key, flight) in &flights {
            end(key, flight);
        }
        let waited = self.changed.wait_timeout_while(self.table(), within, |table| table.in_the_air > 0);
        drop(waited);
    }

    fn table(&self) -> MutexGuard<'_, Table<F>> {
        // Every change of the table is whole, so that a thread that panicked left nothing half done.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_off(&self, delivery: &Delivery, flight: F) -> Result<(), Failure> {
        let mut table = self.table();
        if let Some((attempt, _)) = table.flights.get(&delivery.key) {
            let message = format!(
                "attempt {} of {} cannot start while attempt {attempt} is under way",
                delivery.attempt, delivery.key
            );
            return Err(
                Failure::new(Cause::Impossible, message).with_hint("stop it first, or wait for its end")
            );
        }
        table.flights.insert(delivery.key.clone(), (delivery.attempt, flight));
        table.in_the_air += 1;
        Ok(())
    }

    fn leave(&self) {
        self.table().in_the_air -= 1;
        self.changed.notify_all();
    }
}
