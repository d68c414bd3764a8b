//! `package/empty-summary`: a summary that is a phrase which says nothing.

use crate::check::{Case, Value};
use crate::finding::Level;
use crate::rules::{Check, Rule};
use crate::tree::Kind;
use baton_wording::{Empty, empty_summary};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "package/empty-summary",
    level: Some(Level::Error),
    page: include_str!("empty_summary.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if !case.is_on(&RULE) {
        return;
    }
    let Some(summary) = of(case) else { return };
    let Some(text) = summary.text() else { return };
    let message = match empty_summary(text) {
        Some(Empty::Blank) => "`summary` is empty",
        Some(Empty::Phrase) => "`summary` is a phrase that says nothing",
        None => return,
    };
    let finding = case
        .finding(&RULE, message)
        .at(summary.span())
        .label("the receiver learns nothing from this")
        .found(if text.trim().is_empty() { "empty text" } else { text })
        .expected("what was done, how much, or where")
        .help("name what was made, how many, and the paths: the receiver knows only what is written here");
    case.report(&RULE, finding);
}

/// The summary of a package, where it is text.
pub(super) fn of<'c>(case: &Case<'c>) -> Option<Value<'c>> {
    let has_summary = case.kind() != "acknowledgment";
    let summary = has_summary.then(|| case.value("context.summary")).flatten();
    summary.filter(|summary| summary.kind() == Kind::Text)
}
