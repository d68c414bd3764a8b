//! A flow file into a plan: names become ids, words become variants. Step `n` of the plan is step `n` of the flow.
//!
//! Cannot: judge a flow. What is wrong with one is found by the rules `flow/…` of the document crate, with its place;
//! what is refused here is what they let through.

use std::collections::HashMap;
use std::fmt;

use baton_document::flow::{self, Flow, GateWord, JoinSpec, JoinWord, Spanned, StepSpec};
use baton_kernel::{
    Agent, AgentId, Caps, Detour, Does, Gate, GateKind, Join, Limits, Microloop, OnCap, OnFail, OnTimeout,
    OnUnknown, Outcome, Parallel, Pass, Plan, PlanFault, Restart, Rework, Route, Status, Step, StepId, Wait,
    When, bounds,
};

/// The flows that come with Baton, by name: each of the five systems, and one with all dialects.
///
/// They say what their agents speak, and not how they are reached: that is the project's to say.
pub const SHIPPED: [(&str, &str); 6] = [
    ("relay", include_str!("../../flows/relay.yaml")),
    ("microloop", include_str!("../../flows/microloop.yaml")),
    ("orchestrate", include_str!("../../flows/orchestrate.yaml")),
    ("agency", include_str!("../../flows/agency.yaml")),
    ("issue-to-pr", include_str!("../../flows/issue-to-pr.yaml")),
    ("babel", include_str!("../../flows/babel.yaml")),
];

/// Why a flow cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowFault {
    /// A step could not be read.
    Unread {
        /// Its name.
        step: String,
    },
    /// A name leads to no step.
    Nowhere {
        /// The step that says so.
        step: String,
        /// The name.
        name: String,
    },
    /// A number is beyond all bounds.
    Number {
        /// The number.
        number: u64,
    },
    /// The plan does not hold together.
    Plan(PlanFault),
}

impl fmt::Display for FlowFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unread { step } => write!(out, "the step '{step}' cannot be read"),
            Self::Nowhere { step, name } => {
                write!(out, "'{step}' leads to '{name}', and there is no such step")
            }
            Self::Number { number } => write!(out, "the number {number} is too large"),
            Self::Plan(fault) => fault.fmt(out),
        }
    }
}

impl std::error::Error for FlowFault {}

impl From<PlanFault> for FlowFault {
    fn from(fault: PlanFault) -> Self {
        Self::Plan(fault)
    }
}

/// The plan of a flow. What is known of its agents elsewhere is in it already; see [`Flow::with_agents`].
///
/// # Errors
/// The first fault that is found; `baton flow check` finds all of them, with their places.
pub fn compile(flow: &Flow) -> Result<Plan, FlowFault> {
    if let Some(step) = flow.unread.first() {
        return Err(FlowFault::Unread { step: step.clone() });
    }
    let names = Names::of(flow)?;
    let following = flow.following();
    let steps = flow.steps.iter().zip(following);
    let plan = Plan {
        name: flow.name.value.clone(),
        agents: names.agents(flow),
        steps: steps.map(|(step, next)| names.step(step, next)).collect::<Result<_, _>>()?,
        start: StepId(0),
        caps: caps(flow)?,
    };
    plan.check()?;
    Ok(plan)
}

/// The ids of everything that has a name.
struct Names<'f> {
    steps: HashMap<&'f str, StepId>,
    agents: HashMap<&'f str, AgentId>,
    in_order: Vec<&'f str>,
}

impl<'f> Names<'f> {
    fn of(flow: &'f Flow) -> Result<Self, FlowFault> {
        let mut names = Self { steps: HashMap::new(), agents: HashMap::new(), in_order: Vec::new() };
        for (at, step) in flow.steps.iter().enumerate() {
            // Of two steps of one name the first is meant; that there are two is found by the check of the plan.
            names.steps.entry(&step.name.value).or_insert(StepId(id(at)?));
        }
        let listed = flow.agents.iter().map(|agent| agent.name.value.as_str());
        for name in listed.chain(flow.workers().map(|worker| worker.agent.value.as_str())) {
            if !names.agents.contains_key(name) {
                names.agents.insert(name, AgentId(id(names.in_order.len())?));
                names.in_order.push(name);
            }
        }
        Ok(names)
    }

    fn agents(&self, flow: &Flow) -> Vec<Agent> {
        let restart = |name: &str| match flow.agent(name).and_then(|agent| agent.restart) {
            Some(flow::Restart::Safe) => Restart::Safe,
            Some(flow::Restart::Ask) | None => Restart::Ask,
        };
        let agent = |name: &&str| Agent { name: (*name).to_owned(), restart: restart(name) };
        self.in_order.iter().map(agent).collect()
    }

    fn agent(&self, name: &Spanned<String>) -> AgentId {
        // All who work are listed; an id that does not exist would be found by the check of the plan.
        self.agents.get(name.value.as_str()).copied().unwrap_or(AgentId(u16::MAX))
    }

    fn to(&self, step: &StepSpec, name: &str) -> Result<StepId, FlowFault> {
        let nowhere = || FlowFault::Nowhere { step: step.name.value.clone(), name: name.to_owned() };
        self.steps.get(name).copied().ok_or_else(nowhere)
    }

    fn maybe(&self, step: &StepSpec, name: Option<&Spanned<String>>) -> Result<Option<StepId>, FlowFault> {
        name.map(|name| self.to(step, &name.value)).transpose()
    }

    fn step(&self, step: &StepSpec, following: Option<usize>) -> Result<Step, FlowFault> {
        let next = match step.then.as_ref().map(|then| &then.value) {
            Some(flow::Target::End) => None,
            Some(flow::Target::Step(name)) => Some(self.to(step, name)?),
            None => following.map(id).transpose()?.map(StepId),
        };
        let detours = step.detours.iter().map(|(kind, to)| {
            Ok::<_, FlowFault>(Detour { kind: kind.value.clone(), to: self.to(step, &to.value)? })
        });
        let on_timeout = match step.work.on_time {
            flow::OnTime::Retry => OnTimeout::Retry,
            flow::OnTime::Stop => OnTimeout::Stop,
            flow::OnTime::Ask => OnTimeout::Ask,
        };
        Ok(Step {
            name: step.name.value.clone(),
            does: self.does(step)?,
            next,
            visits_max: step.visits.as_ref().map(small).transpose()?,
            detours: detours.collect::<Result<_, _>>()?,
            limits: Limits {
                attempt_ms: step.work.time_ms.as_ref().map(|time| time.value),
                on_timeout,
                expires_ms: step.work.expires_ms.as_ref().map(|time| time.value),
            },
        })
    }

    fn does(&self, step: &StepSpec) -> Result<Does, FlowFault> {
        Ok(match &step.does {
            flow::Does::Agent(pass) => {
                let route = |route: &flow::RouteSpec| {
                    let when = match &route.when {
                        flow::When::Decision(word) => When::Decision(word.value.clone()),
                        flow::When::Outcome(outcome) => When::Outcome(outcome_of(outcome.value)),
                        flow::When::If(expression) => When::Holds(expression.value.clone()),
                    };
                    let to = self.to(step, &route.to.value)?;
                    Ok::<_, FlowFault>(Route { when, to, on_unknown: on_unknown(route.unknown) })
                };
                let rework = |rework: &flow::ReworkSpec| {
                    let to = self.to(step, &rework.to.value)?;
                    Ok::<_, FlowFault>(Rework { to, max: small(&rework.max)? })
                };
                Does::Pass(Pass {
                    agent: self.agent(&pass.agent),
                    routes: pass.routes.iter().map(route).collect::<Result<_, _>>()?,
                    rework: pass.rework.as_ref().map(rework).transpose()?,
                })
            }
            flow::Does::Loop(looped) => Does::Microloop(Microloop {
                author: self.agent(&looped.author),
                critic: self.agent(&looped.critic),
                rounds_max: looped.rounds.as_ref().map_or(Ok(bounds::CRITIC_ROUNDS), small)?,
                on_cap: match looped.on_cap {
                    flow::OnCap::GoOn => OnCap::GoOn,
                    flow::OnCap::Ask => OnCap::Ask,
                },
                on_stall: looped.on_stall.as_ref().map(|kind| kind.value.clone()),
            }),
            flow::Does::Gate(gate) => Does::Gate(Gate {
                kind: match gate.kind.value {
                    GateWord::Blocking => GateKind::Blocking,
                    GateWord::Informative => GateKind::Informative,
                    GateWord::Auto => {
                        GateKind::Auto(gate.checks.iter().map(|check| check.value.clone()).collect())
                    }
                },
                due_ms: gate.due_ms.as_ref().map(|due| due.value),
                on_reject: self.maybe(step, gate.on_reject.as_ref())?,
            }),
            flow::Does::Parallel(parallel) => Does::Parallel(self.parallel(step, parallel)?),
            flow::Does::Wait(wait) => Does::Wait(Wait {
                for_ms: wait.for_ms.value,
                signal: wait.signal.as_ref().map(|signal| signal.value.clone()),
                on_due: self.maybe(step, wait.on_due.as_ref())?,
            }),
            flow::Does::Escalate(_) => Does::Escalate,
            flow::Does::End(outcome) => Does::End(outcome_of(*outcome)),
        })
    }

    fn parallel(&self, step: &StepSpec, parallel: &flow::ParallelStep) -> Result<Parallel, FlowFault> {
        let branches = parallel.branches.iter().map(|branch| self.to(step, &branch.value));
        let (join, expression) = match &parallel.join.value {
            JoinSpec::Word(word) => (join_of(*word), None),
            JoinSpec::Quorum(quorum) => {
                (Join::Quorum(small(&Spanned::new(*quorum, parallel.join.span))?), None)
            }
            JoinSpec::If(expression) => (Join::Expression, Some(expression.clone())),
        };
        Ok(Parallel {
            branches: branches.collect::<Result<_, _>>()?,
            join,
            expression,
            on_unknown: on_unknown(parallel.unknown),
            status: match parallel.status {
                flow::StatusWord::Worst => Status::Worst,
                flow::StatusWord::Best => Status::Best,
            },
            on_fail: match parallel.on_fail.as_ref().map(|on_fail| &on_fail.value) {
                Some(flow::OnFail::Ask) | None => OnFail::Ask,
                Some(flow::OnFail::Halt) => OnFail::Halt,
                Some(flow::OnFail::Step(name)) => OnFail::Step(self.to(step, name)?),
            },
        })
    }
}

fn on_unknown(said: Option<bool>) -> OnUnknown {
    match said {
        None => OnUnknown::Ask,
        Some(true) => OnUnknown::Holds,
        Some(false) => OnUnknown::Fails,
    }
}

fn caps(flow: &Flow) -> Result<Caps, FlowFault> {
    let (said, usual) = (&flow.caps, Caps::default());
    let large = |number: &Spanned<u64>| {
        u32::try_from(number.value).map_err(|_| FlowFault::Number { number: number.value })
    };
    Ok(Caps {
        handoffs: said.handoffs.as_ref().map_or(Ok(usual.handoffs), large)?,
        pair: said.pair.as_ref().map_or(Ok(usual.pair), large)?,
        time_ms: said.time_ms.as_ref().map_or(usual.time_ms, |time| time.value),
        tokens: said.tokens.as_ref().map(|tokens| tokens.value),
        retries: said.retries.as_ref().map_or(Ok(usual.retries), small)?,
        detours: said.detours.as_ref().map_or(Ok(usual.detours), small)?,
    })
}

fn outcome_of(outcome: flow::Outcome) -> Outcome {
    match outcome {
        flow::Outcome::Done => Outcome::Done,
        flow::Outcome::Concerns => Outcome::Concerns,
        flow::Outcome::Partial => Outcome::Partial,
        flow::Outcome::Blocked => Outcome::Blocked,
        flow::Outcome::Failed => Outcome::Failed,
        flow::Outcome::Skipped => Outcome::Skipped,
    }
}

fn join_of(word: JoinWord) -> Join {
    match word {
        JoinWord::AllComplete => Join::AllComplete,
        JoinWord::AllVerified => Join::AllVerified,
        JoinWord::AnyVerified => Join::AnyVerified,
        JoinWord::First => Join::First,
        JoinWord::AllMustPass => Join::AllMustPass,
        JoinWord::AnyPass => Join::AnyPass,
        JoinWord::MajorityPass => Join::MajorityPass,
    }
}

fn small(number: &Spanned<u64>) -> Result<u16, FlowFault> {
    u16::try_from(number.value).map_err(|_| FlowFault::Number { number: number.value })
}

fn id(place: usize) -> Result<u16, FlowFault> {
    let number = u64::try_from(place).unwrap_or(u64::MAX);
    u16::try_from(place).map_err(|_| FlowFault::Number { number })
}
