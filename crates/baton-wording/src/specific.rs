//! Whether a text names anything: the test that summaries and concerns share.
//!
//! A text names nothing if one language explains every word of it as small or general. A figure, a path, a
//! name or any word that the lists do not have is something to go and look at.

use super::forms::forms;
use super::letters::{Glance, PlainWords};
use super::lexicon::{self, Concept, Concepts, Folded, Found, GENERAL, Language, Record};
use super::text::{Gap, Word, Words, words};

/// So many verbs that no list has may stand in a text that names nothing: "everything was buffed".
const UNKNOWN_VERBS_MAX: usize = 1;

/// So many words without an article that no list has name something, in a text of any length.
const UNKNOWN_MIN: usize = 2;

/// One such word in more words than this is a word that the lists lack, not a thing that the text names.
const WORDS_PER_UNKNOWN: usize = 7;

/// A text of fewer bytes may be so short that one word is enough.
const SHORT_BYTES_MAX: usize = 128;

/// In a concern, which is often one sentence, it is a thing in as many words as this.
const WORDS_PER_UNKNOWN_IN_CONCERN: usize = 10;

/// In a text of more words, an article before one such word does not make it a thing either.
const ARTICLE_WORDS_MAX: usize = 11;

/// So many words before one that no list has, a phrase may start that explains it: "it leaves much to be desired".
const IDIOM_WORDS_BEFORE: usize = 5;

/// The concepts whose words stay general where they are quoted or part of a path.
const SMALL: Concepts = Concepts::of(&[Concept::Function, Concept::Status]);

/// Checks whether a text has a figure, a path, a name, or a word that does not fit just any work.
///
/// Where a glance does not decide, the text is read once, by both languages, each until it is sure that the text names a
/// thing.
pub(super) fn is_specific(text: &str) -> bool {
    names(text, Concepts::default())
}

/// As [`is_specific`], where words under some concepts name something too, however general they are elsewhere.
pub(super) fn names(text: &str, naming: Concepts) -> bool {
    // How many words a long text has is asked only where two words do not tell.
    let is_long = text.len() > SHORT_BYTES_MAX;
    let bytes = text.as_bytes();
    if is_long && names_plainly(PlainWords::of(bytes), naming, UNKNOWN_MIN) {
        return true;
    }
    let glance = Glance::of(bytes);
    if glance.may_have_identifier && has_identifier(bytes) {
        return true;
    }
    let words_max = glance.marks + 1;
    !is_long && names_plainly(PlainWords::seen(bytes, &glance), naming, unknown_min(naming, words_max))
        || names_last(text, naming)
        || names_to_readers(text, Read::new(naming, words_max))
}

/// So many words that no list has name something in a text of no more words than that.
fn unknown_min(naming: Concepts, words_max: usize) -> usize {
    if words_max <= words_per_unknown(naming) { 1 } else { UNKNOWN_MIN }
}

fn words_per_unknown(naming: Concepts) -> usize {
    if naming.is_empty() { WORDS_PER_UNKNOWN } else { WORDS_PER_UNKNOWN_IN_CONCERN }
}

/// Checks whether a text names something to both languages.
fn names_to_readers<'t>(text: &'t str, mut read: Read<'t>) -> bool {
    let mut readers = Language::ALL.map(Reader::new);
    let mut rest = words(text);
    while let Some(word) = rest.next() {
        let mut are_sure = true;
        for reader in readers.iter_mut().filter(|reader| !reader.is_sure) {
            reader.read(&read, &word, &rest);
            are_sure &= reader.is_sure;
        }
        if are_sure {
            return true;
        }
        read.take(word);
    }
    readers.iter().all(|reader| reader.names_something(&read))
}

/// Checks whether a text has a name as programs have them, such as `parse_expiry`, `--no-git` or `{version}`: the cheapest to see.
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

/// Checks whether so many words that no list of general words has can be seen without reading a text, for both languages. What
/// this does not see, the readers do: it only says what they would say, sooner.
fn names_plainly(words: PlainWords<'_>, naming: Concepts, unknown_min: usize) -> bool {
    let mut unknown = [0; 2];
    for word in words {
        let record = lexicon::get().meet(word.letters()).map(|(_, record)| record);
        for language in Language::ALL {
            let unknown = &mut unknown[language.index()];
            if *unknown < unknown_min {
                *unknown += match plainly(&word, record, language, naming) {
                    Plainly::General => 0,
                    Plainly::Unknown => 1,
                    Plainly::Naming => unknown_min,
                };
            }
        }
        if unknown.iter().all(|unknown| *unknown >= unknown_min) {
            return true;
        }
    }
    false
}

/// Checks whether a text ends with a thing: in both languages it is mostly named last, and behind "the", which French does not have
/// either, one word is enough in a text of any length.
fn names_last(text: &str, naming: Concepts) -> bool {
    const ARTICLE: &[u8] = b" the ";
    let is_letter = |byte: &u8| byte.is_ascii_lowercase();
    let text = text.as_bytes();
    let end = text.iter().rposition(is_letter).map_or(0, |last| last + 1);
    let start = text[..end].iter().rposition(|byte| !is_letter(byte)).map_or(0, |before| before + 1);
    let is_last = text[end..].iter().all(|byte| byte.is_ascii_punctuation() || *byte == b' ');
    if !is_last || !text[..start].ends_with(ARTICLE) {
        return false;
    }
    PlainWords::of(&text[start..end]).any(|word| {
        let record = lexicon::get().meet(word.letters()).map(|(_, record)| record);
        let is_unknown =
            |language| matches!(plainly(&word, record, language, naming), Plainly::Unknown | Plainly::Naming);
        Language::ALL.into_iter().all(is_unknown)
    })
}

/// Sense of a word in a language, wherever it stands.
enum Plainly {
    /// It may fit any work, alone or in a phrase.
    General,
    /// It is one that no list of general words has.
    Unknown,
    /// It names something.
    Naming,
}

/// Listing of a word that may be a general one.
#[derive(Clone, Copy)]
struct General {
    /// True if it is listed as one.
    is_listed: bool,
    /// True if a general phrase may start with it.
    may_start: bool,
}

/// The same of each set, which spares to look at two sets of many concepts for each word.
static GENERAL_SETS: [General; lexicon::get().sets()] = {
    let mut general = [General { is_listed: false, may_start: false }; lexicon::get().sets()];
    let mut set = 0;
    while set < lexicon::get().sets() {
        let [concepts, starts] = lexicon::get().set(set);
        general[set] = General { is_listed: concepts.has_any(GENERAL), may_start: starts.has_any(GENERAL) };
        set += 1;
    }
    general
};

#[inline(always)]
fn plainly(word: &Folded, record: Option<Record>, language: Language, naming: Concepts) -> Plainly {
    let found = match record {
        Some(record) => record.known(language),
        None => other(word, language),
    };
    let is_general = GENERAL_SETS[found.set.number()];
    let has_general_form = || record.is_some_and(|record| record.of_form(language).has_any(GENERAL));
    if is_general.may_start || found.goes_on_generally() {
        Plainly::General
    } else if !naming.is_empty() && found.concepts().has_any(naming) && !has_general_form() {
        Plainly::Naming
    } else if is_general.is_listed || language == Language::English && word.ends_with([b"ed", b"ly"]) {
        Plainly::General
    } else {
        Plainly::Unknown
    }
}

/// Listing of a word in a language by its stem, where the lists lack its form.
#[inline(never)]
fn other(word: &Folded, language: Language) -> Found {
    lexicon::get().other(word, language)
}

/// Part of a text that was read, in any language.
struct Read<'t> {
    /// The concepts whose words name something in this text.
    naming: Concepts,
    /// More words than this it cannot have.
    words_max: usize,
    /// Number of words that were read.
    count: usize,
    /// The last of them; each has the place of its number.
    recent: [Option<Word<'t>>; IDIOM_WORDS_BEFORE],
}

impl<'t> Read<'t> {
    fn new(naming: Concepts, words_max: usize) -> Self {
        Self { naming, words_max, count: 0, recent: [None; IDIOM_WORDS_BEFORE] }
    }

    fn take(&mut self, word: Word<'t>) {
        self.recent[self.count % IDIOM_WORDS_BEFORE] = Some(word);
        self.count += 1;
    }

    /// The last words, so many of them, in their order.
    fn last(&self, count: usize) -> impl Iterator<Item = Word<'t>> + Clone + '_ {
        (self.count.saturating_sub(count)..self.count).filter_map(|at| self.recent[at % IDIOM_WORDS_BEFORE])
    }

    /// So many words that no list has name something in this text.
    fn unknown_min(&self) -> usize {
        unknown_min(self.naming, self.words_max)
    }
}

/// One language's reading of a text.
struct Reader {
    language: Language,
    /// True if the text names something for sure.
    is_sure: bool,
    unknown: usize,
    unknown_verbs: usize,
    /// True if a kind of things was named that every project has.
    has_kind: bool,
    /// Number of words of a phrase that are still to come.
    skip: usize,
}

/// Predecessor of a word: none, an article, another function word, or any other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Article,
    Small,
    Other,
}

impl Reader {
    fn new(language: Language) -> Self {
        Self { language, is_sure: false, unknown: 0, unknown_verbs: 0, has_kind: false, skip: 0 }
    }

    fn names_something(&self, read: &Read<'_>) -> bool {
        // "Servers restarted" says what became of what; "worked on the servers" does not.
        let is_told = self.has_kind && self.unknown + self.unknown_verbs > 0;
        self.is_sure || is_told || self.unknown * words_per_unknown(read.naming) >= read.count.max(1)
    }

    /// Reads the word behind what was read, with the rest behind it.
    fn read<'t>(&mut self, read: &Read<'t>, word: &Word<'t>, rest: &Words<'t>) {
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        let form = word.of_form(self.language);
        if is_capital(read, word, form) {
            self.is_sure = true;
            return;
        }
        if is_explained(word, form) {
            return;
        }
        let found = word.look_up(self.language);
        let is_adverb = self.language == Language::English && is_adverb(word);
        self.has_kind |= found.concepts().has(Concept::Kind);
        let is_naming = found.concepts().has_any(read.naming);
        let is_known = is_explained(word, found.concepts()) || is_adverb || is_whole(word, rest);
        if is_naming || !is_known {
            match self.idiom(read, found, rest) {
                Some(skip) => self.skip = skip,
                None if is_naming => self.is_sure = true,
                None => self.meet(read, word, found),
            }
        }
    }

    /// Number of words still to come of a general phrase that a word starts or is part of.
    fn idiom(&self, read: &Read<'_>, found: Found, rest: &Words<'_>) -> Option<usize> {
        let (lexicon, language) = (lexicon::get(), self.language);
        let starts = |found: &Found| found.starts().has_any(GENERAL);
        let rest = || rest.clone().map(|word| word.look_up(language));
        let longest = starts(&found).then(|| lexicon.longest(found, rest(), GENERAL, language));
        if let Some(length) = longest.flatten() {
            return Some(length - 1);
        }
        if !found.goes_on_generally() {
            return None;
        }
        // The words before it were known by themselves, so that no one asked which phrase they start.
        let mut recent = [Found::default(); IDIOM_WORDS_BEFORE];
        let count = read.count.min(IDIOM_WORDS_BEFORE);
        for (room, word) in recent.iter_mut().zip(read.last(count)) {
            *room = word.look_up(language);
        }
        let recent = &recent[..count];
        (0..count).filter(|at| starts(&recent[*at])).find_map(|at| {
            let on = recent[at + 1..].iter().copied().chain([found]).chain(rest());
            let length = lexicon.longest(recent[at], on, GENERAL, language)?;
            length.checked_sub(count - at + 1)
        })
    }

    /// Takes in a word that the lists do not explain.
    fn meet(&mut self, read: &Read<'_>, word: &Word<'_>, found: Found) {
        let before = self.before(read);
        if self.is_verb(word, before) && self.unknown_verbs < UNKNOWN_VERBS_MAX {
            self.unknown_verbs += 1;
        } else {
            self.unknown += 1;
            self.is_sure = self.unknown >= read.unknown_min() || is_named(read, word, found, before);
        }
    }

    /// Predecessor of the next word.
    fn before(&self, read: &Read<'_>) -> Before {
        match read.last(1).next() {
            None => Before::Nothing,
            Some(word) if !word.of_form(self.language).has(Concept::Function) => Before::Other,
            Some(word) if self.is_article(&word) => Before::Article,
            Some(_) => Before::Small,
        }
    }

    fn is_article(&self, word: &Word<'_>) -> bool {
        match self.language {
            Language::English => {
                forms!["the", "this", "these", "those", "our", "your", "its", "their"].have(&word.tag)
            }
            Language::French => forms![
                "le", "la", "les", "l", "du", "au", "aux", "cet", "cette", "notre", "nos", "votre", "vos",
                "ces"
            ]
            .have(&word.tag),
        }
    }

    /// A form of a verb behind a helper or a pronoun: what was done, to nothing that is named.
    fn is_verb(&self, word: &Word<'_>, before: Before) -> bool {
        let is_lower = word.text.starts_with(char::is_lowercase) || word.gap == Gap::Stop;
        if word.is_code || word.is_quoted || word.has_digit() || !is_lower {
            return false;
        }
        match self.language {
            Language::English => {
                let is_form = word.text.len() > 4 && word.text.ends_with("ed");
                is_form && before != Before::Other
            }
            Language::French => {
                let is_form = ["é", "ée", "és", "ées"].iter().any(|end| word.text.ends_with(end));
                // Behind an article it is a noun: "les congés".
                is_form && before == Before::Small
            }
        }
    }
}

/// Checks whether a word that no list has names something by itself: a figure, a path, a name, or behind an article.
fn is_named(read: &Read<'_>, word: &Word<'_>, found: Found, before: Before) -> bool {
    let is_start = word.gap == Gap::Stop;
    let has_capital = word.text.chars().skip(usize::from(is_start)).any(char::is_uppercase);
    let has_article =
        before == Before::Article && (read.words_max <= ARTICLE_WORDS_MAX || !read.naming.is_empty());
    let is_number = word.has_digit() || found.concepts().has(Concept::Number);
    let is_foreign = word.text.chars().any(|letter| letter > '\u{24f}');
    is_number || word.is_code || word.is_quoted || has_capital || has_article || is_foreign
}

/// Checks whether a word that the lists have is written as a name, behind one that is not: "renamed Customer to Client", "support for IE".
fn is_capital(read: &Read<'_>, word: &Word<'_>, form: Concepts) -> bool {
    let is_upper = |letter: &u8| letter.is_ascii_uppercase();
    let [first, rest @ ..] = word.text.as_bytes() else { return false };
    if !is_upper(first) || rest.is_empty() || word.gap != Gap::None || form.has(Concept::Status) {
        return false;
    }
    // A small word that is written large is short for something else.
    let is_name = if rest.iter().all(is_upper) {
        form.has(Concept::Function)
    } else {
        rest.iter().all(u8::is_ascii_lowercase) && !form.has(Concept::Function)
    };
    is_name && read.last(1).any(|before| before.text.starts_with(|letter: char| letter.is_lowercase()))
}

/// Checks whether what the lists say of a word makes it one that fits any work.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line that a person labelled, whatever for.
    fn labelled() -> Vec<String> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/labelled");
        let files = std::fs::read_dir(folder).expect("the lines are part of the repository");
        let files = files.map(|file| file.expect("readable").path());
        let tables = files.filter(|file| file.extension().is_some_and(|end| end == "tsv"));
        let lines = tables.map(|file| std::fs::read_to_string(file).expect("readable"));
        lines.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn what_is_seen_without_reading_is_what_the_readers_say() {
        let mut seen = 0;
        for line in labelled() {
            let text = line.rsplit('\t').next().unwrap_or_default();
            for naming in [Concepts::default(), Concepts::of(&[Concept::Aspect])] {
                let glance = Glance::of(text.as_bytes());
                let read = || Read::new(naming, glance.marks + 1);
                let words = PlainWords::seen(text.as_bytes(), &glance);
                if names_plainly(words, naming, read().unknown_min()) {
                    seen += 1;
                    assert!(names_to_readers(text, read()), "{text}");
                }
            }
        }
        assert!(seen > 10_000, "{seen}");
    }

    #[test]
    fn a_thing_behind_an_article_is_named_at_the_end_of_a_text_of_any_length() {
        let general = "everything that was unclear has been done and it was all good and fine by then";
        assert!(!is_specific(general));
        assert!(is_specific(&format!("{general}, says the agency.")));
        assert!(!is_specific(&format!("{general}, on the whole.")));
        assert!(!is_specific(&format!("{general}, in the end")));
    }

    #[test]
    fn a_general_word_that_is_written_as_a_name_is_one() {
        for text in ["Renamed Customer to Client", "Dropped support for IE"] {
            assert!(is_specific(text), "{text}");
        }
        for text in ["renamed customer to client", "All Is Done", "Everything OK", "DONE AND OK", "I did it"]
        {
            assert!(!is_specific(text), "{text}");
        }
    }
}
