//! `document/not-a-handoff`: a file that was named but holds no handoff.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/not-a-handoff",
    level: Some(Level::Info),
    page: include_str!("not_a_handoff.md"),
    check: Check::Reading,
};

/// Says that a file that was named holds no handoff.
pub(crate) fn finding() -> Finding {
    Finding::new(RULE.id, "no handoff of a known dialect was found in this file")
        .expected("a handoff of a dialect that Baton knows")
        .help("name the dialect with --dialect if it is one")
}
