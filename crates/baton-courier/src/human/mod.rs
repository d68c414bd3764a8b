//! The courier `human`: the handoff stays in the ledger until a person hands in an answer, and a program may notify them.
//!
//! Invariant: the delivery does not depend on the notification, which is bounded in time, ends when the courier is dropped,
//! and fails with a line of progress.
//! Cannot: know earlier notifications. The next driver of the run notifies again.

#[cfg(unix)]
mod notice;

use std::sync::mpsc::Sender;

use crate::{Courier, Delivery, Key, Kind, Report};

/// A person, reached through the inbox.
#[derive(Default)]
pub struct Human {
    #[cfg(unix)]
    notice: Option<notice::Notifier>,
}

impl Human {
    /// A person, and the program that notifies them. `{key}` and `{receiver}` in its arguments are those of the
    /// delivery; it reads the handoff from its standard input.
    #[must_use]
    #[cfg(unix)]
    pub fn new(notify: Option<Vec<String>>) -> Self {
        Self { notice: notify.map(notice::Notifier::new) }
    }
}

impl Courier for Human {
    fn kind(&self) -> Kind {
        Kind::Kept
    }

    #[cfg_attr(not(unix), expect(unused_variables, reason = "there are no notifications"))]
    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        #[cfg(unix)]
        if let Some(notice) = &self.notice {
            notice.send(delivery, reports);
        }
    }

    #[cfg_attr(not(unix), expect(unused_variables, reason = "there are no notifications"))]
    fn stop(&self, key: &Key) {
        #[cfg(unix)]
        if let Some(notice) = &self.notice {
            notice.stop(key);
        }
    }
}
