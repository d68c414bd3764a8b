//! Builds plans: agents and steps are added and get their ids, then what follows what is said.
//!
//! Adding never fails; `build` looks at the whole.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{
    Agent, Caps, Does, Gate, GateKind, Join, Limits, Microloop, OnCap, OnFail, OnTimeout, OnUnknown,
    Parallel, Pass, Plan, PlanFault, Restart, Route, Status, Step, Wait, When,
};
use crate::facts::Outcome;
use crate::{AgentId, StepId, bounds};

/// A plan that is being built.
#[derive(Clone, Debug)]
pub struct Builder {
    plan: Plan,
}

impl Builder {
    pub(super) fn new(name: &str) -> Self {
        let plan = Plan {
            name: name.to_string(),
            agents: Vec::new(),
            steps: Vec::new(),
            start: StepId(0),
            caps: Caps::default(),
        };
        Self { plan }
    }

    /// Adds an agent whose work a person must allow to begin again after a crash.
    pub fn agent(&mut self, name: &str) -> AgentId {
        self.plan.agents.push(Agent { name: name.to_string(), restart: Restart::Ask });
        AgentId(last(self.plan.agents.len()))
    }

    /// Says that an agent's work may be begun again without asking.
    pub fn safe_to_restart(&mut self, agent: AgentId) {
        if let Some(agent) = self.plan.agents.get_mut(usize::from(agent.0)) {
            agent.restart = Restart::Safe;
        }
    }

    /// Adds a step of any kind, with nothing behind it and no limits.
    pub fn step(&mut self, name: &str, does: Does) -> StepId {
        self.plan.steps.push(Step {
            name: name.to_string(),
            does,
            next: None,
            visits_max: None,
            detours: Vec::new(),
            limits: Limits { attempt_ms: None, on_timeout: OnTimeout::Retry, expires_ms: None },
        });
        StepId(last(self.plan.steps.len()))
    }

    /// Adds a step in which one agent works.
    pub fn pass(&mut self, name: &str, agent: AgentId) -> StepId {
        self.step(name, Does::Pass(Pass { agent, routes: Vec::new(), rework: None }))
    }

    /// Adds a loop of author and critic, with the usual rounds; leaving it at the cap goes on.
    pub fn microloop(&mut self, name: &str, author: AgentId, critic: AgentId) -> StepId {
        let rounds_max = bounds::CRITIC_ROUNDS;
        let microloop = Microloop { author, critic, rounds_max, on_cap: OnCap::GoOn, on_stall: None };
        self.step(name, Does::Microloop(microloop))
    }

    /// Adds a gate.
    pub fn gate(&mut self, name: &str, kind: GateKind) -> StepId {
        self.step(name, Does::Gate(Gate { kind, due_ms: None, on_reject: None }))
    }

    /// Adds a step whose branches run side by side; the worst status wins, and a person is asked when it fails.
    pub fn parallel(&mut self, name: &str, branches: &[StepId], join: Join) -> StepId {
        let branches = branches.to_vec();
        self.step(
            name,
            Does::Parallel(Parallel {
                branches,
                join,
                expression: None,
                on_unknown: OnUnknown::Ask,
                status: Status::Worst,
                on_fail: OnFail::Ask,
            }),
        )
    }

    /// Adds a step that waits.
    pub fn wait(&mut self, name: &str, for_ms: u64) -> StepId {
        self.step(name, Does::Wait(Wait { for_ms, signal: None, on_due: None }))
    }

    /// Adds a step that asks a person.
    pub fn escalate(&mut self, name: &str) -> StepId {
        self.step(name, Does::Escalate)
    }

    /// Adds a step that ends the thread with this status.
    pub fn end(&mut self, name: &str, outcome: Outcome) -> StepId {
        self.step(name, Does::End(outcome))
    }

    /// Says what follows a step.
    pub fn then(&mut self, step: StepId, next: StepId) -> &mut Self {
        self.change(step, |step| step.next = Some(next))
    }

    /// Says where answers go that decide with this word; only steps in which one agent works have routes.
    pub fn on_decision(&mut self, step: StepId, word: &str, to: StepId) -> &mut Self {
        let when = When::Decision(word.to_string());
        self.change(step, |step| {
            if let Does::Pass(pass) = &mut step.does {
                pass.routes.push(Route::new(when, to));
            }
        })
    }

    /// Offers a side step.
    pub fn detour(&mut self, step: StepId, kind: &str, to: StepId) -> &mut Self {
        let kind: String = kind.to_string();
        self.change(step, |step| step.detours.push(super::Detour { kind, to }))
    }

    /// Changes a step in any other way.
    pub fn change(&mut self, step: StepId, change: impl FnOnce(&mut Step)) -> &mut Self {
        if let Some(step) = self.plan.steps.get_mut(usize::from(step.0)) {
            change(step);
        }
        self
    }

    /// Changes what a whole run may use.
    pub fn caps(&mut self, change: impl FnOnce(&mut Caps)) -> &mut Self {
        change(&mut self.plan.caps);
        self
    }

    /// Says where the plan starts; without it, at the step that was added first.
    pub fn start(&mut self, step: StepId) -> &mut Self {
        self.plan.start = step;
        self
    }

    /// The plan, if it holds together.
    ///
    /// # Errors
    /// The first fault that is found.
    pub fn build(self) -> Result<Plan, PlanFault> {
        self.plan.check()?;
        Ok(self.plan)
    }
}

/// The place of what was added last. Beyond all bounds it is a place that does not exist, which `build` finds.
fn last(count: usize) -> u16 {
    u16::try_from(count.saturating_sub(1)).unwrap_or(u16::MAX)
}
