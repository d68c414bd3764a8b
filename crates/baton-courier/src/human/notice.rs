//! Tells a person that there is work, by a program of their choice.

use std::collections::HashMap;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::program::{Program, ProgramCourier};
use crate::{Cause, Courier as _, Delivery, Failure, Key, Limits, Report, What};

/// How long a notification may take, and how long a courier that is dropped waits for it.
const WITHIN: Duration = Duration::from_secs(5);
/// What a notification may say; nobody reads it.
const BYTES_MAX: usize = 64 * 1024;
/// What programs that show something need of the environment.
const ENVIRONMENT: [&str; 4] = ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"];
const STACK_BYTES: usize = 128 * 1024;

pub(super) struct Notice {
    command: Vec<String>,
    out: Arc<Out>,
}

/// The notifications that are under way.
#[derive(Default)]
struct Out {
    couriers: Mutex<HashMap<Key, Arc<ProgramCourier>>>,
    changed: Condvar,
}

impl Out {
    fn couriers(&self) -> MutexGuard<'_, HashMap<Key, Arc<ProgramCourier>>> {
        // Every change is whole, so that a thread that panicked left nothing half done.
        self.couriers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Notice {
    pub(super) fn new(command: Vec<String>) -> Self {
        Self { command, out: Arc::default() }
    }

    /// Starts the program, and returns at once.
    pub(super) fn send(&self, delivery: Delivery, reports: Sender<Report>) {
        let filled: Result<Vec<String>, Failure> =
            self.command.iter().map(|word| filled(word, &delivery)).collect();
        let command = match filled {
            Ok(command) => command,
            Err(failure) => {
                // Nobody may be there to hear it any more.
                let _ = reports.send(not_told(&delivery.key, delivery.attempt, &failure));
                return;
            }
        };
        let courier = Arc::new(ProgramCourier::new(Program::new(command)));
        let mut couriers = self.out.couriers();
        if couriers.contains_key(&delivery.key) {
            return;
        }
        couriers.insert(delivery.key.clone(), Arc::clone(&courier));
        drop(couriers);
        let limits = Limits {
            time_max: WITHIN,
            grace: Duration::from_millis(500),
            answer_bytes_max: BYTES_MAX,
            noise_bytes_max: BYTES_MAX,
        };
        let mut delivery = Delivery { limits, ..delivery };
        delivery.environment.extend(ENVIRONMENT.map(str::to_owned));
        let (key, attempt) = (delivery.key.clone(), delivery.attempt);
        let (sender, received) = mpsc::channel();
        courier.start(delivery, sender);
        let (out, ended) = (Arc::clone(&self.out), key.clone());
        let watch = move || {
            for report in received {
                let What::Failure(failure) = report.what else { continue };
                // It need not say anything.
                if failure.cause != Cause::Empty {
                    // Nobody may be there to hear it any more.
                    let _ = reports.send(not_told(&key, attempt, &failure));
                }
            }
            drop(reports);
            out.couriers().remove(&key);
            out.changed.notify_all();
        };
        let watched = thread::Builder::new().name("baton-notice".to_owned()).stack_size(STACK_BYTES);
        if watched.spawn(watch).is_err() {
            self.out.couriers().remove(&ended);
        }
    }

    pub(super) fn stop(&self, key: &Key) {
        let courier = self.out.couriers().get(key).cloned();
        if let Some(courier) = courier {
            courier.stop(key);
        }
    }
}

/// A word of the command with the names of the delivery in it, which are not looked at again and never make it an option.
fn filled(word: &str, delivery: &Delivery) -> Result<String, Failure> {
    let names = [("{key}", delivery.key.as_str()), ("{receiver}", delivery.receiver.as_str())];
    let mut filled = String::new();
    let mut rest = word;
    while let Some((at, name, value)) =
        names.iter().filter_map(|(name, value)| Some((rest.find(name)?, name, value))).min()
    {
        if filled.is_empty() && at == 0 && value.starts_with('-') {
            let message = format!("`{}` would be an option of the program", value.escape_debug());
            return Err(Failure::new(Cause::Impossible, message));
        }
        filled.push_str(&rest[..at]);
        filled.push_str(value);
        rest = &rest[at + name.len()..];
    }
    Ok(filled + rest)
}

fn not_told(key: &Key, attempt: u32, failure: &Failure) -> Report {
    let line = format!("the person could not be notified: {failure}").into_bytes();
    Report { key: key.clone(), attempt, what: What::Progress(line) }
}

impl Drop for Notice {
    fn drop(&mut self) {
        let couriers = self.out.couriers();
        let all_out = |couriers: &mut HashMap<Key, Arc<ProgramCourier>>| !couriers.is_empty();
        // A run that rests because it waits for the person is let go of at once, and the person is to hear of it.
        let waited = self.out.changed.wait_timeout_while(couriers, WITHIN, all_out);
        drop(waited);
    }
}
