//! `flow/bad-value`: a value that cannot be used.

use crate::finding::Level;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/bad-value",
    level: Some(Level::Error),
    page: include_str!("bad_value.md"),
    check: Check::Reading,
};
