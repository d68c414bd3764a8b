//! Which files were created since the handoff before one, as git tells.
//!
//! The handoff before is the one with the next lower number in the same folder. Between the commit that added it and
//! the one that added this one lies the work that this one hands over; one that is not committed yet hands over what
//! stands in the folders now. Without one before it, the work is that of its own commit.
//!
//! Git tells its history from the newest commit on and is heard only until that is known: a long history is not walked
//! to its end for a handoff of today.
//!
//! Invariant: nothing is said where that cannot be told: without git, without a commit before, or where several
//! handoffs of a folder came at once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::git;
use crate::git::{AnswerStream, Repository, Silence, StreamItem};

/// How long one question may take: the rule is a courtesy, and checking goes on without.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(5);

/// How long the history is walked before it is asked whether what is looked for is in it at all.
const PATIENCE: Duration = Duration::from_millis(20);

/// The created files that a document is told of.
const CREATED_MAX: usize = 1_000;

/// The answers that are kept.
const ANSWERS_MAX: usize = 256;

/// The history of the files below one root.
#[derive(Debug)]
pub(super) struct History {
    root: PathBuf,
    known: Mutex<Known>,
}

/// What was asked already.
#[derive(Debug, Default)]
struct Known {
    /// Whether the first question was begun before it was asked.
    is_begun: bool,
    /// The repository, once it is looked for; none where git has nothing to say.
    repository: Option<Option<Arc<Repository>>>,
    /// The history of the folder or file that was asked for last.
    walk: Option<Walk>,
    /// The files created for each handoff.
    created: HashMap<String, Option<Arc<[String]>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Commit {
    id: String,
    /// Its first parent; none for the first commit that is there.
    parent: Option<String>,
}

impl History {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), known: Mutex::new(Known::default()) }
    }

    /// Begins to look for what was created since the handoff before the one at a path, which will be asked.
    ///
    /// Only the first time: whoever asks of many files has other work for all cores meanwhile.
    pub(super) fn expect(history: &Arc<Self>, path: &str) {
        // Who has the lock is about to ask anyway.
        let Ok(mut known) = history.known.try_lock() else { return };
        if std::mem::replace(&mut known.is_begun, true) || history.repository(&mut known).is_none() {
            return;
        }
        let (history, path) = (Arc::clone(history), path.to_owned());
        // Without a thread the answer is looked for when it is asked.
        let _ = thread::Builder::new().spawn(move || history.created(&path));
    }

    /// The files that were created since the handoff before the one at a path.
    pub(super) fn created(&self, path: &str) -> Option<Vec<String>> {
        // Whoever asks next asks about the same folder: one at a time is faster than each for itself.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(created) = known.created.get(path) {
            return created.as_deref().map(<[String]>::to_vec);
        }
        let repository = self.repository(&mut known)?;
        let created = self.asked(&mut known, &repository, path);
        if known.created.len() >= ANSWERS_MAX {
            known.created.clear();
        }
        known.created.insert(path.to_owned(), created.clone().map(Arc::from));
        created
    }

    /// The repository, where git has anything to say here.
    fn repository(&self, known: &mut Known) -> Option<Arc<Repository>> {
        known.repository.get_or_insert_with(|| Repository::open(&self.root).ok().map(Arc::new)).clone()
    }

    fn asked(&self, known: &mut Known, repository: &Repository, path: &str) -> Option<Vec<String>> {
        let asked = Asked::of(&self.root, path)?;
        let told = told(known, repository, &asked);
        if told.is_err() {
            // Git that does not answer once is not asked again.
            known.repository = Some(None);
            known.walk = None;
        }
        told.ok().flatten()
    }
}

fn told(
    known: &mut Known,
    repository: &Repository,
    asked: &Asked<'_>,
) -> Result<Option<Vec<String>>, Silence> {
    let walk = match known.walk.take() {
        Some(walk) if walk.of == asked.searched() => walk,
        Some(_) | None => Walk::begin(repository, asked)?,
    };
    let walk = known.walk.insert(walk);
    let end = Instant::now() + ANSWER_TIME_MAX;
    let is_known = |name: &str| asked.is_before(name) || !asked.may_have_before() && name == asked.name;
    if !walk.go(Instant::now() + PATIENCE, is_known)? {
        // What is new now is in no commit, so that no more of the history need be heard.
        let now = listed(repository, "HEAD", None)?;
        let is_new = |name: &str| now.iter().any(|file| name_in(asked.folder, &file.path) == Some(name));
        if asked.lower.as_deref().is_some_and(is_new) {
            return Ok(None);
        }
        if !asked.may_have_before() && is_new(asked.name) {
            return Ok(Some(created(now)));
        }
        walk.go_on(end, is_known)?;
    }
    let before = walk.before(asked);
    if let Before::Commit(before) = &before
        && walk.commit_of(asked.name).is_none()
    {
        let now = listed(repository, &before.id, None)?;
        if now.iter().any(|file| file.path == asked.path) {
            return Ok(Some(created(now)));
        }
        walk.go_on(end, |name| name == asked.name)?;
    }
    let own = walk.commit_of(asked.name);
    let since = match (&before, own) {
        // The handoff before is not committed, so nobody knows when its work ended.
        (Before::Uncommitted, _) => return Ok(None),
        (Before::Commit(before), _) => &before.id,
        (Before::None, Some(Commit { parent: Some(parent), .. })) => parent,
        (Before::None, Some(Commit { parent: None, .. })) => return Ok(None),
        (Before::None, None) => "HEAD",
    };
    let listed = listed(repository, since, own.map(|own| own.id.as_str()))?;
    let is_alike =
        |file: &Listed| name_in(asked.folder, &file.path).is_some_and(|name| asked.number_of(name).is_some());
    let came_with_others = own.is_some() && listed.iter().any(is_alike);
    Ok((!came_with_others).then(|| created(listed)))
}

/// The files that came from one commit to another, or to what stands in the folders now.
fn listed(repository: &Repository, since: &str, until: Option<&str>) -> Result<Vec<Listed>, Silence> {
    let now;
    let until = match until {
        Some(until) => until,
        None => {
            now = repository.tree(ANSWER_TIME_MAX)?;
            &now
        }
    };
    let diff = ["diff-tree", "-r", "--name-status", "-z", "-M", "--diff-filter=AR", "--relative"];
    let question = [&diff[..], &["--ignore-submodules", "--end-of-options", since, until, "--"]].concat();
    let told = repository.ask_within(&question, ANSWER_TIME_MAX)?;
    let mut parts = git::parts(&told);
    let path = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
    let mut listed = Vec::new();
    while let (Some(status), Some(first)) = (parts.next(), parts.next()) {
        // A file that was renamed is told with both its names.
        let is_renamed = status.starts_with(b"R");
        let named = if is_renamed { parts.next() } else { Some(first) };
        listed.extend(named.map(|part| Listed { path: path(part), is_created: !is_renamed }));
    }
    Ok(listed)
}

/// A file that came between two commits.
#[derive(Debug)]
struct Listed {
    path: String,
    /// Whether it is new, and not another file under another name.
    is_created: bool,
}

/// The created ones among files, sorted, each once.
fn created(files: Vec<Listed>) -> Vec<String> {
    let is_file = |file: &Listed| file.is_created && !file.path.ends_with('/');
    let mut paths: Vec<String> = files.into_iter().filter(is_file).map(|file| file.path).collect();
    paths.sort();
    paths.dedup();
    paths.truncate(CREATED_MAX);
    paths
}

/// A handoff that is asked about.
struct Asked<'p> {
    path: &'p str,
    folder: &'p str,
    name: &'p str,
    /// What it is called without its number, and the number.
    numbered: Option<(String, u64)>,
    /// The file in its folder with the next lower number.
    lower: Option<String>,
}

impl<'p> Asked<'p> {
    fn of(root: &Path, path: &'p str) -> Option<Self> {
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        let mut asked = Self { path, folder, name, numbered: number_of(name), lower: None };
        if asked.numbered.is_some() {
            let files = std::fs::read_dir(root.join(folder)).ok()?;
            let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
            asked.lower = names.filter(|name| asked.is_before(name)).max_by_key(|name| asked.number_of(name));
        }
        Some(asked)
    }

    /// What the history is searched for: a file without a number has none before it.
    fn searched(&self) -> &'p str {
        if self.numbered.is_some() { self.folder } else { self.path }
    }

    /// The number of another file that is called alike.
    fn number_of(&self, other: &str) -> Option<u64> {
        let (stem, _) = self.numbered.as_ref()?;
        number_of(other)
            .filter(|(other, _)| other == stem)
            .map(|(_, number)| number)
            .filter(|_| other != self.name)
    }

    /// Whether a file may be the handoff before: no file in the folder has a number between the two.
    fn is_before(&self, other: &str) -> bool {
        let Some((_, own)) = &self.numbered else { return false };
        let lower = self.lower.as_ref().and_then(|lower| self.number_of(lower));
        self.number_of(other).is_some_and(|number| number < *own && lower.is_none_or(|lower| lower <= number))
    }

    /// Whether there may have been one before, in the folder or in its history: people count from one.
    fn may_have_before(&self) -> bool {
        self.lower.is_some() || self.numbered.as_ref().is_some_and(|(_, number)| *number > 1)
    }
}

/// A walk through history, from the newest commit on.
#[derive(Debug)]
struct Walk {
    /// The folder or file whose history it is.
    of: String,
    folder: String,
    answer_stream: AnswerStream,
    /// The commit that is being told.
    commit: Option<Commit>,
    /// Which commit added each file of the folder, as far as was heard; the last one where a file came back.
    additions: HashMap<String, Commit>,
    is_over: bool,
}

impl Walk {
    fn begin(repository: &Repository, asked: &Asked<'_>) -> Result<Self, Silence> {
        let log = ["log", "-z", "--format=%x01%H %P", "--diff-filter=A", "--no-renames", "--name-only"];
        let of = ["--relative", "--no-ext-diff", "--end-of-options", "HEAD", "--", asked.searched()];
        let answer_stream = repository.question(&[&log[..], &of[..]].concat()).listen()?;
        let (of, folder) = (asked.searched().to_owned(), asked.folder.to_owned());
        Ok(Self { of, folder, answer_stream, commit: None, additions: HashMap::new(), is_over: false })
    }

    /// Walks until a file was added that is looked for, or to the end; says whether it came there in time.
    fn go(&mut self, until: Instant, is_wanted: impl Fn(&str) -> bool) -> Result<bool, Silence> {
        let mut is_there = self.additions.keys().any(|name| is_wanted(name));
        while !is_there && !self.is_over {
            match self.answer_stream.next(until)? {
                StreamItem::Part(part) => is_there = self.hear(&part).is_some_and(|name| is_wanted(&name)),
                StreamItem::Over => self.is_over = true,
                StreamItem::Later => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Walks on; to take too long is to fail.
    fn go_on(&mut self, until: Instant, is_wanted: impl Fn(&str) -> bool) -> Result<(), Silence> {
        let is_there = self.go(until, is_wanted)?;
        is_there.then_some(()).ok_or_else(|| Silence::Failed("the history is too long".to_owned()))
    }

    /// Hears of a commit or of a file that it added; gives the name of one in the folder.
    fn hear(&mut self, part: &[u8]) -> Option<String> {
        let part = String::from_utf8_lossy(part);
        let part = part.trim_start_matches('\n');
        if let Some(ids) = part.strip_prefix('\u{1}') {
            let mut ids = ids.split_whitespace().map(str::to_owned);
            self.commit = ids.next().map(|id| Commit { id, parent: ids.next() });
            return None;
        }
        let (name, commit) = (name_in(&self.folder, part)?.to_owned(), self.commit.clone()?);
        self.additions.entry(name.clone()).or_insert(commit);
        Some(name)
    }

    fn commit_of(&self, name: &str) -> Option<&Commit> {
        self.additions.get(name)
    }

    /// The handoff before one: that with the next lower number among the files that are called alike.
    fn before(&self, asked: &Asked<'_>) -> Before {
        let heard = self.additions.keys().chain(asked.lower.as_ref());
        match heard.filter(|name| asked.is_before(name)).max_by_key(|name| asked.number_of(name)) {
            None => Before::None,
            Some(name) => self.commit_of(name).cloned().map_or(Before::Uncommitted, Before::Commit),
        }
    }
}

enum Before {
    /// There is none.
    None,
    /// It is not committed.
    Uncommitted,
    /// It was added by a commit.
    Commit(Commit),
}

/// The name of a file that lies in a folder itself.
fn name_in<'f>(folder: &str, path: &'f str) -> Option<&'f str> {
    let name = match folder {
        "." => path,
        folder => path.strip_prefix(folder)?.strip_prefix('/')?,
    };
    (!name.contains('/')).then_some(name)
}

/// What a numbered file is called without its number, and the number: the last one in its name.
fn number_of(name: &str) -> Option<(String, u64)> {
    let end = name.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = name[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    let number = name.get(start..end)?.parse().ok()?;
    Some((format!("{}\u{0}{}", &name[..start], &name[end..]), number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_called_alike_differ_in_their_last_number() {
        let number = |name: &str| number_of(name).map(|(_, number)| number);
        assert_eq!(number("HO-2026-007.yaml"), Some(7));
        assert_eq!(number("note.yaml"), None);
        let stem = |name: &str| number_of(name).map(|(stem, _)| stem);
        assert_eq!(stem("HO-001.yaml"), stem("HO-12.yaml"));
        assert_ne!(stem("HO-001.yaml"), stem("AC-001.yaml"));
    }
}
