//! `envelope/routing-contradiction`: the recommendation and the status ask for different ways on.

use super::role::FURTHER;
use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "envelope/routing-contradiction",
    level: Some(Level::Warning),
    page: include_str!("routing_contradiction.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    let (Some(status), Some(recommendation)) = (case.word("status"), case.word("routing.recommendation"))
    else {
        return;
    };
    let further = case.value(FURTHER).filter(|value| value.truth().is_some());
    let Some(way) = overruled(status, further.and_then(|value| value.truth()), recommendation) else {
        return;
    };
    let (Some(said), Some(word)) = (case.value("status"), case.value("routing.recommendation")) else {
        return;
    };
    let finding = case
        .finding(&RULE, format!("{recommendation} contradicts {}", way.because))
        .at(word.span())
        .label(format!("{} wins", way.because))
        .found(recommendation)
        .expected(way.expected)
        .related(said.span(), "the status")
        .help(format!("the flow {}; correct whichever of the two is not meant", way.does));
    let finding = match further.filter(|_| way.is_by_further) {
        Some(further) => finding.related(further.span(), "whether another round helps"),
        None => finding,
    };
    case.report(&RULE, finding);
}

/// The way a flow takes against a recommendation.
struct Overrule {
    because: &'static str,
    expected: &'static str,
    does: &'static str,
    is_by_further: bool,
}

/// The way that status and further help decide on, where the recommendation is another one.
fn overruled(status: &str, further: Option<bool>, recommendation: &str) -> Option<Overrule> {
    let way = match (status, further, recommendation) {
        ("VERIFIED", _, "LOOP" | "DETOUR" | "ESCALATE") => Overrule {
            because: "VERIFIED",
            expected: "CONTINUE",
            does: "advances to the next step",
            is_by_further: false,
        },
        ("UNVERIFIED", Some(true), "CONTINUE" | "ESCALATE") => Overrule {
            because: "UNVERIFIED with further help possible",
            expected: "LOOP, or DETOUR",
            does: "loops back for another round",
            is_by_further: true,
        },
        ("UNVERIFIED", Some(false), "LOOP") => Overrule {
            because: "UNVERIFIED without further help",
            expected: "CONTINUE, DETOUR or ESCALATE",
            does: "leaves the loop and carries the concerns on",
            is_by_further: true,
        },
        ("BLOCKED", _, "CONTINUE" | "LOOP" | "DETOUR") => Overrule {
            because: "BLOCKED",
            expected: "ESCALATE",
            does: "goes to a human",
            is_by_further: false,
        },
        _ => return None,
    };
    Some(way)
}
