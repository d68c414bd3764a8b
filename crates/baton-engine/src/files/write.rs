//! Replaces the content of a file: all of it at once, and never what somebody else wrote in the meantime.
//!
//! The new content is complete on disk before it gets its name. Names are exchanged rather than taken over, so that
//! what stood there at that instant can be looked at afterwards, and is put back if it is not what was read.
//!
//! Invariant: a file leaves its name for good only while no program has it open for writing. See
//! `docs/decisions/0015-writing-without-losing.md` for why that is enough, and for what no system tells.

pub(crate) mod writers;

use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tempfile::NamedTempFile;

use self::writers::has_writer;
use crate::files::stale_tempfiles;

/// How long another program may hold the lock of a file, in short pauses.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// How long a program may have the file open for writing, in short pauses.
const OPEN_TRIES: u32 = 25;
const OPEN_PAUSE: Duration = Duration::from_millis(20);

/// How long a program that was about to open a file when its name was taken gets, until it counts as one that has it open.
const SETTLE: Duration = Duration::from_millis(20);

/// How often it is tried to put back what somebody wrote, while others take it away and put it there again.
const PUT_BACK_TRIES: u32 = 5;

/// What came of writing.
#[derive(Debug, PartialEq, Eq)]
pub enum Written {
    /// The file has the new content.
    Done,
    /// Somebody else changed the file since it was read; what they wrote is still there.
    Changed,
    /// Others write it all the time: something that one of them wrote lies in this file beside it.
    Beside(PathBuf),
}

/// Replaces what was read from a file; `path` is no link. Says why it cannot be done otherwise.
pub fn replace(path: &Path, read: &[u8], with: &[u8]) -> Result<Written, String> {
    let said = |error: io::Error| reason(&error);
    let folder = path.parent().ok_or("it has no folder")?;
    // Whoever asks for the lock too waits; it is gone with the handle.
    let held = open_regular(path).map_err(said)?;
    let meta = held.metadata().map_err(said)?;
    if meta.permissions().readonly() {
        return Err("it is read-only".to_owned());
    }
    if folder.metadata().map_err(said)?.permissions().readonly() {
        return Err("its folder is read-only".to_owned());
    }
    lock(&held)?;
    wait_for_writers(&held)?;
    if !is_same_file(&held, path) || !has_content(&held, read) {
        return Ok(Written::Changed);
    }
    let made = prepared(folder, &meta, with)
        .map_err(|error| format!("a file beside it could not be made: {}", said(error)))?;
    let written = swap(made, path, (&held, read), with)?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(said)?;
    Ok(written)
}

/// The new content in a file beside the old one, complete on disk, with the permissions and the owner of the old one.
fn prepared(folder: &Path, meta: &Metadata, with: &[u8]) -> io::Result<NamedTempFile> {
    let mut made = stale_tempfiles::made(folder)?;
    made.write_all(with)?;
    keep_owner(made.as_file(), meta)?;
    made.as_file().set_permissions(meta.permissions())?;
    made.as_file().sync_all()?;
    Ok(made)
}

/// Waits until no program has a file open for writing: what it writes later would be written into a file without a name.
fn wait_for_writers(file: &File) -> Result<(), String> {
    for attempt in 0..OPEN_TRIES {
        if attempt > 0 {
            thread::sleep(OPEN_PAUSE);
        }
        match has_writer(file) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => {
                let why = reason(&error);
                return Err(format!(
                    "it is unknown whether another program has it open ({why}); nothing was changed"
                ));
            }
        }
    }
    Err("another program has it open for writing; nothing was changed".to_owned())
}

/// Puts the new content in the place of the old one, unless that is no longer what was read, or is open elsewhere.
fn swap(
    made: NamedTempFile,
    path: &Path,
    (held, read): (&File, &[u8]),
    with: &[u8],
) -> Result<Written, String> {
    // Whoever finds what a killed writer left must know that it may be of another hand.
    let made = match stale_tempfiles::before_exchange(made) {
        Ok(made) => made,
        // Somebody cleared up between its making and its lock: that is like a change, and is done anew.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Written::Changed),
        Err(error) => return Err(reason(&error)),
    };
    match exchange(made.path(), path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Written::Changed),
        Err(error) => return without_exchange(made, path, (held, read), &error),
    }
    if is_same_file(held, made.path()) && is_left_alone(held, read) {
        return Ok(Written::Done);
    }
    // Somebody wrote between the last look and the exchange: theirs goes back.
    put_back(made, path, with)
}

/// Refuses where names cannot be exchanged: between a last look and a rename, a change would be lost.
#[cfg(unix)]
fn without_exchange(
    _made: NamedTempFile,
    _path: &Path,
    _read: (&File, &[u8]),
    error: &io::Error,
) -> Result<Written, String> {
    let why = reason(error);
    Err(format!("its file system cannot exchange two names at once ({why}); nothing was changed"))
}

/// Takes the name where no system call exchanges two: a file that another program has open cannot be replaced there.
#[cfg(not(unix))]
fn without_exchange(
    made: NamedTempFile,
    path: &Path,
    (held, read): (&File, &[u8]),
    _error: &io::Error,
) -> Result<Written, String> {
    if !has_content(held, read) {
        return Ok(Written::Changed);
    }
    made.persist(path).map_err(|error| reason(&error.error))?;
    Ok(Written::Done)
}

/// Whether a file that has lost its name still is what it was, and no program is left that could change it.
///
/// The handles are looked at before the content, so that what a program wrote before it closed its own is seen.
fn is_left_alone(file: &File, content: &[u8]) -> bool {
    if !has_content(file, content) {
        return false;
    }
    thread::sleep(SETTLE);
    has_writer(file).is_ok_and(|has_writer| !has_writer) && has_content(file, content)
}

/// Whether what a path names is exactly some bytes that no program is about to change; it must have lost its usual name.
pub(crate) fn is_abandoned(path: &Path, content: &[u8]) -> bool {
    open_regular(path).is_ok_and(|file| is_same_file(&file, path) && is_left_alone(&file, content))
}

/// Puts what somebody else wrote back in the place of ours, unless others write there meanwhile.
fn put_back(mut theirs: NamedTempFile, path: &Path, ours: &[u8]) -> Result<Written, String> {
    for _ in 0..PUT_BACK_TRIES {
        match exchange(theirs.path(), path) {
            Ok(())
                if is_same_file(theirs.as_file(), theirs.path()) && is_left_alone(theirs.as_file(), ours) =>
            {
                return Ok(Written::Changed);
            }
            // Ours is gone already, or is written to: what has come in its place must not be lost either.
            Ok(()) => break,
            // Ours was taken away: there is room for theirs.
            Err(error) if error.kind() == io::ErrorKind::NotFound => match theirs.persist_noclobber(path) {
                Ok(_) => return Ok(Written::Changed),
                Err(error) => theirs = error.file,
            },
            Err(_) => break,
        }
    }
    theirs.into_temp_path().keep().map(Written::Beside).map_err(|error| reason(&error.error))
}

/// Why the world did not do it.
fn reason(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::PermissionDenied {
        "permission denied".to_owned()
    } else {
        error.to_string()
    }
}

/// Opens a regular file where others may put anything: a link is not followed, and a pipe or a device is not waited for.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no regular file")) }
}

/// Whether an open file is exactly some bytes.
fn has_content(mut file: &File, bytes: &[u8]) -> bool {
    let mut content = Vec::with_capacity(bytes.len() + 1);
    let is_read = file.rewind().and_then(|()| file.take(bytes.len() as u64 + 1).read_to_end(&mut content));
    is_read.is_ok() && content == bytes
}

fn lock(file: &File) -> Result<(), String> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            // Where there are no locks, nobody holds one.
            Err(TryLockError::Error(_)) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
        }
    }
    Err("another program holds a lock on it".to_owned())
}

#[cfg(unix)]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(unix))]
fn exchange(_a: &Path, _b: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether a path still names the file that is open: another one may have been put in its place.
#[cfg(unix)]
pub(crate) fn is_same_file(open: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |meta: Metadata| (meta.dev(), meta.ino());
    match (open.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => number(open) == number(named),
        (Ok(_) | Err(_), Ok(_) | Err(_)) => false,
    }
}

#[cfg(not(unix))]
pub(crate) fn is_same_file(_open: &File, path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file())
}

#[cfg(unix)]
fn keep_owner(file: &File, meta: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata()?;
    if (own.uid(), own.gid()) == (meta.uid(), meta.gid()) {
        return Ok(());
    }
    fchown(file, Some(meta.uid()), Some(meta.gid()))
        .map_err(|_| io::Error::other("it belongs to somebody else, and would no longer"))
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _meta: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("the folder is there").filter_map(Result::ok);
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_read_is_replaced_and_nothing_is_left_behind() {
        // proves A-15
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.yaml");
        fs::write(&path, "old").expect("it is written");
        assert_eq!(replace(&path, b"old", b"new"), Ok(Written::Done));
        assert_eq!(fs::read(&path).expect("it is there"), b"new");
        assert_eq!(names(folder.path()), ["a.yaml"]);
    }

    #[test]
    fn what_somebody_else_wrote_since_is_kept() {
        // proves A-15
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.yaml");
        fs::write(&path, "theirs").expect("it is written");
        assert_eq!(replace(&path, b"old", b"new"), Ok(Written::Changed));
        assert_eq!(fs::read(&path).expect("it is there"), b"theirs");
        assert_eq!(names(folder.path()), ["a.yaml"]);
    }

    #[test]
    fn what_somebody_else_wrote_at_the_last_instant_goes_back() {
        // proves A-15
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.yaml");
        fs::write(&path, "old").expect("it is written");
        let meta = path.metadata().expect("it is there");
        let made = prepared(folder.path(), &meta, b"new").expect("it can be written");
        let held = File::open(&path).expect("it is there");
        // After the last look, before the exchange.
        fs::write(&path, "theirs").expect("it is written");
        assert_eq!(swap(made, &path, (&held, b"old"), b"new"), Ok(Written::Changed));
        assert_eq!(fs::read(&path).expect("it is there"), b"theirs");
        assert_eq!(names(folder.path()), ["a.yaml"]);
    }

    #[test]
    fn what_is_put_back_takes_nothing_from_those_who_write_meanwhile() {
        // proves A-15
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.yaml");
        let theirs = || {
            let mut theirs =
                tempfile::Builder::new().prefix(".baton-").tempfile_in(folder.path()).expect("a file");
            theirs.write_all(b"theirs").expect("it can be written");
            theirs
        };
        // Ours was taken away by somebody.
        assert_eq!(put_back(theirs(), &path, b"new"), Ok(Written::Changed));
        assert_eq!(fs::read(&path).expect("it is there"), b"theirs");
        assert_eq!(names(folder.path()), ["a.yaml"]);
        // Ours was taken away, and something newer stands there.
        fs::write(&path, "newer").expect("it is written");
        let Ok(Written::Beside(kept)) = put_back(theirs(), &path, b"new") else { panic!("both are kept") };
        let mut both = [fs::read(&path).expect("it is there"), fs::read(&kept).expect("it is there")];
        both.sort();
        assert_eq!(both, [b"newer".to_vec(), b"theirs".to_vec()]);
    }

    #[test]
    fn of_two_that_replace_the_same_content_one_is_told() {
        // proves A-15
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.yaml");
        for round in 0..50 {
            fs::write(&path, "old").expect("it is written");
            let all: Vec<Written> = thread::scope(|scope| {
                let one = |with: &'static [u8]| {
                    let path = &path;
                    scope.spawn(move || replace(path, b"old", with).expect("both can write"))
                };
                let both = [one(b"one"), one(b"two")];
                both.into_iter().map(|one| one.join().expect("it ends")).collect()
            });
            let done = all.iter().filter(|written| **written == Written::Done).count();
            assert_eq!(done, 1, "round {round}: {all:?}");
            let content = fs::read(&path).expect("it is there");
            let winner: &[u8] = if all[0] == Written::Done { b"one" } else { b"two" };
            assert_eq!(content, winner);
        }
        assert_eq!(names(folder.path()), ["a.yaml"]);
    }
}
