//! Which runs may have files that are behind the ledger, so that whoever drives next makes it good.
//!
//! A run that keeps files is noted before anything is recorded of it, and the note goes when it is over and its files are
//! kept. Whoever is killed between a record and the files leaves the note. It is of this machine, as the files are.

use std::path::Path;

use baton_kernel::Millis;
use baton_ledger::{Ledger, Limit, ReadFrom, digest};

use super::disk::Disk;
use super::reconcile::{files_of, is_as_recorded, is_settled, keep};
use super::{Keeping, Kept};
use crate::error::{Error, Problem};
use crate::history::views;

/// Where the notes are, among what Baton keeps for itself.
const FOLDER: &str = "behind";

/// How many runs one look gives.
const LOOK_MAX: usize = 64;

fn name(run: &str) -> String {
    format!("{FOLDER}/{}", digest(run.as_bytes()))
}

/// Notes that the files of a run will be behind. What fails here fails again, and is said, when they are kept.
pub(crate) fn begin(root: &Path, run: &str) {
    if let Ok(disk) = Disk::open(root, 0) {
        let _ = disk.keep_own(&name(run), run.as_bytes());
    }
}

/// Forgets a run whose files are as they will be for good.
pub(super) fn end(disk: &Disk, run: &str) {
    disk.drop_own(&name(run));
}

/// The runs whose files may be behind, some of them if there are many.
pub fn behind(root: &Path) -> Vec<String> {
    let Ok(disk) = Disk::open(root, 0) else { return Vec::new() };
    let notes = disk.list_own(FOLDER).into_iter().take(LOOK_MAX);
    let run = |note: String| String::from_utf8(disk.own(&format!("{FOLDER}/{note}"))?).ok();
    notes.filter_map(run).collect()
}

/// The files that are kept of a run and are there, from the root.
pub fn files(root: &Path, run: &str) -> Vec<String> {
    let Ok(disk) = Disk::open(root, 0) else { return Vec::new() };
    files_of(&disk, run).into_iter().filter(|path| root.join(path).exists()).collect()
}

/// The runs whose files are behind what is recorded, or could not be made as they should be, without writing anything.
///
/// Of a run that somebody drives right now this says nothing: its files come a moment after each record.
pub fn lagging(ledger: &dyn Ledger, root: &Path) -> Result<Vec<String>, Error> {
    let Ok(disk) = Disk::open(root, 0) else { return Ok(Vec::new()) };
    let mut lagging = Vec::new();
    for run in behind(root) {
        let from = ReadFrom::Stream { stream: run.clone(), after: 0 };
        // One that never began has no files.
        if !is_as_recorded(ledger, &disk, &run)? && !ledger.read(&from, Limit(1))?.is_empty() {
            lagging.push(run);
        }
    }
    Ok(lagging)
}

/// Removes what Batons that were killed left among what Baton keeps for itself about files.
pub fn tidy(root: &Path) {
    if let Ok(disk) = Disk::open(root, 0) {
        disk.sweep_own("");
        disk.sweep_own(&format!("{FOLDER}/"));
    }
}

/// Keeps the files of a run that may be behind, and forgets it when it is over. What agents wrote there stays for whoever drives
/// the run.
pub fn catch_up(ledger: &dyn Ledger, run: &str, keeping: &Keeping<'_>, now: Millis) -> Result<Kept, Error> {
    let failed = |what: String| Error::File { path: ".baton/mirrors".to_owned(), what };
    let disk = Disk::open(keeping.root, keeping.checker.limits().file_bytes).map_err(failed)?;
    // Before, since keeping them forgets what was written then, and after, when all files of the run are known.
    let sweep = || disk.lock().map(|lock| disk.sweep(&files_of(&disk, run), &lock)).map_err(failed);
    sweep()?;
    let kept = keep(ledger, run, keeping, now)?;
    sweep()?;
    let is_over = match views::show(ledger, run, now) {
        // Where nothing says any more what it keeps, nothing is kept.
        Ok(view) => keeping.keeps.is_empty() || (view.state.ending().is_some() && is_settled(&disk, run)),
        // It was to begin, and never did.
        Err(Problem::Refused(_)) => true,
        Err(Problem::Failed(error)) => return Err(error),
    };
    if is_over {
        end(&disk, run);
    }
    Ok(kept)
}
