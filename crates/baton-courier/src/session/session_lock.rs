//! One session has one turn at a time, in all processes of one user: agents that resume a session twice at once lose one
//! of the two, without saying so.

use std::io;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::id::Id;
use crate::process_lock::{AGAIN, ProcessLock};
use crate::program::AttemptContext;
use crate::{Cause, Failure};

/// A session that is held until this is dropped.
pub(crate) struct SessionLock {
    lock: ProcessLock,
    session: Id,
}

impl SessionLock {
    /// Waits for the session, and ends an orphan in it.
    pub(crate) fn wait(session: &Id, context: &AttemptContext<'_>) -> Result<Self, Failure> {
        let broken = |error: io::Error| {
            Failure::new(Cause::Broken, format!("the session {session} could not be locked: {error}"))
        };
        let lock = loop {
            if let Some(lock) = ProcessLock::of_session(session).map_err(broken)? {
                break lock;
            }
            goes_on(context, "while it waited for its turn in the session")?;
            thread::sleep(AGAIN);
        };
        lock.end_orphan(|| {
            goes_on(context, "while an agent that was left behind in the session came to its end")
        })?;
        Ok(Self { lock, session: session.clone() })
    }

    /// Holds a session that an agent has just named. One that is held already is the session of another delivery, which
    /// nothing may go on in under this one.
    /// A session that cannot be locked is used without a lock.
    pub(crate) fn named(session: &Id, name: &str) -> Result<Option<Self>, Failure> {
        match ProcessLock::of_session(session) {
            Ok(Some(lock)) => Ok(Some(Self { lock, session: session.clone() })),
            Ok(None) => {
                let message =
                    format!("{name} named the session {session}, in which another delivery is at work");
                Err(Failure::new(Cause::Impossible, message))
            }
            Err(_) => Ok(None),
        }
    }

    /// Tells whether this is the locked session.
    pub(crate) fn is_of(&self, session: &Id) -> bool {
        self.session == *session
    }

    /// Waits until the minute is over in which the session was first held.
    pub(crate) fn outlast_its_minute(&self, context: &AttemptContext<'_>) -> Result<(), Failure> {
        let Ok(made) = self.lock.made() else { return Ok(()) };
        while minute(made) == minute(SystemTime::now()) {
            goes_on(context, "while it waited for the next minute, in which the session can be loaded")?;
            thread::sleep(AGAIN);
        }
        Ok(())
    }

    /// Records the process at work in the session.
    pub(crate) fn note(&self, leader: u32) {
        self.lock.note(leader, None);
    }
}

fn goes_on(context: &AttemptContext<'_>, when: &str) -> Result<(), Failure> {
    if context.is_stopped() {
        return Err(Failure::new(Cause::Stopped, format!("stopped {when}")));
    }
    if context.time_left().is_zero() {
        return Err(Failure::new(Cause::TimeUp, format!("its time was over {when}")));
    }
    Ok(())
}

/// The minutes since the epoch.
fn minute(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / 60
}
