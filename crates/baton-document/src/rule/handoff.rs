//! One handoff of a file, as a check found it.

use crate::span::Span;

/// One handoff in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handoff {
    /// Its place.
    pub span: Span,
    pub(crate) dialect: usize,
    pub(crate) kind: usize,
    /// Notes of rules for the handoffs after it.
    pub(crate) notes: Vec<(&'static str, String)>,
}
