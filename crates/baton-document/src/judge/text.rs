//! A text as the judgements read it: words in small letters without accents, with what stands around them.
//!
//! Invariant: reading goes once from left to right; a word costs a bounded number of look-ups.

use super::lexicon::{self, Concept, Concepts, Key, Language, Lexicon};

/// Room for every word of the lists; a longer one is a word that no list has.
const WORD_BYTES_MAX: usize = 24;

/// So far behind its mark a quote is closed; one that is longer is no name of anything.
const QUOTE_BYTES_MAX: usize = 200;

/// Most texts have no more words than one for so many bytes.
const WORD_BYTES_USUAL: usize = 5;

/// One word of a text.
#[derive(Clone, Copy)]
pub(super) struct Word<'t> {
    /// As it is written.
    pub(super) text: &'t str,
    /// Where in the text it starts.
    pub(super) start: usize,
    /// What separates it from the word before it.
    pub(super) gap: Gap,
    /// Whether it stands between quotation marks or backticks.
    pub(super) is_quoted: bool,
    /// Whether it is part of a path, a file name or an identifier.
    pub(super) is_code: bool,
    folded: Folded,
    key: Option<Key>,
}

/// A word with what the lists say of it.
#[derive(Clone, Copy)]
pub(super) struct Known<'t> {
    word: Word<'t>,
    found: [lexicon::Found; 2],
}

/// What separates two words, the weakest first.
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
    /// Where in the text it ends.
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// What a language says of its form alone.
    pub(super) fn of_form(&self, language: Language) -> Concepts {
        lexicon::get().of_form(self.key, language)
    }

    /// What a language says of it.
    pub(super) fn look_up(&self, language: Language) -> lexicon::Found {
        lexicon::get().look_up(self.folded.as_str(), self.key, language)
    }

    /// Whether it is a small word of any language, as prose has in every line.
    pub(super) fn is_small(&self) -> bool {
        let is_small = |language| self.look_up(language).concepts.has(Concept::Function);
        !self.is_code && Language::ALL.into_iter().any(is_small)
    }

    /// Whether it is a figure, such as `12`, `3e` or `p95`.
    pub(super) fn has_digit(&self) -> bool {
        self.text.bytes().any(|byte| byte.is_ascii_digit())
    }
}

impl lexicon::Spoken for Word<'_> {
    fn keys(self, language: Language) -> [Option<Key>; 2] {
        [self.key, self.look_up(language).stem]
    }

    fn continues(self, part: lexicon::Part, language: Language) -> bool {
        match part {
            lexicon::Part::Form(key) => self.key == Some(key),
            lexicon::Part::Stem(key) => self.look_up(language).stem == Some(key),
        }
    }
}

impl lexicon::Spoken for &Known<'_> {
    fn keys(self, language: Language) -> [Option<Key>; 2] {
        [self.key, self.found[language.index()].stem]
    }

    fn continues(self, part: lexicon::Part, language: Language) -> bool {
        match part {
            lexicon::Part::Form(key) => self.key == Some(key),
            lexicon::Part::Stem(key) => self.found[language.index()].stem == Some(key),
        }
    }
}

impl<'t> std::ops::Deref for Known<'t> {
    type Target = Word<'t>;

    fn deref(&self) -> &Word<'t> {
        &self.word
    }
}

impl Known<'_> {
    /// Whether the lists of a language have it under a concept.
    pub(super) fn is(&self, concept: Concept, language: Language) -> bool {
        self.found[language.index()].concepts.has(concept)
    }

    /// Whether the lists of a language have it under one of some concepts.
    pub(super) fn is_any(&self, concepts: Concepts, language: Language) -> bool {
        self.found[language.index()].concepts.has_any(concepts)
    }

    /// Whether a list of a language has it at all.
    pub(super) fn is_known(&self, language: Language) -> bool {
        !self.found[language.index()].concepts.is_empty()
    }
}

/// The words of a text, one by one: runs of letters and digits.
#[derive(Clone)]
pub(super) struct Words<'t> {
    text: &'t str,
    at: usize,
    /// Where the quote that was last opened ends, its mark included.
    quote_end: usize,
    lexicon: &'static Lexicon,
}

impl<'t> Words<'t> {
    /// Where the next word starts, what separates it from the last one, and the letter before it.
    fn next_start(&mut self) -> (usize, Gap, Option<char>) {
        let bytes = self.text.as_bytes();
        let mut gap = if self.at == 0 { Gap::Stop } else { Gap::None };
        let mut before = None;
        let mut start = self.at;
        for letter in self.text[self.at..].chars() {
            if letter.is_alphanumeric() {
                break;
            }
            let end = start + letter.len_utf8();
            if letter != ' ' {
                gap = gap.max(gap_of(letter, bytes.get(end).copied()));
                self.open_quote(letter, start);
            }
            before = Some(letter);
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
    Words { text, at: 0, quote_end: 0, lexicon: lexicon::get() }
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let (start, gap, before) = match bytes.get(self.at..self.at + 2) {
            // One blank between two words: by far the most of what separates them.
            Some([b' ', next]) if next.is_ascii_alphanumeric() && self.at > 0 => {
                (self.at + 1, Gap::None, Some(' '))
            }
            _ => self.next_start(),
        };
        if start >= self.text.len() {
            self.at = self.text.len();
            return None;
        }
        let (end, folded) = Folded::read(self.text, start);
        self.at = end;
        let text = &self.text[start..end];
        let key = self.lexicon.key_of(folded.as_bytes());
        let is_code = is_joined_before(before, start, text, bytes) || is_joined_after(&bytes[self.at..]);
        Some(Word { text, start, gap, is_quoted: start < self.quote_end, is_code, folded, key })
    }
}

/// Where the word ends that has other letters than ASCII from a place on.
fn end_of_word(text: &str, from: usize) -> usize {
    let is_part = |letter: char| letter.is_alphanumeric() || is_accent(letter);
    let length = text[from..].find(|letter: char| !is_part(letter));
    length.map_or(text.len(), |length| from + length)
}

/// A text that was read whole.
pub(super) struct Reading<'t> {
    /// The text.
    pub(super) text: &'t str,
    /// Its words.
    pub(super) words: Vec<Known<'t>>,
    /// The language that most of its small words belong to.
    pub(super) language: Language,
    is_either: bool,
}

impl<'t> Reading<'t> {
    /// Reads a text.
    pub(super) fn new(text: &'t str) -> Self {
        let lexicon = lexicon::get();
        let mut words: Vec<Known<'t>> = Vec::with_capacity(text.len() / WORD_BYTES_USUAL);
        for word in self::words(text) {
            let known = word.key.map(|key| *lexicon.known(key, || word.folded.as_str()));
            words.push(Known { word, found: known.unwrap_or_default() });
        }
        let accents = words.iter().filter(|word| !word.text.is_ascii()).count();
        let count = |words: &[Known<'t>], language| {
            let weight = |word: &Known<'t>| {
                usize::from(word.is_known(language)) + 2 * usize::from(word.is(Concept::Function, language))
            };
            words.iter().map(weight).sum::<usize>()
        };
        // Small words are forms of the lists, and mostly tell the language before others are looked up.
        let (english, french) = (count(&words, Language::English), count(&words, Language::French) + accents);
        let others = 3 * words.iter().filter(|word| word.key.is_none()).count();
        let sure = match () {
            () if english > french + others => Some(Language::English),
            () if french > english + others => Some(Language::French),
            () => None,
        };
        let is_needed = |language| sure.is_none_or(|sure| sure == language);
        for word in words.iter_mut().filter(|word| word.key.is_none()) {
            for language in Language::ALL.into_iter().filter(|language| is_needed(*language)) {
                word.found[language.index()] = word.look_up(language);
            }
        }
        let (english, french) = match sure {
            Some(Language::English) => (1, 0),
            Some(Language::French) => (0, 1),
            None => (count(&words, Language::English), count(&words, Language::French) + accents),
        };
        let language = if french > english { Language::French } else { Language::English };
        Self { text, words, language, is_either: english == french }
    }

    /// The same text in the other language, where its words do not tell which one it is.
    pub(super) fn in_other_language(mut self) -> Option<Self> {
        let other = match self.language {
            Language::English => Language::French,
            Language::French => Language::English,
        };
        self.language = other;
        self.is_either.then_some(self)
    }

    /// Whether a word is under a concept.
    pub(super) fn is(&self, at: usize, concept: Concept) -> bool {
        self.words.get(at).is_some_and(|word| word.is(concept, self.language))
    }

    /// The place behind a word or phrase under a concept that starts here, if one does; the longest wins.
    pub(super) fn after(&self, at: usize, concept: Concept) -> Option<usize> {
        let word = self.words.get(at)?;
        let found = &word.found[self.language.index()];
        let single = found.concepts.has(concept).then_some(1);
        if !found.starts.has(concept) {
            return single.map(|length| at + length);
        }
        let phrase = lexicon::get().longest(word, &self.words[at + 1..].iter(), concept, self.language);
        phrase.max(single).map(|length| at + length)
    }

    /// The concepts under which a word or phrase may start here.
    pub(super) fn starts(&self, at: usize) -> Concepts {
        let found = &self.words[at].found[self.language.index()];
        found.concepts.with(found.starts)
    }

    /// Whether any word or phrase is under a concept.
    pub(super) fn find(&self, concept: Concept) -> Option<(usize, usize)> {
        (0..self.words.len()).find_map(|at| self.after(at, concept).map(|end| (at, end)))
    }

    /// The text from one word up to, not including, another.
    pub(super) fn words_between(&self, from: usize, to: usize) -> &'t str {
        match (self.words.get(from), to.checked_sub(1).and_then(|last| self.words.get(last))) {
            (Some(first), Some(last)) if first.start <= last.start => &self.text[first.start..last.end()],
            _ => "",
        }
    }

    /// The words as sentences, each a range.
    pub(super) fn sentences(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
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

/// A word in small letters without accents; empty if it is too long for the lists.
#[derive(Clone, Copy, Default)]
struct Folded {
    bytes: [u8; WORD_BYTES_MAX],
    length: usize,
}

impl Folded {
    /// Reads the word that starts at a place, and tells where it ends.
    fn read(text: &str, start: usize) -> (usize, Self) {
        let mut folded = Self::default();
        let rest = &text.as_bytes()[start..];
        let mut length = 0;
        while let Some(byte) = rest.get(length).filter(|byte| byte.is_ascii_alphanumeric()) {
            if let Some(room) = folded.bytes.get_mut(length) {
                *room = byte.to_ascii_lowercase();
            }
            length += 1;
        }
        let mut end = start + length;
        if rest.get(length).is_none_or(u8::is_ascii) {
            folded.length = if length <= WORD_BYTES_MAX { length } else { 0 };
        } else {
            end = end_of_word(text, end);
            folded.fold(&text[start..end]);
        }
        (end, folded)
    }

    fn fold(&mut self, text: &str) {
        self.length = 0;
        if text.is_ascii() {
            if let Some(room) = self.bytes.get_mut(..text.len()) {
                room.copy_from_slice(text.as_bytes());
                room.make_ascii_lowercase();
                self.length = text.len();
            }
            return;
        }
        for letter in text.chars().flat_map(char::to_lowercase).filter(|letter| !is_accent(*letter)) {
            let (first, second) = plain(letter);
            for byte in [Some(first), second].into_iter().flatten() {
                let Some(room) = self.bytes.get_mut(self.length) else {
                    self.length = 0;
                    return;
                };
                *room = byte;
                self.length += 1;
            }
        }
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

/// A letter without its accent; one of another script is a letter that no list has.
fn plain(letter: char) -> (u8, Option<u8>) {
    let single = |letter| (letter, None);
    match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => single(b'a'),
        'ç' => single(b'c'),
        'è' | 'é' | 'ê' | 'ë' => single(b'e'),
        'ì' | 'í' | 'î' | 'ï' => single(b'i'),
        'ñ' => single(b'n'),
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => single(b'o'),
        'ù' | 'ú' | 'û' | 'ü' => single(b'u'),
        'ÿ' => single(b'y'),
        'œ' => (b'o', Some(b'e')),
        'æ' => (b'a', Some(b'e')),
        letter if letter.is_ascii() => single(letter as u8),
        _ => single(b'?'),
    }
}

/// An accent that stands after its letter.
fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
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

/// Whether a word belongs to a path or an identifier that started before it.
fn is_joined_before(before: Option<char>, start: usize, text: &str, bytes: &[u8]) -> bool {
    let is_letter =
        |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    match before {
        Some('_' | '/' | '\\' | '`' | '@' | '#' | '$') => true,
        // `--option`, `-x` and `Type::name`, but not a dash between words or a hyphen in one.
        Some('-') => is_option(&bytes[..start - 1]),
        Some(':') => bytes[..start - 1].ends_with(b":"),
        Some('.') => {
            let is_end = text.len() > 1 && text.starts_with(|letter: char| letter.is_ascii_lowercase());
            is_end && is_letter(start.checked_sub(2))
                || start.checked_sub(2).is_none_or(|at| bytes[at] == b' ')
        }
        _ => false,
    }
}

/// Whether the hyphens at the end of this start an option.
fn is_option(before: &[u8]) -> bool {
    let head = before.strip_suffix(b"-").unwrap_or(before);
    head.last().is_none_or(|last| matches!(last, b' ' | b'[' | b'(' | b'\n'))
}

/// Whether a word goes on as a path or an identifier.
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

    fn folded(text: &str) -> Vec<String> {
        let fold = |word: Word<'_>| {
            let mut folded = Folded::default();
            folded.fold(word.text);
            folded.as_str().to_owned()
        };
        words(text).map(fold).collect()
    }

    #[test]
    fn words_are_read_without_case_accents_and_punctuation() {
        assert_eq!(folded("C'est FAIT, Élodie !"), ["c", "est", "fait", "elodie"]);
        assert_eq!(folded("C’est d'œil"), ["c", "est", "d", "oeil"]);
        assert_eq!(folded("termine\u{301}"), ["termine"], "an accent of its own is no word of its own");
        assert_eq!(folded("日本 ok"), ["??", "ok"]);
        assert_eq!(folded("anticonstitutionnellement-ok"), ["", "ok"]);
        assert!(folded(" …✅ ").is_empty());
    }

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
}
