//! `envelope/implementer-evidence`: an implementer that hands to a critic names artifacts and commands.

use super::role::{has_summary, is_critic, is_finished, is_lacking, nearest_key};
use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "envelope/implementer-evidence",
    level: Some(Level::Warning),
    page: include_str!("implementer_evidence.md"),
    check: Check::Handoff(check),
};

const ARTIFACTS: &str = "summary.evidence.artifacts_produced";
const COMMANDS: &str = "summary.evidence.commands_run";

fn check(case: &mut Case<'_>) {
    let is_to_critic = case.is("status", "UNVERIFIED") && case.is("routing.recommendation", "CONTINUE");
    if !is_to_critic || is_critic(case) || !is_finished(case) || !has_summary(case) {
        return;
    }
    let (path, lacking) = match (is_lacking(case, ARTIFACTS), is_lacking(case, COMMANDS)) {
        (false, false) => return,
        (true, false) => (ARTIFACTS, "`artifacts_produced`"),
        (false, true) => (COMMANDS, "`commands_run`"),
        (true, true) => (ARTIFACTS, "`artifacts_produced` and no `commands_run`"),
    };
    let finding = case
        .finding(&RULE, format!("work handed to a critic has no {lacking}"))
        .at(nearest_key(case, &[path, "summary.evidence", "summary"]))
        .label("the critic has nothing to start from")
        .found(format!("no {lacking}"))
        .expected("both `artifacts_produced` and `commands_run` in `summary.evidence`")
        .help("name the files to look at and the commands that were run on them");
    case.report(&RULE, finding);
}
