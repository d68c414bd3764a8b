//! `exchange/proceed-contradiction`: PROCEED beside something that should stop the work.

use crate::finding::Level;
use crate::rule::{Case, Value};
use crate::rule::{Check, Rule};
use crate::span::Span;
use crate::tree::Kind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "exchange/proceed-contradiction",
    level: Some(Level::Warning),
    page: include_str!("proceed_contradiction.md"),
    check: Check::Handoff(check),
};

/// Fields that must not be false beside PROCEED, and how each is said.
const FALSE: [(&str, &str); 4] = [
    ("findings.overall_passed", "`overall_passed` is false"),
    ("findings.aggregation.overall_passed", "`aggregation.overall_passed` is false"),
    ("findings.checks.tests.passed", "the tests failed"),
    ("findings.checks.security.passed", "the security check failed"),
];

fn check(case: &mut Case<'_>) {
    if case.kind() != "response" || !case.is("decision", "PROCEED") {
        return;
    }
    let against = against(case);
    let Some((_, first)) = against.first() else { return };
    let Some(decision) = case.value("decision") else { return };
    let all: Vec<&str> = against.iter().map(|(_, what)| *what).collect();
    let mut finding = case
        .finding(&RULE, format!("the decision is PROCEED, but {first}"))
        .at(decision.span())
        .label("this goes on to the next phase")
        .found(format!("PROCEED, although {}", all.join(", ")))
        .expected("STOP or CLARIFY, or findings without what stands in the way")
        .help("STOP halts and reports to the user, CLARIFY asks the user first");
    for (span, what) in &against {
        finding = finding.related(*span, *what);
    }
    case.report(&RULE, finding);
}

/// Everything in a response that speaks against going on.
fn against(case: &Case<'_>) -> Vec<(Span, &'static str)> {
    let mut against = Vec::new();
    if case.is("status", "blocked")
        && let Some(status) = case.value("status")
    {
        against.push((status.span(), "the status is blocked"));
    }
    for (path, what) in FALSE {
        if let Some(value) = case.value(path).filter(|value| value.truth() == Some(false)) {
            against.push((value.span(), what));
        }
    }
    // Where `passed` is stated, another rule compares it with the count.
    if !case.is_present("findings.checks.tests.passed")
        && let Some(count) = case.value("findings.checks.tests.failed_count")
        && count.number().is_some_and(|count| count > 0.0)
    {
        against.push((count.span(), "tests failed"));
    }
    if case.value("findings.blocking_issues").is_some_and(is_filled_list) {
        against.push((case.key_span("findings.blocking_issues"), "there are blocking issues"));
    }
    let conflicts = case.value("findings.conflicts");
    for conflict in conflicts.iter().flat_map(Value::items) {
        let severity = conflict.at("severity");
        let is_critical =
            |value: &Value<'_>| value.text().is_some_and(|text| text.eq_ignore_ascii_case("critical"));
        if let Some(severity) = severity.filter(is_critical) {
            against.push((severity.span(), "there is a critical conflict"));
            break;
        }
    }
    against
}

fn is_filled_list(value: Value<'_>) -> bool {
    value.kind() == Kind::List && !value.is_empty()
}
