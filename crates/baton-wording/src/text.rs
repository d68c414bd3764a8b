//! A text as the judgements read it: words in small letters without accents, with what stands around them.
//!
//! Invariant: reading goes once from left to right; a word costs a bounded number of look-ups.

use std::cell::OnceCell;
use std::ops::Range;

use super::forms::Tag;
use super::letters::{self, Lookahead, Spelling};
use super::lexicon::{self, Concept, Concepts, Folded, Found, Key, Language, Set};

/// The most that a word speaks for a language.
const WEIGHT_MAX: usize = 3;

/// So far behind its mark a quote is closed; one that is longer is no name of anything.
const QUOTE_BYTES_MAX: usize = 200;

/// Most texts have no more words than one for so many bytes.
const WORD_BYTES_USUAL: usize = 5;

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
    is_plain: bool,
    /// By which it is compared with others.
    pub(super) tag: Tag,
    key: Option<Key>,
}

/// A word with what the lists of the language of its text say of it.
#[derive(Clone, Copy)]
pub(super) struct ListedWord<'t> {
    word: Word<'t>,
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
    fn look_up_other(&self, language: Language) -> Found {
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
    fn read_usual(&mut self) -> Option<Word<'t>> {
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
    fn read(&mut self) -> Option<Word<'t>> {
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
struct Taken<'t> {
    words: Vec<ListedWord<'t>>,
    /// Weight for each language.
    weights: [usize; 2],
    /// Number of words whose form the lists lack.
    unknown: usize,
    /// True if each of those was looked up.
    are_all_found: bool,
}

impl<'t> Taken<'t> {
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
        let mut taken = Taken::with_room_for(text);
        let mut rest = words(text);
        loop {
            while let Some(word) = rest.read_usual() {
                taken.take(word);
            }
            let Some(word) = rest.read() else { break };
            taken.take(word);
        }
        let Taken { mut words, mut weights, unknown, are_all_found } = taken;
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
