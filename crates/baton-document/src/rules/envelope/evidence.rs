//! `envelope/evidence`: verified work points to what proves it.

use super::role::{has_summary, is_critic, is_finished, is_lacking, nearest_key};
use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "envelope/evidence",
    level: Some(Level::Warning),
    page: include_str!("evidence.md"),
    check: Check::Handoff(check),
};

const POINTERS: [&str; 3] =
    ["summary.evidence.artifacts_produced", "summary.evidence.commands_run", "summary.evidence.measurements"];

fn check(case: &mut Case<'_>) {
    if !case.is("status", "VERIFIED") || !is_finished(case) || !has_summary(case) {
        return;
    }
    if is_critic(case) {
        report_critic(case);
    } else if POINTERS.iter().all(|path| is_lacking(case, path)) {
        let finding = case
            .finding(&RULE, "VERIFIED without evidence: no artifacts, commands or measurements")
            .at(nearest_key(case, &["summary.evidence", "summary"]))
            .label("no evidence here")
            .found("no evidence")
            .expected("`artifacts_produced`, `commands_run` or `measurements` in `summary.evidence`")
            .help("name the files that were made, the commands that were run, or the figures measured");
        case.report(&RULE, finding);
    }
}

/// A critic makes nothing: what it found is its evidence.
fn report_critic(case: &mut Case<'_>) {
    if !is_lacking(case, "summary.what_i_found") {
        return;
    }
    let finding = case
        .finding(&RULE, "a critic says VERIFIED without saying what it found")
        .at(nearest_key(case, &["summary.what_i_found", "summary"]))
        .label("`what_i_found` says nothing")
        .found("no `what_i_found`")
        .expected("`what_i_found`: what was looked at and how it held")
        .help("what a critic found is its evidence");
    case.report(&RULE, finding);
}
