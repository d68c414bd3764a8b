//! Questions of the document crate about the files around a document.
//!
//! Invariant: paths are relative to the project root, with `/`; an answer never comes from outside it.

use std::collections::BTreeMap;

/// The files around a document.
pub trait World {
    /// Says what a path names, without following it out of the root.
    fn look(&self, path: &str) -> Seen;

    /// Reads a text file below the root; nothing where there is none or it is too large.
    fn read(&self, path: &str) -> Option<String>;

    /// Lists the files in the folder of a path, that one excluded; few of a large folder.
    fn neighbours(&self, path: &str) -> Vec<String>;

    /// Lists the files that were created since the handoff before the one at a path; nothing where that is unknown.
    fn created(&self, path: &str) -> Option<Vec<String>>;

    /// Hears which path that will be asked of soon, so that looking for the answer may begin.
    fn expect_created(&self, _path: &str) {}
}

/// State of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// Nothing.
    Nothing,
    /// Something outside the root, which is never looked at.
    Outside,
    /// Not known: there is no world to ask.
    Unknown,
}

/// No world: rules that look at files stay silent.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWorld;

impl World for NoWorld {
    fn look(&self, _path: &str) -> Seen {
        Seen::Unknown
    }

    fn read(&self, _path: &str) -> Option<String> {
        None
    }

    fn neighbours(&self, _path: &str) -> Vec<String> {
        Vec::new()
    }

    fn created(&self, _path: &str) -> Option<Vec<String>> {
        None
    }
}

/// A world of files that are only in memory, for examples and tests.
#[derive(Clone, Debug, Default)]
pub struct MemoryWorld {
    files: BTreeMap<String, String>,
    created: Option<Vec<String>>,
}

impl MemoryWorld {
    /// Adds a file.
    pub fn insert(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.files.insert(path.into(), text.into());
    }

    /// Adds a file that was created since the handoff before.
    pub fn create(&mut self, path: impl Into<String>, text: impl Into<String>) {
        let path = path.into();
        self.created.get_or_insert_default().push(path.clone());
        self.insert(path, text);
    }
}

impl World for MemoryWorld {
    fn look(&self, path: &str) -> Seen {
        let is_outside = path.starts_with('/') || path.split('/').any(|part| part == "..");
        let folder = format!("{}/", path.trim_end_matches('/'));
        if is_outside {
            Seen::Outside
        } else if self.files.contains_key(path) {
            Seen::File
        } else if self.files.keys().any(|file| file.starts_with(&folder)) {
            Seen::Folder
        } else {
            Seen::Nothing
        }
    }

    fn read(&self, path: &str) -> Option<String> {
        self.files.get(path).cloned()
    }

    fn neighbours(&self, path: &str) -> Vec<String> {
        let folder =
            |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
        let own = folder(path);
        self.files.keys().filter(|file| folder(file) == own && *file != path).cloned().collect()
    }

    fn created(&self, _path: &str) -> Option<Vec<String>> {
        self.created.clone()
    }
}
