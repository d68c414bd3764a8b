//! `package/hidden-questions`: something is open, and no open question says what.

use std::sync::LazyLock;

use super::acknowledgment_contradiction::{filled, not_understood};
use super::empty_summary;
use super::words::{Phrases, words};
use crate::check::Case;
use crate::finding::Level;
use crate::rules::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "package/hidden-questions",
    level: Some(Level::Warning),
    page: include_str!("hidden_questions.md"),
    check: Check::Handoff(check),
};

static UNDECIDED: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&[ENGLISH, FRENCH]));

const ENGLISH: &str = "undecided, not decided, not yet decided, not been decided, to be decided, left to decide, \
     still to decide, undetermined, to be determined, to be confirmed, to be clarified, to be defined, tbd, tbc, \
     open question, open point, is unclear, are unclear, was unclear, remains unclear, \
     remain unclear, still unclear, unclear whether, unclear if, unclear which, unclear who, unclear how, \
     unclear what, unclear when, remains unresolved, remain unresolved, still unresolved, unresolved question, \
     unanswered, needs a decision, need a decision, needs decision, decision needed, decision required, \
     decision pending, pending decision, pending clarification, needs clarification, need clarification, \
     clarification needed, clarification required, awaiting decision, awaiting a decision, awaiting an answer, \
     awaiting clarification, awaiting confirmation, waiting for a decision, waiting for an answer, \
     waiting for clarification, waiting for confirmation, not sure whether, not sure if, not sure which, \
     not sure how, unsure, don t know, do not know, remains to be seen";

const FRENCH: &str = "indecis, non decide, pas decide, pas encore decide, a decider, reste a decider, a determiner, \
     a confirmer, a clarifier, a preciser, a trancher, non tranche, pas tranche, pas encore tranche, \
     reste a savoir, reste a definir, restent a definir, restant a definir, en suspens, question ouverte, \
     point ouvert, sans reponse, non resolu, pas resolu, pas encore resolu, pas clair, reste flou, restent flous, \
     reste incertain, encore incertain, en attente de decision, en attente d une decision, en attente de reponse, \
     en attente d une reponse, en attente de clarification, en attente de confirmation, \
     en attente d une confirmation, decision requise, decision necessaire, decision a prendre, \
     clarification requise, clarification necessaire, besoin de clarification, besoin d une clarification, \
     besoin d une decision, ne sais pas, ne savons pas, pas certain";

/// Words that take back what follows them in the same clause.
static DENIED: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&["no, none, nothing, zero, 0, without, never, aucun, sans, rien, plus, jamais"])
});

/// Words that say that what stands before them in the same clause is settled.
static SETTLED: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "resolved, answered, closed, settled, decided, clarified, addressed, cleared, done, resolu, \
          repondu, ferme, leve, tranche, traite, clarifie, decide, regle, clos",
    ])
});

fn check(case: &mut Case<'_>) {
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
        && let Some(open) = summary.text().and_then(left_open)
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

/// The part of a text that says that something is undecided, or the question mark of a question.
fn left_open(text: &str) -> Option<&str> {
    text.split(['.', ';', ',', ':', '!', '?', '\n', '(', ')', '–', '—'])
        .find_map(undecided)
        .or_else(|| has_question(text).then_some("?"))
}

fn undecided(clause: &str) -> Option<&str> {
    let mut rest = words(clause);
    while let Some(word) = rest.next() {
        if let Some(after) = UNDECIDED.after(&word, &rest) {
            let is_settled = after.clone().any(|word| SETTLED.has(&word));
            return (!is_settled).then(|| clause[word.start..after.at()].trim());
        }
        if DENIED.has(&word) {
            return None;
        }
    }
    None
}

/// Whether a question mark ends a question; one in an address, a pattern or a quoted title does not.
fn has_question(text: &str) -> bool {
    text.match_indices('?').any(|(at, _)| {
        let is_asked =
            text[..at].trim_end().ends_with(|before: char| before.is_alphanumeric() || before == ')');
        let after = text[at + 1..].chars().next();
        is_asked && after.is_none_or(|after| after.is_whitespace() || matches!(after, '?' | '!' | ')'))
    })
}
