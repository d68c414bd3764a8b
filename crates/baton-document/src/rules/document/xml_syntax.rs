//! `document/xml-syntax`: text that is not well-formed XML.

use crate::finding::Level;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/xml-syntax",
    level: Some(Level::Error),
    page: include_str!("xml_syntax.md"),
    check: Check::Reading,
};
