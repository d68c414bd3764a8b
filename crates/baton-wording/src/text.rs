//! The words of a text, in small letters without accents, each with the separator before it.
//!
//! Invariant: reading goes once from left to right; a word costs a bounded number of look-ups.

use super::forms::Tag;
use super::letters::{self, Lookahead, Spelling};
use super::lexicon::{self, Concept, Concepts, Folded, Found, Key, Language};

/// So far behind its mark a quote is closed; one that is longer is no name of anything.
const QUOTE_BYTES_MAX: usize = 200;

/// One word of a text.
#[derive(Clone, Copy)]
pub(super) struct Word<'t> {
    /// As it is written.
    pub(super) text: &'t str,
    /// Offset of its first byte in the text.
    pub(super) start: usize,
    /// Separator between it and the word before.
    pub(super) gap: Gap,
    /// True if it stands between quotation marks or backticks.
    pub(super) is_quoted: bool,
    /// True if it is part of a path, a file name or an identifier.
    pub(super) is_code: bool,
    /// True if all its letters are ASCII.
    pub(super) is_plain: bool,
    /// By which it is compared with others.
    pub(super) tag: Tag,
    pub(super) key: Option<Key>,
}

/// A word with what the lists of the language of its text say of it.
#[derive(Clone, Copy)]
pub(super) struct ListedWord<'t> {
    pub(super) word: Word<'t>,
    /// Listing of it.
    pub(super) found: Found,
}

/// Separator of two words, the weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Gap {
    /// Blanks, a hyphen or an apostrophe.
    None,
    /// A comma, a parenthesis, a dash.
    Pause,
    /// The end of a sentence, a colon, a semicolon, a line break.
    Stop,
}

impl Word<'_> {
    /// Offset behind its last byte in the text.
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Concepts of its form alone in a language.
    pub(super) fn of_form(&self, language: Language) -> Concepts {
        lexicon::get().of_form(self.key, language)
    }

    /// Listing of it in a language.
    #[inline]
    pub(super) fn look_up(&self, language: Language) -> Found {
        match self.key {
            Some(key) => lexicon::get().known(key, language),
            None => self.look_up_other(language),
        }
    }

    /// Listing of a word in a language by its stem, where the lists lack its form.
    #[inline(never)]
    pub(super) fn look_up_other(&self, language: Language) -> Found {
        let folded = match self.tag.letters() {
            Some([first, second]) if self.is_plain => Folded::new([first, second, 0], self.text.len()),
            _ => letters::folded(self.text),
        };
        lexicon::get().other(&folded, language)
    }

    /// Checks whether it starts with letters, without regard to capitals.
    pub(super) fn starts_with(&self, start: &str) -> bool {
        let first = self.text.as_bytes().get(..start.len());
        first.is_some_and(|first| first.eq_ignore_ascii_case(start.as_bytes()))
    }

    /// Checks whether it is a small word of any language, as prose has in every line.
    pub(super) fn is_small(&self) -> bool {
        let is_small = |language| self.look_up(language).concepts().has(Concept::Function);
        !self.is_code && Language::ALL.into_iter().any(is_small)
    }

    /// Checks whether it is a figure, such as `12`, `3e` or `p95`.
    pub(super) fn has_digit(&self) -> bool {
        self.text.bytes().any(|byte| byte.is_ascii_digit())
    }
}

impl lexicon::Spoken for Found {
    #[inline]
    fn found(self, _: Language) -> Found {
        self
    }
}

impl lexicon::Spoken for Word<'_> {
    fn found(self, language: Language) -> Found {
        self.look_up(language)
    }
}

impl lexicon::Spoken for &ListedWord<'_> {
    #[inline]
    fn found(self, _: Language) -> Found {
        self.found
    }
}

impl<'t> std::ops::Deref for ListedWord<'t> {
    type Target = Word<'t>;

    fn deref(&self) -> &Word<'t> {
        &self.word
    }
}

impl ListedWord<'_> {
    /// Checks whether the lists have it under a concept.
    #[inline]
    pub(super) fn is(&self, concept: Concept) -> bool {
        self.found.concepts().has(concept)
    }

    /// Checks whether the lists have it under one of some concepts.
    #[inline]
    pub(super) fn is_any(&self, concepts: Concepts) -> bool {
        self.found.concepts().has_any(concepts)
    }
}

/// The words of a text, one by one: runs of letters and digits.
#[derive(Clone)]
pub(super) struct Words<'t> {
    text: &'t str,
    at: usize,
    /// End of the quote that was opened last, its mark included.
    quote_end: usize,
    ahead: Lookahead,
}

impl<'t> Words<'t> {
    /// Start of the next word, the separator before it, and the ASCII byte before it.
    fn next_start(&mut self) -> (usize, Gap, u8) {
        let bytes = self.text.as_bytes();
        let mut gap = if self.at == 0 { Gap::Stop } else { Gap::None };
        let mut before = 0;
        let mut start = self.at;
        while let Some(byte) = bytes.get(start) {
            let class = class::OF[usize::from(*byte)];
            if class & class::LETTER != 0 {
                break;
            }
            let mut letter = char::from(*byte);
            before = *byte;
            if class & class::FOREIGN != 0 {
                letter = self.text[start..].chars().next().unwrap_or_default();
                before = 0;
                if letter.is_alphanumeric() {
                    break;
                }
            }
            let end = start + letter.len_utf8();
            if class & (class::FOREIGN | class::MARK) != 0 {
                gap = gap.max(gap_of(letter, bytes.get(end).copied()));
                self.open_quote(letter, start);
            }
            start = end;
        }
        (start, gap, before)
    }

    /// Notes where a quote ends that a mark at a place opens, if it does.
    fn open_quote(&mut self, mark: char, at: usize) {
        if at < self.quote_end {
            return;
        }
        let Some(close) = closing(mark, self.text[..at].chars().next_back()) else { return };
        let inside = at + mark.len_utf8();
        let near = self.text.floor_char_boundary(inside + QUOTE_BYTES_MAX);
        if let Some(end) = self.text[inside..near].find(close) {
            self.quote_end = inside + end + close.len_utf8();
        }
    }

    /// The text behind the last word.
    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }
}

/// Reads a text word by word.
pub(super) fn words(text: &str) -> Words<'_> {
    Words { text, at: 0, quote_end: 0, ahead: Lookahead::at(text.as_bytes(), 0) }
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read_usual().or_else(|| self.read())
    }
}

impl<'t> Words<'t> {
    /// The next word, if it is as most words are: short, plain, not joined to another, and behind one blank, one line break,
    /// or a mark and a blank.
    #[inline(always)]
    pub(super) fn read_usual(&mut self) -> Option<Word<'t>> {
        let bytes = self.text.as_bytes();
        let (start, gap) = match bytes.get(self.at..)? {
            [b' ', ..] if self.at > 0 => (self.at + 1, Gap::None),
            [b',', b' ', ..] if self.at > 0 => (self.at + 2, Gap::Pause),
            [b'\n', ..] => (self.at + 1, Gap::Stop),
            [b'.' | b';' | b':', b' ', ..] => (self.at + 2, Gap::Stop),
            _ if self.at == 0 => (0, Gap::Stop),
            _ => return None,
        };
        if start < self.quote_end {
            return None;
        }
        let length = self.ahead.run(bytes, start);
        let Spelling { end, is_plain, tag, key } = letters::read_short(bytes, start, length)?;
        let after = class::OF[usize::from(bytes.get(end).copied().unwrap_or_default())];
        if after & (class::FOREIGN | class::JOINS_AFTER) != 0
            && (after & class::FOREIGN != 0 || is_joined_after(&bytes[end..]))
        {
            return None;
        }
        self.at = end;
        let text = &self.text[start..end];
        Some(Word { text, start, gap, is_quoted: false, is_code: false, is_plain, tag, key })
    }

    /// The next word.
    #[inline(never)]
    pub(super) fn read(&mut self) -> Option<Word<'t>> {
        let bytes = self.text.as_bytes();
        let (start, gap, before) = self.next_start();
        if start >= self.text.len() {
            self.at = self.text.len();
            return None;
        }
        let Spelling { end, is_plain, tag, key } = letters::read(self.text, start, &mut self.ahead);
        self.at = end;
        let text = &self.text[start..end];
        let after = bytes.get(end).copied().unwrap_or_default();
        let is_code = class::OF[usize::from(before)] & class::JOINS_BEFORE != 0
            && is_joined_before(before, start, text, bytes)
            || class::OF[usize::from(after)] & class::JOINS_AFTER != 0 && is_joined_after(&bytes[end..]);
        Some(Word { text, start, gap, is_quoted: start < self.quote_end, is_code, is_plain, tag, key })
    }
}

/// Classes of bytes for the reader of words.
mod class {
    /// A letter or figure.
    pub(super) const LETTER: u8 = 1;
    /// The first byte of a letter or mark that is not ASCII.
    pub(super) const FOREIGN: u8 = 2;
    /// A mark that separates words by more than a blank does, or opens a quote.
    pub(super) const MARK: u8 = 4;
    /// A mark that may join the word behind it to what is before it.
    pub(super) const JOINS_BEFORE: u8 = 8;
    /// A mark that may join the word before it to what is behind it.
    pub(super) const JOINS_AFTER: u8 = 16;

    /// The classes of each byte.
    pub(super) const OF: [u8; 256] = {
        let mut of = [0; 256];
        let mut of_byte = 0u8;
        loop {
            of[of_byte as usize] = (of_byte.is_ascii_alphanumeric() as u8 * LETTER)
                | (!of_byte.is_ascii() as u8 * FOREIGN)
                | (matches!(of_byte, b'.' | b'!' | b'?' | b';' | b':' | b'\n' | b',' | b'(' | b')') as u8
                    * MARK)
                | (matches!(of_byte, b'"' | b'`') as u8 * MARK)
                | (matches!(of_byte, b'_' | b'/' | b'\\' | b'`') as u8 * (JOINS_BEFORE | JOINS_AFTER))
                | (matches!(of_byte, b'@' | b'#' | b'$' | b'-') as u8 * JOINS_BEFORE)
                | (matches!(of_byte, b':' | b'.') as u8 * (JOINS_BEFORE | JOINS_AFTER))
                | (matches!(of_byte, b'(') as u8 * JOINS_AFTER);
            if of_byte == u8::MAX {
                break of;
            }
            of_byte += 1;
        }
    };
}

fn gap_of(letter: char, after: Option<u8>) -> Gap {
    match letter {
        // A full stop or colon inside a word, as in `auth.ts` or `12:30`, stops nothing.
        '.' | ':' if after.is_some_and(|after| after.is_ascii_alphanumeric()) => Gap::None,
        '.' | '!' | '?' | ';' | ':' | '\n' | '…' => Gap::Stop,
        ',' | '(' | ')' | '–' | '—' | '→' => Gap::Pause,
        _ => Gap::None,
    }
}

/// The mark that ends what this one opens.
fn closing(mark: char, before: Option<char>) -> Option<char> {
    match mark {
        '“' => Some('”'),
        '«' => Some('»'),
        '`' => Some('`'),
        // Behind a letter or figure it opens nothing, as in 5".
        '"' if before.is_none_or(|before| !before.is_alphanumeric()) => Some('"'),
        _ => None,
    }
}

/// Checks whether a word belongs to a path or an identifier that started before it.
#[inline(never)]
fn is_joined_before(before: u8, start: usize, text: &str, bytes: &[u8]) -> bool {
    let is_letter =
        |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    match before {
        b'_' | b'/' | b'\\' | b'`' | b'@' | b'#' | b'$' => true,
        // `--option`, `-x` and `Type::name`, but not a dash between words or a hyphen in one.
        b'-' => is_option(&bytes[..start - 1]),
        b':' => bytes[..start - 1].ends_with(b":"),
        b'.' => {
            let is_end = text.len() > 1 && text.starts_with(|letter: char| letter.is_ascii_lowercase());
            is_end && is_letter(start.checked_sub(2))
                || start.checked_sub(2).is_none_or(|at| bytes[at] == b' ')
        }
        _ => false,
    }
}

/// Checks whether the hyphens at the end of this start an option.
fn is_option(before: &[u8]) -> bool {
    let head = before.strip_suffix(b"-").unwrap_or(before);
    head.last().is_none_or(|last| matches!(last, b' ' | b'[' | b'(' | b'\n'))
}

/// Checks whether a word goes on as a path or an identifier.
fn is_joined_after(rest: &[u8]) -> bool {
    match rest {
        [b'_' | b'/' | b'\\' | b'`', ..] => true,
        [b'(', b')', ..] | [b':', b':', ..] => true,
        [b'.', after, then, ..] => after.is_ascii_lowercase() && then.is_ascii_lowercase(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_what_stands_around_them() {
        let gaps = |text| words(text).map(|word| word.gap).collect::<Vec<_>>();
        assert_eq!(gaps("a b, c. d"), [Gap::Stop, Gap::None, Gap::Pause, Gap::Stop]);
        assert_eq!(gaps("auth.ts at 12:30"), [Gap::Stop, Gap::None, Gap::None, Gap::None, Gap::None]);
        let marked = |text, is: fn(&Word<'_>) -> bool| {
            words(text).filter(|word| is(word)).map(|word| word.text.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(
            marked("a “b c” d «e» 5\" f \"g\" h `i` j", |word| word.is_quoted),
            ["b", "c", "e", "g", "i"]
        );
        assert_eq!(
            marked("see src/lib a_b auth.ts f() end. .env", |word| word.is_code),
            ["src", "lib", "a", "b", "auth", "ts", "f", "env"]
        );
    }
}
