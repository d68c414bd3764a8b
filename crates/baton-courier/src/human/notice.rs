//! Notifies a person of new work, by a program of their choice.

use std::collections::HashMap;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::program::{Program, ProgramCourier};
use crate::{Cause, Courier as _, Delivery, Failure, Key, Limits, Report, What};

/// Time limit of a notification, and of the wait for it when the courier is dropped.
const WITHIN: Duration = Duration::from_secs(5);
/// Limit of the output of a notification, which is discarded.
const BYTES_MAX: usize = 64 * 1024;
/// Variables that programs need to show a notification.
const ENVIRONMENT: [&str; 4] = ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"];
const STACK_BYTES: usize = 128 * 1024;

pub(super) struct Notifier {
    command: Vec<String>,
    pending: Arc<Pending>,
}

/// Notifications in flight.
#[derive(Default)]
struct Pending {
    couriers: Mutex<HashMap<Key, Arc<ProgramCourier>>>,
    changed: Condvar,
}

impl Pending {
    fn couriers(&self) -> MutexGuard<'_, HashMap<Key, Arc<ProgramCourier>>> {
        // Every change of the map is complete, so a panic leaves it consistent.
        self.couriers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Notifier {
    pub(super) fn new(command: Vec<String>) -> Self {
        Self { command, pending: Arc::default() }
    }

    /// Starts the program, and returns at once.
    pub(super) fn send(&self, delivery: Delivery, reports: Sender<Report>) {
        let filled: Result<Vec<String>, Failure> =
            self.command.iter().map(|word| filled(word, &delivery)).collect();
        let command = match filled {
            Ok(command) => command,
            Err(failure) => {
                // The notification continues without a listener.
                let _ = reports.send(not_told(&delivery.key, delivery.attempt, &failure));
                return;
            }
        };
        let courier = Arc::new(ProgramCourier::new(Program::new(command)));
        let mut couriers = self.pending.couriers();
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
        let (pending, ended) = (Arc::clone(&self.pending), key.clone());
        let watch = move || {
            for report in received {
                let What::Failure(failure) = report.what else { continue };
                // No output is no failure.
                if failure.cause != Cause::Empty {
                    // The notification continues without a listener.
                    let _ = reports.send(not_told(&key, attempt, &failure));
                }
            }
            drop(reports);
            pending.couriers().remove(&key);
            pending.changed.notify_all();
        };
        let watched = thread::Builder::new().name("baton-notice".to_owned()).stack_size(STACK_BYTES);
        if watched.spawn(watch).is_err() {
            self.pending.couriers().remove(&ended);
        }
    }

    pub(super) fn stop(&self, key: &Key) {
        let courier = self.pending.couriers().get(key).cloned();
        if let Some(courier) = courier {
            courier.stop(key);
        }
    }
}

/// A word of the command with the placeholders filled in; values are not expanded again and never become an option.
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

impl Drop for Notifier {
    fn drop(&mut self) {
        let couriers = self.pending.couriers();
        let all_out = |couriers: &mut HashMap<Key, Arc<ProgramCourier>>| !couriers.is_empty();
        // A run that waits for the person releases its courier at once, and the person must be notified all the same.
        let waited = self.pending.changed.wait_timeout_while(couriers, WITHIN, all_out);
        drop(waited);
    }
}
