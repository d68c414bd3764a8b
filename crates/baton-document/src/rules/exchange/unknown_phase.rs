//! `exchange/unknown-phase`: a response of an unknown phase, so its findings go unchecked.

use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};
use crate::spelling::nearest;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "exchange/unknown-phase",
    level: Some(Level::Warning),
    page: include_str!("unknown_phase.md"),
    check: Check::Handoff(check),
};

const PHASES: [&str; 4] = ["research", "write", "validate", "parallel"];

fn check(case: &mut Case<'_>) {
    if case.kind() != "response" {
        return;
    }
    let Some(value) = case.value("phase") else { return };
    let Some(phase) = value.text().filter(|text| !text.trim().is_empty()) else { return };
    if PHASES.iter().any(|known| known.eq_ignore_ascii_case(phase)) {
        return;
    }
    let finding = case
        .finding(&RULE, "no such phase is known, so `findings` cannot be checked")
        .at(value.span())
        .found(phase)
        .expected(format!("one of {}", PHASES.join(", ")));
    let finding = match nearest(phase, PHASES.into_iter()) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help("the shape of `findings` is known for these phases only"),
    };
    case.report(&RULE, finding);
}
