//! `document/xml-doctype`: a document type in XML.

use crate::finding::{Finding, Level};
use crate::rules::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/xml-doctype",
    level: Some(Level::Error),
    page: include_str!("xml_doctype.md"),
    check: Check::Reading,
};

/// Reports a document type; nothing in it is read.
pub(crate) fn finding(span: Span) -> Finding {
    Finding::new(RULE.id, "a document type is not allowed in a handoff, and none of its entities is read")
        .at(span)
        .expected("no `<!DOCTYPE`")
        .help("write the text of an entity where it is used")
}
