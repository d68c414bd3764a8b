//! `envelope/critic-verified`: a critic that verifies the work has no serious concern left.

use super::role::is_critic;
use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "envelope/critic-verified",
    level: Some(Level::Warning),
    page: include_str!("critic_verified.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if !case.is("status", "VERIFIED") || !is_critic(case) {
        return;
    }
    let (Some(status), Some(concerns)) = (case.value("status"), case.value("concerns")) else { return };
    for concern in concerns.items() {
        let Some(severity) = concern.at("severity") else { continue };
        if !severity.text().is_some_and(|text| text.eq_ignore_ascii_case("HIGH")) {
            continue;
        }
        let finding = case
            .finding(&RULE, "a critic verifies the work with a HIGH concern left")
            .at(severity.span())
            .label("this concern is HIGH")
            .found("HIGH beside VERIFIED")
            .expected("VERIFIED without HIGH concerns, or UNVERIFIED")
            .related(status.span(), "VERIFIED here")
            .help("say UNVERIFIED, or lower the severity if the concern does not stand in the way");
        case.report(&RULE, finding);
    }
}
