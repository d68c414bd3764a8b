//! Files and folders in the system's temporary folder, and the removal of those that a killed Baton left there. Each is locked
//! while in use, and the system releases the lock when the process ends.
//!
//! Invariant: a sweep removes only a file or folder with a name from here, of this user, of the right kind, and unlocked.
//! Folders of the demonstration and of sessions have other names, and stay.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use tempfile::{Builder, NamedTempFile};

/// Age below which nothing is removed: a lock follows the creation.
const YOUNG: Duration = Duration::from_secs(600);
/// Limits of one sweep.
const NAMES_MAX: usize = 20_000;
const TIME_MAX: Duration = Duration::from_millis(500);
/// Random letters and digits in a name.
const LETTERS: usize = 6;

/// The system's temporary folder without links. One below a project or repository may be written by agents: `/tmp` stands for it.
fn place() -> io::Result<PathBuf> {
    let place = std::env::temp_dir().canonicalize()?;
    let is_of_project = |folder: &Path| {
        [".git", ".baton", "baton.toml"].iter().any(|name| folder.join(name).symlink_metadata().is_ok())
    };
    let usual = Path::new("/tmp");
    if place.ancestors().any(is_of_project) && usual.is_dir() { usual.canonicalize() } else { Ok(place) }
}

/// Purpose of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The files of one attempt.
    Attempt,
    /// A clean checkout.
    Checkout,
    /// Replacement of a repository's own folder for git.
    Git,
}

impl Use {
    fn prefix(self) -> &'static str {
        match self {
            Self::Attempt => "baton-attempt-",
            Self::Checkout => "baton-checkout-",
            Self::Git => "baton-git-",
        }
    }
}

const FOLDERS: [Use; 3] = [Use::Attempt, Use::Checkout, Use::Git];
/// Prefix and suffix of single files.
const FILE: (&str, &str) = ("baton-schema-", ".json");

/// Folder that only this user can open; removed when it is dropped.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Lock that keeps other processes from removing the folder; without it no process removes it.
    lock: Option<File>,
}

impl Folder {
    /// Creates a folder in the system's temporary folder.
    pub fn new(what: Use) -> io::Result<Self> {
        Self::new_in(&place()?, what)
    }

    fn new_in(place: &Path, what: Use) -> io::Result<Self> {
        let mut builder = builder(what);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let path = builder.tempdir_in(place)?.keep();
        let lock = File::open(&path).ok().filter(|folder| folder.try_lock().is_ok());
        Ok(Self { path, lock })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A later sweep removes what stays.
        let _ = remove_folder(&self.path);
    }
}

fn builder(what: Use) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(what.prefix()).rand_bytes(LETTERS);
    builder
}

/// Empty folders that the next attempt takes over under a new name.
///
/// Creating and removing a directory allocates and frees blocks, which the next sync of any file on the same disk waits for.
/// A new name per attempt keeps a late writer of an earlier attempt out.
#[derive(Debug, Default)]
pub(crate) struct FolderPool {
    #[cfg(unix)]
    idle: std::sync::Mutex<Vec<Folder>>,
}

/// Empty folders that a courier keeps at most.
#[cfg(unix)]
const IDLE_MAX: usize = 8;

#[cfg(unix)]
impl FolderPool {
    /// Takes an idle folder, or creates one.
    pub(crate) fn take(&self) -> io::Result<Folder> {
        let idle = self.idle().pop();
        match idle.map(Folder::renamed) {
            Some(Ok(folder)) => Ok(folder),
            // A folder that another program moved or replaced is not used again.
            Some(Err(_)) | None => Folder::new(Use::Attempt),
        }
    }

    /// Keeps a folder for the next attempt if it is as it was created; removes it otherwise.
    pub(crate) fn give_back(&self, folder: Folder) {
        if !folder.is_pristine() {
            return;
        }
        let mut idle = self.idle();
        if idle.len() < IDLE_MAX {
            idle.push(folder);
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Folder>> {
        self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(unix)]
impl Folder {
    /// Gives the folder a new name.
    fn renamed(mut self) -> io::Result<Self> {
        let place = self.path.parent().ok_or(io::ErrorKind::NotFound)?.to_owned();
        let renamed = builder(Use::Attempt).disable_cleanup(true).make_in(place, |path| {
            fs::rename(&self.path, path)?;
            Ok(path.to_owned())
        })?;
        self.path = renamed.into_parts().0;
        if self.is_pristine() { Ok(self) } else { Err(io::Error::other("the folder was replaced")) }
    }

    /// Tells whether this is still the folder that was created and locked, private and empty.
    fn is_pristine(&self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let Some(lock) = &self.lock else { return false };
        let is_same = |there: fs::Metadata| {
            there.is_dir()
                && there.mode() & 0o7777 == 0o700
                && lock.metadata().is_ok_and(|ours| is_same(&ours, &there))
        };
        fs::symlink_metadata(self.path()).is_ok_and(is_same)
            && fs::read_dir(self.path()).is_ok_and(|mut entries| entries.next().is_none())
    }
}

/// A file that is removed when it is dropped.
#[cfg(unix)]
pub(crate) fn file() -> io::Result<NamedTempFile> {
    file_in(&place()?)
}

#[cfg_attr(not(unix), expect(dead_code, reason = "only couriers for programs need one"))]
fn file_in(place: &Path) -> io::Result<NamedTempFile> {
    let file = Builder::new().prefix(FILE.0).suffix(FILE.1).rand_bytes(LETTERS).tempfile_in(place)?;
    // A file without a lock is removed by no other process either.
    let _ = file.as_file().try_lock();
    Ok(file)
}

/// Removes files and folders of killed processes from the system's temporary folder, within the limits of one sweep.
pub fn sweep() {
    if let Ok(place) = place() {
        sweep_in(&place, SystemTime::now());
    }
}

fn sweep_in(place: &Path, now: SystemTime) {
    let start = Instant::now();
    for entry in fs::read_dir(place).into_iter().flatten().flatten().take(NAMES_MAX) {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let is_folder = FOLDERS.iter().any(|what| is_named(&name, what.prefix(), ""));
        if !is_folder && !is_named(&name, FILE.0, FILE.1) {
            continue;
        }
        if start.elapsed() > TIME_MAX {
            return;
        }
        // A later sweep tries again.
        let _ = remove(&entry.path(), is_folder, now);
    }
}

/// Tells whether a name was given here: random characters between prefix and suffix.
fn is_named(name: &str, prefix: &str, suffix: &str) -> bool {
    let own = name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
    own.is_some_and(|own| own.len() == LETTERS && own.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Removes a file or folder that is no longer in use.
fn remove(path: &PathBuf, is_folder: bool, now: SystemTime) -> io::Result<()> {
    let there = fs::symlink_metadata(path)?;
    let is_it = if is_folder { there.is_dir() } else { there.is_file() };
    let is_old = there.modified().is_ok_and(|then| now.duration_since(then).is_ok_and(|age| age > YOUNG));
    if !is_it || !is_old || !is_ours(&there) {
        return Ok(());
    }
    let held = open(path)?;
    match held.try_lock() {
        Ok(()) => {}
        // It is in use, or that is unknown.
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return Ok(()),
    }
    if !is_same(&held.metadata()?, &fs::symlink_metadata(path)?) {
        return Ok(());
    }
    // Links below a folder are removed and not followed.
    if is_folder { remove_folder(path) } else { fs::remove_file(path) }
}

/// Removes a folder in which an agent may have made folders of any depth.
#[cfg(unix)]
fn remove_folder(path: &Path) -> io::Result<()> {
    crate::beneath::remove_all(path)
}

#[cfg(not(unix))]
fn remove_folder(path: &Path) -> io::Result<()> {
    fs::remove_dir_all(path)
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    // A link or a pipe that was put there meanwhile is neither followed nor waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn is_ours(there: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    there.uid() == rustix::process::getuid().as_raw()
}

/// Without owners of files nothing is removed.
#[cfg(not(unix))]
fn is_ours(_there: &fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn is_same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(_a: &fs::Metadata, _b: &fs::Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn later() -> SystemTime {
        SystemTime::now() + YOUNG + Duration::from_secs(1)
    }

    #[test]
    fn what_a_killed_baton_left_goes_and_what_a_living_one_uses_stays() {
        let place = tempfile::tempdir().expect("a folder");
        let made = |name: &str| {
            let path = place.path().join(name);
            fs::create_dir_all(path.join("below")).expect("it can be made");
            path
        };
        let left = [made("baton-attempt-aB3dE6"), made("baton-checkout-aB3dE6")];
        let file = place.path().join("baton-schema-aB3dE6.json");
        fs::write(&file, "{}").expect("it can be written");
        let used = Folder::new_in(place.path(), Use::Attempt).expect("a folder");
        let used_file = file_in(place.path()).expect("a file");
        sweep_in(place.path(), SystemTime::now());
        assert!(left.iter().all(|path| path.exists()) && file.exists(), "they are young");
        sweep_in(place.path(), later());
        assert!(left.iter().all(|path| !path.exists()) && !file.exists());
        assert!(used.path().exists() && used_file.path().exists(), "they are in use");
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists(), "it goes with who used it");
    }

    #[test]
    fn what_has_another_name_or_is_a_link_is_left_alone_with_all_that_it_leads_to() {
        let place = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::tempdir().expect("a folder");
        let precious = elsewhere.path().join("precious");
        fs::write(&precious, "mine").expect("it can be written");
        let others = [
            "baton-demo-aB3dE6",
            "baton-sessions-1000",
            "baton-attempt-mine",
            "baton-attempt-a_b-c!",
            "baton-aB3dE6",
        ];
        for name in others {
            fs::create_dir(place.path().join(name)).expect("it can be made");
        }
        // A folder where a file should be, and the other way round.
        fs::create_dir(place.path().join("baton-schema-aB3dE6.json")).expect("it can be made");
        fs::write(place.path().join("baton-checkout-aB3dE6"), "").expect("it can be written");
        let link = place.path().join("baton-attempt-aB3dE6");
        std::os::unix::fs::symlink(elsewhere.path(), &link).expect("it can be linked");
        let left = place.path().join("baton-attempt-zzzzzz");
        fs::create_dir(&left).expect("it can be made");
        std::os::unix::fs::symlink(elsewhere.path(), left.join("out")).expect("it can be linked");
        sweep_in(place.path(), later());
        assert!(!left.exists() && precious.exists(), "links below are removed and not followed");
        assert!(fs::symlink_metadata(&link).is_ok(), "a link is left alone");
        assert_eq!(fs::read_dir(place.path()).expect("it can be read").count(), others.len() + 3);
    }

    #[test]
    fn an_empty_folder_is_taken_over_under_a_new_name_and_any_other_is_removed() {
        let pool = FolderPool::default();
        let first = pool.take().expect("a folder");
        let old = first.path().to_owned();
        pool.give_back(first);
        let second = pool.take().expect("a folder");
        let path = second.path().to_owned();
        assert!(!old.exists() && path.is_dir() && path != old, "a late writer does not find it");
        fs::write(path.join("left"), "").expect("it can be written");
        pool.give_back(second);
        assert!(!path.exists(), "it was not empty");
        // Another folder in the place of the one that was locked.
        let third = pool.take().expect("a folder");
        let path = third.path().to_owned();
        pool.give_back(third);
        fs::remove_dir(&path).expect("it can be removed");
        fs::create_dir(&path).expect("it can be made");
        let fourth = pool.take().expect("a folder");
        assert!(fourth.is_pristine() && !path.exists());
    }
}
