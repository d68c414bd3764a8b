//! `document/too-many`: a file with more findings than anyone reads.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/too-many",
    level: Some(Level::Error),
    page: include_str!("too_many.md"),
    check: Check::Reading,
};

/// Says that a handoff names more paths than are looked up.
pub(crate) fn looks(span: Span, looks_max: usize) -> Finding {
    Finding::new(RULE.id, format!("the handoff names more than {looks_max} paths; the rest is not looked up"))
        .at(span)
        .expected(format!("at most {looks_max} paths"))
}

/// Says that not all secrets of a file were looked for; nothing of the rest is shown.
pub(crate) fn secrets(span: Span) -> Finding {
    Finding::new(RULE.id, "the file has too much that is a secret or looks like one; from here on it is neither looked through nor shown")
        .at(Span::at(span.start))
        .expected("a file without secrets")
        .help("redact what was found and check again")
}

/// Says that not all text that may instruct the receiver was looked at.
pub(crate) fn instructions(span: Span) -> Finding {
    Finding::new(RULE.id, "the file has too much that looks like instructions to the receiver; from here on they are not looked for")
        .at(span)
        .expected("text that describes the task and what was done")
        .help("mend the first ones and check again")
}

/// Says that a file has more blocks, such as lines, than are read.
pub(crate) fn blocks(span: Span, blocks_max: usize) -> Finding {
    Finding::new(
        RULE.id,
        format!("the file has more than {blocks_max} lines or blocks; the rest is not read"),
    )
    .at(span)
    .expected(format!("at most {blocks_max} lines or blocks in one file"))
}

/// Says that a file holds more handoffs than are read.
pub(crate) fn handoffs(span: Span, handoffs_max: usize) -> Finding {
    Finding::new(RULE.id, format!("the file has more than {handoffs_max} handoffs; the rest is not read"))
        .at(span)
        .expected(format!("at most {handoffs_max} handoffs in one file"))
}
