//! `pipeline/nothing-to-change`: a review that asks for changes and names none that block.

use super::issues::{CRITICAL, IMPORTANT, Stated, issues, list};
use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "pipeline/nothing-to-change",
    level: Some(Level::Warning),
    page: include_str!("nothing_to_change.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if !case.is("review_status", "changes_requested") {
        return;
    }
    let Some(status) = case.value("review_status") else { return };
    let is_none = |stated| match stated {
        Stated::Nothing => true,
        Stated::Unreadable => false,
        Stated::Number(stated, _) => stated <= 0,
    };
    if !is_none(CRITICAL.stated(case)) || !is_none(IMPORTANT.stated(case)) {
        return;
    }
    // A list that is none is a finding of its own.
    let list = list(case);
    let is_listed = list.is_some_and(|list| issues(list).next().is_some());
    if is_listed || (list.is_none() && case.is_present("blocking_issues")) {
        return;
    }
    let finding = case
        .finding(&RULE, "the review asks for changes, but names nothing that blocks")
        .at(status.span())
        .label("changes requested")
        .found("no critical and no important issues, and none listed")
        .expected("the issues in `blocking_issues`, or approved")
        .help("list what must change; a review with suggestions only is approved");
    case.report(&RULE, finding);
}
