//! Whether agents could have reached the key of a person or the ledger, and with them the answer to a gate.
//!
//! It is told from the record alone: which attempts were started, and which of them behind a wall. So it is the same for
//! whoever hands in an answer, for whoever takes it, and for whoever looks at it later.

use std::collections::{BTreeMap, BTreeSet};

use baton_courier::sandbox::{Need, works};
use baton_kernel::{AgentId, GateId, Key, Millis, Plan};
use baton_ledger::{Ledger, Limit, ReadFrom};
use serde::{Deserialize, Serialize};

use crate::evidence::{self, Verdict};
use crate::run::Run;
use crate::sandbox::Runs;
use crate::{Error, Setup, stored, views};

/// What is said of an answer that agents could have given, everywhere in the same words.
pub const UNENFORCED: &str = "unenforced: agents could have reached the key or the ledger";

/// How many other runs are looked at; with more of them nothing is claimed.
const RUNS_MAX: usize = 50;
/// How many agents are named.
const NAMED_MAX: usize = 10;

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
    }

    /// The agents of which an attempt was behind no wall, or behind one that did not hold.
    fn exposed<'r>(&'r self, run: &'r Run) -> impl Iterator<Item = &'r str> {
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

/// The agents that can reach the key of a person or the ledger now, as far as a run and the others that are not over
/// say; none means that the answer to a gate can come from a person alone.
pub fn exposed(ledger: &dyn Ledger, run: &str, now: Millis) -> Result<Vec<String>, Error> {
    let look = |name: &str| -> Result<Vec<String>, Error> {
        let run = Run::view(ledger, name, now)?;
        let mut exposed: Vec<String> = run.exposure.exposed(&run).map(str::to_owned).collect();
        let is_open =
            |verdict: &Verdict| verdict.sandbox.as_deref() == Some("none") && !verdict.commands.is_empty();
        if evidence::verdicts(ledger, name)?.iter().any(|(_, recorded)| is_open(&recorded.verdict)) {
            exposed.push("commands of a handoff that were run again".to_owned());
        }
        Ok(exposed)
    };
    let mut names: BTreeSet<String> = look(run)?.into_iter().collect();
    for label in ["working", "waiting"] {
        let others = views::runs(ledger, &[label], None, RUNS_MAX + 1)?;
        for other in others.iter().take(RUNS_MAX).filter(|other| other.stream != run) {
            names.extend(look(&other.stream)?);
        }
        if others.len() > RUNS_MAX {
            names.insert("an agent of one of many runs".to_owned());
        }
    }
    Ok(names.into_iter().take(NAMED_MAX).collect())
}

/// The answers to gates that agents could have given, of one run or of all.
pub fn unenforced(ledger: &dyn Ledger, run: Option<&str>) -> Result<usize, Error> {
    let mut from = match run {
        Some(run) => ReadFrom::Stream { stream: run.to_owned(), after: 0 },
        None => ReadFrom::Position { after: 0 },
    };
    let mut count = 0;
    loop {
        let records = ledger.read(&from, Limit(1_000))?;
        let Some(last) = records.last() else { return Ok(count) };
        match &mut from {
            ReadFrom::Stream { after, .. } => *after = last.seq,
            ReadFrom::Position { after } => *after = last.position,
        }
        let read = |body: &[u8]| serde_json::from_slice::<Enforced>(body).ok();
        let answers = records.iter().filter(|record| record.kind == stored::ENFORCED);
        count += answers.filter_map(|record| read(&record.body)).filter(|answer| !answer.enforced).count();
    }
}
