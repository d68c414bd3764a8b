//! Whether a text names anything: the test that summaries and concerns share.
//!
//! A text names nothing if one language explains every word of it as small or general. A figure, a path, a
//! name or any word that the lists do not have is something to go and look at.

use super::letters::marks;
use super::lexicon::{self, Concept, Concepts, Folded, Found, Language};
use super::text::{Gap, Word, Words, words};

/// So many verbs that no list has may stand in a text that names nothing: "everything was buffed".
const UNKNOWN_VERBS_MAX: usize = 1;

/// So many words without an article that no list has name something, in a text of any length.
const UNKNOWN_MIN: usize = 2;

/// One such word in more words than this is a word that the lists lack, not a thing that the text names.
const WORDS_PER_UNKNOWN: usize = 7;

/// In a concern, which is often one sentence, it is a thing in as many words as this.
const WORDS_PER_UNKNOWN_IN_CONCERN: usize = 10;

/// In a text of more words, an article before one such word does not make it a thing either.
const ARTICLE_WORDS_MAX: usize = 11;

/// So many words before one that no list has, a phrase may start that explains it: "it leaves much to be desired".
const IDIOM_WORDS_BEFORE: usize = 5;

/// The concepts whose words fit any work.
const GENERAL: Concepts = Concepts::of(&[
    Concept::Function,
    Concept::General,
    Concept::Kind,
    Concept::Status,
    Concept::Opinion,
    Concept::Hedge,
]);

/// The concepts whose words stay general where they are quoted or part of a path.
const SMALL: Concepts = Concepts::of(&[Concept::Function, Concept::Status]);

/// Whether a text has a figure, a path, a name, or a word that does not fit just any work.
///
/// It is read once, by both languages, each until it is sure that the text names something.
pub(super) fn is_specific(text: &str) -> bool {
    names(text, Concepts::default())
}

/// As [`is_specific`], where words under some concepts name something too, however general they are elsewhere.
pub(super) fn names(text: &str, naming: Concepts) -> bool {
    if has_identifier(text.as_bytes()) {
        return true;
    }
    let words_max = marks(text) + 1;
    if last_names(text, words_max) {
        return true;
    }
    let mut readers = Language::ALL.map(|language| Reader::new(language, naming, words_max, text));
    let mut rest = words(text);
    while let Some(word) = rest.next() {
        for reader in readers.iter_mut().filter(|reader| !reader.is_sure) {
            reader.read(&word, &rest);
        }
        if readers.iter().all(|reader| reader.is_sure) {
            return true;
        }
    }
    readers.iter().all(Reader::names_something)
}

/// Whether a text has a name as programs have them, such as `parse_expiry`, `--no-git` or `{version}`: the cheapest to see.
pub(super) fn has_identifier(bytes: &[u8]) -> bool {
    let is_joined = memchr::memchr_iter(b'_', bytes).any(|at| {
        let is_letter =
            |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
        is_letter(at.checked_sub(1)) && is_letter(Some(at + 1))
    });
    if is_joined {
        return true;
    }
    let is_field = memchr::memchr_iter(b'{', bytes).any(|at| {
        let name =
            bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        name > 0 && bytes.get(at + 1 + name) == Some(&b'}')
    });
    is_field
        || memchr::memmem::find_iter(bytes, b" --")
            .any(|at| bytes.get(at + 3).is_some_and(u8::is_ascii_lowercase))
}

/// Whether the last word of a text is one that fits not just any work: in both languages the thing is mostly named last, and in a
/// short text or behind "the", which French does not have either, one such word is enough. What this does not see, the
/// readers do.
fn last_names(text: &str, words_max: usize) -> bool {
    const LETTERS_MIN: usize = 4;
    let text = text.trim_end_matches(|c: char| c.is_ascii_punctuation() || c == ' ');
    let word = text.rsplit(' ').next().unwrap_or_default();
    let is_plain = word.len() >= LETTERS_MIN && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_enough = words_max <= WORDS_PER_UNKNOWN || text[..text.len() - word.len()].ends_with(" the ");
    if !is_enough {
        return false;
    }
    let is_verb = ["ed", "ly"].iter().any(|end| word.ends_with(end));
    let lexicon = lexicon::get();
    is_plain && !is_verb && {
        let word = Folded::of(word.as_bytes());
        let key = lexicon.key_of(&word);
        let is_unknown = |language| {
            let found =
                key.map_or_else(|| lexicon.other(&word, language), |key| lexicon.known(key, language));
            !found.concepts().has_any(GENERAL) && !found.starts().has_any(GENERAL) && !found.goes_on()
        };
        Language::ALL.into_iter().all(is_unknown)
    }
}

/// One language's reading of a text.
struct Reader<'t> {
    language: Language,
    /// The concepts whose words name something in this text.
    naming: Concepts,
    /// More words than this it cannot have.
    words_max: usize,
    /// Whether the text names something for sure.
    is_sure: bool,
    words: usize,
    unknown: usize,
    unknown_verbs: usize,
    /// Whether a kind of things was named that every project has.
    has_kind: bool,
    /// How many words of a phrase are still to come.
    skip: usize,
    /// The words again, from where a phrase was last looked for that had begun, and how many stand before that: none is
    /// passed twice, so that a text is read in a time that grows as it does.
    behind: Words<'t>,
    passed: usize,
    /// What stands before a word: nothing, an article, another small word, or any other.
    before: Before,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Article,
    Small,
    Other,
}

impl<'t> Reader<'t> {
    fn new(language: Language, naming: Concepts, words_max: usize, text: &'t str) -> Self {
        Self {
            language,
            naming,
            words_max,
            is_sure: false,
            words: 0,
            unknown: 0,
            unknown_verbs: 0,
            has_kind: false,
            skip: 0,
            behind: words(text),
            passed: 0,
            before: Before::Nothing,
        }
    }

    fn names_something(&self) -> bool {
        // "Servers restarted" says what became of what; "worked on the servers" does not.
        let is_told = self.has_kind && self.unknown + self.unknown_verbs > 0;
        self.is_sure || is_told || self.unknown * self.words_per_unknown() >= self.words.max(1)
    }

    fn words_per_unknown(&self) -> usize {
        if self.naming.is_empty() { WORDS_PER_UNKNOWN } else { WORDS_PER_UNKNOWN_IN_CONCERN }
    }

    fn read(&mut self, word: &Word<'t>, rest: &Words<'t>) {
        self.words += 1;
        let form = word.of_form(self.language);
        if self.skip > 0 {
            self.skip -= 1;
        } else if !is_explained(word, form) {
            let found = word.look_up(self.language);
            let is_adverb = self.language == Language::English && is_adverb(word);
            self.has_kind |= found.concepts().has(Concept::Kind);
            let is_naming = found.concepts().has_any(self.naming);
            let is_known = is_explained(word, found.concepts()) || is_adverb || is_whole(word, rest);
            if is_naming || !is_known {
                match self.idiom(word, found, rest) {
                    Some(skip) => self.skip = skip,
                    None if is_naming => self.is_sure = true,
                    None => self.meet(word, found),
                }
            }
        }
        self.before = match form.has(Concept::Function) {
            true if self.is_article(word) => Before::Article,
            true => Before::Small,
            false => Before::Other,
        };
    }

    /// How many words are still to come of a general phrase that a word starts or is part of.
    fn idiom(&mut self, word: &Word<'t>, found: Found, rest: &Words<'t>) -> Option<usize> {
        let language = self.language;
        let longest = |first: Word<'t>, rest: &Words<'t>| {
            lexicon::get().longest(first, rest.clone(), GENERAL, language)
        };
        let is_start = found.starts().has_any(GENERAL);
        if let Some(length) = is_start.then(|| longest(*word, rest)).flatten() {
            return Some(length - 1);
        }
        if !found.goes_on() {
            return None;
        }
        // The words before it were known by themselves, so that nobody asked which phrase they start.
        let first = self.words.saturating_sub(1 + IDIOM_WORDS_BEFORE);
        self.behind.by_ref().take(first.saturating_sub(self.passed)).for_each(drop);
        self.passed = self.passed.max(first);
        let mut rest = self.behind.clone();
        (1..self.words - self.passed).rev().find_map(|before| {
            let first = rest.next()?;
            let length = longest(first, &rest).filter(|length| *length > before)?;
            Some(length - before - 1)
        })
    }

    /// Takes in a word that the lists do not explain.
    fn meet(&mut self, word: &Word<'_>, found: Found) {
        if self.is_verb(word) && self.unknown_verbs < UNKNOWN_VERBS_MAX {
            self.unknown_verbs += 1;
        } else {
            self.unknown += 1;
            let is_enough =
                self.unknown == UNKNOWN_MIN || self.unknown * self.words_per_unknown() >= self.words_max;
            self.is_sure = is_enough || self.is_named(word, found);
        }
    }

    /// Whether a word that no list has names something by itself: a figure, a path, a name, or behind an article.
    fn is_named(&self, word: &Word<'_>, found: Found) -> bool {
        let is_start = word.gap == Gap::Stop;
        let has_capital = word.text.chars().skip(usize::from(is_start)).any(char::is_uppercase);
        let has_article = self.before == Before::Article
            && (self.words_max <= ARTICLE_WORDS_MAX || !self.naming.is_empty());
        let is_number = word.has_digit() || found.concepts().has(Concept::Number);
        let is_foreign = word.text.chars().any(|letter| letter > '\u{24f}');
        is_number || word.is_code || word.is_quoted || has_capital || has_article || is_foreign
    }

    fn is_article(&self, word: &Word<'_>) -> bool {
        const ENGLISH: [&str; 8] = ["the", "this", "these", "those", "our", "your", "its", "their"];
        const FRENCH: [&str; 14] = [
            "le", "la", "les", "l", "du", "au", "aux", "cet", "cette", "notre", "nos", "votre", "vos", "ces",
        ];
        let articles: &[&str] = match self.language {
            Language::English => &ENGLISH,
            Language::French => &FRENCH,
        };
        articles.iter().any(|article| word.text.eq_ignore_ascii_case(article))
    }

    /// A form of a verb behind a helper or a pronoun: what was done, to nothing that is named.
    fn is_verb(&self, word: &Word<'_>) -> bool {
        let is_lower = word.text.starts_with(char::is_lowercase) || word.gap == Gap::Stop;
        if word.is_code || word.is_quoted || word.has_digit() || !is_lower {
            return false;
        }
        let is_helped = matches!(self.before, Before::Article | Before::Small);
        match self.language {
            Language::English => {
                let is_form = word.text.len() > 4 && word.text.ends_with("ed");
                is_form && (is_helped || self.before == Before::Nothing)
            }
            Language::French => {
                let is_form = ["é", "ée", "és", "ées"].iter().any(|end| word.text.ends_with(end));
                // Behind an article it is a noun: "les congés".
                is_form && self.before == Before::Small
            }
        }
    }
}

/// Whether what the lists say of a word makes it one that fits any work.
fn is_explained(word: &Word<'_>, concepts: Concepts) -> bool {
    let wanted = if word.is_code || word.is_quoted { SMALL } else { GENERAL };
    concepts.has_any(wanted)
}

/// An adverb that no list has tells how, not what. In French its ending is that of nouns too.
fn is_adverb(word: &Word<'_>) -> bool {
    const ENDS: [&str; 12] =
        ["ally", "ely", "ently", "antly", "ously", "fully", "edly", "ingly", "ibly", "ably", "dily", "sily"];
    !word.is_code && word.text.ends_with("ly") && ENDS.iter().any(|end| word.text.ends_with(end))
}

/// `100 %` is no figure of anything.
fn is_whole(word: &Word<'_>, rest: &Words<'_>) -> bool {
    word.text == "100" && rest.rest().trim_start().starts_with('%')
}
