//! `flow/unclear-step`: a step without one clear kind.

use crate::finding::Level;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/unclear-step",
    level: Some(Level::Error),
    page: include_str!("unclear_step.md"),
    check: Check::Reading,
};
