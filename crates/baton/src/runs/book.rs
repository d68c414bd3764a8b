//! The ledger of the project that one stands in, and the runs in it.

use baton_engine::error::{Problem, Refused};
use baton_engine::history::views::runs;
use baton_engine::kernel::Millis;
use baton_engine::ledger::{Head, Ledger, Limit, ReadFrom, Store};
use baton_engine::project::store;
use baton_engine::records::mailbox::{Wish, lying};

use super::follow::{Follow, Run, View};
use super::standing;
use crate::outcome::Failure;
use crate::project::Project;
use crate::say;

/// How many runs one look asks for.
const PAGE: usize = 200;

/// The ledger, if there is one; says how to get one if there is none.
pub(crate) fn to_read(project: &Project) -> Result<Option<Box<dyn Store>>, Failure> {
    let ledger = store::existing(&project.root)?;
    if ledger.is_none() {
        say::note("no runs yet; `baton run FLOW` starts one");
    }
    Ok(ledger)
}

/// The ledger, for something that must be in it, by its name.
pub(crate) fn to_find(project: &Project, id: &str) -> Result<Box<dyn Store>, Failure> {
    store::existing(&project.root)?.ok_or_else(|| no_run(id.split('/').next().unwrap_or(id)))
}

/// The failure of asking for a run that is not there.
pub(crate) fn no_run(run: &str) -> Failure {
    Failure::from(Problem::Refused(Refused::NoRun { run: run.to_owned() }))
}

/// Whether there is a run of this name.
pub(crate) fn is_there(ledger: &dyn Ledger, name: &str) -> Result<bool, Failure> {
    let from = ReadFrom::Stream { stream: name.to_owned(), after: 0 };
    let first = ledger.read(&from, Limit(1)).map_err(baton_engine::error::Error::from)?;
    Ok(!first.is_empty())
}

/// One run, followed up to now.
pub(crate) fn one(ledger: &dyn Ledger, name: &str) -> Result<Run, Failure> {
    let mut follow = Follow::run(name);
    follow.catch_up(ledger)?;
    follow.runs.remove(name).filter(|run| !run.state.run().is_empty()).ok_or_else(|| no_run(name))
}

/// The runs with all these labels, the one that started last first.
pub(crate) fn heads(ledger: &dyn Ledger, labels: &[&str]) -> Result<Vec<Head>, Failure> {
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
pub(crate) fn words(ledger: &dyn Ledger, view: &View) -> Result<String, Failure> {
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

/// Who sits at this machine, as the system says.
pub(crate) fn person() -> String {
    let named = ["USER", "LOGNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    named.into_iter().find(|name| !name.trim().is_empty()).unwrap_or_else(|| "somebody".to_owned())
}

/// How long ago something was.
pub(crate) fn age(at: Option<Millis>, now: Millis) -> String {
    at.map(|at| super::moment::between(at, now)).unwrap_or_default()
}
