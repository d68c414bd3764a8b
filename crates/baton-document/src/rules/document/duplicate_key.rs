//! `document/duplicate-key`: a key that stands twice in one map.

use crate::finding::Level;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/duplicate-key",
    level: Some(Level::Error),
    page: include_str!("duplicate_key.md"),
    check: Check::Reading,
};
