//! Places that agents must not make: each is taken by something empty for as long as an agent runs behind a wall, so that it can be
//! mounted there, unchangeable.
//!
//! Without them an agent could write a `baton.toml`, a flow or a setting of git that does not exist yet.
//!
//! Invariant: what is removed was made here and is as it was made. Every process with agents at work holds a shared lock; the
//! last one removes.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use baton_courier::beneath::Dir;
use rustix::fs::FileType;

use crate::files::private;
use crate::files::private::FOLDER;
use crate::git::Home;

/// File that lists the places, and that is locked.
const LIST: &str = "guards";
/// The bytes of that file that are read.
const LIST_BYTES_MAX: u64 = 1024 * 1024;

/// A place that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Guard {
    pub(super) path: PathBuf,
    /// What a file there holds; a folder where that is nothing.
    pub(super) holds: Option<&'static str>,
}

impl Guard {
    pub(super) fn folder(path: PathBuf) -> Self {
        Self { path, holds: None }
    }

    pub(super) fn file(path: PathBuf, holds: &'static str) -> Self {
        Self { path, holds: Some(holds) }
    }
}

/// The places that this process keeps.
#[derive(Debug)]
pub(crate) struct Guards {
    list: File,
    /// The folders below which it removes: the project, and that of its repository.
    within: Vec<PathBuf>,
}

impl Guards {
    /// Opens the list of a project.
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        let path = root.join(FOLDER).join(LIST);
        let list = private::options().read(true).append(true).create(true).open(path)?;
        list.lock_shared()?;
        let home = Home::of(root).filter(Home::is_proven);
        let within = home.map(|home| [home.common, home.git_dir]).into_iter().flatten();
        Ok(Self { list, within: std::iter::once(root.to_owned()).chain(within).collect() })
    }

    /// Takes a place where nothing is.
    pub(super) fn take(&self, guard: &Guard) -> io::Result<()> {
        let (Some(folder), Some(name)) = (guard.path.parent(), guard.path.file_name()) else { return Ok(()) };
        let folder = Dir::open(folder)?;
        if folder.kind(name)?.is_some() {
            return Ok(());
        }
        // On the list first: what a killed process made is removed by the next one.
        if let Some(path) = guard.path.to_str().filter(|path| !path.contains('\n')) {
            let kind = if guard.holds.is_some() { "file" } else { "folder" };
            (&self.list).write_all(format!("{kind} {path}\n").as_bytes())?;
        }
        let made = match guard.holds {
            Some(holds) => folder.create(name, holds.as_bytes()),
            None => folder.make(Path::new(name)).map(drop),
        };
        match made {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }
}

/// What files that are made here hold.
pub(super) const CONTENTS: [&str; 3] = ["", ".\n", "{\"mcpServers\":{}}\n"];

impl Drop for Guards {
    fn drop(&mut self) {
        // Another process with agents at work removes them when it ends.
        if self.list.unlock().is_err() || self.list.try_lock().is_err() {
            return;
        }
        let mut text = String::new();
        let read =
            self.list.rewind().and_then(|()| (&self.list).take(LIST_BYTES_MAX).read_to_string(&mut text));
        if read.is_err() {
            return;
        }
        let mut left = String::new();
        for line in text.lines() {
            let Some((kind, path)) = line.split_once(' ') else { continue };
            let path = Path::new(path);
            // A list that came with a clone may name anything.
            if !self.within.iter().any(|folder| path.starts_with(folder)) {
                continue;
            }
            // What others have changed is theirs, and stays; what cannot be removed now is when the next process ends.
            let removed = remove(kind, path);
            if removed.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) {
                left += line;
                left.push('\n');
            }
        }
        // A list that stays as it is names what is not there any more.
        let _ = self.list.set_len(0).and_then(|()| self.list.write_all(left.as_bytes()));
    }
}

/// The places that are taken in a project now: what lies there is no work.
pub(crate) fn listed(root: &Path) -> Vec<PathBuf> {
    let mut text = String::new();
    let list = File::open(root.join(FOLDER).join(LIST));
    let read = list.and_then(|list| list.take(LIST_BYTES_MAX).read_to_string(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    text.lines().filter_map(|line| line.split_once(' ')).map(|(_, path)| PathBuf::from(path)).collect()
}

fn remove(kind: &str, path: &Path) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let folder = Dir::open(folder)?;
    if kind == "folder" {
        return folder.remove_dir(name);
    }
    let is_file = folder.kind(name)? == Some(FileType::RegularFile);
    let is_ours = is_file
        && folder.read(name, 64).is_ok_and(|bytes| CONTENTS.iter().any(|text| text.as_bytes() == bytes));
    if is_ours { folder.remove_file(name) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_place_is_taken_while_agents_work_and_free_when_the_last_process_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        fs::create_dir(root.join(FOLDER)).expect("it can be made");
        let all = [
            Guard::folder(root.join("flows")),
            Guard::folder(root.join("dialects")),
            Guard::file(root.join("baton.toml"), ""),
        ];
        fs::create_dir(root.join("dialects")).expect("it can be made");
        let take = || {
            let guards = Guards::open(&root).expect("it can be locked");
            all.iter().for_each(|guard| guards.take(guard).expect("it can be taken"));
            guards
        };
        let (one, other) = (take(), take());
        assert!(root.join("flows").is_dir() && root.join("baton.toml").is_file());
        drop(one);
        assert!(root.join("flows").is_dir(), "another process has agents at work");
        fs::write(root.join("baton.toml"), "[people]\n").expect("a person may write it");
        drop(other);
        assert!(!root.join("flows").exists() && root.join("dialects").is_dir());
        assert!(root.join("baton.toml").is_file(), "what a person wrote stays");
    }
}
