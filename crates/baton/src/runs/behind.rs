//! The files of runs whose Baton was killed before it had written them, kept by whoever drives next.

use baton_engine::ledger::Sqlite;
use baton_engine::mirror::{self, Keeping};
use baton_engine::{Problem, pinned};

use super::moment;
use crate::flows;
use crate::outcome::Failure;
use crate::project::Project;
use crate::say;

/// Keeps the files that are behind. What cannot be kept now is left for the next time, and keeps nobody from driving.
pub(crate) fn catch_up(project: &Project, ledger: &Sqlite) {
    for run in mirror::behind(&project.root) {
        if let Err(Failure::World(why)) = one(project, ledger, &run) {
            say::note(&format!("the files of {run} are kept later: {why}"));
        }
    }
}

fn one(project: &Project, ledger: &Sqlite, run: &str) -> Result<(), Failure> {
    // As it was when the run started; one that never did has nothing to keep.
    let files = match pinned(ledger, run) {
        Err(Problem::Refused(_)) => Vec::new(),
        files => files?,
    };
    let then = Project::pinned(&project.root, &files);
    let keeps = flows::pinned(run, &files).map(|flow| flow.keeps).unwrap_or_default();
    let keeping = Keeping {
        root: &project.root,
        checker: &then.checker,
        keeps: &keeps,
        run_base: then.config.run_base(),
        states: &[],
    };
    let kept = mirror::catch_up(ledger, run, &keeping, moment::now())?;
    for conflict in kept.conflicts {
        say::note(&format!("{}: {}", conflict.path, conflict.why));
    }
    Ok(())
}
