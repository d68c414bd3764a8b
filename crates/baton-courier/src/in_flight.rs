//! Deliveries in flight of a courier, each with a thread of its own.
//!
//! Invariant: a delivery leaves the table before its end is reported, so that the next attempt can start at once.
//! Invariant: one delivery has one attempt at a time.

use std::collections::HashMap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::{Cause, Delivery, Failure, Key, Report, What};

const STACK_BYTES: usize = 256 * 1024;

/// Deliveries in flight, each with a handle that stops it.
pub(crate) struct InFlight<H> {
    table: Mutex<Table<H>>,
    changed: Condvar,
}

struct Table<H> {
    /// Number of the attempt, and its handle.
    attempts: HashMap<Key, (u32, H)>,
    /// Counts attempts until their end is reported.
    unfinished: usize,
}

impl<H> Default for InFlight<H> {
    fn default() -> Self {
        let table = Table { attempts: HashMap::new(), unfinished: 0 };
        Self { table: Mutex::new(table), changed: Condvar::new() }
    }
}

impl<H: Clone + Send + 'static> InFlight<H> {
    /// Runs a delivery in a thread of its own, and reports its end.
    pub(crate) fn start(
        self: &Arc<Self>,
        delivery: Delivery,
        reports: Sender<Report>,
        handle: H,
        run: impl FnOnce(&Delivery, &dyn Fn(What)) -> Result<Vec<u8>, Failure> + Send + 'static,
    ) {
        let (key, attempt) = (delivery.key.clone(), delivery.attempt);
        let send = move |what: What| {
            // The delivery continues without a listener.
            let _ = reports.send(Report { key: key.clone(), attempt, what });
        };
        if let Err(failure) = self.register(&delivery, handle) {
            return send(What::Failure(failure));
        }
        let (in_flight, key, on_failure) = (Arc::clone(self), delivery.key.clone(), send.clone());
        let work = move || {
            let end = run(&delivery, &send);
            in_flight.table().attempts.remove(&delivery.key);
            send(end.map_or_else(What::Failure, What::Answer));
            // A caller that waits for the courier to be gone waits for the channel of the reports too.
            drop(send);
            in_flight.finish();
        };
        let started =
            thread::Builder::new().name("baton-delivery".to_owned()).stack_size(STACK_BYTES).spawn(work);
        if let Err(error) = started {
            let message = format!("no thread could be started for the delivery: {error}");
            self.table().attempts.remove(&key);
            on_failure(What::Failure(Failure::new(Cause::Broken, message)));
            self.finish();
        }
    }

    /// Handle of a delivery in flight.
    pub(crate) fn find(&self, key: &Key) -> Option<H> {
        self.table().attempts.get(key).map(|(_, handle)| handle.clone())
    }

    /// Stops all deliveries, and waits for their ends for at most this long.
    pub(crate) fn clear(&self, within: Duration, stop: impl Fn(&Key, &H)) {
        let handles: Vec<(Key, H)> =
            self.table().attempts.iter().map(|(key, (_, handle))| (key.clone(), handle.clone())).collect();
        for (key, handle) in &handles {
            stop(key, handle);
        }
        let waited = self.changed.wait_timeout_while(self.table(), within, |table| table.unfinished > 0);
        drop(waited);
    }

    fn table(&self) -> MutexGuard<'_, Table<H>> {
        // Every change of the table is complete, so a panic leaves it consistent.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn register(&self, delivery: &Delivery, handle: H) -> Result<(), Failure> {
        let mut table = self.table();
        if let Some((attempt, _)) = table.attempts.get(&delivery.key) {
            let message = format!(
                "attempt {} of {} cannot start while attempt {attempt} is under way",
                delivery.attempt, delivery.key
            );
            return Err(
                Failure::new(Cause::Impossible, message).with_hint("stop it first, or wait for its end")
            );
        }
        table.attempts.insert(delivery.key.clone(), (delivery.attempt, handle));
        table.unfinished += 1;
        Ok(())
    }

    fn finish(&self) {
        self.table().unfinished -= 1;
        self.changed.notify_all();
    }
}
