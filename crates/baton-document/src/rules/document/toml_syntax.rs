//! `document/toml-syntax`: text that is not TOML.

use crate::finding::Level;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/toml-syntax",
    level: Some(Level::Error),
    page: include_str!("toml_syntax.md"),
    check: Check::Reading,
};
