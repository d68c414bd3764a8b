//! Locks of deliveries and sessions between processes: a locked file with a note of the program at work.
//!
//! The system releases a lock when its process ends. A note in an unlocked file names an orphan, which is ended before another
//! program starts for its delivery or session. Without `/proc` an orphan cannot be identified, and is left alone.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, getuid, kill_process_group};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::Key;
use crate::id::Id;
use crate::process::Process;

/// Interval of polls.
pub(crate) const AGAIN: Duration = Duration::from_millis(25);

/// Polls of an orphan before it is killed.
const ASKED: u32 = 40;

/// Flags with which a lock file is opened.
const NOT_FOLLOWED: i32 = (OFlags::NOFOLLOW.bits() | OFlags::NONBLOCK.bits()).cast_signed();

/// Limit of a note.
const NOTE_BYTES_MAX: u64 = 16 * 1024;

/// Limit of the lock files in one scan.
const FILES_MAX: usize = 10_000;

/// Bytes of a session id in the name of its file; a longer id adds its digest.
const NAME_BYTES: usize = 60;

/// Lock of a delivery or session, released when this is dropped.
pub(crate) struct ProcessLock {
    file: File,
    /// The file, if it is removed with the lock.
    passing: Option<PathBuf>,
}

impl ProcessLock {
    /// Locks a session; `None` if another process holds it.
    pub(crate) fn of_session(session: &Id) -> io::Result<Option<Self>> {
        let file = open(&folder()?.join(file_name(session)))?;
        Ok(lock(&file)?.then_some(Self { file, passing: None }))
    }

    /// Locks a delivery of a project; `None` if another process holds it.
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
            // The earlier owner may have removed the file in between.
            let is_there = fs::symlink_metadata(&path).is_ok_and(|there| {
                file.metadata().is_ok_and(|ours| (ours.dev(), ours.ino()) == (there.dev(), there.ino()))
            });
            if is_there {
                return Ok(Some(Self { file, passing: Some(path) }));
            }
        }
    }

    /// Creation time of the lock file.
    pub(crate) fn made(&self) -> io::Result<SystemTime> {
        let found = self.file.metadata()?;
        found.created().or_else(|_| found.modified())
    }

    /// Records the process at work and its delivery, for a Baton that runs after this one was killed.
    pub(crate) fn note(&self, leader: u32, assignment: Option<&Assignment>) {
        let Some(process) = Process::of(leader) else { return };
        let more =
            assignment.and_then(|assignment| serde_json::to_string(assignment).ok()).unwrap_or_default();
        let mut note = format!("{leader} {}\n{more}", process.born).into_bytes();
        // Blanks cover a longer note: ext4 writes a truncated file to the disk as soon as it is closed.
        let old_len = self.file.metadata().map_or(0, |metadata| metadata.len());
        let len = usize::try_from(old_len.min(NOTE_BYTES_MAX)).unwrap_or(0).max(note.len());
        note.resize(len, b' ');
        let mut file = &self.file;
        // Without a note a program that outlives Baton is not found again, as where there are no locks.
        let _ = file.rewind().and_then(|()| file.write_all(&note));
    }

    /// Ends an orphan with its group; `goes_on` is called meanwhile, and its error ends the wait.
    pub(crate) fn end_orphan<E>(&self, mut goes_on: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        // Other content names no process.
        let noted = ProcessNote::read(&self.file);
        let mut asked = 0;
        while let Some(leader) = noted.as_ref().and_then(ProcessNote::orphan) {
            if asked == 0 || asked > ASKED {
                // An empty group needs no signal.
                let _ = kill_process_group(leader, if asked == 0 { Signal::TERM } else { Signal::KILL });
            }
            asked += 1;
            goes_on()?;
            thread::sleep(AGAIN);
        }
        Ok(())
    }
}

impl Drop for ProcessLock {
    fn drop(&mut self) {
        if let Some(path) = &self.passing {
            // A file that stays is small.
            let _ = fs::remove_file(path);
        }
    }
}

/// File name of a session: no two sessions share one, nor a session and a delivery.
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

/// Opens or creates a lock file. Other programs of this user can write there: a link is not followed, and a pipe does not block.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    regular(options.custom_flags(NOT_FOLLOWED).open(path)?)
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no regular file")) }
}

fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Folder of the lock files, the same for all processes of a user: an agent may set `TMPDIR` for its children, which would
/// find no note there.
fn folder() -> io::Result<PathBuf> {
    below(Path::new("/tmp")).or_else(|_| below(&std::env::temp_dir()))
}

/// A folder that belongs to this user alone.
fn below(place: &Path) -> io::Result<PathBuf> {
    let user = getuid();
    let folder = place.join(format!("baton-sessions-{}", user.as_raw()));
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

/// Notes of all lock files; some of the processes may have ended.
pub(crate) fn noted() -> Vec<ProcessNote> {
    let files = folder().and_then(fs::read_dir).into_iter().flatten().flatten().take(FILES_MAX);
    let note = |path: PathBuf| {
        let opened = OpenOptions::new().read(true).custom_flags(NOT_FOLLOWED).open(path);
        ProcessNote::read(&regular(opened.ok()?).ok()?)
    };
    files.filter_map(|file| note(file.path())).collect()
}

/// Delivery that a program works for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Assignment {
    /// The project.
    pub(crate) root: String,
    /// The delivery.
    pub(crate) key: String,
    /// The agent.
    pub(crate) agent: String,
}

/// Note of a process at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProcessNote {
    pub(crate) number: u32,
    /// Start time; number and start time identify a process for good.
    pub(crate) born: String,
    pub(crate) assignment: Option<Assignment>,
}

impl ProcessNote {
    fn read(file: &File) -> Option<Self> {
        let mut text = String::new();
        file.take(NOTE_BYTES_MAX).read_to_string(&mut text).ok()?;
        let (process, assignment) = text.split_once('\n').unwrap_or((&text, ""));
        let (number, born) = process.split_once(' ')?;
        let assignment = serde_json::from_str(assignment).ok();
        Some(Self { number: number.parse().ok()?, born: born.to_owned(), assignment })
    }

    /// The process, if it still runs.
    fn orphan(&self) -> Option<Pid> {
        if Process::of(self.number)?.born != self.born {
            return None;
        }
        i32::try_from(self.number).ok().and_then(Pid::from_raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_process_that_was_noted_is_known_again() {
        let own = std::process::id();
        let Some(process) = Process::of(own) else { return };
        let noted = ProcessNote { number: own, born: process.born, assignment: None };
        assert_eq!(noted.orphan().map(Pid::as_raw_nonzero).map(i32::from), i32::try_from(own).ok());
        assert_eq!(ProcessNote { born: format!("{}1", noted.born), ..noted }.orphan(), None);
    }

    #[test]
    fn a_note_says_for_which_delivery_a_program_works() {
        let own = std::process::id();
        let Some(process) = Process::of(own) else { return };
        let file = tempfile::tempfile().expect("a file");
        let lock = ProcessLock { file, passing: None };
        let assignment =
            Assignment { root: "/p\nq".to_owned(), key: "run/1".to_owned(), agent: "ada 5\n6 7".to_owned() };
        lock.note(own, Some(&assignment));
        let read = || {
            let mut file = &lock.file;
            file.rewind().expect("it can be read again");
            ProcessNote::read(&lock.file).expect("a note")
        };
        let born = process.born;
        assert_eq!(read(), ProcessNote { number: own, born: born.clone(), assignment: Some(assignment) });
        lock.note(own, None);
        assert_eq!(read(), ProcessNote { number: own, born, assignment: None });
    }

    #[test]
    fn what_another_hand_puts_among_the_notes_is_not_followed_and_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("precious"), "precious").expect("it is written");
        std::os::unix::fs::symlink(at("precious"), at("link")).expect("it is linked");
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RWXU).expect("a pipe");
        fs::create_dir(at("folder")).expect("a folder");
        for name in ["link", "pipe", "folder"] {
            assert!(open(&at(name)).is_err(), "{name}");
        }
        assert_eq!(fs::read(at("precious")).expect("it is there"), b"precious");
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
        let take =
            |key: &str| ProcessLock::of_delivery(root.path(), &Key::from(key)).expect("it can be locked");
        let held = take("run/1").expect("nobody has it");
        assert!(take("run/1").is_none() && take("run/2").is_some());
        let path = held.passing.clone().expect("it goes");
        drop(held);
        assert!(!path.exists() && take("run/1").is_some());
    }
}
