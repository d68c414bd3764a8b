//! `envelope/critic-loop`: a critic that asks for another round says what should change in it.

use super::role::{FURTHER, is_finished, is_lacking};
use crate::finding::Level;
use crate::rule::{Case, Value};
use crate::rule::{Check, Rule};
use crate::span::Span;
use crate::tree::Kind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "envelope/critic-loop",
    level: Some(Level::Warning),
    page: include_str!("critic_loop.md"),
    check: Check::Handoff(check),
};

const PARTS: [&str; 3] = ["severity", "description", "recommendation"];

fn check(case: &mut Case<'_>) {
    if !case.is("routing.recommendation", "LOOP") || !is_finished(case) {
        return;
    }
    let Some(recommendation) = case.value("routing.recommendation") else { return };
    if is_lacking(case, FURTHER) {
        let finding = case
            .finding(&RULE, "LOOP does not say whether another round can help")
            .at(recommendation.span())
            .label("`can_further_iteration_help` is missing beside it")
            .found("no `can_further_iteration_help`")
            .expected("`can_further_iteration_help`: true or false")
            .help("the loop goes on only where the critic says that another round helps");
        case.report(&RULE, finding);
    }
    if is_lacking(case, "concerns") {
        let span = case.value("concerns").map_or(recommendation.span(), |_| case.key_span("concerns"));
        let finding = case
            .finding(&RULE, "LOOP names no concern, so the next round has nothing to mend")
            .at(span)
            .found("no concerns")
            .expected("concerns, each with severity, description and recommendation")
            .help("name what should change, or recommend CONTINUE");
        case.report(&RULE, finding);
    }
    let Some(concerns) = case.value("concerns") else { return };
    for concern in concerns.items().filter(|concern| concern.kind() == Kind::Map) {
        report_parts(case, concern);
    }
}

/// Reports the parts of a concern that are not there.
fn report_parts(case: &mut Case<'_>, concern: Value<'_>) {
    let is_lacking = |part: &&str| match concern.at(part) {
        Some(value) => value.kind() == Kind::Text && value.is_empty(),
        None => true,
    };
    if !PARTS.iter().any(&is_lacking) {
        return;
    }
    let lacking: Vec<String> =
        PARTS.iter().copied().filter(is_lacking).map(|part| format!("`{part}`")).collect();
    let span = concern.span();
    let finding = case
        .finding(&RULE, format!("this concern has no {}", lacking.join(" and no ")))
        .at(Span::new(span.start, (span.start + 1).min(span.end)))
        .found(format!("a concern without {}", lacking.join(" and ")))
        .expected("severity, description and recommendation")
        .help("whoever mends it must know how much it matters, what it is, and what to do");
    case.report(&RULE, finding);
}
