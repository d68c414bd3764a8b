//! Inboxes: deliveries that agents fetch themselves.

use std::collections::BTreeSet;

use baton_kernel::OwedDelivery;
use baton_ledger::Ledger;
use schemars::JsonSchema;
use serde::Serialize;

use super::facade::Service;
use super::{lookup, moment, open, standing};
use crate::history::views::show;
use crate::project::Project;
use crate::project::fault::{Fault, Result};
use crate::project::pinned::flow_of;
use crate::project::roster::roster;
use crate::records::entry::pinned;

/// What lies in inboxes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct InboxReply {
    /// The deliveries.
    pub inbox: Vec<InboxItem>,
    /// Whether the project has a ledger.
    #[serde(skip)]
    pub has_ledger: bool,
    /// The agents that exist, where nothing lies ready and the agent that was named does not.
    #[serde(skip)]
    pub known: Option<Vec<String>>,
}

/// A delivery that lies in an inbox.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InboxItem {
    /// Its id.
    pub id: String,
    /// The agent.
    pub agent: String,
    /// The run.
    pub run: String,
    /// The step.
    pub step: String,
    /// The sender; empty for the first.
    pub from: String,
    /// The dialect of the handoff.
    pub dialect: String,
    /// The handoff.
    pub handoff: Option<String>,
    /// The prompt beside it.
    pub prompt: Option<String>,
    /// Why the handoff cannot be made.
    pub failure: Option<String>,
}

impl Service {
    /// What lies in inboxes, of one agent or of all.
    pub fn inbox(&self, agent: Option<&str>) -> Result<InboxReply> {
        let Some(ledger) = self.existing()? else { return Ok(InboxReply::default()) };
        let mut inbox = Vec::new();
        let label = agent.map(|agent| format!("inbox:{agent}"));
        let labels: Vec<&str> = label.as_deref().into_iter().collect();
        for head in lookup::heads(&ledger, &labels)? {
            if head.labels.iter().any(|label| label.starts_with("inbox:")) {
                inbox.extend(of_run(&self.project, &ledger, &head.stream)?);
            }
        }
        inbox.retain(|item| agent.is_none_or(|agent| agent == item.agent));
        let known = match agent {
            Some(agent) if inbox.is_empty() => others(&ledger, agent)?,
            Some(_) | None => None,
        };
        Ok(InboxReply { inbox, has_ledger: true, known })
    }
}

/// The agents of all runs, if the one that was named is none of them.
fn others(ledger: &dyn Ledger, agent: &str) -> Result<Option<Vec<String>>> {
    let mut known = BTreeSet::new();
    for head in lookup::heads(ledger, &[])? {
        let run = lookup::one(ledger, &head.stream)?;
        known.extend(run.state().plan().agents.iter().map(|agent| agent.name.clone()));
        if known.contains(agent) {
            return Ok(None);
        }
    }
    Ok(Some(known.into_iter().collect()))
}

fn of_run(project: &Project, ledger: &dyn Ledger, run: &str) -> Result<Vec<InboxItem>> {
    let now = moment::now();
    let view = show(ledger, run, now)?;
    let files = pinned(ledger, run)?;
    let flow = flow_of(run, &files)?;
    let project = Project::pinned(&project.root, &files);
    let agents = roster(&flow, &project.root)
        .map_err(|fault| Fault::refused(fault.to_string(), Some(fault.hint().to_owned())))?;
    let mut items = Vec::new();
    let answered = view.answered(ledger)?;
    let lies_ready = |owed: &&OwedDelivery| {
        !view.is_expired(owed.key, now) && !answered.contains(&(owed.key, owed.attempt))
    };
    for owed in view.pending.deliveries.iter().filter(lies_ready) {
        let agent = open::agent(&view, owed.to).to_owned();
        let Some(setup) = agents.get(&agent).filter(|setup| setup.is_kept()) else { continue };
        let parcel = view.parcel(&project.checker, &agents, &project.root, owed, now);
        let (handoff, prompt, failure) = match parcel {
            Ok((text, prompt)) => (Some(String::from_utf8_lossy(&text).into_owned()), prompt, None),
            Err(why) => (None, None, Some(why)),
        };
        items.push(InboxItem {
            id: format!("{run}/{}", owed.key),
            run: run.to_owned(),
            step: standing::step_name(&view.state, owed.step).to_owned(),
            from: owed.from.map(|from| open::agent(&view, from).to_owned()).unwrap_or_default(),
            dialect: setup.dialect.clone(),
            agent,
            handoff,
            prompt,
            failure,
        });
    }
    Ok(items)
}
