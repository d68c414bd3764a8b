//! `document/json-syntax`: text that is not JSON.

use crate::finding::Level;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/json-syntax",
    level: Some(Level::Error),
    page: include_str!("json_syntax.md"),
    check: Check::Reading,
};
