//! Files and folders for one person: what Baton keeps of a project is for nobody else on the machine.
//!
//! Invariant: nothing is made wider first and narrowed after, and no link is followed to what is narrowed.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The folder of a project that belongs to Baton.
pub const FOLDER: &str = ".baton";
/// The folder in it with the worktrees of agents.
pub(crate) const WORKTREES: &str = "worktrees";

/// How deep a folder that was open to others is gone through, and how many entries of it are looked at.
const DEPTH_MAX: usize = 4;
const ENTRIES_MAX: usize = 100_000;

/// How a file for one person is opened, should it have to be made.
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a folder for one person, and those above it up to Baton's own; the rest of the way is made as usual.
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        let is_own = path.file_name().is_none_or(|name| name != FOLDER)
            && path.components().any(|part| part.as_os_str() == FOLDER);
        if is_own { folder(parent)? } else { fs::create_dir_all(parent)? }
    }
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    }
}

/// Why a folder is not this person's to use, if it is there and is not.
pub(crate) fn foreign(folder: &Path) -> io::Result<Option<String>> {
    let data = match fs::symlink_metadata(folder) {
        Ok(data) => data,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if data.is_symlink() {
        return Ok(Some("it is a link, and links are not followed here".to_owned()));
    }
    if !data.is_dir() {
        return Ok(Some("it is no folder".to_owned()));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let (owner, user) = (data.uid(), rustix::process::geteuid().as_raw());
        if !may_use(owner, user) {
            return Ok(Some(format!("it belongs to another user ({owner}; this is {user})")));
        }
    }
    Ok(None)
}

/// A link in a folder of Baton's, or in one below it; Baton makes none. Work trees hold what a project holds.
pub(crate) fn link(folder: &Path) -> io::Result<Option<PathBuf>> {
    let listed = |folder: &Path| -> io::Result<Vec<PathBuf>> {
        match fs::read_dir(folder) {
            Ok(entries) => Ok(entries.flatten().take(ENTRIES_MAX).map(|entry| entry.path()).collect()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    };
    for path in listed(folder)? {
        if path.is_symlink() {
            return Ok(Some(path));
        }
        let is_own = path.file_name().is_none_or(|name| name != WORKTREES);
        if is_own && path.is_dir() {
            let link = listed(&path)?.into_iter().find(|path| path.is_symlink());
            if link.is_some() {
                return Ok(link);
            }
        }
    }
    Ok(None)
}

/// Whether a user may rely on a folder: nobody but root can change one of their own.
#[cfg(unix)]
fn may_use(owner: u32, user: u32) -> bool {
    owner == user || user == 0
}

/// Takes from others what they may do with a folder and what lies in it, if it is this person's.
#[cfg(unix)]
pub(crate) fn narrow(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let data = match fs::symlink_metadata(folder) {
        Ok(data) => data,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if !data.is_dir() || data.uid() != rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    let was_open = data.mode() & 0o077 != 0;
    // First: from here on nobody else can put a link in the place of what is narrowed.
    close(folder, &data)?;
    let mut left = ENTRIES_MAX;
    // In a folder that was closed to others, what is at hand is enough.
    below(folder, if was_open { DEPTH_MAX } else { 1 }, &mut left)
}

#[cfg(unix)]
fn below(folder: &Path, depth: usize, left: &mut usize) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        if *left == 0 {
            return Ok(());
        }
        *left -= 1;
        let path = entry.path();
        let data = match fs::symlink_metadata(&path) {
            Ok(data) => data,
            // Somebody else at work here has removed it.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        if !data.is_file() && !data.is_dir() {
            continue;
        }
        match close(&path, &data) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            closed => closed?,
        }
        // What lies in a worktree is the work of an agent, with the permissions that git gives it.
        if data.is_dir() && depth > 1 && path.file_name().is_some_and(|name| name != WORKTREES) {
            below(&path, depth - 1, left)?;
        }
    }
    Ok(())
}

/// Leaves a file or folder to its owner alone.
#[cfg(unix)]
fn close(path: &Path, data: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    // Whoever owns something else here, as a container that ran as root may, has it in a folder that is closed.
    if data.mode() & 0o077 == 0 || data.uid() != rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(data.mode() & 0o700))
}

#[cfg(not(unix))]
pub(crate) fn narrow(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).expect("it is there").mode() & 0o777
    }

    #[test]
    fn a_folder_that_was_open_to_others_is_closed_with_what_lies_in_it() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join(FOLDER);
        let outside = root.path().join("outside");
        fs::write(&outside, "").expect("it can be written");
        for name in ["output/run", "worktrees/run"] {
            fs::create_dir_all(folder.join(name)).expect("it can be made");
        }
        let files = ["ledger.db", "output/run/1.jsonl", "worktrees/run/made"];
        for name in files {
            fs::write(folder.join(name), "").expect("it can be written");
        }
        std::os::unix::fs::symlink(&outside, folder.join("link")).expect("it can be linked");
        let open = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
        };
        ["", "output", "output/run", "worktrees"].iter().for_each(|name| open(&folder.join(name), 0o777));
        files.iter().for_each(|name| open(&folder.join(name), 0o666));
        open(&outside, 0o644);
        narrow(&folder).expect("it is ours");
        assert_eq!(
            ["", "output", "output/run", "worktrees"].map(|name| mode(&folder.join(name))),
            [0o700; 4]
        );
        assert_eq!(files.map(|name| mode(&folder.join(name))), [0o600, 0o600, 0o666], "work stays as it is");
        assert_eq!(mode(&outside), 0o644, "no link is followed");
    }

    #[test]
    fn a_file_that_was_opened_to_others_is_closed_again() {
        let root = tempfile::tempdir().expect("a folder");
        let ledger = root.path().join(FOLDER).join("ledger.db");
        folder(&root.path().join(FOLDER)).expect("it can be made");
        options().write(true).create_new(true).open(&ledger).expect("it can be made");
        fs::set_permissions(&ledger, fs::Permissions::from_mode(0o644)).expect("it is ours");
        narrow(&root.path().join(FOLDER)).expect("it is ours");
        assert_eq!((mode(&root.path().join(FOLDER)), mode(&ledger)), (0o700, 0o600));
    }

    #[test]
    fn the_folder_of_another_user_is_used_by_root_alone() {
        assert!(may_use(1000, 1000) && may_use(1000, 0));
        assert!(!may_use(0, 1000) && !may_use(1001, 1000));
    }

    #[test]
    fn a_link_and_a_file_are_no_folder_of_this_person() {
        let root = tempfile::tempdir().expect("a folder");
        let (own, link, file) = (root.path().join("own"), root.path().join("link"), root.path().join("file"));
        folder(&own).expect("it can be made");
        std::os::unix::fs::symlink(&own, &link).expect("it can be linked");
        fs::write(&file, "").expect("it can be written");
        let said = |path: &Path| foreign(path).expect("it can be looked at");
        assert_eq!((said(&own), said(&root.path().join("none"))), (None, None));
        assert!(said(&link).is_some_and(|what| what.contains("link")));
        assert!(said(&file).is_some_and(|what| what.contains("no folder")));
    }
}
