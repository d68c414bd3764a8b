//! `flow/unverifiable`: evidence that the dialect of an agent cannot name.

use super::FlowCase;
use crate::finding::{Finding, Level};
use crate::flow::{Verify, Word as _};
use crate::handoff::Meaning;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/unverifiable",
    level: Some(Level::Warning),
    page: include_str!("unverifiable.md"),
    check: Check::Reading,
};

/// Looks at the steps whose answers count only when their evidence holds.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    for worker in look.flow.workers() {
        let verify = look.flow.steps.get(worker.step).and_then(|step| step.work.verify.as_ref());
        let agent = look.flow.agent(&worker.agent.value);
        let dialect = agent.and_then(|agent| agent.dialect.as_ref());
        let (Some(verify), Some(dialect)) = (verify, dialect) else { continue };
        let (meaning, what) = match verify.value {
            Verify::Artifacts => (Meaning::Artifacts, "files"),
            Verify::Rerun => (Meaning::Commands, "commands"),
        };
        let handoffs = &look.dialects.handoffs;
        let Some(known) = handoffs.iter().find(|known| *known.name == *dialect.value) else { continue };
        if !known.kinds.iter().any(|kind| kind.capacity.holds.has(meaning)) {
            let message =
                format!("a handoff in the dialect {} names no {what} that could be verified", dialect.value);
            let finding = Finding::new(RULE.id, message).at(verify.span).found(verify.value.word());
            findings.push(finding.help(match verify.value {
                Verify::Artifacts => "leave it out, or let the agent speak a dialect with artifacts",
                Verify::Rerun => "say `verify: artifacts`, or let the agent speak a dialect with commands",
            }));
        }
    }
}
