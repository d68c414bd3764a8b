//! Finds keywords in a text, in any ASCII letters, all of them, those that overlap included.
//!
//! Words are looked up by their last two bytes. An automaton is no faster on text that has few of them, and takes longer
//! to make than all else in a small check.
//!
//! Invariant: matches come in the order of their ends, at one end the longest first, and take no memory.

use std::ops::Range;

/// The lists that words are spread over; a power of two.
const LISTS: usize = 4096;

/// Words that are looked for.
pub(super) struct Keywords {
    /// The words by the list that they are in, the longest first.
    words: Vec<Keyword>,
    /// Start of each list among the words; at their end where it is empty.
    lists: Vec<u16>,
}

struct Keyword {
    list: usize,
    /// In small letters.
    text: Box<[u8]>,
    /// Its position among the words as they were given.
    number: usize,
}

impl Keywords {
    /// Takes some words of two bytes and more.
    pub(super) fn new(words: &[&str]) -> Self {
        let small = words.iter().map(|word| word.to_ascii_lowercase().into_bytes().into_boxed_slice());
        let listed = small.enumerate().filter_map(|(number, text)| {
            let list = list_of(*text.last_chunk()?);
            Some(Keyword { list, text, number })
        });
        let mut words: Vec<Keyword> = listed.collect();
        words.sort_by_key(|word| (word.list, usize::MAX - word.text.len()));
        let mut lists = vec![u16::MAX; LISTS];
        for (at, word) in words.iter().enumerate().rev() {
            lists[word.list] = u16::try_from(at).unwrap_or(u16::MAX);
        }
        Self { words, lists }
    }

    /// All words in a text: the position of each word, and where it stands.
    pub(super) fn find<'k>(&'k self, text: &'k [u8]) -> impl Iterator<Item = (usize, Range<usize>)> + 'k {
        text.windows(2).enumerate().flat_map(move |(at, pair)| {
            let list = list_of([pair[0], pair[1]]);
            self.ending(list, &text[..at + 2])
        })
    }

    /// The words of a list that a text ends with.
    #[inline]
    fn ending<'k>(&'k self, list: usize, text: &'k [u8]) -> impl Iterator<Item = (usize, Range<usize>)> + 'k {
        let words = self.words.get(usize::from(self.lists[list])..).unwrap_or_default();
        words.iter().take_while(move |word| word.list == list).filter_map(move |word| {
            let start = text.len().checked_sub(word.text.len())?;
            text[start..].eq_ignore_ascii_case(&word.text).then_some((word.number, start..text.len()))
        })
    }
}

/// The list of words with these last bytes; the same for large and small letters.
#[inline]
fn list_of([first, second]: [u8; 2]) -> usize {
    (usize::from(first | 0x20) << 5 ^ usize::from(second | 0x20)) % LISTS
}

#[cfg(test)]
mod tests {
    use aho_corasick::AhoCorasick;
    use proptest::prelude::*;

    use super::*;

    const WORDS: [&str; 9] = ["ab", "AB", "cab", "abcab", "b-", "-b", "xyz.", "é-ab", "bb"];

    proptest! {
        #[test]
        fn what_is_found_is_what_an_automaton_finds(text in "[abcABC\\-xyzXYZ.é]{0,40}") {
            let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(WORDS).expect("they are few");
            let found = automaton.find_overlapping_iter(&text);
            let expected: Vec<_> = found.map(|one| (one.pattern().as_usize(), one.range())).collect();
            let keywords = Keywords::new(&WORDS);
            prop_assert_eq!(keywords.find(text.as_bytes()).collect::<Vec<_>>(), expected);
        }
    }
}
