//! Who is at work, for whoever comes after a Baton that was killed: a file that is locked for as long as somebody watches,
//! and names the program that works.
//!
//! The system lets go of a lock when its process ends, whatever ended it. A program that outlived a Baton that was killed is
//! named in a file that nobody has locked any more, and is ended before anything else begins there. Where the system has
//! no `/proc` it cannot be told from a stranger, and is left alone.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use rustix::process::{Pid, Signal, getuid, kill_process_group};
use sha2::{Digest as _, Sha256};

use crate::Key;
use crate::id::Id;
use crate::process::Process;

/// How often something that is waited for is looked at.
pub(crate) const AGAIN: Duration = Duration::from_millis(25);

/// How often a program that was left behind is looked at before it is killed.
const ASKED: u32 = 40;

/// The bytes of a session that name its file; what is longer is named by its digest behind them.
const NAME_BYTES: usize = 60;

/// A lock that is held until this is dropped.
pub(crate) struct Leash {
    file: File,
    /// The file, if nobody needs it any more when the lock is let go of.
    passing: Option<PathBuf>,
}

impl Leash {
    /// The lock of a session; nothing if somebody else has it.
    pub(crate) fn of_session(session: &Id) -> io::Result<Option<Self>> {
        let file = open(&folder()?.join(file_name(session)))?;
        Ok(lock(&file)?.then_some(Self { file, passing: None }))
    }

    /// The lock of a delivery of a project; nothing if somebody else has it.
    pub(crate) fn of_delivery(root: &Path, key: &Key) -> io::Result<Option<Self>> {
        let root = root.canonicalize()?;
        let named = Sha256::new().chain_update(root.as_os_str().as_encoded_bytes());
        let named = named.chain_update([0]).chain_update(key.as_str()).finalize();
        let path = folder()?.join(format!("delivery.{}", hex(&named)));
        loop {
            let file = open(&path)?;
            if !lock(&file)? {
                return Ok(None);
            }
            // Whoever had it may have taken the file away in between.
            let is_there = fs::symlink_metadata(&path).is_ok_and(|there| {
                file.metadata().is_ok_and(|ours| (ours.dev(), ours.ino()) == (there.dev(), there.ino()))
            });
            if is_there {
                return Ok(Some(Self { file, passing: Some(path) }));
            }
        }
    }

    /// When the lock was first taken, as far as the system remembers.
    pub(crate) fn made(&self) -> io::Result<SystemTime> {
        let found = self.file.metadata()?;
        found.created().or_else(|_| found.modified())
    }

    /// Names the program that works, for whoever comes after us.
    pub(crate) fn note(&self, leader: u32) {
        let Some(process) = Process::of(leader) else { return };
        let mut file = &self.file;
        // Without it a program that is left behind works on, as it would without any lock.
        let _ = file
            .rewind()
            .and_then(|()| self.file.set_len(0))
            .and_then(|()| write!(file, "{leader} {}", process.born));
    }

    /// Ends the program that was left behind, with its group; `goes_on` is asked meanwhile, and its refusal ends the wait.
    pub(crate) fn end_left<E>(&self, mut goes_on: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        let mut noted = String::new();
        // What is no text names nobody.
        let _ = (&self.file).take(64).read_to_string(&mut noted);
        let mut asked = 0;
        while let Some(leader) = left_behind(&noted) {
            if asked == 0 || asked > ASKED {
                // A group of which nobody is left needs no signal.
                let _ = kill_process_group(leader, if asked == 0 { Signal::TERM } else { Signal::KILL });
            }
            asked += 1;
            goes_on()?;
            thread::sleep(AGAIN);
        }
        Ok(())
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        if let Some(path) = &self.passing {
            // What stays behind is a small file.
            let _ = fs::remove_file(path);
        }
    }
}

/// The name of the file of a session: no two sessions share one, and none is that of a delivery.
fn file_name(session: &Id) -> String {
    let mut name = String::new();
    for byte in session.as_str().bytes().take(NAME_BYTES) {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("_{byte:02x}"));
        }
    }
    if session.as_str().len() > NAME_BYTES {
        name.push('.');
        name.push_str(&hex(&Sha256::digest(session.as_str())));
    }
    name
}

fn hex(digest: &[u8]) -> String {
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
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

/// The programs that are noted as at work, each with its number and when it began. Some may have ended.
pub(crate) fn noted() -> Vec<(u32, String)> {
    let files = folder().and_then(fs::read_dir).into_iter().flatten().flatten();
    let note = |path: PathBuf| {
        let mut text = String::new();
        File::open(path).ok()?.take(64).read_to_string(&mut text).ok()?;
        let (number, born) = text.split_once(' ')?;
        Some((number.parse().ok()?, born.to_owned()))
    };
    files.filter_map(|file| note(file.path())).collect()
}

/// The program that a note names, if it still runs and is no other.
fn left_behind(noted: &str) -> Option<Pid> {
    let (number, then) = noted.split_once(' ')?;
    let number: u32 = number.parse().ok()?;
    if Process::of(number)?.born != then {
        return None;
    }
    i32::try_from(number).ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_process_that_was_noted_is_known_again() {
        let own = std::process::id();
        let Some(process) = Process::of(own) else { return };
        let born = process.born;
        assert_eq!(
            left_behind(&format!("{own} {born}")).map(Pid::as_raw_nonzero).map(i32::from),
            i32::try_from(own).ok()
        );
        assert_eq!(left_behind(&format!("{own} {born}1")), None);
        assert_eq!(left_behind(""), None);
    }

    #[test]
    fn no_two_sessions_share_a_file_and_none_leaves_its_folder() {
        let name = |session: &str| file_name(&Id::new(crate::id::Names::Session, session).expect("an id"));
        let long = "a".repeat(200);
        assert_ne!(name(&format!("{long}1")), name(&format!("{long}2")));
        assert_ne!(name("delivery.00"), "delivery.00");
        assert_ne!(name("a_2fb"), name("a/b"));
        for session in ["a/b", "a.b", "a:b@c+d%", &long] {
            assert!(!name(session).contains('/') && name(session).len() < 250, "{session}");
        }
    }

    #[test]
    fn one_delivery_is_held_once_and_leaves_nothing() {
        let root = tempfile::tempdir().expect("a folder");
        let take = |key: &str| Leash::of_delivery(root.path(), &Key::from(key)).expect("it can be locked");
        let held = take("run/1").expect("nobody has it");
        assert!(take("run/1").is_none() && take("run/2").is_some());
        let path = held.passing.clone().expect("it goes");
        drop(held);
        assert!(!path.exists() && take("run/1").is_some());
    }
}
