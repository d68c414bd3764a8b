//! The files that changed since the response before, as git tells.

use crate::mirror::manifests::PATH;

use super::discussion::Newest;
use crate::git::{Repository, line};
use crate::project::Project;
use crate::project::paths;
use crate::project::since::Changes;

/// How many files a manifest names.
const FILES_MAX: usize = 1_000;

/// The files that changed since the commit of the previous response, and how many more there are than are named. None
/// where git cannot tell.
pub(super) fn files(project: &Project, newest: &Newest) -> (Vec<String>, usize) {
    let Some(commit) = newest.before.first().and_then(|previous| commit(project, &previous.path())) else {
        return (Vec::new(), 0);
    };
    let Ok(changes) = Changes::since(&commit, &project.root) else { return (Vec::new(), 0) };
    let root = project.root.canonicalize().unwrap_or_else(|_| project.root.clone());
    // What Baton itself writes is no change of the work.
    let is_work = |path: &String| !path.starts_with(PATH) && !path.starts_with(".baton/");
    let files = changes.all().filter_map(|file| paths::from_root(&file, &root)).filter(is_work);
    let mut files: Vec<String> = files.collect();
    files.sort();
    let more = files.len().saturating_sub(FILES_MAX);
    files.truncate(FILES_MAX);
    (files, more)
}

/// The commit that brought a file.
fn commit(project: &Project, path: &str) -> Option<String> {
    let question = ["log", "-1", "--format=%H", "--diff-filter=A", "--no-renames", "--", path];
    let answer = Repository::open(&project.root).ok()?.ask(&question).ok()?;
    Some(line(&answer)).filter(|commit| !commit.is_empty())
}
