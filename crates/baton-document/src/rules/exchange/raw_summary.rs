//! `exchange/raw-summary`: a summary that copies raw data or tells how the search went.

use crate::check::{Case, Value};
use crate::finding::Level;
use crate::rules::{Check, Rule};
use crate::span::{Span, offset};
use baton_wording::{RawSummary, raw_summary};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "exchange/raw-summary",
    level: Some(Level::Warning),
    page: include_str!("raw_summary.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if case.kind() != "response" || !case.is_on(&RULE) {
        return;
    }
    let Some(value) = case.value("context_summary") else { return };
    let Some(text) = value.text() else { return };
    let RawSummary { narration, copy } = raw_summary(text);
    if let Some(first) = narration.first() {
        let phrases: Vec<String> =
            narration.iter().map(|words| format!("“{}”", &text[words.clone()])).collect();
        let finding = case
            .finding(&RULE, "`context_summary` tells how the search went, not what came of it")
            .at(place(case, value, &text[first.clone()]))
            .label("this tells of the search")
            .found(phrases.join(", "))
            .expected("files, patterns and decisions that the next phase needs")
            .help("say what is where and what to do with it; leave out how it was found");
        case.report(&RULE, finding);
    }
    if let Some(copy) = copy {
        let words = &text[copy.range];
        let finding = case
            .finding(&RULE, format!("`context_summary` copies raw data: {}", copy.what))
            .at(place(case, value, words))
            .label("this is copied")
            .found(words)
            .expected("a summary of it, with the path where it stands")
            .help("the next phase can open the file itself; name its path");
        case.report(&RULE, finding);
    }
}

/// Where words of a value stand in the file; the whole value where they are written with escapes.
fn place(case: &Case<'_>, value: Value<'_>, words: &str) -> Span {
    let span = value.span();
    let base = case.tree().base();
    let local = Span::new(span.start - base, span.end - base);
    let at = case.tree().source().get(local.range()).and_then(|source| source.find(words));
    match at {
        Some(at) => Span::new(span.start + offset(at), span.start + offset(at + words.len())),
        None => span,
    }
}
