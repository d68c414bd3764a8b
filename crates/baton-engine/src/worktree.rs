//! Worktrees of git for agents that work side by side: one for each agent of a run, on a branch of its own.
//!
//! Invariant: no work is lost. A worktree with changes that are not committed stays when its run ends, and so does every
//! branch with commits of an agent.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::git::{self, Silence};
use crate::store::FOLDER;

/// How long git may take to make or remove one.
const TIME_MAX: Duration = Duration::from_secs(60);

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
    if path.join(".git").exists() {
        return Ok(path);
    }
    let (branch, at) = (format!("baton/{run}/{agent}"), path.to_string_lossy().into_owned());
    let add = |end: &[&str]| {
        let all: Vec<&str> = ["worktree", "add", "--quiet"].iter().chain(end).copied().collect();
        git::ask_within(&root, &all, TIME_MAX)
    };
    // A branch that is there already has what the agent did before.
    let made = add(&["-b", &branch, &at, "HEAD"]).or_else(|why| add(&[&at, &branch]).map_err(|_| why));
    made.map(|_| path).map_err(|silence| match silence {
        Silence::Refused(why) | Silence::Failed(why) => format!("no worktree can be made for {agent}: {why}"),
    })
}

/// Removes the worktrees of a run that is over; those with changes that are not committed stay.
pub(crate) fn clear(root: &Path, run: &str) {
    let folder = folder(root, run);
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let at = entry.path().to_string_lossy().into_owned();
        // git refuses to remove what has changes, and that is what is wanted.
        let _ = git::ask_within(root, &["worktree", "remove", &at], TIME_MAX);
        let branch = format!("baton/{run}/{}", entry.file_name().to_string_lossy());
        if !entry.path().exists() {
            // git refuses to delete a branch with commits that are nowhere else.
            let _ = git::ask_within(root, &["branch", "--delete", "--quiet", &branch], TIME_MAX);
        }
    }
    // Only if nothing is left in it.
    let _ = fs::remove_dir(&folder);
}
