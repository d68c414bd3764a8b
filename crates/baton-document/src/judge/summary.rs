//! What a summary says: nothing, nothing specific, or something.

use super::judged;
use super::lexicon::{self, Concept, Language};
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
    if is_phrase(text) {
        return Says::Nothing;
    }
    if is_specific(text) { Says::Something } else { Says::NothingSpecific }
}

/// Whether a text is short and only says that something is over or well, where to look, or whose turn it is.
fn is_phrase(text: &str) -> bool {
    Language::ALL.into_iter().any(|language| {
        let mut rest = words(text).take(EMPTY_WORDS_MAX + 1);
        let (mut count, mut skip) = (0, 0);
        while let Some(word) = rest.next() {
            count += 1;
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let found = word.look_up(language);
            let phrase = || lexicon::get().longest(word, rest.clone(), Concept::Status, language);
            match found.starts().has(Concept::Status).then(phrase).flatten() {
                Some(length) => skip = length - 1,
                None if !found.concepts().has(Concept::Status) => return false,
                None => {}
            }
        }
        count <= EMPTY_WORDS_MAX
    })
}
