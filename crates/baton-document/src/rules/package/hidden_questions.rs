//! `package/hidden-questions`: something is open, and no open question says what.

use super::acknowledgment_contradiction::{filled, not_understood};
use super::empty_summary;
use crate::check::Case;
use crate::finding::Level;
use crate::rules::{Check, Rule};
use baton_wording::open_question;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "package/hidden-questions",
    level: Some(Level::Warning),
    page: include_str!("hidden_questions.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if !case.is_on(&RULE) {
        return;
    }
    match case.kind() {
        "acknowledgment" => acknowledgment(case),
        kind => {
            let is_escalation = kind == "escalation";
            package(case, is_escalation);
        }
    }
}

fn acknowledgment(case: &mut Case<'_>) {
    let Some(understood) = not_understood(case) else { return };
    if filled(case, "blockers").is_some() || filled(case, "questions").is_some() {
        return;
    }
    let finding = case
        .finding(&RULE, "the task is not fully understood, but no blocker or question says what is missing")
        .at(understood.span())
        .found(format!("understood: {}", understood.text().unwrap_or_default()))
        .expected("at least one entry in `blockers` or `questions`")
        .help("list what is missing: the sender can answer only what is asked");
    case.report(&RULE, finding);
}

fn package(case: &mut Case<'_>, is_escalation: bool) {
    let questions = case.value("context.open_questions");
    let is_unreadable = questions.is_none() && case.is_present("context.open_questions");
    if is_unreadable || questions.is_some_and(|questions| !questions.is_empty()) {
        return;
    }
    let summary = empty_summary::of(case);
    if is_escalation {
        let span = questions.map_or_else(|| case.key_span("context"), |questions| questions.span());
        let finding = case
            .finding(&RULE, "a human is asked, but no open question says what")
            .at(span)
            .label("`open_questions` is missing here")
            .found("no open question")
            .expected("at least one entry in `open_questions`")
            .related(case.key_span("to"), "handed to a human here")
            .help("write what the human should decide as a question in `context.open_questions`");
        case.report(&RULE, finding);
    } else if let Some(summary) = summary
        && let Some(text) = summary.text()
        && let Some(open) = open_question(text).map(|words| &text[words])
    {
        let finding = case
            .finding(&RULE, "`summary` leaves something open that no open question names")
            .at(summary.span())
            .label(match open {
                "?" => "a question is asked here".to_owned(),
                open => format!("`{open}` says that something is open"),
            })
            .found(open)
            .expected("the same as an entry in `open_questions`")
            .help("move it into `context.open_questions`, with a priority: there the receiver looks for it");
        case.report(&RULE, finding);
    }
}
