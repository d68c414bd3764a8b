//! `manifest/from-equals-to`: an agent that hands over to itself.

use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};
use crate::tree::Kind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "manifest/from-equals-to",
    level: Some(Level::Error),
    page: include_str!("from_equals_to.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    let (Some(from), Some(to)) = (case.value("from"), case.value("to")) else { return };
    // Another type or empty text is a finding of its own.
    if from.kind() != Kind::Text || to.kind() != Kind::Text || from.is_empty() {
        return;
    }
    let (Some(sender), Some(receiver)) = (from.text(), to.text()) else { return };
    if !is_same(sender, receiver) {
        return;
    }
    let message = if sender.trim() == receiver.trim() {
        "`from` and `to` are the same agent"
    } else {
        "`from` and `to` differ in their letters only"
    };
    let finding = case
        .finding(&RULE, message)
        .at(from.span())
        .label("hands over")
        .found(sender)
        .expected("two different agents")
        .help("name the agent that takes over in `to`")
        .related(to.span(), "and takes over");
    case.report(&RULE, finding);
}

/// Tells whether two ids are one, whatever the case of their letters.
fn is_same(one: &str, other: &str) -> bool {
    let one = one.trim().chars().flat_map(char::to_lowercase);
    one.eq(other.trim().chars().flat_map(char::to_lowercase))
}
