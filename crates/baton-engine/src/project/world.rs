//! The files around a document, as the document crate may ask for them.
//!
//! Invariant: a path that a document names is never followed out of the root, through links included; other checkouts
//! of this repository count as inside where both ends say so (`worktrees.rs`). Reading and listing are bounded.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::files::read;
use baton_document::{Seen, World};

use crate::project::created::History;
use crate::project::{paths, worktrees};

/// The bytes of a path that any system can open.
const PATH_BYTES_MAX: usize = 4096;

/// The bytes of a side file.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// The files of a folder that a document is told of.
const NEIGHBOURS_MAX: usize = 64;
/// The names of one folder that are looked at.
const NAMES_MAX: usize = 65_536;
/// The listings that are kept: more than threads are at work, each in a folder of its own.
const LISTINGS_MAX: usize = 64;
/// The names that all listings but the newest may hold together.
const LISTED_NAMES_MAX: usize = 65_536;

/// The files below one root.
#[derive(Debug)]
pub struct DiskWorld {
    root: PathBuf,
    inside: OnceLock<Vec<PathBuf>>,
    /// The folders that were listed last, the newest first: files come folder by folder.
    listed: Mutex<VecDeque<Listing>>,
    history: Arc<History>,
}

#[derive(Debug)]
struct Listing {
    folder: String,
    names: Arc<[String]>,
}

impl DiskWorld {
    /// The files below a root.
    pub fn new(root: &Path) -> Self {
        let history = Arc::new(History::new(root));
        Self { root: root.to_owned(), inside: OnceLock::new(), listed: Mutex::default(), history }
    }

    /// Whether a path without links lies below the root or in a worktree of it.
    pub fn contains(&self, resolved: &Path) -> bool {
        self.inside().iter().any(|folder| resolved.starts_with(folder))
    }

    /// The root without links, and the worktrees.
    fn inside(&self) -> &[PathBuf] {
        self.inside.get_or_init(|| {
            let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
            let mut inside = worktrees::others(&root);
            inside.push(root);
            inside
        })
    }

    /// The file or folder that a path names; whether it exists and where is only asked inside.
    fn resolve(&self, path: &str) -> Result<PathBuf, Seen> {
        let named = paths::normal(&self.root.join(path));
        if !named.starts_with(&self.root) && !self.contains(&named) {
            return Err(Seen::Outside);
        }
        let mut existing: &Path = &named;
        loop {
            match existing.canonicalize() {
                Ok(resolved) if !self.contains(&resolved) => return Err(Seen::Outside),
                Ok(resolved) if existing == named => return Ok(resolved),
                Ok(_) => return Err(Seen::Nothing),
                // A link to nothing may lead anywhere.
                Err(_) if existing.is_symlink() => return Err(Seen::Nothing),
                Err(_) => existing = existing.parent().ok_or(Seen::Nothing)?,
            }
        }
    }

    fn names(&self, folder: &str) -> Arc<[String]> {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = listed.iter().find(|listing| listing.folder == folder) {
            return Arc::clone(&listing.names);
        }
        let names: Arc<[String]> = match self.resolve(folder) {
            Ok(resolved) => file_names(&resolved).into(),
            Err(_) => Arc::new([]),
        };
        let mut room = LISTED_NAMES_MAX;
        listed.truncate(LISTINGS_MAX - 1);
        listed.retain(|listing| {
            let fits = room.checked_sub(listing.names.len());
            room = fits.unwrap_or_default();
            fits.is_some()
        });
        listed.push_front(Listing { folder: folder.to_owned(), names: Arc::clone(&names) });
        names
    }
}

impl World for DiskWorld {
    fn look(&self, path: &str) -> Seen {
        if path.len() > PATH_BYTES_MAX {
            return Seen::Nothing;
        }
        match self.resolve(path) {
            Ok(resolved) if resolved.is_dir() => Seen::Folder,
            Ok(_) => Seen::File,
            Err(seen) => seen,
        }
    }

    fn read(&self, path: &str) -> Option<String> {
        let resolved = self.resolve(path).ok()?;
        if crate::project::store::is_ledger(&self.root, &resolved) {
            return None;
        }
        let (bytes, _) = read::unlinked(&resolved, FILE_BYTES_MAX).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// The nearest by name: what belongs together is called alike.
    fn neighbours(&self, path: &str) -> Vec<String> {
        let (folder, own) = path.rsplit_once('/').unwrap_or(("", path));
        let names = self.names(folder);
        let at = names.partition_point(|name| name.as_str() < own);
        let end = (at + NEIGHBOURS_MAX / 2 + 1).min(names.len());
        let start = end.saturating_sub(NEIGHBOURS_MAX + 1);
        let nearest = names[start..end].iter().filter(|name| *name != own).take(NEIGHBOURS_MAX);
        nearest
            .map(|name| if folder.is_empty() { name.clone() } else { [folder, "/", name].concat() })
            .collect()
    }

    fn created(&self, path: &str) -> Option<Vec<String>> {
        self.history.created(path)
    }

    fn expect_created(&self, path: &str) {
        History::expect(&self.history, path);
    }
}

/// The names of the files in a folder, sorted; links are left out.
fn file_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().take(NAMES_MAX).filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut names: Vec<String> = files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}
