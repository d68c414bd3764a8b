//! `pipeline/critical-not-listed`: critical issues that are counted but not listed.

use super::issues::{CRITICAL, Stated, list};
use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "pipeline/critical-not-listed",
    level: Some(Level::Warning),
    page: include_str!("critical_not_listed.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    let Some(list) = list(case) else { return };
    let Stated::Number(stated, span) = CRITICAL.stated(case) else { return };
    let (listed, _) = CRITICAL.listed(list);
    if stated <= listed {
        return;
    }
    let finding = case
        .finding(&RULE, "critical issues are counted that `blocking_issues` does not list")
        .at(span)
        .found(format!("{stated} counted, {listed} listed"))
        .expected("each critical issue in `blocking_issues`, with `severity=\"critical\"`")
        .help("list the others too: the fixer sees only what is listed")
        .related(case.key_span("blocking_issues"), format!("{} listed here", CRITICAL.words(listed)));
    case.report(&RULE, finding);
}
