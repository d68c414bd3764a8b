//! Which files were created since the handoff before one, as git tells.
//!
//! The handoff before is the one with the next lower number in the same folder. Between the commit that added it and
//! the one that added this one lies the work that this one hands over; one that is not committed yet hands over what
//! stands in the folders now. Without one before it, the work is that of its own commit.
//!
//! Invariant: nothing is said where that cannot be told: without git, without a commit before, or where one commit
//! brought several handoffs of a folder at once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use baton_engine::git::{self, Silence};

/// How long one question may take: the rule is a courtesy, and checking goes on without.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(5);

/// The created files that a document is told of.
const CREATED_MAX: usize = 1_000;

/// The answers that are kept.
const ANSWERS_MAX: usize = 256;

/// The history of the files below one root.
#[derive(Debug)]
pub(crate) struct History {
    root: PathBuf,
    known: Mutex<Known>,
}

/// What was asked already.
#[derive(Debug, Default)]
struct Known {
    /// Whether the first question was begun before it was asked.
    is_begun: bool,
    /// Whether git has anything to say here.
    is_there: Option<bool>,
    /// The folder or file that was asked for last, and which commit added each file there.
    asked: Option<(String, Arc<Additions>)>,
    /// The files created for each handoff.
    created: HashMap<String, Option<Arc<[String]>>>,
}

/// Which commit added each file of a folder.
type Additions = HashMap<String, Commit>;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Commit {
    id: String,
    /// Its first parent; none for the first commit that is there.
    parent: Option<String>,
}

impl History {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), known: Mutex::new(Known::default()) }
    }

    /// Begins to look for what was created since the handoff before the one at a path, which will be asked.
    ///
    /// Only the first time: whoever asks of many files has other work for all cores meanwhile.
    pub(crate) fn expect(history: &Arc<Self>, path: &str) {
        // Who has the lock is about to ask anyway.
        let Ok(mut known) = history.known.try_lock() else { return };
        if std::mem::replace(&mut known.is_begun, true) || !history.has_git(&mut known) {
            return;
        }
        let (history, path) = (Arc::clone(history), path.to_owned());
        // Without a thread the answer is looked for when it is asked.
        let _ = thread::Builder::new().spawn(move || history.created(&path));
    }

    /// The files that were created since the handoff before the one at a path.
    pub(crate) fn created(&self, path: &str) -> Option<Vec<String>> {
        // Whoever asks next asks about the same folder: one at a time is faster than each for itself.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(created) = known.created.get(path) {
            return created.as_deref().map(<[String]>::to_vec);
        }
        if !self.has_git(&mut known) {
            return None;
        }
        let created = self.asked(&mut known, path);
        if known.created.len() >= ANSWERS_MAX {
            known.created.clear();
        }
        known.created.insert(path.to_owned(), created.clone().map(Arc::from));
        created
    }

    /// Whether git has anything to say here.
    fn has_git(&self, known: &mut Known) -> bool {
        let is_there = || self.root.ancestors().any(|parent| parent.join(".git").exists());
        *known.is_there.get_or_insert_with(is_there)
    }

    fn asked(&self, known: &mut Known, path: &str) -> Option<Vec<String>> {
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        // A file without a number has none before it, so that its folder need not be known.
        let asked = if number_of(name).is_some() { folder } else { path };
        let additions = match &known.asked {
            Some((known, additions)) if known == asked => Arc::clone(additions),
            Some(_) | None => {
                let Ok(additions) = self.additions(folder, asked) else {
                    // Who does not answer once is not asked again.
                    known.is_there = Some(false);
                    return None;
                };
                let additions = Arc::new(additions);
                known.asked = Some((asked.to_owned(), Arc::clone(&additions)));
                additions
            }
        };
        let before = self.before(folder, name, &additions)?;
        let own = additions.get(name);
        let since = match (&before, own) {
            // The handoff before is not committed, so nobody knows when its work ended.
            (Before::Uncommitted, _) => return None,
            (Before::Commit(before), _) => before.id.clone(),
            (Before::None, Some(own)) => own.parent.clone()?,
            (Before::None, None) => "HEAD".to_owned(),
        };
        let stem = |name: &str| number_of(name).map(|(stem, _)| stem);
        let is_alike = |other: &str| other != name && stem(name).is_some() && stem(other) == stem(name);
        let is_shared =
            |own: &Commit| additions.iter().any(|(other, commit)| commit == own && is_alike(other));
        if own.is_some_and(is_shared) {
            return None;
        }
        self.between(&since, own.map(|own| own.id.as_str())).ok()
    }

    fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, Silence> {
        git::ask_within(&self.root, arguments, ANSWER_TIME_MAX)
    }

    /// Which commit added each file of a folder, or the one that is asked for; the last one where a file came back.
    fn additions(&self, folder: &str, asked: &str) -> Result<Additions, Silence> {
        let log = [
            "log",
            "-z",
            "--format=%x01%H %P",
            "--diff-filter=A",
            "--no-renames",
            "--name-only",
            "--relative",
        ];
        let answer =
            self.ask(&[&log[..], &["--no-ext-diff", "--end-of-options", "HEAD", "--", asked]].concat())?;
        let mut additions = Additions::new();
        let mut commit: Option<Commit> = None;
        for part in git::parts(&answer) {
            let part = String::from_utf8_lossy(part);
            match part.trim_start_matches('\n').strip_prefix('\u{1}') {
                Some(ids) => {
                    let mut ids = ids.split_whitespace().map(str::to_owned);
                    commit = ids.next().map(|id| Commit { id, parent: ids.next() });
                }
                None => {
                    let path = part.trim_start_matches('\n');
                    let name =
                        if folder == "." { Some(path) } else { path.strip_prefix(&format!("{folder}/")) };
                    if let (Some(name), Some(commit)) = (name.filter(|name| !name.contains('/')), &commit) {
                        additions.entry(name.to_owned()).or_insert_with(|| commit.clone());
                    }
                }
            }
        }
        Ok(additions)
    }

    /// The handoff before one: that with the next lower number among the files that are called alike.
    fn before(&self, folder: &str, name: &str, additions: &Additions) -> Option<Before> {
        let Some((stem, number)) = number_of(name) else { return Some(Before::None) };
        let on_disk = std::fs::read_dir(self.root.join(folder)).ok()?;
        let on_disk = on_disk.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let lower = |other: &String| {
            number_of(other).filter(|(other, at)| *other == stem && *at < number).map(|(_, at)| at)
        };
        let best = on_disk.chain(additions.keys().cloned()).filter(|other| lower(other).is_some());
        Some(match best.max_by_key(|other| lower(other)) {
            None => Before::None,
            Some(other) => additions.get(&other).cloned().map_or(Before::Uncommitted, Before::Commit),
        })
    }

    /// The files created from one commit to another, or to what stands in the folders now.
    fn between(&self, since: &str, until: Option<&str>) -> Result<Vec<String>, Silence> {
        let diff = ["diff", "--name-only", "-z", "-M", "--diff-filter=A", "--relative"];
        let mut question =
            [&diff[..], &["--no-ext-diff", "--no-textconv", "--ignore-submodules", since]].concat();
        question.extend(until);
        question.push("--");
        let mut answer = self.ask(&question)?;
        if until.is_none() {
            answer.extend(self.ask(&["ls-files", "--others", "--exclude-standard", "-z"])?);
        }
        let mut created: Vec<String> =
            git::parts(&answer).map(|path| String::from_utf8_lossy(path).into_owned()).collect();
        created.retain(|path| !path.ends_with('/'));
        created.sort();
        created.dedup();
        created.truncate(CREATED_MAX);
        Ok(created)
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
