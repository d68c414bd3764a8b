//! What differs from a commit, where people may have staged it or changed it inside a submodule.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::{Home, Index, Repository, Silence, is_name, parts, path};
use crate::files::read;

/// The bytes of an index that is looked at.
const INDEX_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// Submodules that are looked into, and how deep they may lie in each other.
const SUBMODULES_MAX: usize = 1_000;
const DEPTH_MAX: usize = 4;
/// Mode of a submodule in an index.
pub(super) const SUBMODULE: &[u8] = b"160000 ";

impl Repository {
    /// Files, from the top, that are staged otherwise than a commit has them. Nothing where the index cannot be read: others may
    /// have written it, and what it says only adds to what is found without it.
    pub fn staged(&self, commit: &str, time_max: Duration) -> Vec<PathBuf> {
        let copied = || -> Option<Index> {
            let bytes = read::file(&self.home.git_dir.join("index"), INDEX_BYTES_MAX).ok()?;
            let index = Index(self.private.new_index());
            fs::write(&index.0, bytes).ok()?;
            Some(index)
        };
        let Some(index) = copied() else { return Vec::new() };
        let asked =
            ["diff-index", "--cached", "--name-only", "-z", "--no-renames", "--diff-filter=d", commit, "--"];
        let answer = self.question(&asked).index(&index).within(time_max).ask().unwrap_or_default();
        parts(&answer).map(path).collect()
    }

    /// Submodules, from the top, in which files differ from the commit that an index has of them.
    pub fn changed_submodules(&self, index: &Index, time_max: Duration) -> Result<Vec<PathBuf>, Silence> {
        self.submodules(index, time_max, DEPTH_MAX)
    }

    fn submodules(&self, index: &Index, time_max: Duration, depth: usize) -> Result<Vec<PathBuf>, Silence> {
        let answer = self.question(&["ls-files", "--stage", "-z"]).index(index).within(time_max).ask()?;
        let submodules = parts(&answer).filter_map(|part| {
            let (entry, name) = part
                .strip_prefix(SUBMODULE)?
                .split_at_checked(part.iter().position(|byte| *byte == b'\t')? - SUBMODULE.len())?;
            let commit = String::from_utf8_lossy(entry.split(|byte| *byte == b' ').next()?).into_owned();
            Some((commit, path(name.get(1..)?)))
        });
        let mut changed = Vec::new();
        for (commit, below) in submodules.take(SUBMODULES_MAX) {
            let top = self.home.top.join(&below);
            if Home::at(&top).is_none() || !is_name(&commit) {
                continue;
            }
            let is_changed = || -> Result<bool, Silence> {
                let inner = Self::open(&top)?;
                let index = inner.index_of(&commit, time_max)?;
                let says = |question: &[&str]| {
                    let answer = inner.question(question).index(&index).within(time_max).ask()?;
                    Ok::<bool, Silence>(!answer.is_empty())
                };
                Ok(says(&["diff", "--name-only", "-z", "--no-renames"])?
                    || says(&["ls-files", "--others", "--exclude-standard", "-z"])?
                    || (depth > 0 && !inner.submodules(&index, time_max, depth - 1)?.is_empty()))
            };
            // One that cannot be compared may have changed.
            if is_changed().unwrap_or(true) {
                changed.push(below);
            }
        }
        Ok(changed)
    }
}
