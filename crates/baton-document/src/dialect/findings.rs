//! The findings of compiling a definition file.
//!
//! Invariant: each id here is the id of a rule in `rules/dialect`, which has the page and the level.

use crate::finding::{Finding, Level};
use crate::span::Span;

const IDLE: &str = "dialect/idle";
const IMPOSSIBLE: &str = "dialect/impossible";

/// The ids of all of them.
#[cfg(test)]
pub(crate) const IDS: [&str; 2] = [IDLE, IMPOSSIBLE];

/// Reports what has no effect.
pub(crate) fn idle(span: Span, message: impl Into<String>) -> Finding {
    let mut finding = Finding::new(IDLE, message).at(span);
    finding.level = Level::Warning;
    finding
}

/// Reports a definition that cannot be used.
pub(crate) fn impossible(span: Span, message: impl Into<String>) -> Finding {
    Finding::new(IMPOSSIBLE, message).at(span)
}
