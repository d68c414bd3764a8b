//! Worktrees of git for agents that work side by side: one for each agent of a run, on a branch of its own.
//!
//! Invariant: no work is lost. A worktree with changes that are not committed stays when its run ends, and so does every
//! branch with commits of an agent.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files::private::FOLDER;
use crate::git::Repository;

fn folder(root: &Path, run: &str) -> PathBuf {
    root.join(FOLDER).join("worktrees").join(run)
}

/// The worktree of an agent in a run; it is made where there is none.
pub(crate) fn of(root: &Path, run: &str, agent: &str) -> Result<PathBuf, String> {
    let is_plain = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    if !is_plain(run) || !is_plain(agent) {
        return Err(format!("no worktree can be named after `{run}` and `{agent}`"));
    }
    let root = root.canonicalize().map_err(|error| format!("the project cannot be found: {error}"))?;
    let path = folder(&root, run).join(agent);
    if Repository::is_worktree(&path) {
        return Ok(path);
    }
    let (branch, name) = (format!("baton/{run}/{agent}"), format!("{run}-{agent}"));
    let made = Repository::open(&root).and_then(|repository| repository.add_worktree(&path, &name, &branch));
    made.map(|()| path)
        .map_err(|silence| format!("no worktree can be made for {agent}: {}", silence.into_reason()))
}

/// Removes the worktrees of a run that is over; those with changes that are not committed stay.
pub(crate) fn clear(root: &Path, run: &str) {
    let Ok(root) = root.canonicalize() else { return };
    let folder = folder(&root, run);
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let Ok(repository) = Repository::open(&root) else { return };
        let branch = format!("baton/{run}/{}", entry.file_name().to_string_lossy());
        if repository.remove_worktree(&entry.path(), &branch).unwrap_or(false) {
            // A branch with commits that are nowhere else stays.
            let _ = repository.forget_branch(&branch);
        }
    }
    // Only if nothing is left in it.
    let _ = fs::remove_dir(&folder);
}
