//! The deliveries that are under way, each with a thread of its own, and how they are begun and ended.
//!
//! Invariant: a delivery is off the table before its end is reported, so that whoever hears of it can start the next
//! attempt at once.

use std::collections::HashMap;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use crate::{Cause, Courier, Delivery, Failure, Key, Kind, Report, What};

use super::Hook;
use super::carry::{Event, carry};
use super::door::Door;

/// How long dropping a courier waits for what it started, which is told to end and does not wait for anybody.
const DROP_WITHIN: Duration = Duration::from_secs(5);

const STACK_BYTES: usize = 256 * 1024;

/// Carries handoffs to an agent behind a URL.
pub struct HttpCourier {
    hook: Arc<Hook>,
    air: Arc<Air>,
}

/// All that is under way.
#[derive(Default)]
struct Air {
    table: Mutex<Table>,
    changed: Condvar,
    /// Opened when it is first needed.
    door: OnceLock<Result<Door, String>>,
}

#[derive(Default)]
struct Table {
    flights: HashMap<Key, Flight>,
    /// Counts those that are off the table but not yet reported too.
    in_the_air: usize,
}

struct Flight {
    attempt: u32,
    events: Sender<Event>,
}

impl HttpCourier {
    /// A courier for one agent.
    #[must_use]
    pub fn new(hook: Hook) -> Self {
        Self { hook: Arc::new(hook), air: Arc::default() }
    }
}

impl Courier for HttpCourier {
    fn kind(&self) -> Kind {
        Kind::Idempotent
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        let (key, attempt) = (delivery.key.clone(), delivery.attempt);
        let send = move |what: What| {
            // Nobody may be there to hear it any more; the delivery goes on all the same.
            let _ = reports.send(Report { key: key.clone(), attempt, what });
        };
        let (sender, events) = mpsc::channel();
        if let Err(failure) = self.air.take_off(&delivery, sender.clone()) {
            return send(What::Failure(failure));
        }
        let (hook, air) = (Arc::clone(&self.hook), Arc::clone(&self.air));
        let (key, on_failure) = (delivery.key.clone(), send.clone());
        let fly = move || {
            let end = match air.door() {
                Ok(door) => carry(&hook, door, &delivery, (sender, &events), &send),
                Err(failure) => Err(failure),
            };
            air.land(&delivery.key, || send(end.map_or_else(What::Failure, What::Answer)));
            // Whoever waits for the courier to be gone waits for the channel of the reports too.
            drop(send);
            air.leave();
        };
        let started = thread::Builder::new().name("baton-http".to_owned()).stack_size(STACK_BYTES).spawn(fly);
        if let Err(error) = started {
            let message = format!("no thread could be started for the delivery: {error}");
            self.air.land(&key, || on_failure(What::Failure(Failure::new(Cause::Broken, message))));
            self.air.leave();
        }
    }

    fn stop(&self, key: &Key) {
        if let Some(flight) = self.air.table().flights.get(key) {
            // One that has just ended hears nothing any more.
            let _ = flight.events.send(Event::Stop);
        }
    }
}

impl Drop for HttpCourier {
    fn drop(&mut self) {
        let table = self.air.table();
        for flight in table.flights.values() {
            let _ = flight.events.send(Event::Stop);
        }
        let waited = self.air.changed.wait_timeout_while(table, DROP_WITHIN, |table| table.in_the_air > 0);
        drop(waited);
    }
}

impl Air {
    fn table(&self) -> MutexGuard<'_, Table> {
        // Every change of the table is whole, so that a thread that panicked left nothing half done.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn door(&self) -> Result<&Door, Failure> {
        let door = self.door.get_or_init(|| Door::open().map_err(|error| error.to_string()));
        door.as_ref().map_err(|error| {
            Failure::new(Cause::Broken, format!("no listener for callbacks could be opened: {error}"))
        })
    }

    fn take_off(&self, delivery: &Delivery, events: Sender<Event>) -> Result<(), Failure> {
        let mut table = self.table();
        if let Some(flight) = table.flights.get(&delivery.key) {
            let message = format!(
                "attempt {} of {} cannot start while attempt {} is under way",
                delivery.attempt, delivery.key, flight.attempt
            );
            return Err(
                Failure::new(Cause::Impossible, message).with_hint("stop it first, or wait for its end")
            );
        }
        table.flights.insert(delivery.key.clone(), Flight { attempt: delivery.attempt, events });
        table.in_the_air += 1;
        Ok(())
    }

    /// Takes a delivery off the table and reports its end.
    fn land(&self, key: &Key, report: impl FnOnce()) {
        self.table().flights.remove(key);
        report();
    }

    /// Tells those who wait that there is one less.
    fn leave(&self) {
        self.table().in_the_air -= 1;
        self.changed.notify_all();
    }
}
