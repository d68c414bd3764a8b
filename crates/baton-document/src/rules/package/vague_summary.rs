//! `package/vague-summary`: a summary that names nothing specific.

use super::empty_summary;
use crate::check::Case;
use crate::finding::Level;
use crate::rules::{Check, Rule};
use baton_wording::is_vague_summary;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "package/vague-summary",
    level: Some(Level::Warning),
    page: include_str!("vague_summary.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if !case.is_on(&RULE) {
        return;
    }
    let Some(summary) = empty_summary::of(case) else { return };
    let Some(text) = summary.text() else { return };
    if !is_vague_summary(text) {
        return;
    }
    let finding = case
        .finding(&RULE, "`summary` names nothing specific")
        .at(summary.span())
        .label("no object, figure, name or path in this")
        .found(text)
        .expected("what was done, how much, or where; one of them is enough")
        .help("every word here fits any work at all; name the thing, the number or the path");
    case.report(&RULE, finding);
}
