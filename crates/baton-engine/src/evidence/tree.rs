//! What the files of a project hold at a moment, as git names it: by their content alone.
//!
//! Times tell changes apart only as finely as somebody notes them – commits in seconds, and with the time that their author says.
//! Two trees differ where a file differs, however quickly it was changed and whatever its times are.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use baton_courier::temporary::{Folder, Use};
use baton_kernel::Key;
use serde::{Deserialize, Serialize};

use crate::git;

/// How long git may take for one: the run is held by a lease meanwhile.
const TIME_MAX: Duration = Duration::from_secs(8);

/// What stood in the project when the work of a delivery began, as it is recorded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Before {
    /// The delivery.
    pub(crate) key: Key,
    /// The tree of git.
    pub(crate) tree: String,
}

/// The tree of all files that are not ignored, as they are now; nothing without git, or where that takes too long.
///
/// The index and the branches of the project stay as they are; its objects get what is new.
pub(crate) fn now(root: &Path) -> Option<String> {
    let folder = Folder::new(Use::Checkout).ok()?;
    let index = folder.path().join("index");
    let variables: [(&str, &OsStr); 1] = [("GIT_INDEX_FILE", index.as_os_str())];
    let ask = |arguments: &[&str]| git::ask_with(root, arguments, &variables, TIME_MAX).ok();
    ask(&["rev-parse", "--git-dir"])?;
    // An index that has never seen the files knows none of their times. Before the first commit it is empty.
    let _ = ask(&["read-tree", "HEAD"]);
    ask(&["add", "--all"])?;
    ask(&["write-tree"]).map(|said| git::line(&said)).filter(|tree| is_name(tree))
}

/// The files that differ between two trees, from the root; nothing where git does not have them any more.
pub(super) fn differing(root: &Path, before: &str, after: &str) -> Option<BTreeSet<String>> {
    if !is_name(before) || !is_name(after) {
        return None;
    }
    let asked = [
        "diff-tree",
        "-r",
        "--name-only",
        "--relative",
        "--no-ext-diff",
        "--no-renames",
        "-z",
        before,
        after,
    ];
    let differs = git::ask_within(root, &asked, TIME_MAX).ok()?;
    Some(git::parts(&differs).map(|path| git::path(path).to_string_lossy().into_owned()).collect())
}

/// Whether this can be the name of an object, and is no option.
fn is_name(tree: &str) -> bool {
    matches!(tree.len(), 40 | 64) && tree.bytes().all(|byte| byte.is_ascii_hexdigit())
}
