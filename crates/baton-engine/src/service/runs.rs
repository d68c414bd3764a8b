//! Runs of a project, and how each stands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facade::Service;
use super::summary::{self, RunSummary};
use super::{lookup, pending_files, standing};
use crate::history::views;
use crate::project::fault::{Diagnostic, Result};

/// Which runs are listed.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct RunsRequest {
    /// Also runs that are over.
    #[serde(default)]
    pub all: bool,
    /// Only runs of this flow.
    #[serde(default)]
    pub flow: Option<String>,
    /// Only runs that wait for a person.
    #[serde(default)]
    pub waiting: bool,
}

/// The runs, the one that started last first.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RunsReply {
    /// The runs.
    pub runs: Vec<RunSummary>,
    /// Whether the project has a ledger.
    #[serde(skip)]
    pub has_ledger: bool,
    /// Whether runs are over and left out.
    #[serde(skip)]
    pub is_any_hidden: bool,
    /// A note about files that are behind the record.
    #[serde(skip)]
    pub note: Option<Diagnostic>,
}

impl Service {
    /// Lists runs.
    pub fn runs(&self, request: &RunsRequest) -> Result<RunsReply> {
        let Some(ledger) = self.existing()? else { return Ok(RunsReply::default()) };
        let mut reply = RunsReply { has_ledger: true, ..RunsReply::default() };
        let flow = request.flow.as_ref().map(|flow| format!("flow:{flow}"));
        let labels: Vec<&str> = flow.as_deref().into_iter().collect();
        let heads = if request.all {
            lookup::heads(&ledger, &labels)?
        } else {
            lookup::open_heads(&ledger, &labels)?
        };
        reply.is_any_hidden = !request.all && lookup::is_any_over(&ledger, &labels)?;
        let posted = lookup::Posted::look(&ledger)?;
        for head in heads {
            let mut kept = views::summary(&ledger, &head)?;
            let waits = standing::awaited(&kept).iter().any(|one| one.kind.is_person());
            if request.waiting && !waits {
                continue;
            }
            if kept.steps.is_none() {
                kept = views::replayed(&ledger, &head.stream)?;
            }
            let words = posted.words(&ledger, &kept)?;
            reply.runs.push(RunSummary { words, ..summary::summary(&kept) });
        }
        reply.note = pending_files::lagging(&self.project, &ledger, None)?;
        Ok(reply)
    }
}
