//! `dialect/idle`: a part of a definition that says nothing.

use crate::finding::Level;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "dialect/idle",
    level: Some(Level::Warning),
    page: include_str!("idle.md"),
    check: Check::Reading,
};
