//! `envelope/empty-concern`: a critic's concern that names nothing that could be mended.

use super::role::{is_critic, is_finished};
use crate::check::{Case, Value};
use crate::finding::Level;
use crate::rules::{Check, Rule};
use crate::tree::Kind;
use baton_wording::is_empty_concern;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "envelope/empty-concern",
    level: Some(Level::Warning),
    page: include_str!("empty_concern.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    let Some(concerns) = case.value("concerns") else { return };
    if !is_critic(case) || !is_finished(case) || !case.is_on(&RULE) {
        return;
    }
    for concern in concerns.items().filter(|concern| concern.kind() == Kind::Map) {
        for (part, value) in concern.entries() {
            match part {
                "description" => report(case, value, part, "what is wrong, and where"),
                "recommendation" => report(case, value, part, "what to change, and where"),
                _ => {}
            }
        }
    }
}

/// Reports a part of a concern whose words would fit any work.
fn report(case: &mut Case<'_>, value: Value<'_>, part: &str, expected: &str) {
    if value.kind() != Kind::Text {
        return;
    }
    let Some(text) = value.text().filter(|text| is_empty_concern(text)) else { return };
    // A part without any text is missing, which is what a LOOP is asked for elsewhere.
    if value.is_empty() && case.is("routing.recommendation", "LOOP") {
        return;
    }
    let finding = case
        .finding(&RULE, format!("the `{part}` of this concern names nothing"))
        .at(value.span())
        .label("every word of this fits any work")
        .found(if text.trim().is_empty() { "empty text" } else { text })
        .expected(expected)
        .help("name the thing, the figure or the place: whoever mends it has only these words");
    case.report(&RULE, finding);
}
