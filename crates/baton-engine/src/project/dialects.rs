//! The dialect files of a project: which they are, and their texts.
//!
//! Cannot: judge them; the document crate does. Never looks outside the root, through links included, and at a
//! bounded number of files.

use std::fs;
use std::path::{Path, PathBuf};

use baton_document::dialect::DialectFile;

use crate::project::config::glob;
use crate::project::paths;
use crate::project::read::{self, Content};

/// Where dialect files lie unless `baton.toml` says otherwise.
pub const FOLDER: &str = "dialects";

/// The endings of dialect files.
const ENDINGS: [&str; 2] = ["yaml", "yml"];

/// The names that are looked at while files are searched for, and how deep folders may nest.
const NAMES_MAX: usize = 4096;
const DEPTH_MAX: usize = 8;

/// A dialect file, as it was found.
#[derive(Debug)]
pub struct Source {
    /// Its path.
    pub path: PathBuf,
    /// Its path from the root.
    below_root: String,
    text: String,
}

impl Source {
    /// As the document crate wants it.
    pub fn file(&self) -> DialectFile<'_> {
        DialectFile { path: &self.below_root, text: &self.text }
    }
}

/// What was found of the dialect files of a project.
#[derive(Debug, Default)]
pub struct Sources {
    /// The files, in the order of their paths.
    pub files: Vec<Source>,
    /// Files that could not be read, and places that hold none, each in words.
    pub problems: Vec<String>,
}

/// Finds and reads the dialect files below a root; `named` is what `baton.toml` says of them.
pub fn open(root: &Path, named: Option<&[String]>) -> Sources {
    let mut search = Search { root, names: 0, found: Vec::new() };
    let mut sources = Sources::default();
    match named {
        None => search.folder(&root.join(FOLDER), 1, &|path| has_ending(path)),
        Some(named) => {
            for one in named {
                let before = search.found.len();
                search.named(one);
                if search.found.len() == before {
                    sources
                        .problems
                        .push(format!("baton.toml names dialects in `{one}`, where there are none"));
                }
            }
        }
    }
    search.found.sort();
    search.found.dedup();
    for path in search.found {
        let below_root = paths::from_root(&path, root).unwrap_or_default();
        match text(root, &path) {
            // Other programs have dialects, too.
            Ok(text) if named.is_none() && !looks_like_ours(&text) => {}
            Ok(text) => sources.files.push(Source { path, below_root, text }),
            Err(why) => sources.problems.push(format!("the dialect file {below_root} cannot be read: {why}")),
        }
    }
    sources
}

fn text(root: &Path, path: &Path) -> Result<String, String> {
    match read::below(root, path, DialectFile::BYTES_MAX as u64)? {
        Content::Bytes(bytes) => String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned()),
        Content::TooLarge(bytes) => {
            Err(format!("it has {bytes} bytes, more than {}", DialectFile::BYTES_MAX))
        }
    }
}

/// Whether a text in the usual folder says something that only a dialect file of Baton says.
fn looks_like_ours(text: &str) -> bool {
    let keys = ["dialect:", "kinds:", "written-in:"];
    text.trim_start_matches('\u{feff}').lines().any(|line| keys.iter().any(|key| line.starts_with(key)))
}

/// Whether a file is named as dialect files are.
pub fn has_ending(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

struct Search<'s> {
    root: &'s Path,
    names: usize,
    found: Vec<PathBuf>,
}

impl Search<'_> {
    /// Files that a word of the settings names: a file, a folder, or all that a glob matches.
    fn named(&mut self, word: &str) {
        let word = word.trim_start_matches("./").trim_end_matches('/');
        if word.starts_with('/') || word.split('/').any(|part| part == "..") {
            return;
        }
        let path = self.root.join(word);
        if read::is_there(&path) {
            return self.add(path);
        }
        if path.is_dir() {
            return self.folder(&path, 1, &|path| has_ending(path));
        }
        let Some(glob) = glob(word) else { return };
        let is_fixed = |part: &&str| !part.contains(['*', '?', '[', '{']);
        let fixed: Vec<&str> = word.split('/').take_while(is_fixed).collect();
        let root = self.root.to_owned();
        let is_match =
            |path: &Path| paths::from_root(path, &root).is_some_and(|below| glob.is_match(below.as_str()));
        self.folder(&self.root.join(fixed.join("/")), DEPTH_MAX, &is_match);
    }

    fn folder(&mut self, folder: &Path, depth: usize, is_wanted: &dyn Fn(&Path) -> bool) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            self.names += 1;
            if self.names > NAMES_MAX {
                return;
            }
            let (path, kind) = (entry.path(), entry.file_type());
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if kind.is_ok_and(|kind| kind.is_dir()) {
                if depth > 1 && !is_hidden {
                    self.folder(&path, depth - 1, is_wanted);
                }
            } else if is_wanted(&path) {
                self.add(path);
            }
        }
    }

    /// Adds a file; whether it can be read, and lies in the project, is seen when it is.
    fn add(&mut self, path: PathBuf) {
        if self.found.len() <= DialectFile::COUNT_MAX {
            self.found.push(path);
        }
    }
}
