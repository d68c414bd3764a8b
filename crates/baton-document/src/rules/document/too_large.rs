//! `document/too-large`: a file or value beyond the limit.

use crate::finding::{Finding, Level};
use crate::rules::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/too-large",
    level: Some(Level::Error),
    page: include_str!("too_large.md"),
    check: Check::Reading,
};

/// Reports a scalar beyond the limit.
pub(crate) fn scalar(span: Span, bytes_max: usize) -> Finding {
    let start = Span::new(span.start, span.start.saturating_add(1).min(span.end));
    Finding::new(RULE.id, "a single value is too large for a handoff")
        .at(start)
        .found(format!("{} bytes", span.end - span.start))
        .expected(format!("at most {bytes_max} bytes"))
        .help("put the content into a file and name its path")
}

/// Reports more values than a handoff has; the rest is not read.
pub(crate) fn nodes(span: Span, nodes_max: usize) -> Finding {
    Finding::new(RULE.id, format!("there are more than {nodes_max} values; nothing behind this was read"))
        .at(span)
        .expected(format!("at most {nodes_max} values"))
        .help("put the content into a file and name its path")
}

/// Reports a file of Baton itself beyond its limit; nothing of it is read.
pub(crate) fn own(bytes: u64, bytes_max: u64) -> Finding {
    Finding::new(RULE.id, "the file is larger than settings may be and was not read")
        .found(format!("{bytes} bytes"))
        .expected(format!("at most {bytes_max} bytes"))
        .help("keep only settings in it; until then every setting has its usual value")
}

/// Reports a file beyond the limit; nothing of it is read.
pub(crate) fn file(bytes: u64, bytes_max: u64) -> Finding {
    Finding::new(RULE.id, "the file is larger than the limit and was not read")
        .found(format!("{bytes} bytes"))
        .expected(format!("at most {bytes_max} bytes"))
        .help("raise `limits.file-bytes` in baton.toml if it really is a handoff")
}
