//! The ledger of the project that one stands in, and the runs in it.

use crate::error::{Problem, Refused};
use crate::history::views::runs;
use crate::project::store;
use crate::records::mailbox::{Wish, lying};
use baton_ledger::{Head, Ledger, Limit, ReadFrom, Store};

use super::follow::{Follow, Run, View};
use super::standing;
use crate::project::Project;
use crate::project::fault::Fault;

/// How many runs one look asks for.
const PAGE: usize = 200;

/// The ledger of a project, if it has one.
pub(crate) fn to_read(project: &Project) -> Result<Option<Box<dyn Store>>, Fault> {
    Ok(store::existing(&project.root)?)
}

/// The ledger, for something that must be in it, by its name.
pub(crate) fn to_find(project: &Project, id: &str) -> Result<Box<dyn Store>, Fault> {
    store::existing(&project.root)?.ok_or_else(|| no_run(id.split('/').next().unwrap_or(id)))
}

/// The failure of asking for a run that is not there.
pub(crate) fn no_run(run: &str) -> Fault {
    Fault::from(Problem::Refused(Refused::NoRun { run: run.to_owned() }))
}

/// Whether there is a run of this name.
pub(crate) fn is_there(ledger: &dyn Ledger, name: &str) -> Result<bool, Fault> {
    let from = ReadFrom::Stream { stream: name.to_owned(), after: 0 };
    let first = ledger.read(&from, Limit(1)).map_err(crate::error::Error::from)?;
    Ok(!first.is_empty())
}

/// One run, followed up to now.
pub(crate) fn one(ledger: &dyn Ledger, name: &str) -> Result<Run, Fault> {
    let mut follow = Follow::run(name);
    follow.catch_up(ledger)?;
    follow.runs.remove(name).filter(|run| !run.state.run().is_empty()).ok_or_else(|| no_run(name))
}

/// The runs with all these labels, the one that started last first.
pub(crate) fn heads(ledger: &dyn Ledger, labels: &[&str]) -> Result<Vec<Head>, Fault> {
    let mut all: Vec<Head> = Vec::new();
    loop {
        let page = runs(ledger, labels, all.last().map(|head| head.started), PAGE)?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

/// How a run stands, in a few words; also if something was handed in that nobody has taken yet.
pub(crate) fn words(ledger: &dyn Ledger, view: &View) -> Result<String, Fault> {
    let run = view.state.run();
    let words = standing::words(view);
    let lying = if view.state.ending().is_none() { lying(ledger, run)? } else { Vec::new() };
    Ok(if lying.iter().any(is_answer) {
        format!("has an answer: `baton resume {run}` goes on")
    } else if lying.is_empty() {
        words
    } else {
        format!("{words}; what was handed in lies there until `baton resume {run}`")
    })
}

/// Whether a run goes on with what was handed in, and not only knows more.
fn is_answer(wish: &Wish) -> bool {
    match wish {
        Wish::AnswerGate { .. }
        | Wish::AnswerPerson { .. }
        | Wish::Permit { .. }
        | Wish::Retry { .. }
        | Wish::Cancel { .. }
        | Wish::Signal { .. }
        | Wish::Ask { .. }
        | Wish::Answer { .. } => true,
        Wish::Acknowledge { .. } | Wish::Draft { .. } => false,
    }
}
