//! `manifest/legacy`: a manifest from before versions, which is not checked.

use crate::finding::Level;
use crate::rule::{Case, Value};
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "manifest/legacy",
    level: Some(Level::Warning),
    page: include_str!("legacy.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    if case.kind() != "legacy" {
        return;
    }
    let other = Value::new(case.tree(), case.document())
        .entries()
        .map(|(key, _)| key)
        .find(|key| key.eq_ignore_ascii_case("version"));
    let help = match other {
        Some(other) => format!("did you mean `version`? `{other}` is another key"),
        None => "add `version: 1`, and the manifest is checked".to_owned(),
    };
    let finding = case
        .finding(&RULE, "the manifest has no `version`: it counts as version 0, and validation is skipped")
        .at(case.head())
        .label("the manifest starts here")
        .found("no `version`")
        .expected("`version: 1`")
        .help(help);
    case.report(&RULE, finding);
}
