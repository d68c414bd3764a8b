//! The files that writers make beside those they write, and what becomes of them when a writer was killed.
//!
//! A writer's file is called `.baton-….tmp` while its content is the writer's alone, and `.baton-….was` from the moment on in
//! which what stood in the file written may come to lie there: that can be of another hand. A living writer has either locked.
//!
//! Invariant: what may be of another hand is never removed unless the caller knows what it is. Links are left alone.

use std::fs::{self, TryLockError};
use std::io::{self, Read as _};
use std::path::Path;

use tempfile::{NamedTempFile, TempPath};

use crate::files::write::writers::has_writer;
use crate::files::write::{is_same_file, open_regular};

const PREFIX: &str = ".baton-";
const MADE: &str = "tmp";
const WAS: &str = "was";
/// How many letters and digits a name has that nobody else has.
const LETTERS: usize = 6;
/// How many names of a folder one look takes.
const NAMES_MAX: usize = 10_000;

/// A new file in a folder, for what is about to get its name.
pub(crate) fn made(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    let made = builder.prefix(PREFIX).suffix(".tmp").rand_bytes(LETTERS).tempfile_in(folder)?;
    // Where there are no locks, nobody who is killed is cleared up after.
    let _ = made.as_file().try_lock();
    Ok(made)
}

/// Gives such a file the name under which something of another hand may come to lie.
pub(crate) fn before_exchange(made: NamedTempFile) -> io::Result<NamedTempFile> {
    let (file, path) = made.into_parts();
    let was = path.with_extension(WAS);
    path.persist_noclobber(&was).map_err(|error| error.error)?;
    Ok(NamedTempFile::from_parts(file, TempPath::try_from_path(was)?))
}

/// Removes from a folder what writers that were killed left there: what was theirs alone, and of the rest what is known.
pub(crate) fn sweep(folder: &Path, bytes_max: u64, is_known: &dyn Fn(&[u8]) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(NAMES_MAX) {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Some((own, kind)) = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('.')) else {
            continue;
        };
        let is_given = own.len() == LETTERS && own.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let is_known: &dyn Fn(&[u8]) -> bool = match kind {
            MADE => &|_| true,
            WAS => is_known,
            _ => continue,
        };
        if is_given {
            // What cannot be removed now is looked at another time.
            let _ = remove(&entry.path(), bytes_max, is_known);
        }
    }
}

/// Removes one file that nobody writes any more, if it is known what is in it.
fn remove(path: &Path, bytes_max: u64, is_known: &dyn Fn(&[u8]) -> bool) -> io::Result<()> {
    let there = fs::symlink_metadata(path)?;
    if !there.is_file() || there.len() > bytes_max {
        return Ok(());
    }
    let file = open_regular(path)?;
    match file.try_lock() {
        Ok(()) => {}
        // Somebody writes it, or nobody can tell.
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return Ok(()),
    }
    let mut bytes = Vec::new();
    (&file).take(bytes_max).read_to_end(&mut bytes)?;
    let is_done = is_known(&bytes) && is_same_file(&file, path) && !has_writer(&file)?;
    if is_done { fs::remove_file(path) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_writer_left_goes_and_what_may_be_of_another_hand_stays() {
        // proves A-15
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let gone = [".baton-aB3dE6.tmp", ".baton-aB3dE7.tmp", ".baton-aB3dE6.was"];
        let stays = [
            ".baton-theirs.was",
            ".baton-mine.tmp",
            ".baton-aB3dE6.tmp.bak",
            "baton-aB3dE6.tmp",
            ".baton-a_b-c!.tmp",
        ];
        for name in gone.iter().chain(&stays) {
            fs::write(at(name), if name.contains("theirs") { "theirs" } else { "known" })
                .expect("it is written");
        }
        let living = made(folder.path()).expect("a file");
        let replacing = before_exchange(made(folder.path()).expect("a file")).expect("it gets its name");
        #[cfg(unix)]
        std::os::unix::fs::symlink(at(".baton-theirs.was"), at(".baton-linked.tmp")).expect("it is linked");
        sweep(folder.path(), 100, &|bytes| bytes == b"known");
        for name in gone {
            assert!(!at(name).exists(), "{name}");
        }
        for name in stays {
            assert!(at(name).exists(), "{name}");
        }
        assert!(living.path().exists() && replacing.path().exists(), "they are being written");
        #[cfg(unix)]
        assert!(at(".baton-linked.tmp").exists(), "a link is left alone");
    }
}
