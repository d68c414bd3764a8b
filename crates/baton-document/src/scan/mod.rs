//! A look at the text of a handoff as its receiver gets it: a glance, and what the glance asks for.
//!
//! The source of the block is searched and not its values one by one: so comments, keys, text between elements and
//! what could not be read are looked at too. Where escapes stand between the source and its meaning, the text is
//! decoded first.
//!
//! Invariant: a text without anything suspect costs one pass and no allocation.

mod glance;
mod view;

use std::ops::Range;

use glance::Glance;
pub(crate) use view::View;

use crate::secrets::{FORMATS, Hit};

/// A text, and where it is worth a closer look.
#[derive(Debug)]
pub(crate) struct Look<'t> {
    /// The text with its escapes decoded.
    pub(crate) view: View<'t>,
    glance: Glance,
}

impl<'t> Look<'t> {
    /// Looks at a text.
    pub(crate) fn at(text: &'t str) -> Self {
        let glance = Glance::of(text);
        let has_words = !glance.secrets.is_empty() || !glance.instructions.is_empty();
        if is_coded(text) || (has_words && memchr::memchr2(b'\\', b'&', text.as_bytes()).is_some()) {
            let view = View::decoded(text);
            let glance = Glance::of(&view.text);
            return Self { view, glance };
        }
        Self { view: View::raw(text), glance }
    }

    /// Whether nothing in it asks for a closer look.
    pub(crate) fn is_clean(&self) -> bool {
        self.glance.is_clean()
    }

    /// The secrets in it, in order, as ranges of the view.
    pub(crate) fn secrets(&self) -> Vec<Hit> {
        if self.glance.secrets.is_empty() {
            return Vec::new();
        }
        FORMATS.find(&self.view.text, &self.glance.secrets)
    }

    /// Where words stand that instructions are made of, in order, as offsets of the view.
    pub(crate) fn instructions(&self) -> &[usize] {
        &self.glance.instructions
    }

    /// Whether there is anything in it but ASCII.
    pub(crate) fn is_international(&self) -> bool {
        self.glance.is_international
    }

    /// The part of the view around a range, so many bytes on either side.
    pub(crate) fn around(&self, range: &Range<usize>, bytes: usize) -> Range<usize> {
        let text = &self.view.text;
        let end = text.ceil_char_boundary((range.end + bytes).min(text.len()));
        text.floor_char_boundary(range.start.saturating_sub(bytes))..end
    }
}

/// Whether letters or brackets are written as escapes, so that nothing is seen without decoding them.
fn is_coded(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b'\\', b'&', bytes).any(|at| match bytes.get(at + 1) {
        Some(b'u' | b'U' | b'x') => bytes[at] == b'\\',
        Some(b'#' | b'l') => bytes[at] == b'&',
        Some(_) | None => false,
    })
}
