//! What agents see of a repository: they may commit, and may not say what git starts, for them or for anybody else.

use std::path::{Path, PathBuf};

use baton_courier::sandbox::View;

use super::guards::{CONTENTS, Guard};
use crate::git::Home;

/// File of a repository that names the folder of another one whose configuration, objects and references count.
const COMMONDIR: &str = "commondir";
/// What agents must not make or change in the folder of a repository: files, with what stands for one that does not exist.
const FILES: [(&str, &str); 2] = [
    // Git would take everything else from where it leads; this leads to where git is already.
    (COMMONDIR, CONTENTS[1]),
    ("config.worktree", CONTENTS[0]),
];
/// The same as folders.
const FOLDERS: [&str; 4] = ["hooks", "info", "modules", "worktrees"];
/// A folder that a commit writes and that need not be there yet.
const LOGS: &str = "logs";
/// The same in the folder of one worktree.
const OF_WORKTREE: [Made; 2] = [("config.worktree", Some(CONTENTS[0])), ("modules", None)];

/// A name, and what a file there holds; a folder where that is nothing.
type Made = (&'static str, Option<&'static str>);
/// Where a repository names others whose objects git takes as its own.
const INFO: &str = "objects/info";
/// What a commit writes.
const WRITTEN: [&str; 3] = ["objects", "refs", "logs"];

/// A repository that says itself that a folder is its work tree.
fn proven(top: &Path) -> Option<Home> {
    Home::of(top).filter(Home::is_proven)
}

fn is_linked(home: &Home) -> bool {
    home.git_dir != home.common
}

/// What is seen of the repository that a project is in.
pub(super) fn view(root: &Path, is_written: bool) -> Vec<View> {
    let dot = root.join(".git");
    let mut view = Vec::new();
    let Some(home) = proven(root) else {
        // What cannot be trusted is at least not changed further.
        return if dot.symlink_metadata().is_ok() { vec![View::Kept(dot)] } else { view };
    };
    if !is_written {
        return vec![View::Readable(home.common)];
    }
    if is_linked(&home) {
        view.extend(linked(&home));
    } else {
        view.push(View::Writable(home.common.clone()));
        view.extend(WRITTEN.iter().map(|name| View::Writable(home.common.join(name))));
        let files = FILES.iter().map(|(name, _)| *name).chain(["config"]).chain(FOLDERS);
        view.extend(files.map(|name| View::Kept(home.common.join(name))));
        view.push(View::Kept(home.common.join(INFO)));
    }
    if dot != home.common {
        // The file that leads there, or the place where one could be made.
        view.push(View::Kept(dot));
    }
    view
}

/// What is seen of a repository from a work tree that it lists: only what a commit there writes is writable.
fn linked(home: &Home) -> Vec<View> {
    let mut view = vec![View::Readable(home.common.clone())];
    view.extend(WRITTEN.iter().map(|name| View::Writable(home.common.join(name))));
    view.push(View::Kept(home.common.join(INFO)));
    view.push(View::Writable(home.git_dir.clone()));
    let own = OF_WORKTREE.iter().map(|(name, _)| *name);
    view.extend(
        ["commondir", "gitdir"].into_iter().chain(own).map(|name| View::Kept(home.git_dir.join(name))),
    );
    view
}

/// What is seen of a worktree of an agent's own.
pub(super) fn view_of_worktree(own: &Path) -> Vec<View> {
    let mut view = vec![View::Kept(own.join(".git"))];
    view.extend(Home::at(own).filter(Home::is_proven).filter(is_linked).iter().flat_map(linked));
    view
}

/// The places that are taken before an agent starts.
pub(super) fn guards(root: &Path) -> Vec<Guard> {
    let mut all = Vec::new();
    if root.join(".git").symlink_metadata().is_err() {
        // Git passes an empty folder over.
        all.push(Guard::folder(root.join(".git")));
    }
    // Without a repository above it a folder with these is one itself, with a configuration.
    let bare = ["refs", "objects"].map(|name| root.join(name));
    all.extend(
        bare.into_iter()
            .find(|path| path.symlink_metadata().is_err())
            .map(|path| Guard::file(path, CONTENTS[0])),
    );
    // It would name another folder that has them; this one leads to where they are not.
    all.push(Guard::file(root.join(COMMONDIR), CONTENTS[1]));
    let Some(home) = proven(root) else { return all };
    all.push(Guard::folder(home.common.join(INFO)));
    if is_linked(&home) {
        all.push(Guard::folder(home.common.join(LOGS)));
        all.extend(of_worktree(&home));
        return all;
    }
    all.push(Guard::folder(home.common.join(LOGS)));
    all.extend(FILES.iter().map(|(name, holds)| Guard::file(home.common.join(name), holds)));
    all.extend(FOLDERS.iter().map(|name| Guard::folder(home.common.join(name))));
    all
}

/// The places of one worktree.
fn of_worktree(home: &Home) -> impl Iterator<Item = Guard> {
    let path = |name: &str| home.git_dir.join(name);
    OF_WORKTREE.iter().map(move |(name, holds)| match holds {
        Some(holds) => Guard::file(path(name), holds),
        None => Guard::folder(path(name)),
    })
}

/// The places that are taken before an agent starts in a worktree of its own.
pub(super) fn guards_of_worktree(own: &Path) -> Vec<Guard> {
    Home::at(own).filter(Home::is_proven).filter(is_linked).iter().flat_map(of_worktree).collect()
}

/// What keeps the root of a project from being a repository itself.
pub(super) fn bare(root: &Path) -> Vec<PathBuf> {
    let is_guard =
        |path: &PathBuf| path.symlink_metadata().is_ok_and(|meta| meta.is_file() && meta.len() == 0);
    let guard = ["refs", "objects"].map(|name| root.join(name)).into_iter().find(is_guard);
    let commondir = Some(root.join(COMMONDIR)).filter(|path| path.symlink_metadata().is_ok());
    guard.into_iter().chain(commondir).collect()
}

/// The folder of hooks, where the repository keeps it in the project.
pub(super) fn hooks(root: &Path) -> Option<PathBuf> {
    let home = Home::of(root)?;
    let path = home.top.join(home.hooks()?);
    // Hooks call what lies beside them: the whole folder at the top of the project is kept.
    let folder = root.join(path.strip_prefix(root).ok()?.components().next()?);
    folder.symlink_metadata().is_ok().then_some(folder)
}
