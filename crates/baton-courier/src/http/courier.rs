//! The courier itself: what is under way, and how it is begun and ended.

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::in_flight::InFlight;
use crate::{Cause, Courier, Delivery, Failure, Key, Kind, Report};

use super::Hook;
use super::attempt::run_attempt;
use super::callback_server::CallbackServer;
use super::event::Event;

/// Time limit for attempts to end when the courier is dropped.
const DROP_WITHIN: Duration = Duration::from_secs(5);

/// Carries handoffs to an agent behind a URL.
pub struct HttpCourier {
    hook: Arc<Hook>,
    in_flight: Arc<InFlight<Sender<Event>>>,
    /// Opened at first use.
    server: Arc<OnceLock<Result<CallbackServer, String>>>,
}

impl HttpCourier {
    /// A courier for one agent.
    #[must_use]
    pub fn new(hook: Hook) -> Self {
        Self { hook: Arc::new(hook), in_flight: Arc::default(), server: Arc::default() }
    }
}

impl Courier for HttpCourier {
    fn kind(&self) -> Kind {
        Kind::Idempotent
    }

    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        let (sender, events) = mpsc::channel();
        let (hook, server) = (Arc::clone(&self.hook), Arc::clone(&self.server));
        self.in_flight.start(delivery, reports, sender.clone(), move |delivery, tell| {
            let server = server.get_or_init(|| CallbackServer::open().map_err(|error| error.to_string()));
            let server = server.as_ref().map_err(|error| {
                Failure::new(Cause::Broken, format!("no listener for callbacks could be opened: {error}"))
            })?;
            run_attempt(&hook, server, delivery, (sender, &events), tell)
        });
    }

    fn stop(&self, key: &Key) {
        if let Some(events) = self.in_flight.find(key) {
            // An attempt that has just ended does not listen.
            let _ = events.send(Event::Stop);
        }
    }
}

impl Drop for HttpCourier {
    fn drop(&mut self) {
        self.in_flight.clear(DROP_WITHIN, |_, events| {
            let _ = events.send(Event::Stop);
        });
    }
}
