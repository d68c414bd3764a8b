//! Texts as the rules of wording read them: words in small letters without accents, French and English alike.
//!
//! Invariant: reading a text allocates nothing, and looks at each word a bounded number of times.

use rustc_hash::FxHashMap;

/// Room for every word of the lists; a longer one is a word that no list has.
const WORD_BYTES_MAX: usize = 24;

/// The words of a list from here on may also end in `s`, `e` or `es`; shorter ones would become others.
const INFLECTED_BYTES_MIN: usize = 4;

/// One word of a text.
#[derive(Clone, Copy)]
pub(super) struct Word<'t> {
    /// As it is written.
    pub(super) text: &'t str,
    /// Where in the text it starts.
    pub(super) start: usize,
    folded: [u8; WORD_BYTES_MAX],
    length: usize,
}

impl<'t> Word<'t> {
    fn new(text: &'t str, start: usize) -> Self {
        let mut word = Self { text, start, folded: [0; WORD_BYTES_MAX], length: 0 };
        for letter in text.chars().flat_map(char::to_lowercase).filter(|letter| !is_accent(*letter)) {
            let letters = plain(letter);
            let Some(room) = word.folded[word.length..].get_mut(..letters.len()) else {
                return Self { length: 0, ..word };
            };
            room.copy_from_slice(letters.as_bytes());
            word.length += letters.len();
        }
        word
    }

    /// In small letters without accents; empty for a word too long for the lists.
    pub(super) fn folded(&self) -> &str {
        std::str::from_utf8(&self.folded[..self.length]).unwrap_or_default()
    }
}

/// The words of a text, one by one: runs of letters and digits.
#[derive(Clone)]
pub(super) struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl Words<'_> {
    /// How far the text was read.
    pub(super) fn at(&self) -> usize {
        self.at
    }
}

/// Reads a text word by word.
pub(super) fn words(text: &str) -> Words<'_> {
    Words { text, at: 0 }
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        let is_part = |letter: char| letter.is_alphanumeric() || is_accent(letter);
        let start = self.at + self.text[self.at..].find(char::is_alphanumeric)?;
        let length = self.text[start..].find(|letter| !is_part(letter));
        self.at = length.map_or(self.text.len(), |length| start + length);
        Some(Word::new(&self.text[start..self.at], start))
    }
}

/// A list of words and phrases to look for.
pub(super) struct Phrases {
    by_first_word: FxHashMap<&'static str, Vec<&'static str>>,
}

impl Phrases {
    /// Makes a list of phrases that are written in small letters without accents, with commas between them.
    pub(super) fn new(lists: &[&'static str]) -> Self {
        let mut by_first_word: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for phrase in lists.iter().flat_map(|list| list.split(',')).map(str::trim) {
            let (first, rest) = phrase.split_once(' ').unwrap_or((phrase, ""));
            by_first_word.entry(first).or_default().push(rest);
        }
        Self { by_first_word }
    }

    /// The words after the longest phrase that starts with this word, if one does.
    pub(super) fn after<'t>(&self, first: &Word<'t>, rest: &Words<'t>) -> Option<Words<'t>> {
        let word = first.folded();
        let forms = ["", "s", "e", "es"].into_iter().filter_map(|end| word.strip_suffix(end));
        let stems = forms.filter(|stem| *stem == word || stem.len() >= INFLECTED_BYTES_MIN);
        let phrases = stems.filter_map(|stem| self.by_first_word.get(stem)).flatten();
        phrases.filter_map(|phrase| past(phrase, rest.clone())).max_by_key(|after| after.at)
    }

    /// Whether the list has a word by itself.
    pub(super) fn has(&self, word: &Word<'_>) -> bool {
        self.after(word, &words("")).is_some()
    }
}

/// The words after those of a phrase.
fn past<'t>(phrase: &str, mut words: Words<'t>) -> Option<Words<'t>> {
    for wanted in phrase.split_whitespace() {
        let word = words.next()?;
        let end = word.folded().strip_prefix(wanted)?;
        let is_form = matches!(end, "s" | "e" | "es") && wanted.len() >= INFLECTED_BYTES_MIN;
        if !end.is_empty() && !is_form {
            return None;
        }
    }
    Some(words)
}

/// A letter without its accent; one of another script is a letter that no list has.
fn plain(letter: char) -> &'static str {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
    match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => "a",
        'ç' => "c",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ñ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => "o",
        'ù' | 'ú' | 'û' | 'ü' => "u",
        'ÿ' => "y",
        'œ' => "oe",
        'æ' => "ae",
        'a'..='z' => {
            let at = letter as usize - 'a' as usize;
            &LETTERS[at..=at]
        }
        '0'..='9' => {
            let at = letter as usize - '0' as usize + 26;
            &LETTERS[at..=at]
        }
        _ => "?",
    }
}

/// An accent that stands after its letter.
fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> Vec<String> {
        words(text).map(|word| word.folded().to_owned()).collect()
    }

    #[test]
    fn words_are_read_without_case_accents_and_punctuation() {
        assert_eq!(folded("C'est FAIT, Élodie !"), ["c", "est", "fait", "elodie"]);
        assert_eq!(folded("vue d'œil"), ["vue", "d", "oeil"]);
        assert_eq!(folded("termine\u{301}"), ["termine"], "an accent of its own is no word of its own");
        assert_eq!(folded("日本 ok"), ["??", "ok"]);
        assert_eq!(folded("anticonstitutionnellement-ok"), ["", "ok"]);
        assert!(folded(" …✅ ").is_empty());
    }

    #[test]
    fn phrases_are_found_in_their_usual_forms_and_the_longest_wins() {
        let phrases = Phrases::new(&["valide, valide par", "non tranche"]);
        let ends = |text| {
            let mut words = words(text);
            let first = words.next()?;
            phrases.after(&first, &words).map(|after| after.at)
        };
        assert_eq!(ends("Validées par lui"), Some("Validées par".len()));
        assert_eq!(ends("validation"), None);
        assert_eq!(ends("non tranchées"), Some("non tranchées".len()));
        assert_eq!(ends("non"), None);
        assert_eq!(ends("none tranché"), None, "a short word has one form");
    }
}
