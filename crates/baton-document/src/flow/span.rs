//! A value with its place in the file.

use crate::span::Span;

/// A value with its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// A value that stands somewhere.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}
