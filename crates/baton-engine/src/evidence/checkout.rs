//! A clean checkout: what git would commit now, in a worktree of its own that is gone afterwards.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_courier::temporary::{Folder, Use};

use crate::git::{self, Silence};

/// How long git may take to make one.
const TIME_MAX: Duration = Duration::from_secs(60);

/// A checkout, for as long as it is held.
pub(super) struct Checkout {
    root: PathBuf,
    pub(super) path: PathBuf,
    /// The commit that it is of.
    pub(super) commit: String,
    _folder: Folder,
}

impl Checkout {
    /// Checks out what git would commit now: what is committed, with all changes that are not ignored.
    ///
    /// The index and the branches of the project stay as they are.
    pub(super) fn new(root: &Path) -> Result<Self, String> {
        let why = |silence: Silence| match silence {
            Silence::Refused(why) | Silence::Failed(why) => why,
        };
        let folder =
            Folder::new(Use::Checkout).map_err(|error| format!("no folder can be made for it: {error}"))?;
        let index = folder.path().join("index");
        let path = folder.path().join("tree");
        let ask = |arguments: &[&str]| {
            let variables: [(&str, &OsStr); 5] = [
                ("GIT_INDEX_FILE", index.as_os_str()),
                ("GIT_AUTHOR_NAME", OsStr::new("baton")),
                ("GIT_AUTHOR_EMAIL", OsStr::new("baton@localhost")),
                ("GIT_COMMITTER_NAME", OsStr::new("baton")),
                ("GIT_COMMITTER_EMAIL", OsStr::new("baton@localhost")),
            ];
            git::ask_with(root, arguments, &variables, TIME_MAX).map(|said| git::line(&said)).map_err(why)
        };
        let head = ask(&["rev-parse", "--verify", "HEAD"])?;
        ask(&["read-tree", &head])?;
        ask(&["add", "--all"])?;
        let tree = ask(&["write-tree"])?;
        let commit = ask(&["commit-tree", &tree, "-p", &head, "-m", "what is verified"])?;
        let at = path.to_string_lossy().into_owned();
        git::ask_within(root, &["worktree", "add", "--quiet", "--detach", &at, &commit], TIME_MAX)
            .map_err(why)?;
        Ok(Self { root: root.to_owned(), path, commit, _folder: folder })
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        let at = self.path.to_string_lossy().into_owned();
        // What is left of it goes with its folder, and git forgets it in time.
        let _ = git::ask_within(&self.root, &["worktree", "remove", "--force", &at], TIME_MAX);
    }
}
