//! `pipeline/count-below-listed`: more issues of a severity than their count says.

use super::issues::{CRITICAL, IMPORTANT, SUGGESTION, Stated, list};
use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "pipeline/count-below-listed",
    level: Some(Level::Warning),
    page: include_str!("count_below_listed.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    let Some(list) = list(case) else { return };
    for severity in [&CRITICAL, &IMPORTANT, &SUGGESTION] {
        let Stated::Number(stated, span) = severity.stated(case) else { continue };
        let (listed, first) = severity.listed(list);
        let Some(first) = first.filter(|_| listed > stated) else { continue };
        let finding = case
            .finding(&RULE, format!("`{}` is lower than the number of issues listed", severity.count))
            .at(span)
            .found(stated.to_string())
            .expected(format!("{listed} or more: {} listed", severity.words(listed)))
            .related(first, format!("the first {} issue", severity.word));
        case.report(&RULE, finding);
    }
}
