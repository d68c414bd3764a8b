//! Who can be delivered to, and how: the table that faces fill from `baton.toml`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use baton_courier::{Courier, Kind, Limits};

use crate::sandbox::Runs;

/// The tokens that one message to an agent may have, unless its definition says otherwise.
pub const MESSAGE_TOKENS_MAX: usize = 100_000;

/// The agents that this process can reach, by name.
#[derive(Clone, Default)]
pub struct Agents(BTreeMap<String, Setup>);

/// How an agent is reached.
#[derive(Clone)]
pub struct Setup {
    /// Who brings handoffs to it.
    pub courier: Arc<dyn Courier>,
    /// The dialect that it reads and writes.
    pub dialect: String,
    /// What one attempt may take.
    pub limits: Limits,
    /// The variables of the environment that it may see.
    pub environment: Vec<String>,
    /// The folder that it works in.
    pub directory: PathBuf,
    /// What it is told beside the handoff.
    pub prompt: Option<String>,
    /// Whether it works in a session, at the end of which it is asked for its handoff.
    pub finalizes: bool,
    /// The file with what it is told instead, which the run pins.
    pub prompt_file: Option<String>,
    /// The tokens that one message to it may have.
    pub prompt_tokens_max: usize,
    /// Whether it works in a worktree of its own.
    pub worktree: bool,
    /// What it says that it can, in words of the project.
    pub capabilities: Vec<String>,
    /// Where it runs, and behind which wall.
    pub runs: Runs,
    /// Whether a handoff that it could not start with goes back to its sender.
    pub is_strict: bool,
    /// The files of the project that its command runs, from the root: no agent may change them.
    pub programs: Vec<String>,
    /// Those among them that it runs from its own worktree, if it has one.
    pub checked_out: Vec<String>,
}

impl Setup {
    /// An agent that is reached by a courier and speaks a dialect, with nothing special about it.
    pub fn new(courier: Arc<dyn Courier>, dialect: impl Into<String>) -> Self {
        Self {
            courier,
            dialect: dialect.into(),
            limits: Limits::default(),
            environment: Vec::new(),
            directory: PathBuf::from("."),
            prompt: None,
            prompt_file: None,
            prompt_tokens_max: MESSAGE_TOKENS_MAX,
            worktree: false,
            finalizes: false,
            capabilities: Vec::new(),
            runs: Runs::Elsewhere,
            is_strict: false,
            programs: Vec::new(),
            checked_out: Vec::new(),
        }
    }
}

impl Setup {
    /// Whether what it gets lies in its inbox until somebody hands in an answer.
    pub fn is_kept(&self) -> bool {
        self.courier.kind() == Kind::Kept
    }
}

impl Agents {
    /// Adds an agent, or replaces the one of that name.
    pub fn add(&mut self, name: impl Into<String>, setup: Setup) {
        self.0.insert(name.into(), setup);
    }

    /// The agent of a name.
    pub fn get(&self, name: &str) -> Option<&Setup> {
        self.0.get(name)
    }

    /// All of them by name, in order.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Setup)> {
        self.0.iter().map(|(name, setup)| (name.as_str(), setup))
    }

    /// Their names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
