//! Queue for sessions: one attempt of a courier works in a session at a time.
//!
//! Agents that resume a session twice at once lose one of the two, without an error.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::attempt::{Attempt, Order};

/// Sessions in which an attempt is at work.
#[derive(Default)]
pub(super) struct SessionQueue {
    taken: Mutex<HashSet<String>>,
    changed: Condvar,
}

/// Sessions of one attempt, given back when this is dropped.
pub(super) struct TakenSessions<'q> {
    queue: &'q SessionQueue,
    sessions: Vec<String>,
}

impl SessionQueue {
    fn taken(&self) -> MutexGuard<'_, HashSet<String>> {
        // Every change of the set is complete, so a panic leaves it consistent.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other attempt works in the session; `None` if the attempt was stopped meanwhile.
    pub(super) fn wait(&self, attempt: &Attempt, session: Option<&str>) -> Option<TakenSessions<'_>> {
        let mut sessions = TakenSessions { queue: self, sessions: Vec::new() };
        let Some(session) = session else { return Some(sessions) };
        let is_waiting =
            |taken: &mut HashSet<String>| attempt.order() == Order::GoOn && taken.contains(session);
        let mut taken =
            self.changed.wait_while(self.taken(), is_waiting).unwrap_or_else(PoisonError::into_inner);
        if attempt.order() != Order::GoOn {
            return None;
        }
        taken.insert(session.to_owned());
        sessions.sessions.push(session.to_owned());
        Some(sessions)
    }

    /// Makes waiting attempts look at their orders.
    pub(super) fn wake(&self) {
        // Under the lock: a waiter between its look and its sleep would miss it.
        let taken = self.taken();
        self.changed.notify_all();
        drop(taken);
    }
}

impl TakenSessions<'_> {
    /// Takes a session that the agent has just named, unless another attempt has it.
    pub(super) fn add(&mut self, session: &str) {
        if self.queue.taken().insert(session.to_owned()) {
            self.sessions.push(session.to_owned());
        }
    }
}

impl Drop for TakenSessions<'_> {
    fn drop(&mut self) {
        let mut taken = self.queue.taken();
        for session in &self.sessions {
            taken.remove(session);
        }
        drop(taken);
        self.queue.changed.notify_all();
    }
}
