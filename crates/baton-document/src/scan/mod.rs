//! A look at the text of a handoff as its receiver gets it: a prefilter, and what the prefilter asks for.
//!
//! The source of the block is searched and not its values one by one: so comments, keys, text between elements and
//! what could not be read are looked at too. Where escapes stand between the source and its meaning, the text is
//! decoded first.
//!
//! Invariant: a text without anything suspect costs one pass and no allocation.

mod effort;
mod fold;
mod joined;
mod prefilter;
mod quad_index;
mod view;
mod words;

use std::ops::Range;

pub(crate) use effort::{Effort, PLACE, WINDOW};
pub(crate) use effort::{JUDGE, TRY};
pub(crate) use fold::{Folded, alike};
pub(crate) use joined::{Joined, Split, colour};
pub(crate) use prefilter::APART;
use prefilter::Prefilter;
pub(crate) use view::{DecodedText, SECTION_END, SECTION_START};

/// A text, and where it is worth a closer look.
#[derive(Debug)]
pub(crate) struct TextScan<'t> {
    /// The text with its escapes decoded.
    pub(crate) view: DecodedText<'t>,
    prefilter: Prefilter,
    /// The text of the view with what may split a secret taken out.
    pub(crate) joined: Option<Box<Joined>>,
}

impl<'t> TextScan<'t> {
    /// Looks at a text.
    pub(crate) fn at(text: &'t str) -> Self {
        Self::with(text, true)
    }

    /// Looks at a text of which it may be known that nothing in it is escaped.
    pub(crate) fn with(text: &'t str, may_be_coded: bool) -> Self {
        let prefilter = Prefilter::of(text);
        let has_words = !prefilter.secrets.is_empty() || !prefilter.instructions.is_empty();
        let has_signs = || memchr::memchr2(b'\\', b'&', text.as_bytes()).is_some();
        if (may_be_coded && is_coded(text)) || (has_words && has_signs()) {
            let view = DecodedText::decoded(text);
            let prefilter = Prefilter::of(&view.text);
            return Self::seen(view, prefilter);
        }
        Self::seen(DecodedText::raw(text), prefilter)
    }

    fn seen(view: DecodedText<'t>, prefilter: Prefilter) -> Self {
        let joined = Joined::of(&view.text, &prefilter).map(Box::new);
        Self { view, prefilter, joined }
    }

    /// Tells whether nothing in it asks for a closer look.
    pub(crate) fn is_clean(&self) -> bool {
        self.prefilter.is_clean() && self.joined.is_none()
    }

    /// Tells whether nothing in it looks like a secret, as far as it was decoded.
    pub(crate) fn has_no_secret(&self) -> bool {
        self.prefilter.secrets.is_empty() && self.joined.is_none()
    }

    /// Ranges of the view in which secrets may be.
    pub(crate) fn suspects(&self) -> &[Range<usize>] {
        &self.prefilter.secrets
    }

    /// Offsets in the view of words of instructions, in order.
    pub(crate) fn instructions(&self) -> &[usize] {
        &self.prefilter.instructions
    }

    /// Tells whether there is anything in it but ASCII.
    pub(crate) fn is_international(&self) -> bool {
        self.prefilter.is_international
    }

    /// Tells whether there may be letters in it that look like those of ASCII.
    pub(crate) fn may_look_alike(&self) -> bool {
        self.prefilter.may_look_alike
    }

    /// The part of the view around a range, so many bytes on either side.
    pub(crate) fn around(&self, range: &Range<usize>, bytes: usize) -> Range<usize> {
        let text = &self.view.text;
        let end = text.ceil_char_boundary((range.end + bytes).min(text.len()));
        text.floor_char_boundary(range.start.saturating_sub(bytes))..end
    }
}

/// Tells whether letters or brackets are written as escapes, or in sections, so that nothing is seen without decoding them.
pub(crate) fn is_coded(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_escaped = memchr::memchr2_iter(b'\\', b'&', bytes).any(|at| match bytes.get(at + 1) {
        Some(b'u' | b'U' | b'x') => bytes[at] == b'\\',
        Some(b'#' | b'l') => bytes[at] == b'&',
        Some(_) | None => false,
    });
    is_escaped || view::has_sections(text)
}
