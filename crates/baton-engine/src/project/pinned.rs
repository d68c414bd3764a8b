//! What a run pins, and the project as those files describe it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use baton_document::Checker;
use baton_document::flow::Flow;

use crate::project::agents::Agents;
use crate::project::config::Config;
use crate::project::fault::{Fault, Result};
use crate::project::flows;
use crate::project::loaded::Project;
use crate::project::roster::{RosterFault, roster};

/// A file that a run pinned when it started, or when a person resumed it with changed files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// Its path, from the root.
    pub path: String,
    /// Whether it is the flow of the run.
    pub is_flow: bool,
    /// Its content then.
    pub bytes: Vec<u8>,
}

/// A project as a run pinned it: nothing in it is read from disk again.
pub struct PinnedProject {
    /// The settings.
    pub config: Config,
    /// Where envelopes of a run lie, with `{run}` for its name.
    pub run_base: String,
    /// Checks documents by the pinned settings and dialects.
    pub checker: Arc<Checker>,
    /// The flow, with all that the pinned files say of its agents.
    pub flow: Flow,
    /// How its agents are reached.
    pub agents: Agents,
}

/// Why the files that a run pinned cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unloadable {
    /// No flow is among them, or it cannot be read.
    NoFlow,
    /// An agent cannot be reached.
    Agent(RosterFault),
}

impl Unloadable {
    /// Fault of a request about a run with these files.
    pub fn fault(&self, run: &str) -> Fault {
        match self {
            Self::NoFlow => flows::no_flow(run),
            Self::Agent(fault) => Fault::refused(format!("{run}: {fault}"), Some(fault.hint().to_owned())),
        }
    }

    /// What would help.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoFlow => flows::NO_FLOW_HINT,
            Self::Agent(fault) => fault.hint(),
        }
    }
}

impl fmt::Display for Unloadable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFlow => out.write_str("it does not say which flow it goes by"),
            Self::Agent(fault) => write!(out, "{fault}"),
        }
    }
}

/// Builds from a root and the files that a run pinned what drives the run.
///
/// # Errors
/// No usable flow, or an agent that cannot be reached.
pub fn load(root: &Path, files: &[Pinned]) -> std::result::Result<PinnedProject, Unloadable> {
    let flow = flow(files).ok_or(Unloadable::NoFlow)?;
    let agents = roster(&flow, root).map_err(Unloadable::Agent)?;
    let Project { config, checker, .. } = Project::pinned(root, files);
    Ok(PinnedProject { run_base: config.run_base().to_owned(), config, checker, flow, agents })
}

/// The flow among files that a run pinned, with all that the others say of its agents.
pub fn flow(files: &[Pinned]) -> Option<Flow> {
    let text = files.iter().find(|file| file.is_flow).map(|file| std::str::from_utf8(&file.bytes));
    let flow = Flow::read(text?.ok()?).0?;
    let others = files.iter().filter(|file| !file.is_flow);
    Some(flows::completed(flow, others.map(|file| (file.path.as_str(), file.bytes.as_slice()))))
}

/// The same, of a run by its name.
pub fn flow_of(run: &str, files: &[Pinned]) -> Result<Flow> {
    flow(files).ok_or_else(|| flows::no_flow(run))
}
