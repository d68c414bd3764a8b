//! Files of runs whose Baton was killed before it had written them: the next driver writes them, and reads note them.
//!
//! *Invariant:* a read writes nothing. Scripts and agents call `show` and `runs`, also in folders that they cannot write to.

use crate::error::Problem;
use crate::mirror;
use crate::mirror::{Conflict, Keeping};
use crate::project::pinned::flow_of;
use crate::project::store;
use crate::records::entry::pinned;
use baton_ledger::Store;

use super::moment;
use crate::project::Project;
use crate::project::fault::{Diagnostic, Fault, FaultKind, Severity};

/// Runs whose files were written just now, and notes about them.
#[derive(Debug, Default)]
pub(crate) struct CaughtUp {
    /// The runs.
    pub(crate) written: Vec<String>,
    /// What was written, what is left for later, and what stood in the way.
    pub(crate) notes: Vec<Diagnostic>,
}

/// Writes the files that are behind. What cannot be written now is left for the next driver.
pub(crate) fn catch_up(project: &Project, ledger: &dyn Store) -> CaughtUp {
    let mut caught = CaughtUp::default();
    mirror::tidy(&project.root);
    for run in mirror::behind(&project.root) {
        match one(project, ledger, &run) {
            Ok((is_written, conflicts)) => {
                caught.notes.extend(conflicts.iter().map(conflict));
                if is_written {
                    let message =
                        format!("the files of {run} were behind what is recorded, and are written now");
                    caught.notes.push(note(message));
                    caught.written.push(run);
                }
            }
            Err(fault) if fault.kind == FaultKind::Failed => {
                caught.notes.push(note(format!("the files of {run} are kept later: {}", fault.message)));
            }
            Err(_) => {}
        }
    }
    caught
}

/// A note about the files that are behind, of one run or of any; none while a driver is at work.
pub(crate) fn lagging(
    project: &Project,
    ledger: &dyn Store,
    only: Option<&str>,
) -> Result<Option<Diagnostic>, Fault> {
    if mirror::behind(&project.root).is_empty() || store::is_driven_here(&project.root) {
        return Ok(None);
    }
    let mut lagging = mirror::lagging(ledger, &project.root)?;
    lagging.retain(|run| only.is_none_or(|only| only == run));
    let Some(first) = lagging.first() else { return Ok(None) };
    let more = match lagging.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message =
        format!("the files of {first}{more} are behind what is recorded; `baton resume {first}` writes them");
    Ok(Some(note(message)))
}

/// Writes the files of one run, if any are behind; gives what stood in the way.
fn one(project: &Project, ledger: &dyn Store, run: &str) -> Result<(bool, Vec<Conflict>), Fault> {
    // As it was when the run started; one that never did has nothing to keep.
    let files = match pinned(ledger, run) {
        Err(Problem::Refused(_)) => Vec::new(),
        files => files?,
    };
    let then = Project::pinned(&project.root, &files);
    let keeps = flow_of(run, &files).map(|flow| flow.keeps).unwrap_or_default();
    let keeping = Keeping {
        root: &project.root,
        checker: &then.checker,
        keeps: &keeps,
        run_base: then.config.run_base(),
        states: &[],
    };
    let kept = mirror::catch_up(ledger, run, &keeping, moment::now())?;
    Ok((!kept.written.is_empty(), kept.conflicts))
}

/// A note about a file that could not be kept as it stands.
pub(crate) fn conflict(conflict: &Conflict) -> Diagnostic {
    note(format!("{}: {}", conflict.path, conflict.why))
}

fn note(message: String) -> Diagnostic {
    Diagnostic::new(Severity::Note, message)
}
