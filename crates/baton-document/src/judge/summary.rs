//! What a summary says: nothing, nothing specific, or something.

use super::judged;
use super::lexicon::{Concept, Language};
use super::specific::is_specific;
use super::text::words;

/// A text of more words than this is a sentence, however little it says.
const EMPTY_WORDS_MAX: usize = 8;

/// What a summary says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Says {
    /// No word at all.
    Blank,
    /// A phrase that says no more than that something is over or well.
    Nothing,
    /// Words that fit any work.
    NothingSpecific,
    /// An object, a figure, a name or a path.
    Something,
}

/// Judges a summary.
pub(crate) fn judge(text: &str) -> Says {
    let text = judged(text);
    if words(text).next().is_none() {
        return Says::Blank;
    }
    if is_specific(text) {
        return Says::Something;
    }
    if is_phrase(text) { Says::Nothing } else { Says::NothingSpecific }
}

/// Whether a text is short and only says that something is over or well.
fn is_phrase(text: &str) -> bool {
    Language::ALL.into_iter().any(|language| {
        let mut count = 0;
        words(text).all(|word| {
            count += 1;
            count <= EMPTY_WORDS_MAX && word.look_up(language).concepts.has(Concept::Status)
        })
    })
}
