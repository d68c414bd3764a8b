//! Where the data of a repository lie, found by reading alone.
//!
//! Git itself would follow `commondir` and the `.git` files of worktrees and submodules wherever they lead. Baton follows them
//! only to read objects and references; what it lets an agent write must be proven by a link back ([`Home::is_proven`]).

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::files::read;

/// The bytes of a file that leads elsewhere, and of a configuration.
const LINK_BYTES_MAX: u64 = 8 * 1024;
const CONFIG_BYTES_MAX: u64 = 256 * 1024;

/// The folders of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// The top of the work tree.
    pub top: PathBuf,
    /// What belongs to this work tree alone, such as its `HEAD`.
    pub git_dir: PathBuf,
    /// What all work trees share: objects and references.
    pub common: PathBuf,
}

impl Home {
    /// The nearest repository around a folder.
    pub fn of(folder: &Path) -> Option<Self> {
        // One that is broken is not passed over: an agent could make its own so, to be taken for a part of another.
        Self::at(folder.ancestors().find(|folder| is_claimed(folder))?)
    }

    /// Whether there is anything that could be a repository around a folder, readable or not.
    pub fn is_claimed(folder: &Path) -> bool {
        folder.ancestors().any(is_claimed)
    }

    /// The repository whose top a folder is.
    pub fn at(top: &Path) -> Option<Self> {
        let dot = top.join(".git");
        let kind = fs::symlink_metadata(&dot).ok()?;
        let is_folder = if kind.is_symlink() { dot.is_dir() } else { kind.is_dir() };
        let (git_dir, common) = if is_folder {
            // A `commondir` in it can only be meant to lead git astray.
            let own = dot.canonicalize().ok()?;
            (own.clone(), own)
        } else {
            let line = first_line(&dot)?;
            let git_dir = top.join(line.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
            let common = match first_line(&git_dir.join("commondir")) {
                Some(shared) => git_dir.join(shared).canonicalize().ok()?,
                None => git_dir.clone(),
            };
            (git_dir, common)
        };
        let is_repository = is_file(&git_dir.join("HEAD")) && common.join("objects").is_dir();
        is_repository.then(|| Self { top: top.to_owned(), git_dir, common })
    }

    /// The folder of hooks, if the configuration names one.
    pub(crate) fn hooks(&self) -> Option<String> {
        word(&config(&self.common), "core", "hookspath").or_else(|| word(&of_person(), "core", "hookspath"))
    }

    /// Whether the repository says itself that this is its work tree. An agent can make a `.git` lead anywhere, and cannot make
    /// what lies there lead back.
    pub fn is_proven(&self) -> bool {
        let dot = self.top.join(".git");
        let Ok(kind) = fs::symlink_metadata(&dot) else { return false };
        if kind.is_dir() {
            return self.git_dir == dot && self.common == dot;
        }
        if !kind.is_file() {
            return false;
        }
        let leads_here = |file: &Path| first_line(file).is_some_and(|line| self.git_dir.join(line) == dot);
        if self.git_dir == self.common {
            // A submodule: its configuration names the work tree.
            let text = config(&self.common);
            let named = word(&text, "core", "worktree").map(|path| self.git_dir.join(path).canonicalize());
            return named.and_then(Result::ok).is_some_and(|named| named == self.top);
        }
        let is_listed = self.git_dir.parent() == Some(&self.common.join("worktrees"));
        is_listed && leads_here(&self.git_dir.join("gitdir"))
    }
}

/// Whether a folder has a `.git` that is not merely an empty folder.
fn is_claimed(folder: &Path) -> bool {
    let dot = folder.join(".git");
    let is_empty = || fs::read_dir(&dot).is_ok_and(|mut entries| entries.next().is_none());
    dot.symlink_metadata().is_ok() && !is_empty()
}

/// The configuration of a repository, or of a person; empty where there is none.
pub(super) fn config(folder: &Path) -> String {
    text(&folder.join("config"), CONFIG_BYTES_MAX).unwrap_or_default()
}

/// The last value of a key in a section without a subsection. Escapes and values over several lines are not read.
pub(super) fn word(config: &str, section: &str, key: &str) -> Option<String> {
    let mut is_inside = false;
    let mut found = None;
    for mut line in config.lines().map(str::trim) {
        if let Some((name, rest)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            is_inside = name.trim().eq_ignore_ascii_case(section);
            line = rest;
        }
        let Some((name, value)) = line.split_once('=') else { continue };
        if is_inside && name.trim().eq_ignore_ascii_case(key) {
            let value = value.split([';', '#']).next().unwrap_or_default().trim().trim_matches('"');
            found = Some(value.to_owned());
        }
    }
    found
}

/// What a person has configured for all repositories.
pub(super) fn of_person() -> String {
    let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let mut all = places(home.as_deref()).as_deref().map(config).unwrap_or_default();
    if let Some(text) = home.as_ref().and_then(|home| text(&home.join(".gitconfig"), CONFIG_BYTES_MAX)) {
        all.push('\n');
        all += &text;
    }
    all
}

/// The folder in which a person keeps what git should know.
pub(super) fn places(home: Option<&Path>) -> Option<PathBuf> {
    let named = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| home.map(|home| home.join(".config"))).map(|path| path.join("git"))
}

fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file())
}

pub(super) fn first_line(path: &Path) -> Option<String> {
    let text = text(path, LINK_BYTES_MAX)?;
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// A small regular file; a FIFO is not waited for.
pub(super) fn text(path: &Path, bytes_max: u64) -> Option<String> {
    String::from_utf8(read::file(path, bytes_max).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_from_its_section_alone() {
        let text = "[core]\n\tautocrlf = input ; as ever\n[remote \"core\"]\nautocrlf = true\n[CORE]\n worktree = \"../x\"\n";
        assert_eq!(word(text, "core", "AutoCRLF").as_deref(), Some("input"));
        assert_eq!(word(text, "core", "worktree").as_deref(), Some("../x"));
        assert_eq!(word(text, "core", "bare"), None);
    }

    #[test]
    fn a_git_file_that_an_agent_turned_elsewhere_proves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().canonicalize().expect("it is there");
        for made in ["victim/.git/objects", "project/fake", "project/.git/objects", "linked"] {
            fs::create_dir_all(path.join(made)).expect("it can be made");
        }
        let write = |name: &str, text: String| fs::write(path.join(name), text).expect("it can be written");
        write("victim/.git/HEAD", "ref: refs/heads/main\n".to_owned());
        write("project/.git/HEAD", "ref: refs/heads/main\n".to_owned());
        write("project/.git/commondir", path.join("victim/.git").display().to_string());
        let home = Home::at(&path.join("project")).expect("it is a repository");
        assert_eq!(home.common, path.join("project/.git"), "a commondir there is not followed");
        assert!(home.is_proven());
        // The whole of `.git` is another one's.
        fs::remove_dir_all(path.join("project/.git")).expect("it can be removed");
        write("project/.git", format!("gitdir: {}\n", path.join("victim/.git").display()));
        assert!(!Home::at(&path.join("project")).expect("it can be read").is_proven());
        write("project/fake/HEAD", "ref: refs/heads/main\n".to_owned());
        write("project/fake/gitdir", path.join("project/.git").display().to_string());
        write("project/fake/commondir", path.join("victim/.git").display().to_string());
        write("project/.git", "gitdir: fake\n".to_owned());
        assert!(!Home::at(&path.join("project")).expect("it can be read").is_proven());
        // A worktree that the repository lists.
        fs::create_dir_all(path.join("victim/.git/worktrees/linked")).expect("it can be made");
        write("victim/.git/worktrees/linked/HEAD", "ref: refs/heads/x\n".to_owned());
        write("victim/.git/worktrees/linked/commondir", "../..\n".to_owned());
        write("victim/.git/worktrees/linked/gitdir", path.join("linked/.git").display().to_string());
        write("linked/.git", format!("gitdir: {}\n", path.join("victim/.git/worktrees/linked").display()));
        let home = Home::at(&path.join("linked")).expect("it is a worktree");
        assert!(home.is_proven() && home.common == path.join("victim/.git"));
    }
}
