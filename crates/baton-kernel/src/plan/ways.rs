//! What can follow what by the plan alone, whatever agents and people say.

use alloc::vec::Vec;

use super::{Does, OnFail, Plan, Step};
use crate::StepId;

impl Plan {
    /// True if the plan leads from one step to another, or the two are one.
    pub(crate) fn leads_to(&self, from: StepId, to: StepId) -> bool {
        let mut met = alloc::vec![false; self.steps.len()];
        let mut ahead = alloc::vec![from];
        while let Some(id) = ahead.pop() {
            if id == to {
                return true;
            }
            if let (Some(met), Some(step)) = (met.get_mut(usize::from(id.0)), self.step(id))
                && !core::mem::replace(met, true)
            {
                ahead.extend(ways(step));
            }
        }
        false
    }
}

/// Every step that a step may lead to.
fn ways(step: &Step) -> Vec<StepId> {
    let mut ways: Vec<StepId> = step.next.into_iter().collect();
    ways.extend(step.detours.iter().map(|detour| detour.to));
    match &step.does {
        Does::Pass(pass) => {
            ways.extend(pass.routes.iter().map(|route| route.to));
            ways.extend(pass.rework.map(|rework| rework.to));
        }
        Does::Gate(gate) => ways.extend(gate.on_reject),
        Does::Parallel(parallel) => {
            ways.extend(&parallel.branches);
            match parallel.on_fail {
                OnFail::Step(to) => ways.push(to),
                OnFail::Ask | OnFail::Halt => {}
            }
        }
        Does::Wait(wait) => ways.extend(wait.on_due),
        Does::Microloop(_) | Does::Escalate | Does::End(_) => {}
    }
    ways
}
