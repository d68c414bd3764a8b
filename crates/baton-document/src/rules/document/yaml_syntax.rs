//! `document/yaml-syntax`: text that is not YAML.

use crate::finding::Level;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/yaml-syntax",
    level: Some(Level::Error),
    page: include_str!("yaml_syntax.md"),
    check: Check::Reading,
};
