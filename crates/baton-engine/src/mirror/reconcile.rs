//! Holds the files of a run against the disk, and writes what differs.
//!
//! The rule: what stands in a file and was written here is replaced. What another hand wrote is never lost: if it is a
//! handoff of the agent who works there, the caller gets it and it stays until it is recorded; otherwise it is saved
//! beside as `<name>.conflict-<time>`, the caller hears of it, and then the file is written.
//!
//! Invariant: the ledger is read under the lock, so that of two Batons the later one never writes what is older.

use std::collections::BTreeMap;
use std::path::Path;

use baton_document::carrier::Look;
use baton_document::{Input, Level, Meaning, NoWorld, Scratch};
use baton_kernel::{Key, Millis};
use baton_ledger::{Ledger, Limit, ReadFrom, digest};
use serde_json::{Value, json};

use super::disk::{Disk, There};
use super::package::{self, Row};
use super::pending_writes;
use super::{
    Conflict, Foreign, Keeping, Keeps, Kept, MIRRORS, MirrorFile, Owner, SystemFiles, View, Wanted, file_name,
};
use crate::error::{Error, Problem};
use crate::history::metrics::sayings;
use crate::history::projection::Projection;
use crate::records::entry;
use crate::records::ids::Ids;

/// How often a file that others change meanwhile is looked at again.
pub(super) const TRIES_MAX: usize = 5;
/// How much coarser than a clock the times of files are, where they have parts of seconds.
const SLACK_MS: u64 = 20;
/// How coarse they are where they have none.
const SECOND_MS: u64 = 1_000;
/// Why what was there before an agent began is saved beside.
const BEFORE: &str = "it was written before its agent was asked, and is no answer";
/// What the list of all handoffs said of each run.
const ROWS: &str = "rows.json";

/// Keeps the files of a run as the ledger has it; does next to nothing if nothing has changed.
pub fn keep(ledger: &dyn Ledger, run: &str, keeping: &Keeping<'_>, now: Millis) -> Result<Kept, Error> {
    keep_as(ledger, run, keeping, &[], now)
}

/// Keeps the files of a run in which attempts of these deliveries are about to begin: whatever stands where their agents will
/// answer is none of theirs.
pub(crate) fn keep_before(
    ledger: &dyn Ledger,
    run: &str,
    keeping: &Keeping<'_>,
    begin: &[Key],
    now: Millis,
) -> Result<Kept, Error> {
    keep_as(ledger, run, keeping, begin, now)
}

/// Whether anything unknown stands at one of these paths.
pub(crate) fn is_any_unknown(root: &Path, bytes_max: u64, paths: &[String]) -> bool {
    // What cannot be looked at here cannot be taken in either.
    Disk::open(root, bytes_max).is_ok_and(|disk| paths.iter().any(|path| disk.is_unknown(path)))
}

fn keep_as(
    ledger: &dyn Ledger,
    run: &str,
    keeping: &Keeping<'_>,
    begin: &[Key],
    now: Millis,
) -> Result<Kept, Error> {
    if keeping.keeps.is_empty() {
        return Ok(Kept::default());
    }
    let failed = |what: String| Error::File { path: ".baton/mirrors".to_owned(), what };
    let disk = Disk::open(keeping.root, keeping.checker.limits().file_bytes).map_err(failed)?;
    let mark = mark_of(run);
    let settings = settings(keeping);
    if is_unchanged(ledger, &disk, run, &mark, &settings)? {
        return Ok(Kept::default());
    }
    let lock = disk.lock().map_err(failed)?;
    let history = match entry::history(ledger, run) {
        Ok(history) => history,
        Err(Problem::Refused(_)) => return Ok(Kept::default()),
        Err(Problem::Failed(error)) => return Err(error),
    };
    let Some(projection) = Projection::of(&history) else { return Ok(Kept::default()) };
    let seq = history.last().map_or(0, |entry| entry.record.seq);
    let made = made(ledger, &disk, &projection, seq, keeping, now)?;
    let mut keeper = Keeper {
        disk: &disk,
        projection: &projection,
        keeping,
        begin,
        now,
        kept: Kept::default(),
        is_settled: true,
    };
    keeper.kept.conflicts = made.conflicts;
    for file in &made.files {
        keeper.file(file);
    }
    let (mut kept, is_settled) = (keeper.kept, keeper.is_settled);
    let files = made.files.iter().map(|file| (file.path.clone(), disk.glance(&file.path)));
    let files: BTreeMap<String, Option<(u64, u64)>> = files.collect();
    let lasting: Vec<String> =
        kept.conflicts.iter().filter(|conflict| conflict.saved.is_none()).map(told_once).collect();
    let before = marked(&disk, &mark);
    let text = json!({
        "seq": is_settled.then_some(seq),
        "settings": settings,
        "files": files,
        "conflicts": lasting,
    });
    disk.keep_own(&mark, text.to_string().as_bytes()).map_err(failed)?;
    if is_settled && projection.ended.is_some() {
        pending_writes::end(&disk, run);
    }
    drop(lock);
    // What lasts is said once.
    let said = before.as_ref().and_then(|mark| mark.get("conflicts")?.as_array());
    let is_known = |conflict: &Conflict| {
        said.is_some_and(|said| said.iter().any(|said| said.as_str() == Some(&told_once(conflict))))
    };
    kept.conflicts.retain(|conflict| conflict.saved.is_some() || !is_known(conflict));
    Ok(kept)
}

/// The name of what is marked when a run was kept.
fn mark_of(run: &str) -> String {
    format!("run-{}", digest(run.as_bytes()))
}

/// Whether all files of a run stood as they should when it was kept last.
pub(super) fn is_settled(disk: &Disk, run: &str) -> bool {
    marked(disk, &mark_of(run)).is_some_and(|mark| mark.get("seq").is_some_and(Value::is_u64))
}

/// Whether all files of a run stood as they should when it was kept last, and nothing was recorded of it since.
pub(super) fn is_as_recorded(ledger: &dyn Ledger, disk: &Disk, run: &str) -> Result<bool, Error> {
    marked(disk, &mark_of(run)).map_or(Ok(false), |mark| is_all(ledger, run, &mark))
}

/// The files of a run as it was kept last, from the root.
pub(super) fn files_of(disk: &Disk, run: &str) -> Vec<String> {
    let mark = marked(disk, &mark_of(run));
    let files = mark.as_ref().and_then(|mark| mark.get("files")?.as_object());
    files.into_iter().flat_map(serde_json::Map::keys).cloned().collect()
}

/// Whether a mark was made with all that is recorded of a run.
fn is_all(ledger: &dyn Ledger, run: &str, mark: &Value) -> Result<bool, Error> {
    let Some(after) = mark.get("seq").and_then(Value::as_u64) else { return Ok(false) };
    let more = ledger.read(&ReadFrom::Stream { stream: run.to_owned(), after }, Limit(1))?;
    Ok(more.is_empty())
}

fn told_once(conflict: &Conflict) -> String {
    format!("{}: {}", conflict.path, conflict.why)
}

/// What was marked when a run was kept last.
fn marked(disk: &Disk, mark: &str) -> Option<Value> {
    serde_json::from_slice(&disk.own(mark)?).ok()
}

/// Saves a handoff beside that could not be taken in, so that its file can be kept again.
pub fn set_aside(
    foreign: &Foreign,
    why: &str,
    keeping: &Keeping<'_>,
    now: Millis,
) -> Result<Conflict, Error> {
    let failed = |what: String| Error::File { path: foreign.path.clone(), what };
    let disk = Disk::open(keeping.root, keeping.checker.limits().file_bytes).map_err(failed)?;
    let _lock = disk.lock().map_err(failed)?;
    let saved = disk.move_aside(&foreign.path, &aside(now)).map_err(failed)?;
    Ok(Conflict { path: foreign.path.clone(), saved: Some(saved), why: why.to_owned() })
}

/// Whether neither the run nor its files have changed since they were kept.
fn is_unchanged(
    ledger: &dyn Ledger,
    disk: &Disk,
    run: &str,
    mark: &str,
    settings: &str,
) -> Result<bool, Error> {
    let Some(mark) = marked(disk, mark) else { return Ok(false) };
    let is_so = |(path, seen): (&String, &Value)| {
        let now = disk.glance(path).map_or(Value::Null, |(bytes, changed)| json!([bytes, changed]));
        now == *seen
    };
    let files = mark.get("files").and_then(Value::as_object);
    if mark.get("settings").and_then(Value::as_str) != Some(settings)
        || !files.is_some_and(|files| files.iter().all(is_so))
    {
        return Ok(false);
    }
    is_all(ledger, run, &mark)
}

/// Names what the files depend on beside the run.
fn settings(keeping: &Keeping<'_>) -> String {
    let Keeping { root: _, checker: _, keeps, run_base, states } = keeping;
    digest(format!("1 {keeps:?} {run_base} {states:?}").as_bytes()).to_string()
}

/// The files of all systems that are kept.
fn made(
    ledger: &dyn Ledger,
    disk: &Disk,
    projection: &Projection,
    seq: u64,
    keeping: &Keeping<'_>,
    now: Millis,
) -> Result<SystemFiles, Error> {
    let sayings = sayings(keeping.checker, projection);
    let mut ids = Ids::default();
    let mut others = Vec::new();
    if keeping.keeps.contains(&Keeps::Package) {
        ids = Ids::read(ledger)?;
        ids.give(ledger, &package::nameless(projection, &sayings), now)?;
        let mut cached = Cached::read(disk);
        let runs: Vec<&str> = ids.all().iter().map(|given| given.place.run.as_str()).collect();
        cached.refresh(ledger, &runs, projection.run(), keeping, &ids)?;
        others = cached.rows();
        let view = View { projection, sayings: &sayings, keeping, ids: &ids, others: &[] };
        cached.put(projection.run(), seq, package::rows(&view));
        // Without it everything is read again.
        let _ = cached.write(disk);
    }
    let view = View { projection, sayings: &sayings, keeping, ids: &ids, others: &others };
    let mut made = SystemFiles::default();
    for (system, files) in MIRRORS {
        if keeping.keeps.contains(system) {
            let more = files(&view);
            made.files.extend(more.files);
            made.conflicts.extend(more.conflicts);
        }
    }
    Ok(made)
}

/// The rows of each run as they were when it had so many records: most runs are over and never change.
struct Cached(BTreeMap<String, (u64, Vec<Row>)>);

impl Cached {
    fn read(disk: &Disk) -> Self {
        let value = disk.own(ROWS).and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        let runs = value.as_ref().and_then(Value::as_object).into_iter().flatten();
        let run = |(run, value): (&String, &Value)| {
            let rows = value.get("rows")?.as_array()?.iter().map(row).collect::<Option<Vec<Row>>>()?;
            Some((run.clone(), (value.get("seq")?.as_u64()?, rows)))
        };
        Self(runs.filter_map(run).collect())
    }

    /// Makes the rows of all runs but one true.
    fn refresh(
        &mut self,
        ledger: &dyn Ledger,
        runs: &[&str],
        except: &str,
        keeping: &Keeping<'_>,
        ids: &Ids,
    ) -> Result<(), Error> {
        self.0.retain(|run, _| runs.contains(&run.as_str()) && run != except);
        let mut seen: Vec<&str> = Vec::new();
        for &run in runs {
            if run == except || seen.last() == Some(&run) || seen.contains(&run) {
                continue;
            }
            seen.push(run);
            if let Some((after, _)) = self.0.get(run) {
                let from = ReadFrom::Stream { stream: run.to_owned(), after: *after };
                if ledger.read(&from, Limit(1))?.is_empty() {
                    continue;
                }
            }
            let history = match entry::history(ledger, run) {
                Ok(history) => history,
                Err(Problem::Refused(_)) => continue,
                Err(Problem::Failed(error)) => return Err(error),
            };
            let Some(projection) = Projection::of(&history) else { continue };
            let sayings = sayings(keeping.checker, &projection);
            let view = View { projection: &projection, sayings: &sayings, keeping, ids, others: &[] };
            let seq = history.last().map_or(0, |entry| entry.record.seq);
            self.put(run, seq, package::rows(&view));
        }
        Ok(())
    }

    fn put(&mut self, run: &str, seq: u64, rows: Vec<Row>) {
        self.0.insert(run.to_owned(), (seq, rows));
    }

    fn rows(&self) -> Vec<Row> {
        self.0.values().flat_map(|(_, rows)| rows.clone()).collect()
    }

    fn write(&self, disk: &Disk) -> Result<(), String> {
        let run = |(run, (seq, rows)): (&String, &(u64, Vec<Row>))| {
            let rows: Vec<Value> = rows.iter().map(|row| Value::from(&row.datum())).collect();
            (run.clone(), json!({ "seq": seq, "rows": rows }))
        };
        let all: serde_json::Map<String, Value> = self.0.iter().map(run).collect();
        disk.keep_own(ROWS, Value::Object(all).to_string().as_bytes())
    }
}

fn row(value: &Value) -> Option<Row> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(Row {
        id: text("id")?,
        timestamp: text("timestamp")?,
        from: text("from")?,
        to: text("to")?,
        status: text("status")?,
    })
}

/// One run being kept.
struct Keeper<'k> {
    disk: &'k Disk,
    projection: &'k Projection,
    keeping: &'k Keeping<'k>,
    /// The deliveries of which an attempt is about to begin.
    begin: &'k [Key],
    now: Millis,
    kept: Kept,
    /// Whether nothing has to be looked at again that has not changed.
    is_settled: bool,
}

impl Keeper<'_> {
    /// Makes one file as it should be. Whatever is in the way, the run goes on.
    fn file(&mut self, file: &MirrorFile) {
        for _ in 0..TRIES_MAX {
            match self.settled(file) {
                Ok(true) => return,
                Ok(false) => {}
                Err(why) => {
                    self.is_settled = false;
                    return self.conflict(file, None, &why);
                }
            }
        }
        self.is_settled = false;
        self.conflict(file, None, "others write it all the time; it is kept another time");
    }

    /// Makes one file as it should be, unless somebody else writes it at this very moment.
    fn settled(&mut self, file: &MirrorFile) -> Result<bool, String> {
        match (self.disk.look(&file.path)?, &file.wanted) {
            (There::Nothing, Wanted::Gone | Wanted::Awaited) => Ok(true),
            (There::Large, Wanted::Awaited) if !self.begins(file) => Ok(true),
            (There::Odd(why), Wanted::Awaited) => {
                self.conflict(file, None, &format!("{why}, and is never read"));
                Ok(true)
            }
            (There::Nothing, Wanted::Is(bytes)) => {
                self.disk.note(&file.path, None, digest(bytes))?;
                let is_made = self.disk.create(&file.path, bytes)?;
                if is_made {
                    self.kept.written.push(file.path.clone());
                }
                Ok(is_made)
            }
            (There::Odd(why), Wanted::Is(_) | Wanted::Gone) => {
                self.conflict(file, None, &format!("{why}, and is left alone"));
                Ok(true)
            }
            (There::Large, Wanted::Is(_) | Wanted::Gone | Wanted::Awaited) => {
                let saved = self.disk.move_aside(&file.path, &aside(self.now))?;
                self.conflict(file, Some(saved), "another hand wrote more than a handoff can have");
                Ok(false)
            }
            (There::Text(found, changed), wanted) => self.compared(file, wanted, &found, changed),
        }
    }

    fn compared(
        &mut self,
        file: &MirrorFile,
        wanted: &Wanted,
        found: &[u8],
        changed: Millis,
    ) -> Result<bool, String> {
        let named = digest(found);
        // What was recorded is not lost, whoever wrote it here.
        let is_safe = self.disk.is_own(&file.path, named) || self.projection.recorded.contains(&named);
        match wanted {
            Wanted::Awaited => {
                if is_safe {
                    return Ok(true);
                }
                if self.begins(file) {
                    let saved = self.disk.move_aside(&file.path, &aside(self.now))?;
                    self.conflict(file, Some(saved), BEFORE);
                    return Ok(true);
                }
                if self.has_new(file.owner.as_ref(), &file.path, found, changed) {
                    self.foreign(file, found);
                } else if file.owner.as_ref().is_some_and(|owner| is_before(changed, owner.began)) {
                    let saved = self.disk.save(&file.path, &aside(self.now))?;
                    // It is saved, and said, once.
                    self.disk.note(&file.path, None, named)?;
                    self.conflict(file, Some(saved), BEFORE);
                }
                Ok(true)
            }
            Wanted::Is(bytes) if found == bytes.as_slice() => {
                if !self.disk.is_own(&file.path, named) {
                    self.disk.note(&file.path, None, named)?;
                }
                Ok(true)
            }
            Wanted::Is(bytes) => {
                if !is_safe {
                    if !self.begins(file) && self.has_new(file.owner.as_ref(), &file.path, found, changed) {
                        self.foreign(file, found);
                        return Ok(true);
                    }
                    let saved = self.disk.save(&file.path, &aside(self.now))?;
                    self.conflict(file, Some(saved), self.why(&file.path));
                }
                self.disk.note(&file.path, Some(named), digest(bytes))?;
                let (is_done, saved) = self.disk.replace(&file.path, (found, bytes), &aside(self.now))?;
                if saved.is_some() {
                    self.conflict(file, saved, "another hand wrote it at the same moment");
                }
                if is_done {
                    self.kept.written.push(file.path.clone());
                }
                Ok(is_done)
            }
            Wanted::Gone if is_safe => {
                if let Some(saved) = self.disk.remove(&file.path, found, &aside(self.now))? {
                    self.conflict(file, Some(saved), self.why(&file.path));
                }
                self.kept.written.push(file.path.clone());
                Ok(true)
            }
            Wanted::Gone => {
                let saved = self.disk.move_aside(&file.path, &aside(self.now))?;
                self.conflict(file, Some(saved), self.why(&file.path));
                self.kept.written.push(file.path.clone());
                Ok(true)
            }
        }
    }

    /// Whether the agent of a file is about to begin, and has written nothing yet.
    fn begins(&self, file: &MirrorFile) -> bool {
        file.owner.as_ref().is_some_and(|owner| self.begin.contains(&owner.key))
    }

    /// Why what stands in a file is saved beside.
    fn why(&self, path: &str) -> &'static str {
        if self.disk.has_note(path) {
            "another hand changed it, and it is no handoff of an agent at work there"
        } else {
            "it was there before, and is kept from the ledger now"
        }
    }

    /// Whether a file holds a handoff that its owner wrote in answer to what it works on.
    fn has_new(&self, owner: Option<&Owner>, path: &str, found: &[u8], changed: Millis) -> bool {
        let Some(owner) = owner.filter(|owner| !is_before(changed, owner.since)) else { return false };
        let input = Input {
            path: Some(path),
            bytes: found,
            dialect: Some(owner.dialect),
            look: Look::Whole,
            is_named: true,
        };
        let (checked, said) = self.keeping.checker.check_and_say(input, &NoWorld, &mut Scratch::default());
        let is_valid = checked.findings.iter().all(|finding| finding.level != Level::Error);
        let from = said.first().and_then(|said| said.text(Meaning::From));
        let is_own = from.is_some_and(|from| from == owner.agent || from == file_name(&owner.agent));
        is_valid && checked.handoffs.len() == 1 && is_own
    }

    fn foreign(&mut self, file: &MirrorFile, found: &[u8]) {
        let Some(owner) = &file.owner else { return };
        self.is_settled = false;
        self.kept.foreign.push(Foreign {
            touched: self.disk.touched(&file.path),
            since: owner.since,
            path: file.path.clone(),
            owner: owner.agent.clone(),
            run: self.projection.run().to_owned(),
            key: owner.key,
            attempt: owner.attempt,
            bytes: found.to_vec(),
        });
    }

    fn conflict(&mut self, file: &MirrorFile, saved: Option<String>, why: &str) {
        self.kept.conflicts.push(Conflict { path: file.path.clone(), saved, why: why.to_owned() });
    }
}

/// Whether a file was changed before a moment, as far as its time can tell.
fn is_before(changed: Millis, moment: Millis) -> bool {
    let slack_ms = if changed.0.is_multiple_of(SECOND_MS) { SECOND_MS } else { SLACK_MS };
    changed.0.saturating_add(slack_ms) < moment.0
}

/// What the name of something that is saved beside ends with.
pub(super) fn aside(now: Millis) -> String {
    let moment = crate::outbound::compose::moment(now).unwrap_or_default();
    let digits: String = moment.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    format!("conflict-{digits}")
}
