//! `document/alias-bomb`: YAML aliases that would multiply the document.

use crate::finding::Level;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/alias-bomb",
    level: Some(Level::Error),
    page: include_str!("alias_bomb.md"),
    check: Check::Reading,
};
