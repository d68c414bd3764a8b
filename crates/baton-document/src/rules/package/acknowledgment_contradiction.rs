//! `package/acknowledgment-contradiction`: an acknowledgment that says two things at once.

use crate::finding::Level;
use crate::rule::{Case, Value};
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "package/acknowledgment-contradiction",
    level: Some(Level::Warning),
    page: include_str!("acknowledgment_contradiction.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if case.kind() != "acknowledgment" {
        return;
    }
    starting_too_early(case);
    asking_nothing(case);
    partial_without_action(case);
}

/// The receiver starts although something is in the way.
fn starting_too_early(case: &mut Case<'_>) {
    let Some(starting) = case.value("starting").filter(|starting| starting.truth() == Some(true)) else {
        return;
    };
    let lost = case.value("received").filter(|received| received.truth() == Some(false));
    let partial = not_understood(case);
    let blockers = filled(case, "blockers");
    let reasons = [
        (lost, "nothing was received"),
        (partial, "the task is not fully understood"),
        (blockers, "there are blockers"),
    ];
    let mut reasons = reasons.into_iter().filter_map(|(value, says)| Some((value?, says)));
    let Some((value, says)) = reasons.next() else { return };
    let mut finding = case
        .finding(&RULE, format!("the receiver starts although {says}"))
        .at(starting.span())
        .found("starting: true")
        .expected("false until it is cleared up")
        .related(value.span(), says)
        .help("say `starting: false` and `action: request_clarification`, or remove what is cleared up");
    for (value, says) in reasons {
        finding = finding.related(value.span(), says);
    }
    case.report(&RULE, finding);
}

/// The receiver asks for a clarification and does not say of what.
fn asking_nothing(case: &mut Case<'_>) {
    let Some(action) = case.value("action").filter(|_| case.is("action", "request_clarification")) else {
        return;
    };
    if filled(case, "blockers").is_some() || filled(case, "questions").is_some() {
        return;
    }
    let finding = case
        .finding(&RULE, "a clarification is requested, but nothing is asked")
        .at(action.span())
        .label("of what?")
        .found("neither `blockers` nor `questions`")
        .expected("at least one blocker or question")
        .help("list what is in the way in `blockers`, or what you want to know in `questions`");
    case.report(&RULE, finding);
}

/// The receiver understood in part and does not say what should happen.
fn partial_without_action(case: &mut Case<'_>) {
    if case.is_present("action") {
        return;
    }
    let Some(understood) = not_understood(case) else { return };
    let finding = case
        .finding(&RULE, "the task is not fully understood, but no action is asked for")
        .at(understood.span())
        .found(format!("understood: {}", understood.text().unwrap_or_default()))
        .expected("`action: request_clarification`")
        .help("the sender answers only when asked: add `action: request_clarification`");
    case.report(&RULE, finding);
}

/// Field that says that the task was not, or only partly, understood.
pub(super) fn not_understood<'c>(case: &Case<'c>) -> Option<Value<'c>> {
    case.value("understood").filter(|understood| {
        let is_partial = || understood.text().is_some_and(|text| text.eq_ignore_ascii_case("partial"));
        understood.truth() == Some(false) || is_partial()
    })
}

/// A list that has something in it, or could not be read.
pub(super) fn filled<'c>(case: &Case<'c>, path: &str) -> Option<Value<'c>> {
    case.value(path).filter(|value| !value.is_empty())
}
