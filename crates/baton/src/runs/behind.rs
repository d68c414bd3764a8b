//! The files of runs whose Baton was killed before it had written them: kept by whoever drives next, and told by whoever looks.
//!
//! Who only looks writes nothing: `show` and `runs` are called by scripts, by agents and in folders where nobody may write, and
//! nobody expects files of the project to change for it. They say what is behind, and what brings it up.

use baton_engine::error::Problem;
use baton_engine::ledger::Store;
use baton_engine::mirror;
use baton_engine::mirror::{Conflict, Keeping};
use baton_engine::project::pinned::flow_of;
use baton_engine::project::store;
use baton_engine::records::entry::pinned;

use super::moment;
use crate::outcome::Failure;
use crate::project::Project;
use crate::say;

/// Keeps the files that are behind; gives the runs of which some were written. What cannot be kept now is left for the next
/// time, and keeps nobody from driving.
pub(crate) fn catch_up(project: &Project, ledger: &dyn Store) -> Vec<String> {
    let mut written = Vec::new();
    mirror::tidy(&project.root);
    for run in mirror::behind(&project.root) {
        match one(project, ledger, &run) {
            Ok(true) => {
                say::note(&format!("the files of {run} were behind what is recorded, and are written now"));
                written.push(run);
            }
            Err(Failure::World(why)) => say::note(&format!("the files of {run} are kept later: {why}")),
            Ok(false)
            | Err(
                Failure::Usage { .. } | Failure::Blocked { .. } | Failure::Refused { .. } | Failure::Unread,
            ) => {}
        }
    }
    written
}

/// Says which files are behind, if any are: those of one run, or of any.
pub(crate) fn tell(project: &Project, ledger: &dyn Store, only: Option<&str>) -> Result<(), Failure> {
    if mirror::behind(&project.root).is_empty() || store::is_driven_here(&project.root) {
        return Ok(());
    }
    let mut lagging = mirror::lagging(ledger, &project.root)?;
    lagging.retain(|run| only.is_none_or(|only| only == run));
    let Some(first) = lagging.first() else { return Ok(()) };
    let more = match lagging.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    say::note(&format!(
        "the files of {first}{more} are behind what is recorded; `baton resume {first}` writes them"
    ));
    Ok(())
}

/// Keeps the files of one run; says whether any were written.
fn one(project: &Project, ledger: &dyn Store, run: &str) -> Result<bool, Failure> {
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
    tell_conflicts(kept.conflicts);
    Ok(!kept.written.is_empty())
}

/// Says what could not be kept as it stands.
pub(crate) fn tell_conflicts(conflicts: Vec<Conflict>) {
    for conflict in conflicts {
        say::note(&format!("{}: {}", conflict.path, conflict.why));
    }
}
