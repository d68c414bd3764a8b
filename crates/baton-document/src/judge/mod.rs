//! Judgement of wording, in English and French: deterministic, and explained by the words that decided.
//!
//! A text is read once into words ([`text`]), each with what the lists in `data/words` say of it
//! ([`lexicon`]); a judgement is a small function over these signals, one file each. No sentence is listed
//! anywhere: a word that no list has is a name of something, so it speaks for the text.
//!
//! Invariant: the same text is judged the same everywhere, in time that grows with its length up to
//! [`JUDGED_BYTES_MAX`].

pub(crate) mod concern;
pub(crate) mod criterion;
mod letters;
mod lexicon;
pub(crate) mod narration;
pub(crate) mod question;
pub(crate) mod raw;
mod specific;
pub(crate) mod summary;
mod text;
mod texts;

/// How much of a text is judged; what follows tells nothing new about how it is written.
pub(crate) const JUDGED_BYTES_MAX: usize = 20_000;

/// The part of a text that is judged.
fn judged(text: &str) -> &str {
    &text[..text.floor_char_boundary(JUDGED_BYTES_MAX)]
}
