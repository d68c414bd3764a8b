//! Who works in a run, as they are reached to go on with it.

use baton_engine::ledger::Sqlite;
use baton_engine::roster::roster;
use baton_engine::{Agents, pinned};

use crate::flows;
use crate::outcome::Failure;
use crate::project::Project;
use crate::shuttle::send;

/// The agents of a run as they were when it started; of a relay, its receiver as it is reached now.
pub(crate) fn of(project: &Project, ledger: &Sqlite, run: &str) -> Result<Agents, Failure> {
    if send::is_relay(project, ledger, run)? {
        return send::receiver(project, ledger, run);
    }
    let flow = flows::pinned(run, &pinned(ledger, run)?)?;
    roster(&flow, &project.root).map_err(|fault| Failure::Refused {
        message: format!("{run}: {fault}"),
        hint: Some(fault.hint().to_owned()),
    })
}
