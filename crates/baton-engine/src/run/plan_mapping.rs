//! Where the steps and agents of a plan are in the plan that a run goes on with: those of the same name.

use baton_kernel::{AgentId, Plan, StepId};

/// What no plan has: it stands for what the new plan lacks.
const NONE: u16 = u16::MAX;

/// A plan and the one that takes its place.
#[derive(Clone, Copy)]
pub(crate) struct PlanMapping<'m> {
    pub(crate) old: &'m Plan,
    pub(crate) new: &'m Plan,
}

impl PlanMapping<'_> {
    /// The step of the same name.
    pub(crate) fn step(&self, id: StepId) -> StepId {
        let step = self.old.step(id).and_then(|step| self.new.step_named(&step.name));
        step.unwrap_or(StepId(NONE))
    }

    /// The agent of the same name.
    pub(crate) fn agent(&self, id: AgentId) -> AgentId {
        let agent = self.old.agents.get(usize::from(id.0));
        agent.and_then(|agent| self.new.agent_named(&agent.name)).unwrap_or(AgentId(NONE))
    }
}
