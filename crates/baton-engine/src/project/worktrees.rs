//! The other checkouts of a repository, as far as both ends agree that they belong together.
//!
//! What lies below the root, `.git` included, may be of an agent's hand: that a folder is listed there says nothing.
//! What proves it is the `.git` file in that folder, which leads back to exactly the entry that lists it, and which no
//! one can make who cannot write there anyway.
//!
//! Invariant: no link is followed on the way, no program is run, and what is read is bounded.

use std::fs::{self, Metadata};
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use crate::project::paths;

/// The worktrees of one repository that are looked at.
const WORKTREES_MAX: usize = 1_000;
/// The bytes of a file that holds one path.
const LINE_BYTES_MAX: u64 = 8 * 1024;
/// Folders of the system, and of all users: no checkout of a project is one of them.
const SHARED: [&str; 22] = [
    "/",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
    "/bin",
    "/home",
    "/lib",
    "/media",
    "/mnt",
    "/opt",
    "/private",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/tmp",
    "/usr",
    "/usr/local",
    "/var",
    "/var/tmp",
];
/// Folders of the system below which nothing is a checkout either.
const SYSTEM: [&str; 5] = ["/boot", "/dev", "/etc", "/proc", "/sys"];

/// The other checkouts of the repository whose top level a folder without links is.
pub(super) fn others(root: &Path) -> Vec<PathBuf> {
    let Some(repository) = Repository::of(root) else { return Vec::new() };
    let entries = fs::read_dir(repository.folder.join("worktrees")).into_iter().flatten();
    let entries = entries.take(WORKTREES_MAX).filter_map(Result::ok).map(|entry| entry.path());
    let listed = entries.filter_map(|entry| repository.listed(&entry));
    listed.chain(repository.first.clone()).filter(|other| repository.may_have(other)).collect()
}

/// A repository, as seen from one of its checkouts.
struct Repository<'r> {
    root: &'r Path,
    /// What all checkouts share.
    folder: PathBuf,
    /// The checkout that it was made with, unless that is the root.
    first: Option<PathBuf>,
    home: Option<PathBuf>,
}

impl<'r> Repository<'r> {
    fn of(root: &'r Path) -> Option<Self> {
        let git = root.join(".git");
        let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
        if is_folder(&git) {
            return Some(Self { root, folder: git, first: None, home });
        }
        // A checkout that was added later leads to its entry, and the entry back to it.
        let entry = path_in(&git, "gitdir: ", root)?;
        let (worktrees, folder) = (entry.parent()?, entry.parent()?.parent()?);
        if worktrees.file_name()? != "worktrees" || !folder.ends_with(".git") || !is_plain(&entry) {
            return None;
        }
        if path_in(&entry.join("gitdir"), "", &entry)? != git {
            return None;
        }
        let first = folder.parent().map(Path::to_owned);
        Some(Self { root, folder: folder.to_owned(), first, home })
    }

    /// The folder that an entry lists, if it leads back to that entry.
    fn listed(&self, entry: &Path) -> Option<PathBuf> {
        if !is_plain(entry) {
            return None;
        }
        let git = path_in(&entry.join("gitdir"), "", entry)?;
        let folder = git.parent().filter(|_| git.ends_with(".git"))?;
        let is_linked = is_plain(folder) && path_in(&git, "gitdir: ", folder)? == entry;
        (is_linked && is_of_same_owner(&git, self.root)).then(|| folder.to_owned())
    }

    /// Whether a folder can be a checkout at all: one of the same owner that holds more than itself neither of the
    /// project, nor of its user, nor of the system.
    fn may_have(&self, folder: &Path) -> bool {
        let is_around = |inner: &Path| inner.starts_with(folder);
        let is_shared = SHARED.iter().any(|shared| folder == Path::new(shared))
            || SYSTEM.iter().any(|system| folder.starts_with(system));
        folder.is_absolute()
            && !is_shared
            && !is_around(self.root)
            && !self.home.as_deref().is_some_and(is_around)
            && is_plain(folder)
            && is_of_same_owner(folder, self.root)
    }
}

/// Whether a path names a folder, and neither it nor anything on the way to it is a link.
fn is_plain(path: &Path) -> bool {
    is_folder(path) && path.canonicalize().is_ok_and(|resolved| resolved == path)
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// The path that is all there is in a file, behind a word; `folder` is what it may be relative to.
fn path_in(file: &Path, word: &str, folder: &Path) -> Option<PathBuf> {
    let text = regular(file)?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line).strip_prefix(word)?;
    if line.is_empty() || line.contains(['\n', '\r', '\0']) {
        return None;
    }
    let path = paths::normal(&folder.join(line));
    path.components().any(|part| matches!(part, Component::Normal(_))).then_some(path)
}

/// The text of a regular file; of a link, a pipe or a device nothing.
fn regular(path: &Path) -> Option<String> {
    let file = opened(path)?;
    let is_small = |meta: &Metadata| meta.is_file() && meta.len() <= LINE_BYTES_MAX;
    file.metadata().ok().filter(is_small)?;
    let mut text = String::new();
    file.take(LINE_BYTES_MAX + 1).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(unix)]
fn opened(path: &Path) -> Option<fs::File> {
    use rustix::fs::{Mode, OFlags, open};
    // A pipe without a writer would be waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    open(path, flags, Mode::empty()).ok().map(fs::File::from)
}

#[cfg(not(unix))]
fn opened(path: &Path) -> Option<fs::File> {
    let is_file = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file());
    is_file.then(|| fs::File::open(path).ok()).flatten()
}

#[cfg(unix)]
fn is_of_same_owner(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let owner = |path: &Path| fs::symlink_metadata(path).map(|meta| meta.uid()).ok();
    owner(one).is_some() && owner(one) == owner(other)
}

#[cfg(not(unix))]
fn is_of_same_owner(_one: &Path, _other: &Path) -> bool {
    true
}
