//! `dialect/impossible`: a definition that cannot be used.

use crate::finding::Level;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "dialect/impossible",
    level: Some(Level::Error),
    page: include_str!("impossible.md"),
    check: Check::Reading,
};
