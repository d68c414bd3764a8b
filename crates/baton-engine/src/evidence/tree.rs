//! What the files of a project hold at a moment, as git names it: by their content alone.
//!
//! Times tell changes apart only as finely as somebody notes them – commits in seconds, and with the time that their author says.
//! Two trees differ where a file differs, however quickly it was changed and whatever its times are.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use baton_kernel::Key;
use serde::{Deserialize, Serialize};

use crate::files::private;
use crate::files::private::FOLDER;
use crate::git::{Repository, parts, path};

/// How long git may take for one: the run is held by a lease meanwhile.
const TIME_MAX: Duration = Duration::from_secs(8);
/// How long what a tree holds is kept.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What stood in the project when the work of a delivery began, as it is recorded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Before {
    /// The delivery.
    pub(crate) key: Key,
    /// The tree of git.
    pub(crate) tree: String,
}

/// The folder below a project's root that keeps what such trees hold, until it is too old to matter.
pub(crate) fn store(root: &Path) -> PathBuf {
    root.join(FOLDER).join("git/objects")
}

/// The tree of all files below a folder that are not ignored, as they are now; nothing without git, or where that takes too
/// long. The repository stays as it is.
pub(crate) fn now(folder: &Path, store: &Path) -> Option<String> {
    let (tree, list) = Repository::open_keeping(folder, store).ok()?.listed_tree(TIME_MAX).ok()?;
    private::folder(&lists(store)).ok()?;
    let mut file = tempfile::NamedTempFile::new_in(lists(store)).ok()?;
    file.write_all(&list).ok()?;
    file.persist(lists(store).join(&tree)).ok()?;
    Some(tree)
}

/// Folder of what each tree holds. Objects in the repository are the agents' to write; git takes them as they are.
fn lists(store: &Path) -> PathBuf {
    store.join("lists")
}

/// The files that differ between two trees, from the folder; nothing where they are not kept any more.
pub(super) fn differing(store: &Path, before: &str, after: &str) -> Option<BTreeSet<String>> {
    let read = |tree: &str| {
        let is_name = tree.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_name.then(|| fs::read(lists(store).join(tree)).ok()).flatten()
    };
    let (before, after) = (read(before)?, read(after)?);
    let entries = |list: &[u8]| parts(list).map(<[u8]>::to_vec).collect::<BTreeSet<_>>();
    let (before, after) = (entries(&before), entries(&after));
    let name = |entry: &Vec<u8>| {
        let at = entry.iter().position(|byte| *byte == b'\t')?;
        Some(path(&entry[at + 1..]).to_string_lossy().into_owned())
    };
    before.symmetric_difference(&after).map(name).collect()
}

/// Removes what was kept longer than verdicts are asked for; objects that are seen again count as new.
pub(crate) fn prune(root: &Path, now: SystemTime) {
    let is_old = |path: &Path| {
        let written = fs::symlink_metadata(path).and_then(|meta| meta.modified());
        written.is_ok_and(|written| now.duration_since(written).is_ok_and(|age| age > KEPT))
    };
    let folders = fs::read_dir(store(root)).into_iter().flatten().flatten();
    let of_objects = folders.filter(|folder| folder.file_name().len() == 2).map(|folder| folder.path());
    for folder in of_objects.chain([lists(&store(root))]) {
        for object in fs::read_dir(&folder).into_iter().flatten().flatten().map(|object| object.path()) {
            if is_old(&object) {
                // One that is in use is kept by the next look.
                let _ = fs::remove_file(object);
            }
        }
    }
}
