//! `document/too-many`: a file with more findings than anyone reads.

use crate::finding::{Finding, Level};
use crate::rules::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/too-many",
    level: Some(Level::Error),
    page: include_str!("too_many.md"),
    check: Check::Reading,
};

/// Says that the rest is left out; it blocks, since what is left out may block.
pub(crate) fn finding(findings_max: usize) -> Finding {
    Finding::new(RULE.id, format!("the file has more than {findings_max} findings; the rest is left out"))
        .expected("a file whose findings can be read")
        .help("mend the first ones and check again")
}
