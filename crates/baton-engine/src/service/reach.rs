//! The agents of a run, as they are reached to resume or to end it.

use baton_ledger::Store;

use super::relay::receiver;
use crate::project::Project;
use crate::project::agents::Agents;
use crate::project::fault::{Diagnostic, Fault, FaultKind, Severity};
use crate::project::pinned::flow_of;
use crate::project::roster::roster;
use crate::records::entry::pinned;

/// The agents of a run, to end what they were left at; none and a note where they cannot be reached any more.
pub(crate) fn to_end(
    project: &Project,
    ledger: &dyn Store,
    run: &str,
) -> Result<(Agents, Option<Diagnostic>), Fault> {
    match of(project, ledger, run) {
        Err(fault) if fault.kind == FaultKind::Refused => {
            let message = format!("{}; should an agent have been left at work, it goes on", fault.message);
            Ok((Agents::default(), Some(Diagnostic::new(Severity::Note, message))))
        }
        agents => Ok((agents?, None)),
    }
}

/// The agents of a run as it has pinned them; of a relay, its receiver as it is reached now.
pub(crate) fn of(project: &Project, ledger: &dyn Store, run: &str) -> Result<Agents, Fault> {
    if receiver::is_relay(project, ledger, run)? {
        return receiver::receiver(project, ledger, run);
    }
    let flow = flow_of(run, &pinned(ledger, run)?)?;
    roster(&flow, &project.root)
        .map_err(|fault| Fault::refused(format!("{run}: {fault}"), Some(fault.hint().to_owned())))
}
