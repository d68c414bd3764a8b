//! Judges wording in English and French: text in, remarks with byte ranges out.
//!
//! A text is read once into words ([`reading`]), each with what the lists in `data/words` tell about it ([`lexicon`]); a
//! judgement is a small function over these signals, one file each. No sentence is listed anywhere: a word that is in no
//! list names something, so it speaks for the text.
//!
//! Invariant: the same text gets the same remarks everywhere, in time that grows with its length up to
//! [`JUDGED_BYTES_MAX`].
//!
//! Cannot: know a dialect, a span or a rule; open a file, read a clock, reach a network; fail.
//!
//! ```
//! use baton_wording::{Criterion, criterion, empty_summary, is_vague_summary, open_question};
//!
//! let text = "Cart built, the currency is still undecided.";
//! assert_eq!(open_question(text).map(|open| &text[open]), Some("still undecided"));
//! assert_eq!(open_question("Cart built, all prices in euros."), None);
//!
//! assert!(empty_summary("All done!").is_some());
//! assert!(is_vague_summary("Various improvements were made to several parts of the code."));
//!
//! let text = "The pages look nice";
//! let Criterion::Opinion(words) = criterion(text) else { panic!("nobody measures `nice`") };
//! assert_eq!(&text[words[0].clone()], "nice");
//! assert_eq!(criterion("Coverage is above 80 %"), Criterion::Measurable);
//! ```

mod bytes;
mod concern;
mod criterion;
mod forms;
mod letters;
mod lexicon;
mod narration;
mod question;
mod raw;
mod reading;
mod specific;
mod summary;
mod text;

use std::ops::Range;

pub use criterion::Criterion;
pub use raw::Copied;
pub use summary::Empty;

/// Length of the part of a text that is judged; the rest tells nothing new about how it is written.
pub const JUDGED_BYTES_MAX: usize = 20_000;

/// Finds out why a summary says nothing, if it does.
pub fn empty_summary(text: &str) -> Option<Empty> {
    summary::empty(text)
}

/// Tells a summary that names nothing specific, and is more than an empty phrase.
pub fn is_vague_summary(text: &str) -> bool {
    summary::is_vague(text)
}

/// Tells the description or recommendation of a concern that names nothing that could be mended.
pub fn is_empty_concern(text: &str) -> bool {
    concern::is_empty(text)
}

/// Judges by what a success criterion could be checked.
pub fn criterion(text: &str) -> Criterion {
    criterion::judge(text)
}

/// Finds the words that leave a question open, or the question mark of a question.
pub fn open_question(text: &str) -> Option<Range<usize>> {
    question::find(text)
}

/// Finds raw data and the story of a search in a summary for the next phase.
pub fn raw_summary(text: &str) -> RawSummary {
    let copy = raw::find(text);
    RawSummary { narration: narration::beside(text, copy.as_ref()), copy }
}

/// The parts of a summary for the next phase that do not help the next phase.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RawSummary {
    /// Phrases that tell how a search went, the first few of them.
    pub narration: Vec<Range<usize>>,
    /// Raw data that was copied.
    pub copy: Option<Copied>,
}

/// The part of a text that is judged.
fn judged(text: &str) -> &str {
    &text[..text.floor_char_boundary(JUDGED_BYTES_MAX)]
}
