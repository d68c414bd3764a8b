//! `pipeline/merged-without-sha`: a merge without its commit.

use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "pipeline/merged-without-sha",
    level: Some(Level::Warning),
    page: include_str!("merged_without_sha.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if !case.is("merge_status", "merged") {
        return;
    }
    let Some(status) = case.value("merge_status") else { return };
    let is_present = case.is_present("merge_sha");
    if is_present && !case.value("merge_sha").is_some_and(|sha| sha.is_empty()) {
        return;
    }
    let finding = case
        .finding(&RULE, "the work is merged, but the commit of the merge is not named")
        .at(status.span())
        .label("merged")
        .found(if is_present { "an empty `merge_sha`" } else { "no `merge_sha`" })
        .expected("the hash of the merge commit in `merge_sha`");
    let finding =
        if is_present { finding.related(case.key_span("merge_sha"), "empty here") } else { finding };
    case.report(&RULE, finding);
}
