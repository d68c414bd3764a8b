//! `dialect/example`: an example that its own dialect finds fault with.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "dialect/example",
    level: Some(Level::Warning),
    page: include_str!("example.md"),
    check: Check::Reading,
};

/// Reports an error in an example.
pub(crate) fn finding(span: Span, error: &Finding) -> Finding {
    let finding = Finding::new(RULE.id, format!("the example has an error: {}", error.message)).at(span);
    let finding = match &error.expected {
        Some(expected) => finding.expected(expected.as_str()),
        None => finding,
    };
    finding.help(format!("`{}` finds it", error.rule))
}

/// Reports an example in which no handoff of its kind is found.
pub(crate) fn none(span: Span, kind: &str, found: Option<&str>) -> Finding {
    let found = found.map_or("nothing".to_owned(), |found| format!("a `{found}`"));
    Finding::new(RULE.id, format!("the example is no `{kind}`"))
        .at(span)
        .found(found)
        .expected(format!("a `{kind}`"))
}
