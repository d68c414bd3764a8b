//! The ledger of the project that one stands in, and the runs in it.

use std::collections::BTreeSet;

use crate::error::{Problem, Refused};
use crate::history::views::runs;
use crate::project::store;
use crate::records::mailbox::{POSTED_MAX, RunRequest, lying, posted};
use crate::run::summary::Summary;
use baton_ledger::{Head, Ledger, Limit, ReadFrom, Store};

use super::follow::{Follow, Run};
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
    followed(ledger, Follow::run(name), name)
}

/// One run with its texts, followed up to now.
pub(crate) fn whole(ledger: &dyn Ledger, name: &str) -> Result<Run, Fault> {
    followed(ledger, Follow::whole(name), name)
}

fn followed(ledger: &dyn Ledger, mut follow: Follow, name: &str) -> Result<Run, Fault> {
    follow.catch_up(ledger)?;
    follow.runs.remove(name).filter(|run| !run.state().run().is_empty()).ok_or_else(|| no_run(name))
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

/// The runs with all these labels that are not over, the one that started last first.
pub(crate) fn open_heads(ledger: &dyn Ledger, labels: &[&str]) -> Result<Vec<Head>, Fault> {
    let mut all = heads(ledger, &[labels, &["working"]].concat())?;
    all.extend(heads(ledger, &[labels, &["waiting"]].concat())?);
    all.sort_unstable_by_key(|head| std::cmp::Reverse(head.started));
    Ok(all)
}

/// Whether a run with all these labels is over.
pub(crate) fn is_any_over(ledger: &dyn Ledger, labels: &[&str]) -> Result<bool, Fault> {
    Ok(!runs(ledger, &[labels, &["over"]].concat(), None, 1)?.is_empty())
}

/// How a run stands, in a few words; also if something was handed in that nobody has taken yet.
pub(crate) fn words(ledger: &dyn Ledger, summary: &Summary) -> Result<String, Fault> {
    let run = &summary.run;
    let words = standing::words(summary);
    let lying = if summary.ending.is_none() { lying(ledger, run)? } else { Vec::new() };
    Ok(if lying.iter().any(is_answer) {
        format!("has an answer: `baton resume {run}` goes on")
    } else if lying.is_empty() {
        words
    } else {
        format!("{words}; what was handed in lies there until `baton resume {run}`")
    })
}

/// The runs in whose mailboxes something waits, looked up once for a list.
pub(crate) struct Posted {
    runs: BTreeSet<String>,
}

impl Posted {
    /// Looks into the mailboxes.
    pub(crate) fn look(ledger: &dyn Ledger) -> Result<Self, Fault> {
        Ok(Self { runs: posted(ledger)?.into_iter().collect() })
    }

    /// How a run stands, in a few words, as [`words`] says it.
    pub(crate) fn words(&self, ledger: &dyn Ledger, summary: &Summary) -> Result<String, Fault> {
        // One look names so many runs; of others it is not known.
        if self.runs.len() >= POSTED_MAX || self.runs.contains(&summary.run) {
            return words(ledger, summary);
        }
        Ok(standing::words(summary))
    }
}

/// Whether a run goes on with what was handed in, and not only knows more.
fn is_answer(wish: &RunRequest) -> bool {
    match wish {
        RunRequest::AnswerGate { .. }
        | RunRequest::AnswerPerson { .. }
        | RunRequest::Permit { .. }
        | RunRequest::Retry { .. }
        | RunRequest::Cancel { .. }
        | RunRequest::Signal { .. }
        | RunRequest::Ask { .. }
        | RunRequest::Answer { .. } => true,
        RunRequest::Acknowledge { .. } | RunRequest::Draft { .. } => false,
    }
}
