//! Whether agents could have reached the key of a person or the ledger, and with them the answer to a gate.
//!
//! It is told from the record alone: which attempts were started, and which of them behind a wall. So it is the same for
//! whoever hands in an answer, for whoever takes it, and for whoever looks at it later.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use baton_courier::sandbox::{Need, works};
use baton_kernel::{AgentId, GateId, Key, Plan};
use serde::{Deserialize, Serialize};

use crate::project::agents::Setup;
use crate::run::Run;
use crate::sandbox::Runs;

/// What is said of an answer that agents could have given, everywhere in the same words.
pub const UNENFORCED: &str = "unenforced: agents could have reached the key or the ledger";

/// Behind which wall the agent of an attempt runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandboxed {
    /// The delivery.
    pub key: Key,
    /// Which of its attempts.
    pub attempt: u16,
    /// The agent.
    pub agent: String,
    /// The wall.
    pub sandbox: Wall,
    /// Why the agent could change what it must not all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
}

/// What an agent behind a wall must not change, and what was changed while it was at work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breach {
    /// The delivery.
    pub key: Key,
    /// Which of its attempts.
    pub attempt: u16,
    /// The agent.
    pub agent: String,
    /// The paths.
    pub changed: Vec<String>,
}

/// A wall, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wall {
    /// That of bubblewrap.
    Bubblewrap,
    /// None, though one was wished for.
    None,
    /// None, and so it is not started.
    Refused,
    /// None is needed: it is a person.
    Person,
}

/// Whether agents could have given an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforced {
    /// The gate.
    pub gate: GateId,
    /// Its step, by name.
    pub step: String,
    /// Whether none could have.
    pub enforced: bool,
    /// Those that could have, in order; not more than a few of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
}

/// The attempts of each agent of a run, and how many of them were behind a wall.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exposure {
    started: BTreeMap<AgentId, u64>,
    /// Those that were started while the run went by another plan, by their names: they may have no number in this one.
    before: BTreeMap<String, u64>,
    walled: BTreeMap<String, u64>,
    /// Those whose wall did not hold.
    breached: BTreeSet<String>,
    /// Protected paths that were found changed.
    changed: BTreeSet<String>,
}

impl Exposure {
    /// An attempt is started.
    pub(crate) fn start(&mut self, agent: AgentId) {
        *self.started.entry(agent).or_default() += 1;
    }

    /// The run goes on with another plan.
    pub(crate) fn change(&mut self, old: &Plan) {
        for (agent, started) in std::mem::take(&mut self.started) {
            if let Some(agent) = old.agents.get(usize::from(agent.0)) {
                *self.before.entry(agent.name.clone()).or_default() += started;
            }
        }
    }

    /// What is recorded of the wall around one.
    pub(crate) fn note(&mut self, sandboxed: &Sandboxed) {
        match sandboxed.sandbox {
            Wall::Bubblewrap | Wall::Person if !sandboxed.gaps.is_empty() => {}
            Wall::None => {}
            Wall::Bubblewrap | Wall::Refused | Wall::Person => {
                *self.walled.entry(sandboxed.agent.clone()).or_default() += 1;
            }
        }
    }

    /// The wall around an attempt did not hold.
    pub(crate) fn breach(&mut self, breach: Breach) {
        self.breached.insert(breach.agent);
        self.changed.extend(breach.changed);
    }

    /// The first of these files of a project that was found changed.
    pub(crate) fn changed<'f>(&self, root: &Path, files: &'f [String]) -> Option<&'f str> {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let is_changed = |file: &&String| self.changed.contains(&root.join(file).display().to_string());
        files.iter().find(is_changed).map(String::as_str)
    }

    /// The agents of which an attempt was behind no wall, or behind one that did not hold.
    pub(crate) fn exposed<'r>(&'r self, run: &'r Run) -> impl Iterator<Item = &'r str> {
        let mut all: BTreeMap<&str, u64> =
            self.before.iter().map(|(name, started)| (name.as_str(), *started)).collect();
        for (agent, started) in &self.started {
            if let Some(agent) = run.state.plan().agents.get(usize::from(agent.0)) {
                *all.entry(&agent.name).or_default() += started;
            }
        }
        let is_exposed = |(name, started): &(&str, u64)| {
            self.breached.contains(*name) || self.walled.get(*name).copied().unwrap_or(0) < *started
        };
        all.into_iter().filter(is_exposed).map(|(name, _)| name)
    }
}

/// What is recorded of the wall around an attempt; nothing where none was wished for.
pub(crate) fn sandboxed(
    setup: &Setup,
    key: Key,
    attempt: u16,
    agent: &str,
    gaps: Vec<String>,
) -> Option<Sandboxed> {
    let sandbox = match &setup.runs {
        Runs::Elsewhere | Runs::Open => return None,
        Runs::Person(_) => Wall::Person,
        Runs::Walled { .. } if works() => Wall::Bubblewrap,
        Runs::Walled { need: Need::Required, .. } => Wall::Refused,
        Runs::Walled { need: Need::WhenAvailable, .. } => Wall::None,
    };
    Some(Sandboxed { key, attempt, agent: agent.to_owned(), sandbox, gaps })
}
