//! Flow files: the typed model of `flows/NAME.yaml`, read from its text with the places that findings point at.
//!
//! Invariant: the order of steps is that of the file, so that step `n` here is step `n` of the plan made of it.
//! Cannot: run anything, or know what an agent is beyond what its definition says.

mod agent;
pub mod bounds;
pub mod expression;
pub(crate) mod findings;
mod read;
mod span;
mod ways;
mod words;

pub use agent::DEFINITIONS;
pub use agent::{AgentSpec, Produces};
pub(crate) use agent::{CONFIG, definition_path, is_name};
pub use read::milliseconds;
pub use span::Spanned;
pub use ways::{Way, WayKind};
pub use words::{
    CourierWord, Ends, GateWord, JoinWord, Keeps, OnCap, OnTime, Outcome, Passes, Permissions, ReceptionWord,
    Restart, SandboxWord, StatusWord, Verify, Word,
};

use crate::datum::Datum;
use crate::span::Span;

/// A flow file.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Its name.
    pub name: Spanned<String>,
    /// Its purpose, in one line.
    pub about: Option<String>,
    /// Inputs of a run.
    pub inputs: Vec<Input>,
    /// Its agents, as far as its own file describes them; see [`Flow::with_agents`].
    pub agents: Vec<AgentSpec>,
    /// Its steps, in the order of the file.
    pub steps: Vec<StepSpec>,
    /// Limits of a whole run.
    pub caps: CapsSpec,
    /// The files of other systems that are kept.
    pub keeps: Vec<Keeps>,
    /// Names of steps that could not be read, so that none of them is reported as unknown.
    pub unread: Vec<String>,
}

/// Something that a run is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: Spanned<String>,
    /// Its default; nothing where a value is required.
    pub default: Option<String>,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSpec {
    /// Its name.
    pub name: Spanned<String>,
    /// Its work.
    pub does: Does,
    /// Its successor, where the step names one; see [`Flow::next`].
    pub then: Option<Spanned<Target>>,
    /// Number of visits allowed.
    pub visits: Option<Spanned<u64>>,
    /// The side steps that may be recommended here: kind, and where it leads.
    pub detours: Vec<(Spanned<String>, Spanned<String>)>,
    /// Instructions for the agent of a step, and the handling of its answer.
    pub work: Work,
}

/// Keys of steps in which agents work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// Instructions for the agent; `{{input.NAME}}` stands for an input.
    pub task: Option<Spanned<String>>,
    /// Fields that are set in the receiver's dialect, by dotted path; text may hold `{{input.NAME}}`.
    pub give: Vec<(Spanned<String>, Datum<'static>)>,
    /// Part of the work before it that is handed on.
    pub passes: Passes,
    /// True if what earlier agents added goes along.
    pub accumulates: bool,
    /// Evidence that must hold for an answer to count.
    pub verify: Option<Spanned<Verify>>,
    /// The time of one attempt, in milliseconds.
    pub time_ms: Option<Spanned<u64>>,
    /// Handling of a time-out.
    pub on_time: OnTime,
    /// The time of a delivery with all its attempts, in milliseconds.
    pub expires_ms: Option<Spanned<u64>>,
    /// The tokens of this phase.
    pub budget: Option<Spanned<u64>>,
}

/// The closed set of what a step can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Does {
    /// One agent works, and its answer is routed.
    Agent(AgentStep),
    /// An author works and a critic looks at it, in rounds.
    Loop(LoopStep),
    /// A person approves.
    Gate(GateStep),
    /// Branches run side by side and are joined.
    Parallel(ParallelStep),
    /// Nothing is done for a while, or until a signal comes.
    Wait(WaitStep),
    /// A person is asked, for this reason.
    Escalate(String),
    /// The thread is over, with this status.
    End(Outcome),
}

/// Successor of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nothing: the run, the branch or the detour is over.
    End,
    /// The step of this name.
    Step(String),
}

/// One agent works, and its answer is routed.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentStep {
    /// Its agent.
    pub agent: Spanned<String>,
    /// Routes of answers; the first that fits is taken.
    pub routes: Vec<RouteSpec>,
    /// Route of a stop that rework may mend.
    pub rework: Option<ReworkSpec>,
}

/// Route of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteSpec {
    /// The answers that it is for.
    pub when: When,
    /// The step that they go to.
    pub to: Spanned<String>,
    /// Value of an expression that cannot be evaluated: holds or not. Without it a person is asked.
    pub unknown: Option<bool>,
}

/// The answers that a route is for.
#[derive(Clone, Debug, PartialEq)]
pub enum When {
    /// Those that decide with this word.
    Decision(Spanned<String>),
    /// Those that came out so.
    Outcome(Spanned<Outcome>),
    /// Those for which this expression holds.
    If(Spanned<String>),
}

/// Rework of what types, lint and tests found.
#[derive(Clone, Debug, PartialEq)]
pub struct ReworkSpec {
    /// The step that mends.
    pub to: Spanned<String>,
    /// Maximum of rounds.
    pub max: Spanned<u64>,
}

/// An author works and a critic looks at it.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopStep {
    /// Its author.
    pub author: Spanned<String>,
    /// Its critic.
    pub critic: Spanned<String>,
    /// Maximum of rounds of the critic; without it the usual number.
    pub rounds: Option<Spanned<u64>>,
    /// Handling of used-up rounds.
    pub on_cap: OnCap,
    /// The kind of detour that is taken when the same failure comes twice in a row.
    pub on_stall: Option<Spanned<String>>,
}

/// A person approves.
#[derive(Clone, Debug, PartialEq)]
pub struct GateStep {
    /// Kind of the gate.
    pub kind: Spanned<GateWord>,
    /// Items that the person validates.
    pub items: Vec<String>,
    /// Labels of the answers: approve, reject, question.
    pub options: Vec<(String, String)>,
    /// The expressions that must hold for an automatic gate to pass.
    pub checks: Vec<Spanned<String>>,
    /// When an answer is due, in milliseconds from the opening.
    pub due_ms: Option<Spanned<u64>>,
    /// Route of a rejection.
    pub on_reject: Option<Spanned<String>>,
}

/// Branches run side by side and are joined.
#[derive(Clone, Debug, PartialEq)]
pub struct ParallelStep {
    /// The first step of each branch.
    pub branches: Vec<Spanned<String>>,
    /// When they count as passed.
    pub join: Spanned<JoinSpec>,
    /// Value of an expression of the join that cannot be evaluated; without it a person is asked.
    pub unknown: Option<bool>,
    /// Which status the joined one is.
    pub status: StatusWord,
    /// Handling of a failed join.
    pub on_fail: Option<Spanned<OnFail>>,
}

/// When joined branches count as passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinSpec {
    /// By a rule that has a word.
    Word(JoinWord),
    /// When so many are verified.
    Quorum(u64),
    /// When an expression over `branches` holds.
    If(String),
}

/// Handling of a failed join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnFail {
    /// A person is asked.
    Ask,
    /// The run halts.
    Halt,
    /// This step follows.
    Step(String),
}

/// Nothing is done for a while, or until a signal comes.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitStep {
    /// Longest time, in milliseconds.
    pub for_ms: Spanned<u64>,
    /// The signal that ends it earlier.
    pub signal: Option<Spanned<String>>,
    /// Successor when the signal has not come in time.
    pub on_due: Option<Spanned<String>>,
}

/// Limits of a whole run; without a value, the usual one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CapsSpec {
    /// Handoffs of the run.
    pub handoffs: Option<Spanned<u64>>,
    /// Handoffs between the same two agents.
    pub pair: Option<Spanned<u64>>,
    /// The time for which it works, in milliseconds.
    pub time_ms: Option<Spanned<u64>>,
    /// Tokens.
    pub tokens: Option<Spanned<u64>>,
    /// Extra attempts of a delivery.
    pub retries: Option<Spanned<u64>>,
    /// Detours of one kind from one step.
    pub detours: Option<Spanned<u64>>,
}

/// An agent at work in a step, with the place that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worker<'f> {
    /// The agent.
    pub agent: &'f Spanned<String>,
    /// The step, by its place in the flow.
    pub step: usize,
}

impl Flow {
    /// The place of the step of a name.
    pub fn step_named(&self, name: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.name.value == name)
    }

    /// Successor of a step: the one it names, or the next in the list that no branch and no detour begins with.
    ///
    /// Nothing where the thread is over, or where the step that follows does not exist.
    pub fn next(&self, step: usize) -> Option<usize> {
        let this = self.steps.get(step)?;
        match (&this.does, this.then.as_ref().map(|then| &then.value)) {
            (Does::End(_), _) | (_, Some(Target::End)) => None,
            (_, Some(Target::Step(name))) => self.step_named(name),
            (_, None) => self.following().get(step).copied().flatten(),
        }
    }

    /// For each step, the next one in the list as it is meant where nothing else is said.
    pub fn following(&self) -> Vec<Option<usize>> {
        let asides: std::collections::HashSet<&str> =
            self.steps.iter().flat_map(StepSpec::asides).map(|aside| aside.value.as_str()).collect();
        let is_aside = |step: &StepSpec| asides.contains(step.name.value.as_str());
        let mut following = vec![None; self.steps.len()];
        let mut next = None;
        for (at, step) in self.steps.iter().enumerate().rev() {
            if !is_aside(step) {
                following[at] = next.filter(|_| !matches!(step.does, Does::End(_)));
                next = Some(at);
            }
        }
        following
    }

    /// Agents at work, step by step.
    pub fn workers(&self) -> impl Iterator<Item = Worker<'_>> {
        self.steps.iter().enumerate().flat_map(|(step, spec)| {
            spec.workers().into_iter().flatten().map(move |agent| Worker { agent, step })
        })
    }

    /// The agent of a name, as far as the flow itself says who it is.
    pub fn agent(&self, name: &str) -> Option<&AgentSpec> {
        self.agents.iter().find(|agent| agent.name.value == name)
    }

    /// The flow with what others know of its agents, the one who knows best first.
    ///
    /// What the flow says itself counts before all of them; agents that work in it and that it does not list come
    /// behind those that it does, in the order in which they work.
    #[must_use]
    pub fn with_agents(mut self, known: &[AgentSpec]) -> Self {
        let mut names: std::collections::HashSet<String> =
            self.agents.iter().map(|agent| agent.name.value.clone()).collect();
        let used: Vec<Spanned<String>> = self.workers().map(|worker| worker.agent.clone()).collect();
        for name in used {
            if names.insert(name.value.clone()) {
                self.agents.push(AgentSpec::named(name));
            }
        }
        for agent in &mut self.agents {
            for other in known {
                if other.name.value == agent.name.value {
                    agent.complete(other);
                }
            }
        }
        self
    }
}

impl Flow {
    /// What `baton.toml` says of sandboxes: `usual` for all agents, `known` for some. A flow or a definition can put an agent
    /// behind a wall, and never out of one that `baton.toml` puts it behind; nor can it show more of the machine there.
    #[must_use]
    pub fn with_sandbox(mut self, usual: &AgentSpec, known: &[AgentSpec]) -> Self {
        fn add(own: &mut Option<Vec<String>>, usual: &Option<Vec<String>>) {
            if let Some(usual) = usual {
                own.get_or_insert_default().extend(usual.iter().cloned());
            }
        }
        for agent in &mut self.agents {
            let said = known.iter().find(|other| other.name.value == agent.name.value);
            let floor = said.and_then(|said| said.sandbox).or(usual.sandbox);
            agent.sandbox = agent.sandbox.into_iter().chain(floor).max_by_key(|word| word.strictness());
            if floor.is_some_and(|floor| floor != SandboxWord::None) {
                let lists = |list: fn(&AgentSpec) -> &Option<Vec<String>>, path: &String| {
                    let mut all = said.into_iter().chain([usual]).filter_map(|spec| list(spec).as_ref());
                    all.any(|listed| listed.contains(path))
                };
                let is_outside =
                    |path: &&String| path.starts_with(['~', '/']) || path.split('/').any(|part| part == "..");
                let readable = agent.readable.iter().flatten().filter(is_outside);
                let mut loosened: Vec<String> =
                    readable.filter(|path| !lists(|spec| &spec.readable, path)).cloned().collect();
                let writable = agent.writable.iter().flatten().filter(is_outside);
                loosened.extend(writable.filter(|path| !lists(|spec| &spec.writable, path)).cloned());
                agent.loosened = loosened;
            }
            add(&mut agent.readable, &usual.readable);
            add(&mut agent.writable, &usual.writable);
        }
        self
    }
}

impl StepSpec {
    /// The agents that work in it.
    fn workers(&self) -> [Option<&Spanned<String>>; 2] {
        match &self.does {
            Does::Agent(step) => [Some(&step.agent), None],
            Does::Loop(step) => [Some(&step.author), Some(&step.critic)],
            Does::Gate(_) | Does::Parallel(_) | Does::Wait(_) | Does::Escalate(_) | Does::End(_) => {
                [None, None]
            }
        }
    }

    /// The names of the steps that branches and detours of this one begin with.
    fn asides(&self) -> impl Iterator<Item = &Spanned<String>> {
        let branches = match &self.does {
            Does::Parallel(step) => step.branches.as_slice(),
            Does::Agent(_)
            | Does::Loop(_)
            | Does::Gate(_)
            | Does::Wait(_)
            | Does::Escalate(_)
            | Does::End(_) => &[],
        };
        branches.iter().chain(self.detours.iter().map(|(_, to)| to))
    }

    /// Place of the name of the step.
    pub fn span(&self) -> Span {
        self.name.span
    }
}
