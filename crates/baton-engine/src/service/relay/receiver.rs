//! The receiver of a relay, as its definition reaches it now.

use baton_ledger::Store;

use crate::mirror::manifests::Manifests;
use crate::outbound::relay::bringing;
use crate::project::Project;
use crate::project::agents::Agents;
use crate::project::fault::{Fault, FaultKind};
use crate::project::flows::{self, Opened};
use crate::project::roster::roster;
use crate::records::entry::pinned;

/// The path under which the flow of a relay is pinned; it is made for each.
const FLOW: &str = "flows/handoff.yaml";

/// The flow of a relay, and its receiver as its definition says now, who is only brought something.
pub(crate) fn reached(project: &Project, to: &str, flow: &[u8]) -> Result<(Opened, Agents), Fault> {
    let opened = flows::of_text(project, FLOW.to_owned(), flow).map_err(|fault| {
        if fault.kind != FaultKind::Blocked {
            return fault;
        }
        let refused = Fault::refused(format!("nothing can be sent to {to}"), None);
        Fault { cause: Some(Box::new(fault)), ..refused }
    })?;
    let agents = roster(&opened.flow, &project.root).map_err(|fault| {
        Fault::refused(
            fault.to_string(),
            Some(format!("say in [agents.{to}] of baton.toml how it is reached: {}", fault.hint())),
        )
    })?;
    let mut reached = Agents::default();
    for name in agents.names() {
        if let Some(setup) = agents.get(name) {
            reached.add(name, bringing(setup.clone()));
        }
    }
    Ok((opened, reached))
}

/// Whether a manifest is sent in a run.
pub(crate) fn is_relay(project: &Project, ledger: &dyn Store, run: &str) -> Result<bool, Fault> {
    Ok(Manifests { ledger, checker: &project.checker, root: &project.root }.is_relay(run)?)
}

/// The receiver of the manifest that is sent in a run.
pub(crate) fn receiver(project: &Project, ledger: &dyn Store, run: &str) -> Result<Agents, Fault> {
    let files = pinned(ledger, run)?;
    let flow = files.iter().find(|file| file.is_flow).map(|file| file.bytes.as_slice());
    Ok(reached(project, run, flow.unwrap_or_default())?.1)
}
