//! What agents say while they work, kept beside the ledger so that people can follow it.
//!
//! It is a courtesy and no record: nothing is decided by it, no hash covers it, and it may be deleted at any time. Baton
//! itself deletes what is old or too much of runs that are over; see [`tidy`].
//! Invariant: each delivery keeps a bounded number of bytes, each line is one object in JSON, so that no agent can write one
//! that looks like another's or like Baton's, and nothing that fails here holds up a run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use baton_document::secrets::{ExcerptPart, Lines, excerpt};
use baton_kernel::{Key, LaneId, Millis, StepId};
use baton_ledger::{Ledger, digest};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::files::private;
use crate::files::private::FOLDER;
use crate::history::views;

/// The bytes that are kept of one delivery, all its attempts together.
const KEPT_BYTES_MAX: u64 = 1024 * 1024;
/// The bytes of one line.
const LINE_BYTES_MAX: usize = 4 * 1024;
/// How far behind the end of what is kept of a line a secret is looked for that begins before it.
const AHEAD_BYTES: usize = 4 * 1024;
/// How far back a delivery is read that somebody begins to follow.
const BACK_BYTES: u64 = 64 * 1024;
/// The deliveries of one run that are followed at a time; with more, the latest are.
const FOLLOWED_MAX: usize = 256;

/// How many runs that are over are kept, how long, and how many bytes of them together.
const RUNS_MAX: usize = 20;
const KEPT_FOR: Duration = Duration::from_secs(14 * 24 * 60 * 60);
const RUNS_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How many runs are looked at when it is tidied.
const LOOK_MAX: usize = 10_000;

/// A line that an agent said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// When it was heard.
    pub at: Millis,
    /// In which attempt of its delivery.
    pub attempt: u16,
    /// What was said, without secrets; nothing where the rest is not kept.
    pub text: Option<String>,
}

/// Where a project keeps what agents say.
pub fn folder(root: &Path) -> PathBuf {
    root.join(FOLDER).join("output")
}

fn folder_of(folder: &Path, run: &str) -> PathBuf {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if run.len() <= 100 && !run.is_empty() && run.bytes().all(is_plain) {
        folder.join(run)
    } else {
        folder.join(format!("{}.run", digest(run.as_bytes())))
    }
}

/// Removes what the agents of a run said; says whether nothing of it is left.
pub fn forget(root: &Path, run: &str) -> bool {
    let folder = folder_of(&folder(root), run);
    // A link leads elsewhere, and is left alone.
    let is_ours = fs::symlink_metadata(&folder).is_ok_and(|data| data.is_dir());
    !folder.exists() || (is_ours && fs::remove_dir_all(&folder).is_ok())
}

/// Where what the agents of a run said lies, if any of it is there.
pub fn said_in(root: &Path, run: &str) -> Option<PathBuf> {
    Some(folder_of(&folder(root), run)).filter(|folder| folder.exists())
}

/// Keeps what agents say.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    /// Where; nowhere means that it is not kept.
    folder: Option<PathBuf>,
    /// The bytes that are kept of each delivery that is under way.
    kept: BTreeMap<(String, Key), u64>,
    /// What is between the lines of a delivery: a secret may be split by a line end.
    lines: BTreeMap<(String, Key), Said>,
}

/// The lines of an attempt as they come.
#[derive(Debug, Default)]
struct Said {
    lines: Lines,
    /// The attempt that said the last of them, and when.
    attempt: u16,
    at: Millis,
}

impl Keeper {
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, kept: BTreeMap::new(), lines: BTreeMap::new() }
    }

    /// Keeps one line; what cannot be kept is let go. A line that may end in the middle of a secret is kept together with
    /// the next one.
    pub(crate) fn keep(&mut self, run: &str, key: Key, attempt: u16, said: &[u8], at: Millis) {
        if self.folder.is_none() {
            return;
        }
        let name = (run.to_owned(), key);
        let before = self.lines.entry(name).or_default();
        let ended = if before.attempt == attempt { Vec::new() } else { before.lines.finish() };
        let (last_attempt, last_at) = (before.attempt, before.at);
        (before.attempt, before.at) = (attempt, at);
        let text = String::from_utf8_lossy(&said[..said.len().min(LINE_BYTES_MAX + AHEAD_BYTES)]);
        let text = excerpt(text.trim_end(), ExcerptPart::First(LINE_BYTES_MAX));
        let lines: Vec<String> = text.split('\n').flat_map(|line| before.lines.push(line)).collect();
        ended.iter().for_each(|line| self.write(run, key, last_attempt, line, last_at));
        self.write(run, key, attempt, &lines.join("\n"), at);
    }

    fn write(&mut self, run: &str, key: Key, attempt: u16, text: &str, at: Millis) {
        let Some(folder) = &self.folder else { return };
        let folder = folder_of(folder, run);
        let path = folder.join(format!("{key}.jsonl"));
        let kept = self.kept.entry((run.to_owned(), key)).or_insert_with(|| {
            // What cannot be made is found out when the file is opened.
            let _ = private::folder(&folder);
            fs::symlink_metadata(&path).map_or(0, |file| if file.is_file() { file.len() } else { u64::MAX })
        });
        if *kept >= KEPT_BYTES_MAX || text.trim().is_empty() {
            return;
        }
        let text = text[..text.floor_char_boundary(LINE_BYTES_MAX)].to_owned();
        let mut bytes = line(&Line { at, attempt, text: Some(text) });
        if *kept + bytes.len() as u64 > KEPT_BYTES_MAX {
            bytes = line(&Line { at, attempt, text: None });
            *kept = KEPT_BYTES_MAX;
        }
        // One write at the end of the file: whoever follows it sees whole lines.
        let file = private::options().append(true).create(true).open(&path);
        match file.and_then(|mut file| file.write_all(&bytes)) {
            Ok(()) => *kept += bytes.len() as u64,
            Err(_) => *kept = KEPT_BYTES_MAX,
        }
    }

    /// Forgets a delivery whose attempt is over; what was kept of it stays on the disk.
    pub(crate) fn over(&mut self, run: &str, key: Key) {
        if self.lines.is_empty() {
            return;
        }
        let name = (run.to_owned(), key);
        if let Some(mut said) = self.lines.remove(&name) {
            let last = said.lines.finish();
            self.write(run, key, said.attempt, &last.join("\n"), said.at);
        }
        self.kept.remove(&name);
    }
}

fn line(line: &Line) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(line).expect("it has string keys and no number that JSON lacks");
    bytes.push(b'\n');
    bytes
}

/// Follows what the agents of a run say.
#[derive(Debug)]
pub struct Listener {
    folder: PathBuf,
    /// How far each delivery was read.
    read: BTreeMap<Key, u64>,
}

impl Listener {
    /// Listens to a run of a project.
    pub fn new(root: &Path, run: &str) -> Self {
        Self { folder: folder_of(&folder(root), run), read: BTreeMap::new() }
    }

    /// What was said since it was asked last, in order; at first, the latest of each delivery.
    pub fn heard(&mut self) -> Vec<(Key, Line)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let named = |name: &std::ffi::OsStr| key(name.to_str()?.strip_suffix(".jsonl")?);
        let mut keys: Vec<Key> = entries.filter_map(|entry| named(&entry.file_name())).collect();
        keys.sort_unstable_by_key(|key| std::cmp::Reverse(key.number));
        keys.truncate(FOLLOWED_MAX);
        let mut said = Vec::new();
        for key in keys {
            let from = self.read.entry(key).or_insert(u64::MAX);
            let (lines, end) = read(&self.folder.join(format!("{key}.jsonl")), *from);
            *from = end;
            said.extend(lines.into_iter().map(|line| (key, line)));
        }
        said.sort_by_key(|(_, line)| line.at);
        said
    }
}

/// The last lines that the agent of a delivery said.
pub fn last(root: &Path, run: &str, key: Key, count: usize) -> Vec<Line> {
    let (mut lines, _) = read(&folder_of(&folder(root), run).join(format!("{key}.jsonl")), u64::MAX);
    lines.drain(..lines.len().saturating_sub(count));
    lines
}

/// The whole lines of a file from a place on, or the latest if that place is unknown; and where they end.
fn read(path: &Path, from: u64) -> (Vec<Line>, u64) {
    let is_file = fs::symlink_metadata(path).is_ok_and(|file| file.is_file());
    let opened = is_file.then(|| File::open(path).ok()).flatten();
    let Some((mut file, length)) =
        opened.and_then(|file| file.metadata().ok().map(|data| (file, data.len())))
    else {
        return (Vec::new(), from);
    };
    let is_new = from == u64::MAX;
    let start = if is_new { length.saturating_sub(BACK_BYTES) } else { from };
    let mut bytes = Vec::new();
    let sought = file.seek(SeekFrom::Start(start)).is_ok();
    if !sought || file.take(KEPT_BYTES_MAX).read_to_end(&mut bytes).is_err() {
        return (Vec::new(), start);
    }
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let mut lines = bytes[..whole].split_inclusive(|byte| *byte == b'\n');
    if is_new && start > 0 {
        // It begins somewhere in a line.
        lines.next();
    }
    let lines = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    (lines, start + whole as u64)
}

/// Deletes what was said in runs that are over, but for the latest: those of two weeks, twenty at most, and 64 MB. Of a run
/// that goes on the deliveries stay that can be followed. Only files of ours are deleted.
pub fn tidy(root: &Path, ledger: &dyn Ledger) -> Result<(), Error> {
    let folder = folder(root);
    let mut live = BTreeSet::new();
    for label in ["working", "waiting"] {
        let runs = views::runs(ledger, &[label], None, LOOK_MAX)?;
        live.extend(runs.iter().map(|run| folder_of(&folder, &run.stream)));
    }
    clear(&folder, &live, SystemTime::now());
    Ok(())
}

fn clear(folder: &Path, live: &BTreeSet<PathBuf>, now: SystemTime) {
    let mut over = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(LOOK_MAX) {
        let Some(data) = fs::symlink_metadata(entry.path()).ok().filter(fs::Metadata::is_dir) else {
            continue;
        };
        let mut files = deliveries(&entry.path());
        if live.contains(&entry.path()) {
            files.drain(..FOLLOWED_MAX.min(files.len()));
            files.iter().for_each(|(path, _)| remove(path));
        } else if !files.is_empty() {
            let bytes: u64 = files.iter().map(|(_, bytes)| bytes).sum();
            over.push((data.modified().unwrap_or(SystemTime::UNIX_EPOCH), bytes, entry.path(), files));
        }
    }
    over.sort_unstable_by(|one, other| other.cmp(one));
    let mut bytes_kept = 0;
    for (at, (changed, bytes, path, files)) in over.into_iter().enumerate() {
        bytes_kept += bytes;
        let is_old = now.duration_since(changed).is_ok_and(|age| age > KEPT_FOR);
        if at >= RUNS_MAX || is_old || bytes_kept > RUNS_BYTES_MAX {
            files.iter().for_each(|(path, _)| remove(path));
            // Only if nothing of somebody else is in it.
            let _ = fs::remove_dir(path);
        }
    }
}

/// The files of the deliveries of a run with their bytes, the latest delivery first.
fn deliveries(folder: &Path) -> Vec<(PathBuf, u64)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |path: PathBuf| {
        let key = key(path.file_name()?.to_str()?.strip_suffix(".jsonl")?)?;
        let data = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        Some((key.number, path, data.len()))
    };
    let mut all: Vec<_> = entries.filter_map(|entry| of(entry.path())).collect();
    all.sort_unstable_by(|one, other| other.cmp(one));
    all.into_iter().map(|(_, path, bytes)| (path, bytes)).collect()
}

fn remove(path: &Path) {
    // What cannot be deleted is tried again the next time.
    let _ = fs::remove_file(path);
}

/// A delivery's key as the kernel writes it: number, step, lane.
pub fn key(text: &str) -> Option<Key> {
    let mut parts = text.split('-');
    let (number, step, lane) = (parts.next()?, parts.next()?, parts.next()?);
    let is_all = parts.next().is_none();
    let key = Key {
        number: number.parse().ok()?,
        step: StepId(step.parse().ok()?),
        lane: LaneId(lane.parse().ok()?),
    };
    is_all.then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = Key { number: 3, step: StepId(1), lane: LaneId(0) };

    fn keep(keeper: &mut Keeper, said: &[u8]) {
        keeper.keep("run-1", KEY, 2, said, Millis(7));
    }

    #[test]
    fn what_is_said_is_followed_line_by_line_and_no_line_can_look_like_another() {
        let root = tempfile::tempdir().expect("a folder");
        let mut keeper = Keeper::new(Some(folder(root.path())));
        let mut listener = Listener::new(root.path(), "run-1");
        assert!(listener.heard().is_empty());
        keep(&mut keeper, b"reading\n");
        keep(&mut keeper, b"  \n");
        keep(&mut keeper, b"{\"at\":0,\"attempt\":9,\"text\":\"forged\"}\nsecond \xff\x1b[2J");
        let said: Vec<String> = listener.heard().into_iter().filter_map(|(_, line)| line.text).collect();
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[1].starts_with("{\"at\":0") && said[1].contains("forged"), "{said:?}");
        assert!(listener.heard().is_empty(), "nothing twice");
        keep(&mut keeper, b"on");
        assert_eq!(
            listener.heard(),
            [(KEY, Line { at: Millis(7), attempt: 2, text: Some("on".to_owned()) })]
        );
        assert_eq!(last(root.path(), "run-1", KEY, 1).len(), 1);
    }

    /// All that is kept of a delivery whose agent says some lines.
    fn kept(lines: &[String]) -> String {
        let root = tempfile::tempdir().expect("a folder");
        let mut keeper = Keeper::new(Some(folder(root.path())));
        lines.iter().for_each(|line| keep(&mut keeper, line.as_bytes()));
        keeper.over("run-1", KEY);
        let said = last(root.path(), "run-1", KEY, usize::MAX);
        said.into_iter().filter_map(|line| line.text).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_token_that_is_split_by_a_line_end_is_in_no_line() {
        let token = ["gh", "p_k3J9x2Lm8QpW5rT1vB7nYc4Zd6Hf0GsAeUiO"].concat();
        for at in 1..token.len() {
            let lines = [format!("{:>70}{}", "", &token[..at]), format!("{} and more", &token[at..])];
            let kept = kept(&lines);
            assert!(kept.contains("[redacted:github-token") && kept.ends_with("and more"), "{kept}");
        }
    }

    #[test]
    fn a_token_at_the_end_of_what_is_kept_of_a_line_is_kept_in_no_part() {
        let token = ["gh", "p_k3J9x2Lm8QpW5rT1vB7nYc4Zd6Hf0GsAeUiO"].concat();
        for before in LINE_BYTES_MAX - token.len()..LINE_BYTES_MAX {
            let line = format!("{}{token} and more", " ".repeat(before));
            assert!(!kept(&[line]).contains(&token[..6]), "{before}");
        }
    }

    #[test]
    fn a_private_key_that_comes_line_by_line_is_in_no_line() {
        let dashes = "-".repeat(5);
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
        for before in ["", "> ", "2026-01-31T09:30:00Z stderr F "] {
            for end in [Some(format!("{before}{dashes}END PRIVATE KEY{dashes}")), None] {
                let mut lines = vec![format!("{before}{dashes}BEGIN PRIVATE KEY{dashes}")];
                lines.extend(std::iter::repeat_n(format!("{before}{body}"), 20));
                lines.extend(end);
                lines.push("done with it".to_owned());
                let kept = kept(&lines);
                assert!(!kept.contains(&body[..16]) && kept.ends_with("done with it"), "{kept}");
            }
        }
    }

    #[test]
    fn an_agent_that_never_stops_talking_is_kept_within_bounds() {
        let root = tempfile::tempdir().expect("a folder");
        let mut keeper = Keeper::new(Some(folder(root.path())));
        let long = vec![b'x'; 1024 * 1024];
        for _ in 0..2_000 {
            keep(&mut keeper, &long);
        }
        // Another process goes on with it.
        let mut other = Keeper::new(Some(folder(root.path())));
        keep(&mut other, b"more");
        let path = folder(root.path()).join("run-1").join(format!("{KEY}.jsonl"));
        let length = fs::metadata(&path).expect("it is there").len();
        assert!(length < KEPT_BYTES_MAX + LINE_BYTES_MAX as u64, "{length}");
        let lines = last(root.path(), "run-1", KEY, usize::MAX);
        assert!(
            lines.len() > 10 && lines.iter().any(|line| line.text.is_none()),
            "it says that more is not kept"
        );
    }

    #[test]
    fn of_runs_that_are_over_the_latest_are_kept_and_nothing_of_others_is_deleted() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = folder(root.path());
        let mut keeper = Keeper::new(Some(folder.clone()));
        let hour = |hours: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(hours * 60 * 60);
        for run in 0..30u64 {
            keeper.keep(&format!("run-{run}"), KEY, 1, b"said", Millis(1));
            if run == 1 || run == 2 {
                let name = if run == 1 { "notes.txt" } else { "9-9-9.txt" };
                fs::write(folder.join(format!("run-{run}")).join(name), "mine").expect("it can be written");
            }
            let file = File::open(folder.join(format!("run-{run}"))).expect("it is there");
            file.set_modified(hour(1_000 + run)).expect("it can be set");
        }
        let live = BTreeSet::from([folder.join("run-0")]);
        let said = |run: u64| folder.join(format!("run-{run}")).join(format!("{KEY}.jsonl")).exists();
        clear(&folder, &live, hour(1_030));
        let kept: Vec<u64> = (0..30).filter(|run| said(*run)).collect();
        assert_eq!(kept, std::iter::once(0).chain(10..30).collect::<Vec<_>>());
        assert!(folder.join("run-1/notes.txt").exists() && folder.join("run-2").exists());
        assert!(!folder.join("run-3").exists());
        clear(&folder, &live, hour(1_020 + 14 * 24));
        assert_eq!(
            (0..30).filter(|run| said(*run)).collect::<Vec<_>>(),
            [0, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]
        );
        // What is large goes before what is old.
        let large = File::options().append(true).open(folder.join("run-25").join(format!("{KEY}.jsonl")));
        large.expect("it is there").set_len(RUNS_BYTES_MAX).expect("it can be set");
        clear(&folder, &live, hour(1_030));
        assert_eq!((0..30).filter(|run| said(*run)).collect::<Vec<_>>(), [0, 26, 27, 28, 29]);
    }

    #[test]
    fn what_is_no_file_of_ours_is_left_alone_and_names_stay_inside() {
        let root = tempfile::tempdir().expect("a folder");
        let mut keeper = Keeper::new(Some(folder(root.path())));
        for run in ["../../x", "a/b", "", "."] {
            keeper.keep(run, KEY, 1, b"said", Millis(1));
            assert!(folder_of(&folder(root.path()), run).join(format!("{KEY}.jsonl")).is_file());
            assert!(folder_of(&folder(root.path()), run).parent() == Some(&folder(root.path())));
        }
        #[cfg(unix)]
        {
            let outside = root.path().join("precious");
            fs::write(&outside, "").expect("it can be written");
            let path = folder(root.path()).join("run-1").join(format!("{KEY}.jsonl"));
            fs::create_dir_all(path.parent().expect("it is below")).expect("it can be made");
            std::os::unix::fs::symlink(&outside, &path).expect("it can be made");
            keep(&mut keeper, b"said");
            assert_eq!(fs::read(&outside).expect("it is there"), b"", "no link is followed");
        }
        keeper.over("run-1", KEY);
        assert!(Keeper::default().folder.is_none());
    }
}
