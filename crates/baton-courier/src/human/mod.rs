//! The courier `human`: the handoff lies in the ledger until a person hands in an answer, and a program may tell them
//! that it is there.
//!
//! Invariant: whatever becomes of the program that notifies, the delivery is made: it is bounded in time, it is ended
//! when the courier is dropped, and its failure is a line of progress.
//! Cannot: tell who was notified before. Whoever drives the run next notifies again.

#[cfg(unix)]
mod notice;

use std::sync::mpsc::Sender;

use crate::{Courier, Delivery, Key, Kind, Report};

/// A person who is asked through the inbox.
#[derive(Default)]
pub struct Human {
    #[cfg(unix)]
    notice: Option<notice::Notice>,
}

impl Human {
    /// A person, who is told of new work by a program, if one is named. `{key}` and `{receiver}` in its arguments are
    /// those of the delivery, and it reads the handoff from its standard input.
    #[must_use]
    #[cfg(unix)]
    pub fn new(notify: Option<Vec<String>>) -> Self {
        Self { notice: notify.map(notice::Notice::new) }
    }
}

impl Courier for Human {
    fn kind(&self) -> Kind {
        Kind::Kept
    }

    #[cfg_attr(not(unix), expect(unused_variables, reason = "nobody can be notified there"))]
    fn start(&self, delivery: Delivery, reports: Sender<Report>) {
        #[cfg(unix)]
        if let Some(notice) = &self.notice {
            notice.send(delivery, reports);
        }
    }

    #[cfg_attr(not(unix), expect(unused_variables, reason = "nobody can be notified there"))]
    fn stop(&self, key: &Key) {
        #[cfg(unix)]
        if let Some(notice) = &self.notice {
            notice.stop(key);
        }
    }
}
