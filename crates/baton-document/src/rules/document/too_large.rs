//! `document/too-large`: a file or value beyond the limit.

use crate::finding::{Finding, Level};
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/too-large",
    level: Some(Level::Error),
    page: include_str!("too_large.md"),
    check: Check::Reading,
};

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
