//! Who works in a run, as they are reached to go on with it.

use baton_engine::ledger::Store;
use baton_engine::project::agents::Agents;
use baton_engine::project::pinned::flow_of;
use baton_engine::project::roster::roster;
use baton_engine::records::entry::pinned;

use crate::outcome::Failure;
use crate::project::Project;
use crate::say;
use crate::shuttle::send;

/// The agents of a run, to end what they were left at; none where it cannot be told any more how they are reached, which is
/// said.
pub(crate) fn to_end(project: &Project, ledger: &dyn Store, run: &str) -> Result<Agents, Failure> {
    match of(project, ledger, run) {
        Err(Failure::Refused { message, .. }) => {
            say::note(&format!("{message}; should an agent have been left at work, it goes on"));
            Ok(Agents::default())
        }
        agents => agents,
    }
}

/// The agents of a run as it has pinned them; of a relay, its receiver as it is reached now.
pub(crate) fn of(project: &Project, ledger: &dyn Store, run: &str) -> Result<Agents, Failure> {
    if send::is_relay(project, ledger, run)? {
        return send::receiver(project, ledger, run);
    }
    let flow = flow_of(run, &pinned(ledger, run)?)?;
    roster(&flow, &project.root).map_err(|fault| Failure::Refused {
        message: format!("{run}: {fault}"),
        hint: Some(fault.hint().to_owned()),
    })
}
