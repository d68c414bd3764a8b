//! `exchange/echo`: a response names the task and phase of its request.

use super::counterpart;
use crate::finding::{Finding, Level};
use crate::rule::{Case, Handoff, Value};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "exchange/echo",
    level: Some(Level::Error),
    page: include_str!("echo.md"),
    check: Check::Handoff(check),
};

const FIELDS: [&str; 2] = ["task_id", "phase"];

/// Values that a request asks to be echoed; those that it leaves out are not compared.
#[derive(Clone, Copy)]
struct Requested<'a>([Option<&'a str>; 2]);

fn check(case: &mut Case<'_>) {
    if case.kind() == "request" {
        return keep(case);
    }
    let own = FIELDS.map(|field| case.value(field));
    if own.iter().all(Option::is_none) {
        return;
    }
    let mut requests = case.earlier().iter().rev().filter(|handoff| !handoff.notes.is_empty()).peekable();
    let Some(nearest) = requests.peek().copied() else {
        return in_folder(case, own);
    };
    if !requests.any(|request| asked(request).is_echoed(own)) {
        let place = Span::at(nearest.span.start);
        report(case, own, asked(nearest), |finding| finding.related(place, "the request"));
    }
}

/// Keeps what a request asks for, for the responses after it.
fn keep(case: &mut Case<'_>) {
    for field in FIELDS {
        if let Some(text) = case.word(field).or_else(|| case.text(field)) {
            case.notes.push((field, text.to_owned()));
        }
    }
}

fn asked(request: &Handoff) -> Requested<'_> {
    let note = |field| request.notes.iter().find(|(name, _)| *name == field).map(|(_, text)| text.as_str());
    Requested(FIELDS.map(note))
}

/// Looks for the request in the files beside a response that is alone in its file.
fn in_folder(case: &mut Case<'_>, own: [Option<Value<'_>>; 2]) {
    let Some(counterpart) = counterpart::find(case) else { return };
    let requests =
        || counterpart.requests.iter().map(|texts| Requested(texts.each_ref().map(Option::as_deref)));
    let Some(last) = requests().next_back() else { return };
    if !requests().any(|request| request.is_echoed(own)) {
        let help = format!("the request is in `{}`", counterpart.path);
        report(case, own, last, |finding| finding.help(help.as_str()));
    }
}

fn report(
    case: &mut Case<'_>,
    own: [Option<Value<'_>>; 2],
    asked: Requested<'_>,
    shown: impl Fn(Finding) -> Finding,
) {
    for (at, field) in FIELDS.into_iter().enumerate() {
        let (Some(value), Some(expected)) = (own[at], asked.0[at]) else { continue };
        if is_same(at, value, expected) {
            continue;
        }
        let finding = case
            .finding(&RULE, format!("`{field}` is not the one of the request"))
            .at(value.span())
            .label(format!("the request says `{expected}`"))
            .found(value.text().unwrap_or_default())
            .expected(expected);
        let finding = shown(finding);
        case.report(&RULE, finding);
    }
}

impl Requested<'_> {
    fn is_echoed(self, own: [Option<Value<'_>>; 2]) -> bool {
        (0..FIELDS.len()).all(|at| match (own[at], self.0[at]) {
            (Some(value), Some(expected)) => is_same(at, value, expected),
            (Some(_) | None, Some(_) | None) => true,
        })
    }
}

/// A phase is a word, of which the letters may differ; a task id is compared as it stands.
fn is_same(at: usize, value: Value<'_>, expected: &str) -> bool {
    // A value that is no text is a finding already.
    value.text().is_none_or(|text| match FIELDS[at] {
        "phase" => text.eq_ignore_ascii_case(expected),
        _ => text == expected,
    })
}
