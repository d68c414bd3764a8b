//! `document/xml-doctype`: a document type in XML.

use crate::finding::Level;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/xml-doctype",
    level: Some(Level::Error),
    page: include_str!("xml_doctype.md"),
    check: Check::Reading,
};
