//! The disk below a root: looking, writing and noting, never outside it, through links included.
//!
//! Beside the files themselves stand notes in `.baton/mirrors`: what was last written to each. They are of this machine
//! alone. A note names what stands there and what is about to, so that a crash between the two leaves neither foreign.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use baton_kernel::{Digest, Millis};
use baton_ledger::digest;

use crate::files::private;
use crate::files::stale_tempfiles;
use crate::files::write::{Written, is_abandoned, is_same_file, open_regular, replace};
use crate::project::store;

const NOTES: &str = ".baton/mirrors";
/// How long another Baton may hold the lock, in short pauses.
const LOCK_TRIES: u32 = 1_000;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// The most bytes of something that Baton keeps for itself here.
const OWN_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Names that are tried for what is saved beside.
const NAMES_MAX: usize = 1_000;
/// How often something of Baton's own is written while others clear up.
const OWN_TRIES: u32 = 3;
/// How many folders one look for leftovers takes.
const FOLDERS_MAX: usize = 64;

/// What stands at a path.
pub(super) enum There {
    Nothing,
    /// A file that can be looked at, and when it was changed.
    Text(Vec<u8>, Millis),
    /// A file that is larger than any that is written here.
    Large,
    /// Something else: a folder, a link, a device.
    Odd(&'static str),
}

/// The disk below a root.
pub(super) struct Disk {
    root: PathBuf,
    /// The largest file that is looked at.
    bytes_max: u64,
}

/// Held while files are compared and written, so that two Batons take turns; gone with its process.
pub(super) struct Lock {
    _held: File,
}

impl Disk {
    pub(super) fn open(root: &Path, bytes_max: u64) -> Result<Self, String> {
        let root = root.canonicalize().map_err(|error| error.to_string())?;
        Ok(Self { root, bytes_max })
    }

    pub(super) fn lock(&self) -> Result<Lock, String> {
        let path = self.made(&format!("{NOTES}/lock"))?;
        match private::options().write(true).create_new(true).open(&path) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(said(error)),
        }
        let file = open_regular(&path).map_err(said)?;
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { _held: file }),
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
                // Where there are no locks, nobody holds one.
                Err(TryLockError::Error(_)) => return Ok(Lock { _held: file }),
            }
        }
        Err("another Baton keeps files here and does not end".to_owned())
    }

    /// What stands at a path.
    pub(super) fn look(&self, path: &str) -> Result<There, String> {
        let Some(path) = self.found(path)? else { return Ok(There::Nothing) };
        let meta = match fs::symlink_metadata(&path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(There::Nothing),
            Err(error) => return Err(said(error)),
        };
        if meta.is_symlink() {
            return Ok(There::Odd("it is a link"));
        }
        if !meta.is_file() {
            return Ok(There::Odd("it is no regular file"));
        }
        let file = match open_regular(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(There::Nothing),
            Err(error) => return Err(said(error)),
        };
        if store::is_ledger(&self.root, &path) {
            return Ok(There::Odd("it is Baton's own record"));
        }
        if !is_same_file(&file, &path) {
            return Err("it is exchanged at this moment".to_owned());
        }
        // Of the file that is read: another may stand there by now.
        let meta = file.metadata().map_err(said)?;
        let mut bytes = Vec::new();
        file.take(self.bytes_max.saturating_add(1)).read_to_end(&mut bytes).map_err(said)?;
        if bytes.len() as u64 > self.bytes_max {
            return Ok(There::Large);
        }
        Ok(There::Text(bytes, changed(&meta).map_or(Millis(0), |nanos| Millis(nanos / 1_000_000))))
    }

    /// Whether something stands at a path that was not written here, without a look at what was recorded.
    pub(super) fn is_unknown(&self, path: &str) -> bool {
        match self.look(path) {
            Ok(There::Text(found, _)) => !self.is_own(path, digest(&found)),
            Ok(There::Large) => true,
            Ok(There::Nothing | There::Odd(_)) | Err(_) => false,
        }
    }

    /// When what stands at a path was put there or changed last, as the system says: no program can set that.
    pub(super) fn touched(&self, path: &str) -> Option<Millis> {
        let meta = fs::symlink_metadata(self.found(path).ok()??).ok()?;
        Some(Millis(touched(&meta)? / 1_000_000))
    }

    /// How long a file is and when it was touched, without reading it.
    pub(super) fn glance(&self, path: &str) -> Option<(u64, u64)> {
        let path = self.found(path).ok()??;
        let meta = fs::symlink_metadata(path).ok()?;
        Some((meta.len(), touched(&meta)?))
    }

    /// Makes a file; says no if there is one by now.
    pub(super) fn create(&self, path: &str, bytes: &[u8]) -> Result<bool, String> {
        let path = self.made(path)?;
        let folder = path.parent().unwrap_or(&self.root);
        let mut made = stale_tempfiles::made(folder).map_err(said)?;
        made.write_all(bytes).map_err(said)?;
        open_to_all(made.as_file()).map_err(said)?;
        made.as_file().sync_all().map_err(said)?;
        match made.persist_noclobber(&path) {
            Ok(_) => {
                synced(folder);
                Ok(true)
            }
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(said(error.error)),
        }
    }

    /// Replaces what was read; says no if something else stands there by now.
    ///
    /// Also gives where something is saved that another hand wrote at the same moment and that has no place any more.
    pub(super) fn replace(
        &self,
        path: &str,
        (read, with): (&[u8], &[u8]),
        aside: &str,
    ) -> Result<(bool, Option<String>), String> {
        match replace(&self.made(path)?, read, with)? {
            Written::Done => Ok((true, None)),
            Written::Changed => Ok((false, None)),
            Written::Beside(kept) => {
                let saved = self.beside(path, aside, |saved| fs::hard_link(&kept, saved))?;
                fs::remove_file(kept).map_err(said)?;
                Ok((false, Some(saved)))
            }
        }
    }

    /// Takes a file away; gives where it is saved if it was not what was read after all.
    pub(super) fn remove(&self, path: &str, read: &[u8], aside: &str) -> Result<Option<String>, String> {
        let saved = self.move_aside(path, aside)?;
        let full = self.made(&saved)?;
        if is_abandoned(&full, read) {
            fs::remove_file(full).map_err(said)?;
            return Ok(None);
        }
        Ok(Some(saved))
    }

    /// Gives what stands at a path a second name beside it, which nothing has; gives that name.
    ///
    /// It is a second name and no copy where that is possible: whoever still writes, writes there too.
    pub(super) fn save(&self, path: &str, aside: &str) -> Result<String, String> {
        let full = self.made(path)?;
        self.beside(path, aside, |saved| {
            let linked = fs::hard_link(&full, saved);
            match linked {
                Ok(()) => Ok(()),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
                // This file system has no second names: a copy must do.
                Err(_) => {
                    let mut copy = File::create_new(saved)?;
                    std::io::copy(&mut open_regular(&full)?, &mut copy)?;
                    copy.sync_all()
                }
            }
        })
    }

    /// Moves what stands at a path at this instant to a name beside it, which nothing has; gives that name.
    pub(super) fn move_aside(&self, path: &str, aside: &str) -> Result<String, String> {
        let full = self.made(path)?;
        self.beside(path, aside, |saved| {
            // The name is taken first, so that nothing of others is lost under it.
            drop(File::create_new(saved)?);
            let moved = fs::rename(&full, saved);
            if moved.is_err() {
                fs::remove_file(saved)?;
            }
            moved
        })
    }

    /// Does something with the first name beside a path that nothing has; gives that name.
    fn beside(
        &self,
        path: &str,
        aside: &str,
        put: impl Fn(&Path) -> std::io::Result<()>,
    ) -> Result<String, String> {
        for number in 1..=NAMES_MAX {
            let more = if number == 1 { String::new() } else { format!("-{number}") };
            let name = format!("{path}.{aside}{more}");
            match put(&self.made(&name)?) {
                Ok(()) => return Ok(name),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(said(error)),
            }
        }
        Err("too much is saved beside it already".to_owned())
    }

    /// Whether these bytes are what was written to a path last, or was about to be.
    pub(super) fn is_own(&self, path: &str, found: Digest) -> bool {
        let found = found.to_string();
        self.note_of(path).is_some_and(|note| note.lines().next().is_some_and(|own| own.contains(&found)))
    }

    /// Whether anything was ever written to a path.
    pub(super) fn has_note(&self, path: &str) -> bool {
        self.note_of(path).is_some()
    }

    /// Notes what stands at a path and what is about to.
    pub(super) fn note(&self, path: &str, stands: Option<Digest>, next: Digest) -> Result<(), String> {
        let stands = stands.map_or_else(String::new, |stands| format!(" {stands}"));
        self.keep_own(&note_name(path), format!("{next}{stands}\n{path}\n").as_bytes())
    }

    fn note_of(&self, path: &str) -> Option<String> {
        String::from_utf8(self.own(&note_name(path))?).ok()
    }

    /// Something that Baton keeps for itself.
    pub(super) fn own(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.found(&format!("{NOTES}/{name}")).ok()??;
        let mut bytes = Vec::new();
        open_regular(&path).ok()?.take(OWN_BYTES_MAX).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// The names of what Baton keeps for itself in a folder, sorted.
    pub(super) fn list_own(&self, folder: &str) -> Vec<String> {
        // The place of something in it: the folder itself must be one below the root.
        let Ok(Some(inside)) = self.found(&format!("{NOTES}/{folder}/any")) else { return Vec::new() };
        let entries = inside.parent().and_then(|folder| fs::read_dir(folder).ok());
        let names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name().into_string());
        // What is hidden is being written, or was when its writer was killed.
        let mut names: Vec<String> =
            names.filter_map(Result::ok).filter(|name| !name.starts_with('.')).collect();
        names.sort_unstable();
        names
    }

    /// Drops something that Baton kept for itself, if it is there.
    pub(super) fn drop_own(&self, name: &str) {
        if let Ok(Some(path)) = self.found(&format!("{NOTES}/{name}")) {
            let _ = fs::remove_file(path);
        }
    }

    /// Keeps something for Baton itself. It can be lost without harm, and is not forced to disk.
    pub(super) fn keep_own(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.made(&format!("{NOTES}/{name}"))?;
        let folder = path.parent().unwrap_or(&self.root);
        let mut tries = OWN_TRIES;
        loop {
            tries -= 1;
            let mut made = stale_tempfiles::made(folder).map_err(said)?;
            made.write_all(bytes).map_err(said)?;
            match made.persist(&path) {
                Ok(_) => return Ok(()),
                // Another Baton cleared up between its making and its lock.
                Err(error) if error.error.kind() == ErrorKind::NotFound && tries > 0 => {}
                Err(error) => return Err(said(error.error)),
            }
        }
    }

    /// Removes what killed writers left beside these files, unless it may be of another hand: then only what was written
    /// here, or was about to be.
    pub(super) fn sweep(&self, paths: &[String], _lock: &Lock) {
        let mut folders: BTreeMap<PathBuf, Vec<&str>> = BTreeMap::new();
        for path in paths {
            let Ok(Some(full)) = self.found(path) else { continue };
            if let Some(folder) = full.parent() {
                folders.entry(folder.to_owned()).or_default().push(path);
            }
        }
        for (folder, paths) in folders.iter().take(FOLDERS_MAX) {
            let is_known = |bytes: &[u8]| {
                let found = digest(bytes);
                paths.iter().any(|path| self.is_own(path, found))
            };
            stale_tempfiles::sweep(folder, self.bytes_max, &is_known);
        }
    }

    /// Removes what killed writers left among what Baton keeps for itself.
    pub(super) fn sweep_own(&self, folder: &str) {
        if let Ok(Some(inside)) = self.found(&format!("{NOTES}/{folder}any")) {
            // All of it was written here, and can be lost without harm.
            inside
                .parent()
                .into_iter()
                .for_each(|folder| stale_tempfiles::sweep(folder, u64::MAX, &|_| true));
        }
    }

    /// The place of a path if its folder is there.
    fn found(&self, path: &str) -> Result<Option<PathBuf>, String> {
        self.place(path, |_| Ok(false))
    }

    /// The place of a path in a folder that is made if need be.
    fn made(&self, path: &str) -> Result<PathBuf, String> {
        let is_own = path.starts_with(NOTES);
        let make = |folder: &Path| match if is_own { private::folder(folder) } else { fs::create_dir(folder) }
        {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(true),
            Err(error) => Err(said(error)),
        };
        self.place(path, make)?.ok_or_else(|| "its folder cannot be made".to_owned())
    }

    /// Goes down to the folder of a path, never out of the root.
    fn place(
        &self,
        path: &str,
        missing: impl Fn(&Path) -> Result<bool, String>,
    ) -> Result<Option<PathBuf>, String> {
        let mut parts: Vec<&str> = path.split('/').collect();
        let is_odd =
            |part: &&str| part.is_empty() || *part == "." || *part == ".." || part.contains(['\\', '\0']);
        if parts.iter().any(is_odd) {
            return Err("it is no path below the root".to_owned());
        }
        let first = parts[0].to_ascii_lowercase();
        if first == ".git" || (first == ".baton" && !path.starts_with(NOTES)) {
            return Err("no handoffs are kept there".to_owned());
        }
        let name = parts.pop().unwrap_or_default();
        let mut folder = self.root.clone();
        for part in parts {
            folder.push(part);
            let meta = match fs::symlink_metadata(&folder) {
                Ok(meta) => meta,
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    if !missing(&folder)? {
                        return Ok(None);
                    }
                    fs::symlink_metadata(&folder).map_err(said)?
                }
                Err(error) => return Err(said(error)),
            };
            if meta.is_symlink() {
                folder = folder.canonicalize().map_err(said)?;
                if !folder.starts_with(&self.root) {
                    return Err("a link on the way leads out of the project".to_owned());
                }
                // It could lead to what Baton or git keeps for itself, or to what says who agents are.
                return Err("a link on the way is not followed".to_owned());
            }
            if !folder.is_dir() {
                return Err("something on the way is no folder".to_owned());
            }
        }
        folder.push(name);
        Ok(Some(folder))
    }
}

fn note_name(path: &str) -> String {
    digest(path.as_bytes()).to_string()
}

/// When a file was changed, in nanoseconds: as it says itself, and never later than the system knows.
fn changed(meta: &fs::Metadata) -> Option<u64> {
    let since = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(u64::try_from(since.as_nanos()).ok()?.min(touched(meta)?))
}

/// When anything about a file was changed last, in nanoseconds. A program can set the time at which its content was.
#[cfg(unix)]
fn touched(meta: &fs::Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    let (seconds, nanos) = (u64::try_from(meta.ctime()).ok()?, u64::try_from(meta.ctime_nsec()).ok()?);
    seconds.checked_mul(1_000_000_000)?.checked_add(nanos)
}

#[cfg(not(unix))]
fn touched(meta: &fs::Metadata) -> Option<u64> {
    let since = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

/// A file that is made here can be read by whoever could read one that was made in the usual way.
#[cfg(unix)]
fn open_to_all(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn open_to_all(_file: &File) -> std::io::Result<()> {
    Ok(())
}

/// Forces a folder to disk, where that is possible.
fn synced(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
fn said(error: std::io::Error) -> String {
    if error.kind() == ErrorKind::PermissionDenied {
        "permission denied".to_owned()
    } else {
        error.to_string()
    }
}
