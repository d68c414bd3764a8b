//! The courier itself: what is under way, and how it is begun and ended.

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::air::Air;
use crate::{Cause, Courier, Delivery, Failure, Key, Kind, Report};

use super::Hook;
use super::carry::{Event, carry};
use super::door::Door;

/// How long dropping a courier waits for what it started, which is told to end and does not wait for anybody.
const DROP_WITHIN: Duration = Duration::from_secs(5);

/// Carries handoffs to an agent behind a URL.
pub struct HttpCourier {
    hook: Arc<Hook>,
    air: Arc<Air<Sender<Event>>>,
    /// Opened when it is first needed.
    door: Arc<OnceLock<Result<Door, String>>>,
}

impl HttpCourier {
    /// A courier for one agent.
    #[must_use]
    pub fn new(hook: Hook) -> Self {
        Self { hook: Arc::new(hook), air: Arc::default(), door: Arc::default() }
    }
}

impl Courier for HttpCourier {
    fn kind(&self) -> Kind {
        Kind::Idempotent
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        let (sender, events) = mpsc::channel();
        let (hook, door) = (Arc::clone(&self.hook), Arc::clone(&self.door));
        self.air.start(delivery, reports, sender.clone(), move |delivery, tell| {
            let door = door.get_or_init(|| Door::open().map_err(|error| error.to_string()));
            let door = door.as_ref().map_err(|error| {
                Failure::new(Cause::Broken, format!("no listener for callbacks could be opened: {error}"))
            })?;
            carry(&hook, door, delivery, (sender, &events), tell)
        });
    }

    fn stop(&self, key: &Key) {
        if let Some(events) = self.air.find(key) {
            // One that has just ended hears nothing any more.
            let _ = events.send(Event::Stop);
        }
    }
}

impl Drop for HttpCourier {
    fn drop(&mut self) {
        self.air.clear(DROP_WITHIN, |_, events| {
            let _ = events.send(Event::Stop);
        });
    }
}
