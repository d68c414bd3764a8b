//! What agents ask for in a run: found by the name of the question, and shown to whoever says yes or no.

use crate::history::views::{RunView, show};
use baton_kernel::{AskId, Digest, Doing, Key, Reason};
use baton_ledger::Ledger;

use super::names::{Named, parsed};
use super::{moment, open};
use crate::project::fault::Fault;

/// Something that an agent wants to do, and that waits for a person.
pub(crate) struct Permission {
    /// What it is called: `RUN/?NUMBER`.
    pub(crate) id: String,
    /// The run.
    pub(crate) run: String,
    /// The question.
    pub(crate) ask: AskId,
    /// The delivery in which it is asked.
    pub(crate) key: Key,
    /// Who asks.
    pub(crate) agent: String,
    /// Names what is shown.
    pub(crate) shown: Digest,
    /// What the agent wants to do.
    pub(crate) text: String,
}

/// What the agents of a run ask for.
pub(crate) fn of_run(run: &str, view: &RunView) -> Vec<Permission> {
    let lanes = view.state.lanes().iter();
    let asked = lanes.filter_map(|lane| {
        let (Doing::Person(question), Some(dead)) = (&lane.doing, &lane.dead) else { return None };
        let asked = view.permission(dead.key).filter(|_| question.reason == Reason::PermissionAsked)?;
        Some(Permission {
            id: format!("{run}/?{}", question.ask.0),
            run: run.to_owned(),
            ask: question.ask,
            key: dead.key,
            agent: open::agent(view, dead.to).to_owned(),
            shown: asked.shown,
            text: asked.text.clone(),
        })
    });
    asked.collect()
}

/// What an agent asks for, by the name of the question, or of the run where no gate is open and one agent asks.
pub(crate) fn find(ledger: &dyn Ledger, id: &str) -> Result<Option<Permission>, Fault> {
    let (run, named) = parsed(id);
    let wanted = match named {
        Named::Question(ask) => Some(ask),
        Named::Run => None,
        Named::Handoff(_) | Named::Delivery(_) | Named::Step(_) => return Ok(None),
    };
    let view = show(ledger, run, moment::now())?;
    if wanted.is_none() && !view.pending.gates.is_empty() {
        return Ok(None);
    }
    let mut all = of_run(run, &view);
    all.retain(|one| wanted.is_none_or(|ask| one.ask == ask));
    Ok(if all.len() == 1 { all.pop() } else { None })
}
