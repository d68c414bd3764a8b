//! `pipeline/failed-without-failures`: a failed validation that does not say what failed.

use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};
use crate::tree::Kind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "pipeline/failed-without-failures",
    level: Some(Level::Warning),
    page: include_str!("failed_without_failures.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if !case.is("validation_status", "failed") {
        return;
    }
    let Some(status) = case.value("validation_status") else { return };
    let is_present = case.is_present("failures");
    // Text in place of a list says something, and is a finding of its own.
    let is_said = is_present
        && case.value("failures").is_none_or(|list| match list.kind() {
            Kind::Map => list.all("failure").any(|failure| !failure.is_empty()),
            Kind::Null
            | Kind::False
            | Kind::True
            | Kind::Integer
            | Kind::Float
            | Kind::Text
            | Kind::List
            | Kind::Broken => !list.is_empty(),
        });
    if is_said {
        return;
    }
    let finding = case
        .finding(&RULE, "the validation failed, but no failure is named")
        .at(status.span())
        .label("failed")
        .found(if is_present { "empty `failures`" } else { "no `failures`" })
        .expected("each failure in `failures`, with its type")
        .help("name what failed and where: the fixer starts from it");
    let finding = if is_present { finding.related(case.key_span("failures"), "empty here") } else { finding };
    case.report(&RULE, finding);
}
