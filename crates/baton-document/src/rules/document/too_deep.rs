//! `document/too-deep`: nesting beyond the limit.

use crate::finding::Level;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/too-deep",
    level: Some(Level::Error),
    page: include_str!("too_deep.md"),
    check: Check::Reading,
};
