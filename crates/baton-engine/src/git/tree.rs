//! What the files of a repository hold at a moment, as a tree of git.
//!
//! The tree is made by an index of Baton's own from a list of paths, with `update-index`: `git add` would start git in
//! submodules, and takes a folder with a `.git` of its own for a single entry, in which an agent could hide files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::changes::SUBMODULE;
use super::{Index, Repository, Silence, is_name, line, parts, path};

/// Files of a repository inside the repository that are looked at, and how deep.
const NESTED_MAX: usize = 10_000;
const DEPTH_MAX: usize = 64;

/// The folder of Baton's own files, which are no work.
const OWN: &[u8] = b".baton/";
const IGNORES: &str = ".gitignore";

impl Repository {
    /// The tree of all files below the folder that are not ignored. Files that say what is ignored are always in it, so that
    /// one that hides itself shows.
    pub fn tree(&self, time_max: Duration) -> Result<String, Silence> {
        Ok(self.written(time_max, false)?.0)
    }

    /// The same tree with the files of submodules in their place, and the list of what it holds: mode, content and path of each
    /// file, each behind a NUL.
    pub(crate) fn listed_tree(&self, time_max: Duration) -> Result<(String, Vec<u8>), Silence> {
        let start = Instant::now();
        let (tree, index) = self.written(time_max, true)?;
        let left = time_max.saturating_sub(start.elapsed());
        let list = self.question(&["ls-files", "--stage", "-z"]).index(&index).within(left).whole().ask()?;
        Ok((tree, list))
    }

    /// The same tree, with the index that it was made from.
    pub(super) fn written(
        &self,
        time_max: Duration,
        has_submodules: bool,
    ) -> Result<(String, Index), Silence> {
        let start = Instant::now();
        let left = || time_max.saturating_sub(start.elapsed());
        let index = match self.commit_within("HEAD", left())? {
            Some(head) => self.index_of(&head, left())?,
            None => Index(self.private.new_index()),
        };
        let submodules =
            if has_submodules { self.without_submodules(&index, left())? } else { BTreeSet::new() };
        let listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let listed = self.question(&listed).index(&index).within(left()).whole().ask()?;
        let mut input = Vec::with_capacity(listed.len());
        let mut add = |path: &[u8]| {
            input.extend_from_slice(path);
            input.push(0);
        };
        let mut folders: BTreeSet<&Path> = BTreeSet::from([Path::new("")]);
        for part in parts(&listed).filter(|part| !part.starts_with(OWN)) {
            match part.strip_suffix(b"/") {
                Some(nested) if submodules.contains(nested) => {}
                Some(nested) => self.nested(&path(nested)).iter().for_each(|file| add(&bytes(file))),
                None => add(part),
            }
            if let Ok(text) = std::str::from_utf8(part) {
                folders.extend(Path::new(text).parent());
            }
        }
        for submodule in &submodules {
            self.nested(&path(submodule)).iter().for_each(|file| add(&bytes(file)));
        }
        for folder in folders {
            let ignores = folder.join(IGNORES);
            if self.folder.join(&ignores).symlink_metadata().is_ok_and(|meta| meta.is_file()) {
                add(&bytes(&ignores));
            }
        }
        let update = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        self.question(&update).index(&index).input(input).within(left()).whole().ask()?;
        let tree = self.question(&["write-tree"]).index(&index).within(left()).ask()?;
        let tree = line(&tree);
        if is_name(&tree) { Ok((tree, index)) } else { Err(Silence::Failed("git named no tree".to_owned())) }
    }

    /// Takes submodules out of an index; gives their paths. Git looks into none of them.
    fn without_submodules(&self, index: &Index, time_max: Duration) -> Result<BTreeSet<Vec<u8>>, Silence> {
        let staged = self.question(&["ls-files", "--stage", "-z"]).index(index).within(time_max).ask()?;
        let submodules: BTreeSet<Vec<u8>> = parts(&staged)
            .filter(|entry| entry.starts_with(SUBMODULE))
            .filter_map(|entry| Some(entry[entry.iter().position(|byte| *byte == b'\t')? + 1..].to_vec()))
            .collect();
        if !submodules.is_empty() {
            let input = submodules.iter().flat_map(|path| path.iter().copied().chain([0])).collect();
            let remove = ["update-index", "--force-remove", "-z", "--stdin"];
            self.question(&remove).index(index).input(input).within(time_max).ask()?;
        }
        Ok(submodules)
    }

    /// The files of a repository that lies in this one, without those of git.
    fn nested(&self, folder: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut open = vec![(folder.to_owned(), 0)];
        while let Some((folder, depth)) = open.pop() {
            let entries = fs::read_dir(self.folder.join(&folder)).into_iter().flatten().flatten();
            for entry in entries {
                let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else { continue };
                if name.eq_ignore_ascii_case(OsStr::new(".git")) {
                    continue;
                }
                if kind.is_dir() && depth < DEPTH_MAX {
                    open.push((folder.join(name), depth + 1));
                } else if kind.is_file() || kind.is_symlink() {
                    found.push(folder.join(name));
                }
                if found.len() >= NESTED_MAX {
                    return found;
                }
            }
        }
        found
    }

    /// The files that differ between two trees, from the folder.
    pub(crate) fn differing(
        &self,
        before: &str,
        after: &str,
        time_max: Duration,
    ) -> Result<BTreeSet<String>, Silence> {
        if !is_name(before) || !is_name(after) {
            return Err(Silence::Refused("a tree has no such name".to_owned()));
        }
        let asked = ["diff-tree", "-r", "--name-only", "--relative", "--no-renames", "-z", before, after];
        let differs = self.ask_within(&asked, time_max)?;
        Ok(parts(&differs).map(|part| path(part).to_string_lossy().into_owned()).collect())
    }
}

#[cfg(unix)]
fn bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(not(unix))]
fn bytes(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}
