//! Who may say what: a process that comes from an agent gives no person's word, and no other agent's.
//!
//! Invariant: everything that is handed in for a run, and everything that changes or erases what is recorded of one, is allowed
//! here. Requests are matched without a wildcard, so that a new one must be decided on.
//! Cannot: know an agent that the system does not tell as one; see `crates/baton-courier/src/agent_ancestry.rs`.

use crate::history::views::show;
use crate::records::mailbox::RunRequest;
use crate::sandbox::Runs;
use baton_kernel::Key;
use baton_ledger::Store;

use super::{moment, open, reach};
use crate::project::Project;
use crate::project::fault::Fault;

/// Something that only some may want.
#[derive(Clone, Copy)]
pub(crate) enum Request<'r> {
    /// Something of a run.
    OfRun { run: &'r str, wish: &'r RunRequest },
    /// A run that goes on with changed files.
    Change,
    /// Texts that are erased.
    Erasure,
}

/// Proof that a request was allowed.
pub(crate) struct Allowed(());

/// Allows a request, unless this process comes from an agent and says what is not that agent's to say.
pub(crate) fn allowed(project: &Project, ledger: &dyn Store, request: Request<'_>) -> Result<Allowed, Fault> {
    let Some(origin) = origin() else { return Ok(Allowed(())) };
    match request {
        Request::Change | Request::Erasure => Err(a_persons()),
        Request::OfRun { run, wish } => match wish {
            RunRequest::AnswerGate { .. }
            | RunRequest::AnswerPerson { .. }
            | RunRequest::Permit { .. }
            | RunRequest::Retry { .. }
            | RunRequest::Cancel { .. } => Err(a_persons()),
            // Whatever it was that happened, agents see it too.
            RunRequest::Signal { .. } => Ok(Allowed(())),
            RunRequest::Acknowledge { key, .. }
            | RunRequest::Ask { key, .. }
            | RunRequest::Draft { key, .. }
            | RunRequest::Answer { key, .. } => own(project, ledger, (run, *key), &origin),
        },
    }
}

/// Refuses an agent what is a person's to say, before anything else is looked at.
pub(crate) fn must_be_person() -> Result<(), Fault> {
    if origin().is_some() { Err(a_persons()) } else { Ok(()) }
}

/// Allows what an agent says of a delivery of its own.
fn own(
    project: &Project,
    ledger: &dyn Store,
    (run, key): (&str, Key),
    origin: &Origin,
) -> Result<Allowed, Fault> {
    let view = show(ledger, run, moment::now())?;
    let Some(owed) = view.pending.deliveries.iter().find(|owed| owed.key == key) else {
        // It is over, and whoever takes the request says so.
        return Ok(Allowed(()));
    };
    let receiver = open::agent(&view, owed.to);
    let agents = reach::of(project, ledger, run)?;
    let is_person = agents.get(receiver).is_none_or(|setup| matches!(setup.runs, Runs::Person(_)));
    if is_person {
        return Err(a_persons());
    }
    if is_of(origin, project, receiver) {
        return Ok(Allowed(()));
    }
    Err(Fault::refused(
        format!("{run}/{key} was given to {receiver}, and this was started by another agent"),
        Some(
            "an agent speaks for itself: it hands in what it was given, and answers Baton itself".to_owned(),
        ),
    ))
}

fn a_persons() -> Fault {
    Fault::refused(
        "an agent cannot say what is a person's to say, and this was started by one".to_owned(),
        Some("a person types it in a terminal of their own; an agent waits for what comes of it".to_owned()),
    )
}

#[cfg(unix)]
use crate::agent_ancestry::{Origin, origin};

#[cfg(unix)]
fn is_of(origin: &Origin, project: &Project, receiver: &str) -> bool {
    origin.agent.as_ref().is_some_and(|agent| agent.is(&project.root, receiver))
}

/// No agent is started by Baton on such a system.
#[cfg(not(unix))]
struct Origin;

#[cfg(not(unix))]
fn origin() -> Option<Origin> {
    None
}

#[cfg(not(unix))]
fn is_of(_: &Origin, _: &Project, _: &str) -> bool {
    false
}
