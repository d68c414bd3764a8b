//! `document/unknown-key`: a key that the dialect does not know.

use crate::finding::{Finding, Level, shortened};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/unknown-key",
    level: Some(Level::Info),
    page: include_str!("unknown_key.md"),
    check: Check::Reading,
};

/// Reports a key that the dialect does not know; it is kept.
pub(crate) fn finding(span: Span, key: &str, near: Option<&str>) -> Finding {
    let key = &shortened(key);
    let finding = Finding::new(RULE.id, format!("`{key}` is no key that is known here; it is kept as it is"))
        .at(span)
        .found(key);
    match near {
        Some(near) => finding.expected(format!("`{near}`")).help(format!("did you mean `{near}`?")),
        None => finding,
    }
}
