//! Evidence, verified and not believed: what a handoff says was made, changed and run, held against the project.
//!
//! Invariant: nothing that a handoff names is followed out of the root, and no command of it runs unless that was asked
//! for; then it runs in a clean checkout behind a sandbox, within bounds of time and output.

mod run;
mod tree;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::ops::RangeInclusive;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use baton_document::secrets;
use baton_document::{Checker, Datum, Meaning, Said, Scratch};
use baton_kernel::{Key, Millis};
use baton_ledger::{Append, Ledger, Limit, ReadFrom, digest};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::error::RESERVED;
use crate::git;
use crate::git::Repository;
use crate::project::store;
use crate::records::codec;
use crate::records::reading;
use crate::sandbox;

pub(crate) use tree::{Before, now as tree, prune, store};

/// How many files, and how many commands, of one handoff are looked at.
const FILES_MAX: usize = 1_000;
const COMMANDS_MAX: usize = 20;
/// The bytes of a file that is hashed.
const HASHED_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// How many findings are told.
const TOLD_MAX: usize = 20;
/// By how much the time of a file may be before that of the clock, in milliseconds.
const CLOCK_SLACK_MS: u64 = 20;
/// How long git may take to say what was changed.
const CHANGED_TIME_MAX: Duration = Duration::from_secs(20);
/// The tree of git that holds nothing.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/// The fields whose files were changed by the work itself; other artifacts may have been there before.
const MADE_BY_WORK: [&str; 5] =
    ["files_changed", "files_created", "files_modified", "tests_written", "artifacts_produced"];

/// How much of the evidence is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// Its files.
    Artifacts,
    /// Its files, and its commands run again.
    Rerun,
}

/// What came of looking at the evidence of a handoff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether all that was looked at is as the handoff says.
    pub holds: bool,
    /// How much was looked at.
    pub depth: Depth,
    /// What is not as it says, each in a line.
    pub findings: Vec<String>,
    /// What could not be looked at, and why.
    pub notes: Vec<String>,
    /// The files that it names.
    pub files: Vec<Named>,
    /// The commands that were run again.
    pub commands: Vec<Ran>,
    /// What stood in the project when it was looked at, as git names it; only where that is known of its beginning too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// What kept the commands from everything else; nothing where none was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
}

/// A file that a handoff names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Its path, as the handoff has it.
    pub path: String,
    /// The SHA-256 of what it holds; nothing for a folder, and for what is not there.
    pub hash: Option<String>,
}

/// A command that was run again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// The command, as the handoff has it.
    pub command: String,
    /// How it ended.
    pub ended: String,
    /// Whether it ended well.
    pub is_well: bool,
    /// The last that it said.
    pub last: String,
}

/// What is verified, and where.
#[derive(Clone, Debug)]
pub struct Claim {
    root: PathBuf,
    /// The project; the files may lie in a worktree of it.
    project: PathBuf,
    /// Where what git noted of the files is kept.
    store: PathBuf,
    /// The files that the handoff names, each with whether its work is said to have made or changed it.
    files: Vec<(String, bool)>,
    commands: Vec<String>,
    /// When its work began, and when it was handed over; nothing where only the handoff is known.
    pub worked: Option<(Millis, Millis)>,
    /// What stood in the project when its work began, as git names it; nothing where nobody looked.
    pub before: Option<String>,
    /// What was seen when it was handed over, for whoever looks later.
    pub handed_over: Option<Verdict>,
    /// How much is looked at.
    pub depth: Depth,
    /// Whether commands may run without a sandbox where there is none.
    pub is_open: bool,
    /// How long all commands together may take.
    pub time_max: Duration,
}

impl Verdict {
    /// The same without secrets, which names of files and last words of commands may hold.
    #[must_use]
    pub(crate) fn redacted(mut self) -> Self {
        let texts = self.findings.iter_mut().chain(&mut self.notes);
        let paths = self.files.iter_mut().map(|named| &mut named.path);
        let commands = self.commands.iter_mut().flat_map(|ran| [&mut ran.command, &mut ran.last]);
        texts.chain(paths).chain(commands).for_each(|text| *text = secrets::redacted(text, None).0);
        self
    }
}

/// What was seen of the evidence of a handoff.
#[derive(Clone, Debug)]
pub struct Seen {
    verdict: Verdict,
    /// The files that were changed and are not named; some of them may be no work.
    unnamed: Vec<String>,
    /// The files with which Baton keeps places from agents.
    kept: BTreeSet<String>,
}

impl Seen {
    /// What it comes to.
    pub fn verdict(self, checker: &Checker) -> Verdict {
        let Self { mut verdict, unnamed, kept } = self;
        // What Baton and others keep at the places of handoffs is no work.
        let is_work = |path: &&String| {
            !path.starts_with(".baton/") && !checker.is_placed(path) && !kept.contains(*path)
        };
        for path in unnamed.iter().filter(is_work) {
            verdict.findings.push(format!("{path} was changed, and the handoff does not name it"));
        }
        verdict.holds = verdict.findings.is_empty();
        let more = verdict.findings.len().saturating_sub(TOLD_MAX);
        verdict.findings.truncate(TOLD_MAX);
        if more > 0 {
            verdict.findings.push(format!("and {more} more"));
        }
        verdict
    }
}

impl Claim {
    /// What a handoff claims about the files of a project.
    pub fn new(root: &Path, said: &Said, depth: Depth) -> Self {
        let (files, commands) = (named(said), commands(said));
        Self {
            root: root.to_owned(),
            project: root.to_owned(),
            store: store(root),
            files,
            commands,
            worked: None,
            before: None,
            handed_over: None,
            depth,
            is_open: false,
            time_max: run::ALL_TIME_MAX,
        }
    }

    /// The same claim about files in a worktree of the project.
    #[must_use]
    pub(crate) fn in_folder(self, folder: PathBuf) -> Self {
        Self { root: folder, ..self }
    }

    /// What a text claims; nothing where it is no handoff.
    pub fn of_text(checker: &Checker, root: &Path, text: &[u8], depth: Depth) -> Option<Self> {
        let said = reading::said(checker, &mut Scratch::default(), text)?;
        Some(Self::new(root, &said, depth))
    }

    /// Looks at the evidence.
    pub fn look(&self) -> Seen {
        let mut verdict = Verdict {
            holds: false,
            depth: self.depth,
            findings: Vec::new(),
            notes: Vec::new(),
            files: Vec::new(),
            commands: Vec::new(),
            tree: None,
            sandbox: None,
        };
        let made = self.files(&mut verdict);
        self.tell_later_changes(&mut verdict);
        let unnamed = self.compare(&made, &mut verdict);
        match self.depth {
            Depth::Artifacts => {}
            Depth::Rerun => run::again(self, &mut verdict),
        }
        let kept = sandbox::guarded(&self.project).into_iter();
        let kept = kept.filter_map(|path| Some(path.strip_prefix(&self.project).ok()?.to_str()?.to_owned()));
        Seen { verdict, unnamed, kept: kept.collect() }
    }

    /// Looks at the files that are named; gives those that the work is said to have made or changed.
    fn files(&self, verdict: &mut Verdict) -> BTreeSet<String> {
        let root = self.root.canonicalize().ok();
        let mut made = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for (path, is_made) in &self.files {
            if seen.len() >= FILES_MAX {
                verdict.notes.push(format!("only the first {FILES_MAX} files were looked at"));
                break;
            }
            if !seen.insert(path) {
                continue;
            }
            if path.contains("://") {
                verdict.notes.push(format!("{path} is no file, and was not looked at"));
                continue;
            }
            let found = root.as_ref().and_then(|root| root.join(plain(path)).canonicalize().ok());
            let hash = match (&found, &root) {
                (Some(found), Some(root)) if !found.starts_with(root) => {
                    verdict.findings.push(format!("{path} lies outside of the project"));
                    None
                }
                (Some(found), _) if found.is_dir() => None,
                (Some(found), Some(root)) if store::is_ledger(root, found) => {
                    verdict.findings.push(format!("{path} is Baton's own record, and no work of anybody"));
                    None
                }
                (Some(found), _) => {
                    let hash = hashed(found);
                    if hash.is_none() {
                        verdict.findings.push(format!("{path} cannot be read, or is too large to be hashed"));
                    }
                    hash
                }
                (None, _) => {
                    verdict.findings.push(format!("{path} does not exist"));
                    None
                }
            };
            verdict.files.push(Named { path: path.clone(), hash });
            if *is_made && found.is_some_and(|found| !found.is_dir()) {
                made.insert(plain(path).to_owned());
            }
        }
        made
    }

    /// Says which files are no longer what they were when they were handed over. Others may change them afterwards, so that it
    /// is no fault of the handoff.
    fn tell_later_changes(&self, verdict: &mut Verdict) {
        let Some(then) = &self.handed_over else { return };
        for named in &verdict.files {
            let before = then.files.iter().find(|before| before.path == named.path);
            if before.is_some_and(|before| before.hash.is_some() && before.hash != named.hash) {
                let note = format!("{} is no longer what it was when it was handed over", named.path);
                verdict.notes.push(note);
            }
        }
    }

    /// Compares the files that are named with those that git says were changed since the work began; gives those that
    /// are not named.
    fn compare(&self, made: &BTreeSet<String>, verdict: &mut Verdict) -> Vec<String> {
        let changed = self.changed_by_content(verdict).or_else(|| self.changed_by_time(verdict));
        let Some(changed) = changed else {
            // An agent can keep git from answering, and is not to gain by it.
            if self.before.is_some() || self.worked.is_some() && git::Home::is_claimed(&self.root) {
                verdict.findings.push(
                    "git does not answer about this project any more: what the work changed cannot be told"
                        .to_owned(),
                );
            }
            return Vec::new();
        };
        for path in made.iter().filter(|path| !changed.all.contains(*path)) {
            verdict
                .findings
                .push(format!("{path} is said to be changed, and is as it was when the work began"));
        }
        // The root itself, in whatever spelling, names nothing.
        let named: BTreeSet<PathBuf> = verdict.files.iter().filter_map(|named| normal(&named.path)).collect();
        let is_named = |path: &str| Path::new(path).ancestors().any(|part| named.contains(part));
        let is_within = |path: &String| {
            let touched = || touched(&self.root.join(path));
            changed.within.as_ref().is_none_or(|within| touched().is_some_and(|at| within.contains(&at)))
        };
        let unnamed = changed.all.iter().filter(|path| !is_named(path) && is_within(path));
        unnamed.take(FILES_MAX).cloned().collect()
    }

    /// What the work changed, told by what the files held before and after it; nothing where that is not known.
    fn changed_by_content(&self, verdict: &mut Verdict) -> Option<Changed> {
        let before = self.before.as_deref()?;
        let after = match &self.handed_over {
            None => tree::now(&self.root, &self.store)?,
            // What happened afterwards is not of this work.
            Some(then) => then.tree.clone()?,
        };
        let all = tree::differing(&self.store, before, &after)?;
        verdict.tree = Some(after);
        Some(Changed { all, within: None })
    }

    /// What the work changed, told by times: of the last commit before it began, and of the files.
    fn changed_by_time(&self, verdict: &mut Verdict) -> Option<Changed> {
        let Some((began, ended)) = self.worked else {
            verdict.notes.push("when its work began is not known: changes were not compared".to_owned());
            return None;
        };
        let Some(all) = changed(&self.root, began) else {
            verdict.notes.push("git says nothing about this project: changes were not compared".to_owned());
            return None;
        };
        let (from, until) = (began.0.saturating_sub(CLOCK_SLACK_MS), ended.0.saturating_add(CLOCK_SLACK_MS));
        Some(Changed { all, within: Some(from..=until) })
    }
}

/// What was changed since work began.
struct Changed {
    all: BTreeSet<String>,
    /// When the work changed files, in milliseconds, where others may have changed some before or after it.
    within: Option<RangeInclusive<u64>>,
}

/// A path from the root without parts that say nothing; none for the root, an absolute path, and one that leads upwards.
fn normal(path: &str) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => normal.push(name),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (normal != Path::new("")).then_some(normal)
}

/// A path without what says nothing about it.
fn plain(path: &str) -> &str {
    path.trim_start_matches("./").trim_end_matches('/')
}

/// The files that a handoff names, each with whether its work is said to have made or changed it.
fn named(said: &Said) -> Vec<(String, bool)> {
    let mut all = Vec::new();
    for saying in said.sayings.iter().filter(|saying| saying.meaning == Meaning::Artifacts) {
        let last = saying.path.rsplit('.').next().unwrap_or_default();
        let is_made = MADE_BY_WORK.contains(&last);
        let Some(Datum::List(items)) = said.document.at(&saying.path) else { continue };
        for item in items {
            let path = item.as_text().or_else(|| item.get("path").and_then(Datum::as_text));
            all.extend(
                path.filter(|path| !path.trim().is_empty()).map(|path| (path.trim().to_owned(), is_made)),
            );
        }
    }
    all
}

/// The commands that a handoff names.
fn commands(said: &Said) -> Vec<String> {
    let mut all = Vec::new();
    for saying in said.sayings.iter().filter(|saying| saying.meaning == Meaning::Commands) {
        if let Some(Datum::List(items)) = said.document.at(&saying.path) {
            all.extend(items.iter().filter_map(Datum::as_text).map(ToOwned::to_owned));
        }
    }
    all
}

/// The files that differ from the last commit before a moment, or that git does not know; nothing without git.
fn changed(root: &Path, began: Millis) -> Option<BTreeSet<String>> {
    let repository = Repository::open(root).ok()?;
    let before = format!("--before=@{}", began.0 / 1_000);
    let base =
        repository.ask(&["rev-list", "-1", &before, "HEAD"]).map(|said| git::line(&said)).unwrap_or_default();
    let base = if base.is_empty() { EMPTY_TREE.to_owned() } else { base };
    let index = repository.index_of(&base, CHANGED_TIME_MAX).ok()?;
    let ask = |arguments: &[&str]| {
        repository.question(arguments).index(&index).within(CHANGED_TIME_MAX).whole().ask().ok()
    };
    let differs = ask(&["diff", "--name-only", "--relative", "--no-renames", "-z"])?;
    let new = ask(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    let text = |path: &[u8]| git::path(path).to_string_lossy().into_owned();
    Some(git::parts(&differs).chain(git::parts(&new)).map(text).collect())
}

/// When a file was last changed, as the system says and nobody can set.
#[cfg(unix)]
fn touched(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    let file = path.symlink_metadata().ok()?;
    u64::try_from(file.ctime() * 1_000 + file.ctime_nsec() / 1_000_000).ok()
}

/// When a file was last written.
#[cfg(not(unix))]
fn touched(path: &Path) -> Option<u64> {
    let written = path.symlink_metadata().ok()?.modified().ok()?;
    let since = written.duration_since(std::time::UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}

fn hashed(path: &PathBuf) -> Option<String> {
    // What is no file may keep whoever opens it waiting.
    let data = fs::metadata(path).ok()?;
    if !data.is_file() || data.len() > HASHED_BYTES_MAX {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(HASHED_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(digest(&bytes).to_string())
}

/// A verdict as it is recorded: of which handoff it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recorded {
    /// The delivery that the handoff answers.
    pub key: Key,
    /// What came of it.
    pub verdict: Verdict,
}

/// The stream of the verdicts that people asked for, of one run: they are recorded whoever drives it.
fn stream(run: &str) -> String {
    format!("{RESERVED}evidence/{run}")
}

/// Records a verdict about a handoff of a run.
pub fn record(ledger: &dyn Ledger, run: &str, recorded: &Recorded, now: Millis) -> Result<(), Error> {
    let stream = stream(run);
    for _ in 0..1_000 {
        let expected = last_of(ledger, &stream)?;
        let append = Append {
            stream: stream.clone(),
            expected,
            fence: None,
            at: now,
            events: vec![codec::noted(codec::VERIFIED, recorded)],
            head: None,
            claims: Vec::new(),
            erase: Vec::new(),
        };
        // Somebody else may have been faster.
        if let Some(Ok(_)) = ledger.append(vec![append])?.pop() {
            return Ok(());
        }
    }
    Err(Error::History { run: run.to_owned(), seq: 0, what: "a verdict cannot be recorded".to_owned() })
}

fn last_of(ledger: &dyn Ledger, stream: &str) -> Result<u64, Error> {
    let mut after = 0;
    loop {
        let records = ledger.read(&ReadFrom::Stream { stream: stream.to_owned(), after }, Limit(1_000))?;
        match records.last() {
            Some(last) => after = last.seq,
            None => return Ok(after),
        }
    }
}

/// What the flow saw of the work for a delivery: what stood in the project before it, and what was found when it was handed over.
pub fn seen_by_flow(
    ledger: &dyn Ledger,
    run: &str,
    key: Key,
) -> Result<(Option<String>, Option<Verdict>), Error> {
    let (mut before, mut handed_over, mut after) = (None, None, 0);
    loop {
        let from = ReadFrom::Stream { stream: run.to_owned(), after };
        let records = ledger.read(&from, Limit(1_000))?;
        let Some(last) = records.last() else { return Ok((before, handed_over)) };
        after = last.seq;
        for record in &records {
            if record.kind == codec::BEFORE {
                let read = serde_json::from_slice::<Before>(&record.body).ok();
                before = read.filter(|read| read.key == key).map(|read| read.tree).or(before);
            } else if record.kind == codec::VERIFIED {
                let read = serde_json::from_slice::<Recorded>(&record.body).ok();
                // The last one is of the answer that counts.
                handed_over = read.filter(|read| read.key == key).map(|read| read.verdict).or(handed_over);
            }
        }
    }
}

/// All verdicts about handoffs of a run, with when each was recorded: those of the flow first, then those of people.
pub fn verdicts(ledger: &dyn Ledger, run: &str) -> Result<Vec<(Millis, Recorded)>, Error> {
    let mut all = Vec::new();
    for stream in [run.to_owned(), stream(run)] {
        let mut after = 0;
        loop {
            let records = ledger.read(&ReadFrom::Stream { stream: stream.clone(), after }, Limit(1_000))?;
            let Some(last) = records.last() else { break };
            after = last.seq;
            for record in records.iter().filter(|record| record.kind == codec::VERIFIED) {
                let read = serde_json::from_slice(&record.body).ok();
                all.extend(read.map(|recorded| (record.at, recorded)));
            }
        }
    }
    Ok(all)
}
