//! Figures of runs: handoffs, time and tokens.

use baton_document::flow::{Flow, Passes, StepSpec};
use baton_kernel::StepId;
use schemars::JsonSchema;
use serde::Serialize;

use super::facade::Service;
use super::lookup;
use crate::history::metrics::{self, Measure};
use crate::history::projection::Projection;
use crate::project::Project;
use crate::project::fault::Result;
use crate::project::pinned;

pub use crate::history::metrics::Metrics;

/// The figures of all runs.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct StatsReply {
    /// The figures of each run.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub runs: Vec<Metrics>,
    /// Whether the project has a ledger.
    #[serde(skip)]
    pub has_ledger: bool,
}

impl Service {
    /// The figures of all runs.
    pub fn stats(&self) -> Result<StatsReply> {
        let Some(ledger) = self.existing()? else { return Ok(StatsReply::default()) };
        let heads = lookup::heads(&ledger, &[])?;
        let runs = heads
            .iter()
            .map(|head| Ok(measured(&self.project, &lookup::whole(&ledger, &head.stream)?.history)));
        Ok(StatsReply { runs: runs.collect::<Result<_>>()?, has_ledger: true })
    }

    /// The figures of one run.
    pub fn stats_of(&self, run: &str) -> Result<Metrics> {
        Ok(measured(&self.project, &lookup::whole(&self.ledger_of(run)?, run)?.history))
    }
}

/// The figures of a run, by what its flow says.
pub(super) fn measured(project: &Project, run: &Projection) -> Metrics {
    let flow = pinned::flow(&run.pinned);
    let steps = |flow: &Flow| (0u16..).map(StepId).zip(flow.steps.clone()).collect::<Vec<_>>();
    let steps = flow.as_ref().map(steps).unwrap_or_default();
    let budget =
        |(id, step): &(StepId, StepSpec)| Some((*id, step.work.budget.as_ref().map(|budget| budget.value)?));
    let budgets: Vec<_> = steps.iter().filter_map(budget).collect();
    let summarised: Vec<_> =
        steps.iter().filter(|(_, step)| step.work.passes == Passes::Summary).map(|(id, _)| *id).collect();
    let measure = Measure { budgets: &budgets, summarised: &summarised };
    metrics::measured(&project.checker, run, measure)
}
