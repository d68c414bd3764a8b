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

/// What says which programs an agent starts, wherever it works.
const SETTINGS: [&str; 3] = [".claude", ".codex", ".mcp.json"];
/// How many files of settings are compared, and the bytes of each.
const FILES_MAX: usize = 1_000;
const BYTES_MAX: u64 = 1024 * 1024;

/// The worktree of an agent in a run; it is made where there is none.
///
/// A new one has no other `programs` and settings than the project: commits bring others, and any agent may commit.
pub(crate) fn of(root: &Path, run: &str, agent: &str, programs: &[String]) -> Result<PathBuf, String> {
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
    made.map_err(|silence| format!("no worktree can be made for {agent}: {}", silence.into_reason()))?;
    let mut left = FILES_MAX;
    let mut is_of_project = |name: &&str| is_within(&path.join(name), &root.join(name), &mut left);
    let mut named = programs.iter().map(String::as_str).chain(SETTINGS);
    let Some(name) = named.find(|name| !is_of_project(name)) else { return Ok(path) };
    if let Ok(repository) = Repository::open(&root) {
        remove(&repository, &path, &branch);
    }
    Err(format!(
        "{name} in the last commit is not {name} in the project, and {agent} would start what the commit says; commit the one \
         that you want, or restore it"
    ))
}

/// The worktree of an agent in a run, if it has one.
pub(crate) fn there(root: &Path, run: &str, agent: &str) -> Option<PathBuf> {
    let path = folder(&root.canonicalize().ok()?, run).join(agent);
    Repository::is_worktree(&path).then_some(path)
}

/// Whether all that a place holds is held by another place as well.
fn is_within(one: &Path, other: &Path, left: &mut usize) -> bool {
    let Ok(first) = one.symlink_metadata() else { return true };
    let Ok(second) = other.symlink_metadata() else { return false };
    *left = left.saturating_sub(1);
    if *left == 0 || first.file_type() != second.file_type() {
        return false;
    }
    if first.is_symlink() {
        return matches!((fs::read_link(one), fs::read_link(other)), (Ok(one), Ok(other)) if one == other);
    }
    if first.is_dir() {
        let Ok(entries) = fs::read_dir(one) else { return false };
        let mut names = entries.flatten().map(|entry| entry.file_name());
        return names.all(|name| is_within(&one.join(&name), &other.join(&name), left));
    }
    let is_small = first.is_file() && first.len() == second.len() && first.len() <= BYTES_MAX;
    is_small && matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}

/// Removes a worktree without changes, and its branch if all of its commits are elsewhere.
fn remove(repository: &Repository, path: &Path, branch: &str) {
    if repository.remove_worktree(path, branch).unwrap_or(false) {
        // A branch with commits that are nowhere else stays.
        let _ = repository.forget_branch(branch);
    }
}

/// Removes the worktrees of a run that is over; those with changes that are not committed stay.
pub(crate) fn clear(root: &Path, run: &str) {
    let Ok(root) = root.canonicalize() else { return };
    let folder = folder(&root, run);
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let Ok(repository) = Repository::open(&root) else { return };
        let branch = format!("baton/{run}/{}", entry.file_name().to_string_lossy());
        remove(&repository, &entry.path(), &branch);
    }
    // Only if nothing is left in it.
    let _ = fs::remove_dir(&folder);
}
