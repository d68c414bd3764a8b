//! A text that was read whole: its words, its language, its sentences, and the phrases that start at each word.

use std::cell::OnceCell;
use std::ops::Range;

use super::lexicon::{self, Concept, Concepts, Found, Language, Set};
use super::text::{Gap, ListedWord, Word, words};

/// The most that a word speaks for a language.
const WEIGHT_MAX: usize = 3;

/// Most texts have no more words than one for so many bytes.
const WORD_BYTES_USUAL: usize = 5;

/// A text that was read whole.
pub(super) struct Reading<'t> {
    /// The text.
    pub(super) text: &'t str,
    /// Its words.
    pub(super) words: Vec<ListedWord<'t>>,
    /// The language that most of its small words belong to.
    pub(super) language: Language,
    /// True if its words speak as much for one language as for the other.
    is_either: bool,
    /// True if the words that the lists have in their form tell the language, whatever the others are.
    is_sure: bool,
    /// Concepts of all words and of the phrases they may start, once they were asked for.
    all: OnceCell<Concepts>,
}

/// The words of a text while it is read, as English has them.
struct WordsSoFar<'t> {
    words: Vec<ListedWord<'t>>,
    /// Weight for each language.
    weights: [usize; 2],
    /// Number of words whose form the lists lack.
    unknown: usize,
    /// True if each of those was looked up.
    are_all_found: bool,
}

impl<'t> WordsSoFar<'t> {
    fn with_room_for(text: &str) -> Self {
        let words = Vec::with_capacity(text.len() / WORD_BYTES_USUAL);
        Self { words, weights: [0; 2], unknown: 0, are_all_found: true }
    }

    /// Takes in the next word.
    #[inline(always)]
    fn take(&mut self, word: Word<'t>) {
        let lexicon = lexicon::get();
        self.weights[1] += usize::from(!word.is_plain);
        match word.key {
            Some(key) => {
                let [english, french] = lexicon.weights(key);
                self.weights[0] += usize::from(english);
                self.weights[1] += usize::from(french);
                self.words.push(ListedWord { word, found: lexicon.known(key, Language::English) });
            }
            None => {
                self.words.push(ListedWord { word, found: Found::default() });
                self.look_up_last();
            }
        }
    }

    /// Looks the last word up by its stem, unless the words so far are French: then it is likely not asked for.
    #[inline(never)]
    fn look_up_last(&mut self) {
        self.unknown += 1;
        let is_french = self.weights[1] > self.weights[0];
        match self.words.last_mut() {
            Some(last) if !is_french => last.found = last.look_up_other(Language::English),
            _ => self.are_all_found = false,
        }
    }
}

impl<'t> Reading<'t> {
    /// Reads a text.
    pub(super) fn new(text: &'t str) -> Self {
        let mut taken = WordsSoFar::with_room_for(text);
        let mut rest = words(text);
        loop {
            while let Some(word) = rest.read_usual() {
                taken.take(word);
            }
            let Some(word) = rest.read() else { break };
            taken.take(word);
        }
        let WordsSoFar { mut words, mut weights, unknown, are_all_found } = taken;
        // Small words are forms of the lists, and mostly tell the language before others are looked up.
        let is_sure = weights[0].abs_diff(weights[1]) > WEIGHT_MAX * unknown;
        let is_french = weights[1] > weights[0];
        if !is_sure || !is_french && !are_all_found {
            for word in words.iter_mut().filter(|word| word.key.is_none()) {
                word.found = word.look_up_other(Language::English);
                if !is_sure {
                    weights[0] += weight(word.found);
                    weights[1] += weight(word.look_up_other(Language::French));
                }
            }
        }
        let [english, french] = weights;
        let is_either = english == french;
        let mut reading =
            Self { text, words, language: Language::English, is_either, is_sure, all: OnceCell::new() };
        if french > english {
            reading.turn();
        }
        reading
    }

    /// Reads it in the other language.
    fn turn(&mut self) {
        self.language = match self.language {
            Language::English => Language::French,
            Language::French => Language::English,
        };
        self.all = OnceCell::new();
        for word in &mut self.words {
            word.found = word.look_up(self.language);
        }
    }

    /// Checks whether a list of any language that the text may be in has a word.
    pub(super) fn is_listed(&self, word: &ListedWord<'_>) -> bool {
        match word.key {
            Some(key) => lexicon::get().weights(key) != [0; 2],
            None if self.is_sure => !word.found.concepts().is_empty(),
            None => Language::ALL.into_iter().any(|language| !word.look_up(language).concepts().is_empty()),
        }
    }

    /// The same text in the other language, where its words do not tell which one it is.
    pub(super) fn in_other_language(mut self) -> Option<Self> {
        if !self.is_either {
            return None;
        }
        self.turn();
        Some(self)
    }

    /// Checks whether a word is under a concept.
    #[inline]
    pub(super) fn is(&self, at: usize, concept: Concept) -> bool {
        self.words.get(at).is_some_and(|word| word.is(concept))
    }

    /// The place behind a word or phrase under a concept that starts here, if one does; the longest wins.
    #[inline]
    pub(super) fn after(&self, at: usize, concept: Concept) -> Option<usize> {
        let word = self.words.get(at)?;
        let phrase = if word.found.starts().has(concept) { self.longest(at, concept) } else { None };
        phrase.or_else(|| word.is(concept).then_some(at + 1))
    }

    /// The place behind the longest phrase under a concept that starts here.
    #[inline(never)]
    fn longest(&self, at: usize, concept: Concept) -> Option<usize> {
        let rest = self.words.get(at + 1..)?.iter();
        let longest = lexicon::get().longest(&self.words[at], rest, Concepts::of(&[concept]), self.language);
        longest.map(|length| at + length)
    }

    /// Calls with the set of what each phrase is listed under that starts here.
    pub(super) fn phrases(&self, at: usize, visit: &mut impl FnMut(Set)) {
        let Some([word, rest @ ..]) = self.words.get(at..) else { return };
        lexicon::get().phrases(word, rest.iter(), self.language, &mut |_, set| visit(set));
    }

    /// Checks whether a word or phrase may be under a concept: if not, none is.
    pub(super) fn may_have(&self, concept: Concept) -> bool {
        let add =
            |all: Concepts, word: &ListedWord<'_>| all.with(word.found.concepts()).with(word.found.starts());
        self.all.get_or_init(|| self.words.iter().fold(Concepts::default(), add)).has(concept)
    }

    /// Checks whether any word or phrase is under a concept.
    pub(super) fn find(&self, concept: Concept) -> Option<(usize, usize)> {
        if !self.may_have(concept) {
            return None;
        }
        (0..self.words.len()).find_map(|at| self.after(at, concept).map(|end| (at, end)))
    }

    /// The bytes from one word up to, not including, another.
    pub(super) fn range_between(&self, from: usize, to: usize) -> Range<usize> {
        match (self.words.get(from), to.checked_sub(1).and_then(|last| self.words.get(last))) {
            (Some(first), Some(last)) if first.start <= last.start => first.start..last.end(),
            _ => 0..0,
        }
    }

    /// The text from one word up to, not including, another.
    pub(super) fn words_between(&self, from: usize, to: usize) -> &'t str {
        &self.text[self.range_between(from, to)]
    }

    /// The sentence that a word is in.
    pub(super) fn sentence(&self, at: usize) -> Range<usize> {
        let is_start = |word: &ListedWord<'_>| word.gap == Gap::Stop;
        let (before, behind) = self.words.split_at(self.words.len().min(at + 1));
        let start = before.iter().rposition(is_start).unwrap_or_default();
        start..at + 1 + behind.iter().position(is_start).unwrap_or(behind.len())
    }

    /// The words as sentences, each a range.
    pub(super) fn sentences(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = 0;
        std::iter::from_fn(move || {
            if start >= self.words.len() {
                return None;
            }
            let behind = self.words[start + 1..].iter().position(|word| word.gap == Gap::Stop);
            let end = behind.map_or(self.words.len(), |at| start + 1 + at);
            let sentence = start..end;
            start = end;
            Some(sentence)
        })
    }
}

/// Weight of a listing for its language, up to [`WEIGHT_MAX`].
fn weight(found: Found) -> usize {
    let concepts = found.concepts();
    usize::from(!concepts.is_empty()) + 2 * usize::from(concepts.has(Concept::Function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_in_the_language_of_its_small_words() {
        for (text, language) in [
            ("The page is on the server", Language::English),
            ("La page est sur le serveur", Language::French),
            ("corrige le bug", Language::French),
            ("fixed the bug", Language::English),
        ] {
            assert_eq!(Reading::new(text).language, language, "{text}");
        }
    }

    #[test]
    fn a_text_that_is_read_again_has_no_phrases_of_the_first_language() {
        let reading = Reading::new("It is to be decided");
        let has_phrases = |reading: &Reading<'_>| {
            let mut count = 0;
            (0..reading.words.len()).for_each(|at| reading.phrases(at, &mut |_| count += 1));
            count > 0
        };
        assert!(has_phrases(&reading));
        let again = Reading { is_either: true, ..reading }.in_other_language();
        let again = again.map(|again| (again.language, has_phrases(&again)));
        assert_eq!(again, Some((Language::French, false)));
    }
}
