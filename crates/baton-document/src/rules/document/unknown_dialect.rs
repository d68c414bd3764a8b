//! `document/unknown-dialect`: a file of a dialect whose own file cannot be used.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/unknown-dialect",
    level: Some(Level::Error),
    page: include_str!("unknown_dialect.md"),
    check: Check::Reading,
};

/// Says that a file lies where a dialect that cannot be used places its handoffs.
pub(crate) fn finding(dialect: Option<&str>, file: &str) -> Finding {
    let of = dialect.map(|name| format!(" of the dialect `{name}`")).unwrap_or_default();
    Finding::new(RULE.id, format!("this is a handoff{of}, but `{file}` cannot be used"))
        .expected("a dialect file without errors")
        .help(format!("`baton check {file}` says what is wrong with it"))
}
