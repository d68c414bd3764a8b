//! `pipeline/approved-with-issues`: a review that approves what it says must be fixed.

use super::issues::{CRITICAL, IMPORTANT, Stated, list};
use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "pipeline/approved-with-issues",
    level: Some(Level::Warning),
    page: include_str!("approved_with_issues.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if !case.is("review_status", "approved") {
        return;
    }
    let Some(status) = case.value("review_status") else { return };
    let list = list(case);
    let mut open = Vec::new();
    let mut places = Vec::new();
    for severity in [&CRITICAL, &IMPORTANT] {
        let (listed, first) = list.map_or((0, None), |list| severity.listed(list));
        let mut count = listed;
        if let Stated::Number(stated, span) = severity.stated(case)
            && stated > 0
        {
            count = count.max(stated);
            places.push((span, format!("{} counted here", severity.words(stated))));
        }
        if let Some(first) = first {
            places.push((first, format!("{} listed, the first here", severity.words(listed))));
        }
        if count > 0 {
            open.push(severity.words(count));
        }
    }
    if open.is_empty() {
        return;
    }
    let open = open.join(" and ");
    let mut finding = case
        .finding(&RULE, "the review is approved, but has issues that must be fixed")
        .at(status.span())
        .label("approved")
        .found(format!("approved, with {open}"))
        .expected("changes_requested, or no critical and no important issues")
        .help("hand over to the fixer, or say that the issues are fixed by counting and listing none");
    for (span, message) in places {
        finding = finding.related(span, message);
    }
    case.report(&RULE, finding);
}
