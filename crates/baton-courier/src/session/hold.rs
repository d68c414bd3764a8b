//! One session has one turn at a time, in all processes of one user: agents that resume a session twice at once lose one
//! of the two, without saying so.

use std::io;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::id::Id;
use crate::leash::{AGAIN, Leash};
use crate::program::Trip;
use crate::{Cause, Failure};

/// A session that is held until this is dropped.
pub(crate) struct Hold {
    leash: Leash,
    session: Id,
}

impl Hold {
    /// Waits until nobody else has the session, and ends an agent that was left behind in it.
    pub(crate) fn wait(session: &Id, trip: &Trip<'_>) -> Result<Self, Failure> {
        let broken = |error: io::Error| {
            Failure::new(Cause::Broken, format!("the session {session} could not be locked: {error}"))
        };
        let leash = loop {
            if let Some(leash) = Leash::of_session(session).map_err(broken)? {
                break leash;
            }
            goes_on(trip, "while it waited for its turn in the session")?;
            thread::sleep(AGAIN);
        };
        leash.end_left(|| {
            goes_on(trip, "while an agent that was left behind in the session came to its end")
        })?;
        Ok(Self { leash, session: session.clone() })
    }

    /// Holds a session that an agent has just named. One that is held already is the session of another delivery, which
    /// nothing may go on in under this one.
    /// Where it cannot be locked it goes on without, as it would where there are no locks.
    pub(crate) fn named(session: &Id, name: &str) -> Result<Option<Self>, Failure> {
        match Leash::of_session(session) {
            Ok(Some(leash)) => Ok(Some(Self { leash, session: session.clone() })),
            Ok(None) => {
                let message =
                    format!("{name} named the session {session}, in which another delivery is at work");
                Err(Failure::new(Cause::Impossible, message))
            }
            Err(_) => Ok(None),
        }
    }

    /// Whether this is the session that is held.
    pub(crate) fn is_of(&self, session: &Id) -> bool {
        self.session == *session
    }

    /// Waits until the minute is over in which the session was first held.
    pub(crate) fn outlast_its_minute(&self, trip: &Trip<'_>) -> Result<(), Failure> {
        let Ok(made) = self.leash.made() else { return Ok(()) };
        while minute(made) == minute(SystemTime::now()) {
            goes_on(trip, "while it waited for the next minute, in which the session can be loaded")?;
            thread::sleep(AGAIN);
        }
        Ok(())
    }

    /// Names the agent that works in the session, for whoever comes after us.
    pub(crate) fn note(&self, leader: u32) {
        self.leash.note(leader, None);
    }
}

fn goes_on(trip: &Trip<'_>, when: &str) -> Result<(), Failure> {
    if trip.is_stopped() {
        return Err(Failure::new(Cause::Stopped, format!("stopped {when}")));
    }
    if trip.time_left().is_zero() {
        return Err(Failure::new(Cause::TimeUp, format!("its time was over {when}")));
    }
    Ok(())
}

/// The minutes since the epoch.
fn minute(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / 60
}
