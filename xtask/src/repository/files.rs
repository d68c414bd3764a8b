//! The files of the repository that git would take, and what a check says about them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

/// Folders whose files are data: their faults are on purpose.
const DATA: &[&str] = &["corpus", "examples", "fixtures", "snapshots"];

/// Files of this ending are read however large they are.
const RUST: &str = ".rs";

/// Other files above this size are only known by name.
const BYTES_MAX: u64 = 1 << 20;

/// The files by their path from the top, with `/`.
pub(crate) struct Repository {
    files: BTreeMap<String, Option<String>>,
    folders: BTreeSet<String>,
}

impl Repository {
    /// Reads the repository that this crate lies in.
    pub(crate) fn open() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
        let walk = ignore::WalkBuilder::new(root)
            .hidden(false)
            .parents(false)
            .git_global(false)
            .require_git(false)
            .filter_entry(|entry| entry.file_name() != ".git")
            .build();
        let mut files = BTreeMap::new();
        for entry in walk {
            let entry = entry.expect("the repository can be walked");
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            let path = entry.path().strip_prefix(root).expect("the walk stays inside");
            let path = path.to_str().expect("paths are Unicode").replace('\\', "/");
            let small = entry.metadata().is_ok_and(|data| data.len() <= BYTES_MAX);
            let text = (small || path.ends_with(RUST))
                .then(|| std::fs::read(entry.path()).expect("the file can be read"))
                .and_then(|bytes| String::from_utf8(bytes).ok());
            files.insert(path, text);
        }
        Self::with(files)
    }

    /// Makes a repository of the given paths and texts.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        Self::with(files.iter().map(|&(path, text)| (path.to_owned(), Some(text.to_owned()))).collect())
    }

    fn with(files: BTreeMap<String, Option<String>>) -> Self {
        let mut folders = BTreeSet::new();
        for path in files.keys() {
            let mut folder = path.as_str();
            while let Some((parent, _)) = folder.rsplit_once('/') {
                folders.insert(parent.to_owned());
                folder = parent;
            }
        }
        Self { files, folders }
    }

    /// The paths of all files, data included.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The texts that people wrote, data left out.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .filter(|(path, _)| !path.split('/').any(|part| DATA.contains(&part)))
            .filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }

    /// The Rust files, data left out.
    pub(crate) fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts().filter(|(path, _)| path.ends_with(RUST))
    }

    /// The text of one file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// Tells whether a file or folder of this path exists.
    pub(crate) fn exists(&self, path: &str) -> bool {
        path.is_empty() || self.files.contains_key(path) || self.folders.contains(path)
    }
}

/// Complaint of a check about one place.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Complaint {
    path: String,
    line: usize,
    message: String,
}

impl Complaint {
    /// A complaint about a line of a file, counted from 1.
    pub(crate) fn at(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }

    /// A complaint about a file as a whole.
    pub(crate) fn about(path: &str, message: impl Into<String>) -> Self {
        Self::at(path, 1, message)
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// A check of the repository.
pub(crate) type Check = fn(&Repository) -> Vec<Complaint>;

/// Fails with every complaint that `check` has about the repository itself.
#[track_caller]
pub(crate) fn assert_clean(check: Check) {
    let complaints = complaints(check, &Repository::open());
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Fails unless `check` has exactly these complaints about the planted files.
#[track_caller]
pub(crate) fn assert_complaints(check: Check, planted: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(complaints(check, &Repository::of(planted)), expected);
}

fn complaints(check: Check, repository: &Repository) -> Vec<String> {
    let mut complaints = check(repository);
    complaints.sort();
    complaints.iter().map(Complaint::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_holds_this_file_and_no_build_output() {
        let repository = Repository::open();
        assert!(repository.text("xtask/src/repository/files.rs").is_some());
        assert!(repository.exists("xtask/src"));
        assert!(repository.exists(".gitignore"), "hidden files are files too");
        assert!(!repository.paths().any(|path| path.starts_with("target/") || path.starts_with(".git/")));
    }

    #[test]
    fn data_is_known_but_not_examined() {
        let repository = Repository::of(&[("examples/a.rs", ""), ("crates/x/tests/fixtures/b.md", "")]);
        assert_eq!(repository.paths().count(), 2);
        assert_eq!(repository.texts().count(), 0);
    }
}
