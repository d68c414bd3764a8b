//! `package/gate-receiver`: a gate that is not put to a human.

use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "package/gate-receiver",
    level: Some(Level::Warning),
    page: include_str!("gate_receiver.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if case.kind() != "gate" {
        return;
    }
    let Some(to) = case.value("to.agent") else { return };
    let Some(text) = to.text().filter(|text| !text.trim().eq_ignore_ascii_case("human")) else { return };
    let finding = case
        .finding(&RULE, format!("a gate is put to `{text}`, not to a human"))
        .at(to.span())
        .found(text)
        .expected("human")
        .related(case.key_span("gate"), "the gate is here")
        .help("no agent can answer a gate; hand it to `human`, or leave `gate` out");
    case.report(&RULE, finding);
}
