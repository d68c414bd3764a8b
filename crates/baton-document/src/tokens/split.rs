//! Cuts a text into the pieces within which tokens are formed, as the o200k pattern does.
//!
//! The pattern, one alternative per line, tried in this order at every position:
//!
//! ```text
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```
//!
//! It is followed by hand because of the look-ahead, which the `regex` crate does not have, and
//! because compiling it would cost more than checking a whole document.
//!
//! Invariant: the pieces are the text, whole and in order, and every character is looked at a
//! bounded number of times whatever the text.

use super::layout::class::{CASELESS, LOWER, MARK, NEWLINE, NUMBER, SPACE, SYMBOL, UPPER};
use super::table::{ASCII_CLASSES, TABLE};

/// Parts of the head of a word.
const HEAD: u8 = UPPER | CASELESS | MARK;
/// Parts of the tail of a word; caseless letters and marks may be in either.
const TAIL: u8 = LOWER | CASELESS | MARK;
/// Classes that may stand once before a word. A mark may, although it may also begin one.
const LEAD: u8 = SPACE | SYMBOL | MARK;
/// Classes of runs of punctuation.
const PUNCTUATION: u8 = SYMBOL | MARK;
/// Classes that `\s` matches.
const BLANK: u8 = SPACE | NEWLINE;

/// The most digits in one piece.
const DIGITS_MAX: usize = 3;

/// Cuts a text into its pieces.
pub(super) fn pieces(text: &str) -> Pieces<'_> {
    Pieces { text, start: 0 }
}

/// The pieces of a text that are still to come.
pub(super) struct Pieces<'text> {
    text: &'text str,
    start: usize,
}

impl<'text> Iterator for Pieces<'text> {
    type Item = &'text [u8];

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.start;
        let first = self.at(start)?;
        self.start = self.piece_end(start, first);
        Some(&self.text.as_bytes()[start..self.start])
    }
}

/// A character of the text, as far as the pattern looks at it.
#[derive(Clone, Copy)]
struct Seen {
    class: u8,
    end: usize,
}

impl Seen {
    fn is(self, classes: u8) -> bool {
        self.class & classes != 0
    }
}

/// A word without its lead.
struct WordMatch {
    end: usize,
    /// True if the first alternative matched it, and not the second.
    has_tail: bool,
}

impl Pieces<'_> {
    fn at(&self, position: usize) -> Option<Seen> {
        let byte = *self.text.as_bytes().get(position)?;
        if let Some(&class) = ASCII_CLASSES.get(usize::from(byte)) {
            return Some(Seen { class, end: position + 1 });
        }
        let character = self.text[position..].chars().next()?;
        Some(Seen { class: TABLE.class(character), end: position + character.len_utf8() })
    }

    /// Follows the run of characters of these classes to its end.
    fn run_end(&self, mut position: usize, classes: u8) -> usize {
        while let Some(seen) = self.at(position)
            && seen.is(classes)
        {
            position = seen.end;
        }
        position
    }

    fn piece_end(&self, start: usize, first: Seen) -> usize {
        if first.is(LEAD)
            && let Some(word) = self.word(first.end)
            // A mark before upper case is a word with a tail by itself, and the alternative with a
            // tail comes first.
            && (word.has_tail || !first.is(MARK))
        {
            return word.end;
        }
        if first.is(HEAD | TAIL)
            && let Some(word) = self.word(start)
        {
            return word.end;
        }
        if first.is(NUMBER) {
            return self.number_end(first.end);
        }
        if first.is(BLANK) {
            if self.text.as_bytes()[start] == b' '
                && let Some(next) = self.at(first.end)
                && next.is(PUNCTUATION)
            {
                return self.punctuation_end(next.end);
            }
            return self.blank_end(start);
        }
        self.punctuation_end(first.end)
    }

    /// Finds the word that begins here, if one does: the first two alternatives without their lead.
    fn word(&self, start: usize) -> Option<WordMatch> {
        let mut head_end = start;
        // The end of the last character of the head that a tail may also be made of: there the
        // pattern backs up to when no tail follows the head.
        let mut last_tail_end = None;
        let tail_end = loop {
            match self.at(head_end) {
                Some(seen) if seen.is(HEAD) => {
                    head_end = seen.end;
                    if seen.is(TAIL) {
                        last_tail_end = Some(head_end);
                    }
                }
                Some(seen) if seen.is(TAIL) => break Some(self.run_end(seen.end, TAIL)),
                Some(_) | None => break last_tail_end,
            }
        };
        let end = tail_end.unwrap_or(head_end);
        (end > start)
            .then(|| WordMatch { end: end + self.contraction_len(end), has_tail: tail_end.is_some() })
    }

    /// Measures the English contraction that begins here, if any.
    fn contraction_len(&self, position: usize) -> usize {
        let Some([b'\'', rest @ ..]) = self.text.as_bytes().get(position..) else {
            return 0;
        };
        match rest {
            [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => 2,
            [b'r' | b'R' | b'v' | b'V', b'e' | b'E', ..] | [b'l' | b'L', b'l' | b'L', ..] => 3,
            // The long s, U+017F, which is an s when case does not count.
            [0xc5, 0xbf, ..] => 3,
            _ => 0,
        }
    }

    fn number_end(&self, mut position: usize) -> usize {
        for _ in 1..DIGITS_MAX {
            match self.at(position) {
                Some(seen) if seen.is(NUMBER) => position = seen.end,
                Some(_) | None => break,
            }
        }
        position
    }

    fn punctuation_end(&self, position: usize) -> usize {
        let end = self.run_end(position, PUNCTUATION);
        let after = self.text.as_bytes()[end..].iter();
        end + after.take_while(|byte| matches!(byte, b'\r' | b'\n' | b'/')).count()
    }

    /// Ends a piece of white space: at its last newline; or else before its last character, which
    /// leads the word that follows; or else where the text ends.
    fn blank_end(&self, start: usize) -> usize {
        let mut end = start;
        let mut last_start = start;
        let mut last_newline_end = None;
        while let Some(seen) = self.at(end)
            && seen.is(BLANK)
        {
            last_start = end;
            end = seen.end;
            if seen.is(NEWLINE) {
                last_newline_end = Some(end);
            }
        }
        match last_newline_end {
            Some(newline_end) => newline_end,
            None if end == self.text.len() || last_start == start => end,
            None => last_start,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use fancy_regex::Regex;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::pieces;

    fn found(text: &str) -> Vec<&str> {
        pieces(text).map(|piece| str::from_utf8(piece).expect("pieces end between characters")).collect()
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(found(text), expected, "{text:?}");
        assert_eq!(reference(text), expected, "{text:?}");
    }

    /// Cuts as the engine of the reference tokenizer does with the pattern itself.
    fn reference(text: &str) -> Vec<&str> {
        static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(tiktoken_rs::O200K_BASE_PAT_STR).expect("the reference compiles it too")
        });
        PATTERN.find_iter(text).map(|piece| piece.expect("the text is short").as_str()).collect()
    }

    #[test]
    fn a_word_takes_one_character_before_it_and_the_contraction_after_it() {
        check("it's  we'LL\tdon't", &["it's", " ", " we'LL", "\tdon't"]);
        check("it'ſ x'rx", &["it'ſ", " x", "'rx"]);
        check("(word) .NET", &["(word", ")", " .", "NET"]);
    }

    #[test]
    fn case_cuts_words_and_caseless_letters_and_marks_join_either_side() {
        check("camelCaseHTTPServer", &["camel", "Case", "HTTPServer"]);
        check("AB中CD", &["AB中", "CD"]);
        check("\u{301}AB", &["\u{301}", "AB"]);
        check("\u{301}ab", &["\u{301}ab"]);
        check("\u{301}\u{301}", &["\u{301}\u{301}"]);
        check("!\u{301}\u{301}A", &["!\u{301}\u{301}", "A"]);
    }

    #[test]
    fn numbers_come_in_threes() {
        check("1234567 ½٣", &["123", "456", "7", " ", "½٣"]);
    }

    #[test]
    fn punctuation_takes_the_space_before_and_the_newlines_and_slashes_after() {
        check(" //\n\n/ x", &[" //\n\n/", " x"]);
        check("a ;\r\n b", &["a", " ;\r\n", " b"]);
    }

    #[test]
    fn white_space_ends_at_its_last_newline_or_before_the_last_blank() {
        check("a \n \n  b", &["a", " \n \n", " ", " b"]);
        check("a   1", &["a", "  ", " ", "1"]);
        check("a   ", &["a", "   "]);
        check("a\u{a0}\u{3000}!", &["a", "\u{a0}", "\u{3000}", "!"]);
    }

    /// One or two characters of each kind that the pattern tells apart.
    const KINDS: &[&str] = &[
        "A", "É", "ǅ", "b", "ß", "ʰ", "中", "\u{301}", "\u{20e3}", "1", "½", " ", "\t", "\u{a0}", "\r", "\n",
        "/", "!", "😀", "'", "'s", "'RE", "'ſ", "\u{200d}",
    ];

    #[test]
    fn every_row_of_four_kinds_is_cut_as_by_the_pattern() {
        for first in KINDS {
            for second in KINDS {
                for third in KINDS {
                    for fourth in KINDS {
                        let row = [*first, second, third, fourth].concat();
                        assert_eq!(found(&row), reference(&row), "{row:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_character_is_cut_as_by_the_pattern() {
        let characters: Vec<char> = ('\0'..=char::MAX).collect();
        for block in characters.chunks(0x1000) {
            // No two classes are cut alike in all these places.
            let places = |c: char| [c, 'A', c, 'a', c, '!', '!', c, '\n'];
            let text: String = block.iter().copied().flat_map(places).collect();
            assert!(found(&text) == reference(&text), "after {:?}", block[0]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn any_text_is_cut_as_by_the_pattern(text in any::<String>()) {
            prop_assert_eq!(found(&text), reference(&text));
        }

        #[test]
        fn any_row_of_kinds_is_cut_as_by_the_pattern(kinds in vec(select(KINDS), 0..60)) {
            let text = kinds.concat();
            prop_assert_eq!(found(&text), reference(&text));
        }
    }
}
