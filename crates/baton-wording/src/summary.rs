//! What a summary says: nothing, nothing specific, or something.

use super::judged;
use super::lexicon::{self, Concept, Concepts, Language};
use super::specific::{has_identifier, is_specific};
use super::text::words;

/// A text of more words than this is a sentence, however little it says.
const EMPTY_WORDS_MAX: usize = 8;

/// Whose words and phrases say that something is over or well.
const STATUS: Concepts = Concepts::of(&[Concept::Status]);

/// Reason why a summary says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Empty {
    /// It has no word at all.
    Blank,
    /// It is a phrase that says no more than that something is over or well, where to look, or whose turn it is.
    Phrase,
}

/// Finds out why a summary says nothing. Most say a thing with their first words, and only these are read.
pub(crate) fn empty(text: &str) -> Option<Empty> {
    let text = judged(text);
    match Language::ALL.into_iter().find_map(|language| phrase_words(text, language))? {
        0 => Some(Empty::Blank),
        _ => (!has_identifier(text.as_bytes())).then_some(Empty::Phrase),
    }
}

/// Checks whether all words of a summary that says something fit any work.
pub(crate) fn is_vague(text: &str) -> bool {
    !is_specific(judged(text)) && empty(text).is_none()
}

/// Number of words of a short text that only says that work is over or well, where to look, or whose turn it is.
fn phrase_words(text: &str, language: Language) -> Option<usize> {
    let mut rest = words(text).take(EMPTY_WORDS_MAX + 1);
    let (mut count, mut skip) = (0, 0);
    while let Some(word) = rest.next() {
        count += 1;
        if skip > 0 {
            skip -= 1;
            continue;
        }
        let found = word.look_up(language);
        let phrase = || lexicon::get().longest(word, rest.clone(), STATUS, language);
        match found.starts().has(Concept::Status).then(phrase).flatten() {
            Some(length) => skip = length - 1,
            None if !found.concepts().has(Concept::Status) => return None,
            None => {}
        }
    }
    (count <= EMPTY_WORDS_MAX).then_some(count)
}
