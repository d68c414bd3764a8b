//! One session has one turn at a time, in all processes of one user: agents that resume a session twice at once lose one
//! of the two, without saying so.
//!
//! A lock is a file; the system lets go of it when its process ends. An agent that outlived a Baton that was killed is
//! named in the file, and ended before its session is resumed. Where the system has no `/proc` it cannot be told from a
//! stranger, and is left alone.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, getuid, kill_process_group};

use crate::program::Trip;
use crate::{Cause, Failure};

/// How often a lock that somebody else has is tried.
const AGAIN: Duration = Duration::from_millis(25);

/// The bytes of a session that name its file; longer ones that begin alike wait for each other.
const NAME_BYTES: usize = 100;

/// A session that is held until this is dropped.
pub(crate) struct Hold(File);

impl Hold {
    /// Waits until nobody else has the session.
    pub(crate) fn wait(session: &str, trip: &Trip<'_>) -> Result<Self, Failure> {
        let broken = |error: io::Error| {
            Failure::new(Cause::Broken, format!("the session {session} could not be locked: {error}"))
        };
        let mut file = open(session).map_err(broken)?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(broken(error)),
            }
            pause(trip, "while it waited for its turn in the session")?;
        }
        let mut noted = String::new();
        // What is no text names nobody.
        let _ = (&mut file).take(64).read_to_string(&mut noted);
        let hold = Self(file);
        let mut signal = Signal::TERM;
        while let Some(leader) = left_behind(&noted) {
            // A group of which nobody is left needs no signal.
            let _ = kill_process_group(leader, signal);
            pause(trip, "while an agent that was left behind in the session came to its end")?;
            signal = Signal::KILL;
        }
        Ok(hold)
    }

    /// Names the agent that works in the session, for whoever comes after us.
    pub(crate) fn note(&self, leader: u32) {
        let Some(born) = born(leader) else { return };
        let mut file = &self.0;
        // Without it an agent that is left behind works on, as it would without any lock.
        let _ = file.rewind().and_then(|()| self.0.set_len(0)).and_then(|()| write!(file, "{leader} {born}"));
    }
}

fn pause(trip: &Trip<'_>, when: &str) -> Result<(), Failure> {
    if trip.is_stopped() {
        return Err(Failure::new(Cause::Stopped, format!("stopped {when}")));
    }
    if trip.time_left().is_zero() {
        return Err(Failure::new(Cause::TimeUp, format!("its time was over {when}")));
    }
    thread::sleep(AGAIN);
    Ok(())
}

fn open(session: &str) -> io::Result<File> {
    let folder = folder()?;
    let mut name = String::new();
    for byte in session.bytes().take(NAME_BYTES) {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            name.push(char::from(byte));
        } else {
            write!(name, "_{byte:02x}").map_err(io::Error::other)?;
        }
    }
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(folder.join(name))
}

/// A folder that is ours alone.
fn folder() -> io::Result<PathBuf> {
    let user = getuid();
    let folder = std::env::temp_dir().join(format!("baton-sessions-{}", user.as_raw()));
    match fs::DirBuilder::new().mode(0o700).create(&folder) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let found = fs::symlink_metadata(&folder)?;
    if found.is_dir() && found.uid() == user.as_raw() && found.mode() & 0o022 == 0 {
        Ok(folder)
    } else {
        Err(io::Error::other(format!("{} is not ours alone", folder.display())))
    }
}

/// The agent that a note names, if it still runs and is no other.
fn left_behind(noted: &str) -> Option<Pid> {
    let (number, then) = noted.split_once(' ')?;
    let number: u32 = number.parse().ok()?;
    if born(number)? != then {
        return None;
    }
    i32::try_from(number).ok().and_then(Pid::from_raw)
}

/// When a process began, in ticks; nothing if it is gone.
fn born(number: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name stands in brackets and may hold any sign; the state follows it, and 19 fields later the start.
    let fields = &stat[stat.rfind(')')? + 1..];
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    if state == "Z" || state == "X" {
        return None;
    }
    fields.nth(18).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_process_that_was_noted_is_known_again() {
        let own = std::process::id();
        let Some(born) = born(own) else { return };
        assert_eq!(
            left_behind(&format!("{own} {born}")).map(Pid::as_raw_nonzero).map(i32::from),
            i32::try_from(own).ok()
        );
        assert_eq!(left_behind(&format!("{own} {born}1")), None);
        assert_eq!(left_behind(""), None);
    }
}
