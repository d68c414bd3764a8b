//! The lists of words, one file per concept and language, and the look-up of a word in all of them at once.
//!
//! A list opens with the reason for it behind `#`; then words and phrases follow, between commas or on lines
//! of their own, in small letters without accents. A word stands for all its forms; one behind `=` stands for
//! this form alone: what is no form of another word, or a form that means something else than the others.

use std::sync::{LazyLock, OnceLock};

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::stem;

/// Fewer letters behind `re` make another word, as in `react`.
const REPEATED_BYTES_MIN: usize = 5;

/// A language that is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    English,
    French,
}

impl Language {
    /// Both.
    pub(super) const ALL: [Self; 2] = [Self::English, Self::French];

    /// Its place in pairs.
    pub(super) fn index(self) -> usize {
        match self {
            Self::English => 0,
            Self::French => 1,
        }
    }

    fn stem(self, word: &str) -> &str {
        match self {
            Self::English => stem::english(word),
            Self::French => stem::french(word),
        }
    }
}

macro_rules! concepts {
    ($($(#[$says:meta])* $name:ident = $file:literal,)+) => {
        /// What a list says of its words.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Concept { $($(#[$says])* $name,)+ }

        /// Every list: its concept, and its text in English and in French.
        const LISTS: &[(Concept, [&str; 2])] = &[$((
            Concept::$name,
            [
                include_str!(concat!("../../data/words/en/", $file, ".txt")),
                include_str!(concat!("../../data/words/fr/", $file, ".txt")),
            ],
        ),)+];
    };
}

concepts! {
    /// Small words of grammar.
    Function = "function",
    /// Words that fit any work.
    General = "general",
    /// General words that name a fault.
    Aspect = "aspect",
    /// Words that only say that something is over, or well.
    Status = "status",
    /// Numbers in words.
    Number = "number",
    /// Words of opinion.
    Opinion = "opinion",
    /// Qualities, which are opinions as nouns.
    Quality = "quality",
    /// Amounts that nobody can count.
    Hedge = "hedge",
    /// Names of norms that do not say which one.
    Norm = "norm",
    /// Adverbs that say something that can be looked at.
    Exactly = "exactly",
    /// Conditions that hold or do not.
    Definite = "definite",
    /// Tools and standards that say yes or no by themselves.
    Verdict = "verdict",
    /// Verbs by which somebody answers for something.
    Approve = "approve",
    /// Words that say that something is open.
    Open = "open",
    /// Words that leave something open where they stand alone.
    Blank = "blank",
    /// Words that say that an answer was made up, or stands nowhere.
    Guess = "guess",
    /// Words that give a reason.
    Because = "because",
    /// Forms of verbs for what others will yet settle.
    Future = "future",
    /// Verbs that settle a question.
    Settle = "settle",
    /// Verbs that close a question, but also what a program does.
    Closed = "closed",
    /// Verbs that wait, and what is waited for.
    Wait = "wait",
    Answer = "answer",
    /// What one has to be told.
    Info = "info",
    /// Words that take back what follows.
    Deny = "deny",
    /// Verbs for what is still to be done about a question.
    Decide = "decide",
    /// Words of knowing and daring: with a denial, a doubt.
    Know = "know",
    /// Verbs of finding out and vouching: who cannot, leaves a question.
    Fathom = "fathom",
    /// Verbs of those who answer for something.
    Own = "own",
    /// Words for what is settled as a matter of fact.
    Certain = "certain",
    /// Words that say that something was meant so.
    Deliberate = "deliberate",
    /// Adjectives for what nobody sees clearly.
    Dim = "dim",
    /// Verbs of doubting and guessing.
    Ponder = "ponder",
    /// Verbs of documents that leave something out.
    Omit = "omit",
    /// Words between two of which one is meant.
    Or = "or",
    /// Words before whose account it is.
    Account = "account",
    /// Verbs that bring a question before somebody.
    Refer = "refer",
    /// Verbs of those who hold a view.
    Hold = "hold",
    /// Words that almost deny: "far from settled".
    Hardly = "hardly",
    /// Words that leave open which one it is.
    Whichever = "whichever",
    /// Words that say that there is too little or too much for a conclusion.
    Scant = "scant",
    /// Words that say that something is wanted.
    Wanted = "wanted",
    /// Verbs that say nothing without their noun, as in "make a choice".
    Light = "light",
    /// The reader.
    You = "you",
    /// Verbs for what hangs on somebody or something.
    Depend = "depend",
    /// Words that say that an attempt failed.
    Unable = "unable",
    /// Words of obligation.
    Must = "must",
    /// Who asks and answers.
    Party = "party",
    /// Words that make a missing answer one to come.
    Yet = "yet",
    /// Words after which a missing answer is not missed.
    Need = "need",
    /// Words that ask somebody to answer.
    Ask = "ask",
    /// Words that start an indirect question.
    Whether = "whether",
    /// Verbs of documents, and the documents that set a task.
    Say = "say",
    Source = "source",
    /// Who settles questions about the work and never uses it.
    Crew = "crew",
    /// Who uses what is made.
    People = "people",
    /// What is made or runs.
    Thing = "thing",
    /// Verbs for what others do about a question.
    Rule = "rule",
    /// Words for what is to come.
    Will = "will",
    /// Words of a wish.
    Wish = "wish",
    /// Words of a condition.
    When = "when",
    /// Words for nobody, and for the time before an answer.
    Nobody = "nobody",
    Until = "until",
    /// Verbs of consent.
    Consent = "consent",
    /// Words for what is lacking.
    Lack = "lack",
    /// Verbs that put off.
    Defer = "defer",
    /// What asks questions of its own.
    Form = "form",
    /// Forms that say that something was so, and words after which it is answered.
    Past = "past",
    Since = "since",
    /// Verbs for what is talked over with somebody, and the word before whom.
    Consult = "consult",
    With = "with",
    /// Verbs for what a product does for people.
    Help = "help",
    /// Words before the one to whom a decision is left.
    Whom = "whom",
    /// Words that open a choice.
    Either = "either",
    /// Words before a noun, and those for whoever it may be.
    Article = "article",
    Any = "any",
    /// Words before a verb that says how things stand.
    Predicate = "predicate",
    /// Forms before a participle.
    Helped = "helped",
    /// Words that open a clause about a case.
    Relative = "relative",
    /// Names for something open.
    Point = "point",
    /// Words that answer on the spot.
    Reply = "reply",
    /// Who tells a story.
    Teller = "teller",
    /// Words between the teller and the verb.
    Helper = "helper",
    /// Words for all there is to search.
    Whole = "whole",
    /// Verbs of searching.
    Search = "search",
    /// Verbs of steps that are told in a story.
    Step = "step",
    /// Verbs of results, which tell no story.
    Made = "made",
    /// Words that put steps in order.
    Sequence = "sequence",
    /// Phrases that announce a story.
    Story = "story",
}

/// A set of concepts.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Concepts(u128);

impl Concepts {
    /// A set of these.
    pub(super) const fn of(concepts: &[Concept]) -> Self {
        let mut set = 0;
        let mut at = 0;
        while at < concepts.len() {
            set |= 1 << (concepts[at] as u128);
            at += 1;
        }
        Self(set)
    }

    /// Whether a concept is in it.
    pub(super) fn has(self, concept: Concept) -> bool {
        self.has_any(Self::of(&[concept]))
    }

    /// Whether one of these is in it.
    pub(super) fn has_any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Those of both.
    pub(super) const fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether there is none.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn add(&mut self, others: Self) {
        self.0 |= others.0;
    }
}

/// A word or stem that the lists know, as a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key(u16);

/// One word of a phrase.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// This form of it.
    Form(Key),
    /// Any form with this stem.
    Stem(Key),
}

/// A word of a text, as phrases are compared with it.
pub(super) trait Spoken: Copy {
    /// The keys under which phrases that start with it are listed.
    fn keys(self, language: Language) -> [Option<Key>; 2];

    /// Whether a phrase goes on with it.
    fn continues(self, part: Part, language: Language) -> bool;
}

struct Phrase {
    concept: Concept,
    language: Language,
    parts: Vec<Part>,
}

/// What is kept under a key.
#[derive(Default)]
struct Entry {
    /// What the lists of each language say of the word that is written so.
    forms: [Concepts; 2],
    /// What they say of the words that have this stem.
    stems: [Concepts; 2],
    /// Which concepts have a phrase that starts here.
    starts: [Concepts; 2],
    phrases: Vec<Phrase>,
    /// All that each language says of the word that is written so, once somebody asked.
    known: OnceLock<[Found; 2]>,
}

/// All lists.
pub(super) struct Lexicon {
    keys: FxHashMap<&'static [u8], Key>,
    entries: Vec<Entry>,
}

/// What one language says of a word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// The concepts it is listed under.
    pub(super) concepts: Concepts,
    /// The concepts that have a phrase which may start with it.
    pub(super) starts: Concepts,
    /// The key of its stem.
    pub(super) stem: Option<Key>,
}

/// About as many keys as the lists have, so that reading them need not make room again and again.
const KEYS: usize = 12 * 1024;

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon {
        keys: FxHashMap::with_capacity_and_hasher(KEYS, FxBuildHasher),
        entries: Vec::with_capacity(KEYS),
    };
    for (concept, texts) in LISTS {
        for (language, text) in Language::ALL.into_iter().zip(texts) {
            for entry in entries(text) {
                lexicon.add(entry, *concept, language);
            }
        }
    }
    lexicon
});

/// The lists, read once.
pub(super) fn get() -> &'static Lexicon {
    &LEXICON
}

/// The entries of a list.
fn entries(text: &'static str) -> impl Iterator<Item = &'static str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| line.split(',')).map(str::trim).filter(|entry| !entry.is_empty())
}

impl Lexicon {
    fn add(&mut self, entry: &'static str, concept: Concept, language: Language) {
        let mut words = entry.split(' ');
        let Some(first) = words.next() else { return };
        let first = self.part(first, language);
        let mut parts: Vec<Part> = words.map(|word| self.part(word, language)).collect();
        let (Part::Form(key) | Part::Stem(key)) = first;
        let slot = &mut self.entries[usize::from(key.0)];
        let at = language.index();
        let concepts = Concepts::of(&[concept]);
        match first {
            _ if !parts.is_empty() => {
                parts.insert(0, first);
                slot.starts[at].add(concepts);
                slot.phrases.push(Phrase { concept, language, parts });
            }
            Part::Form(_) => slot.forms[at].add(concepts),
            Part::Stem(_) => slot.stems[at].add(concepts),
        }
    }

    fn part(&mut self, word: &'static str, language: Language) -> Part {
        match word.strip_prefix('=') {
            Some(form) => Part::Form(self.key(form)),
            None => Part::Stem(self.key(language.stem(word))),
        }
    }

    fn key(&mut self, word: &'static str) -> Key {
        let next = Key(u16::try_from(self.entries.len()).expect("the lists have fewer words than that"));
        let key = *self.keys.entry(word.as_bytes()).or_insert(next);
        if key == next {
            self.entries.push(Entry::default());
        }
        key
    }

    /// The key of a word in small letters without accents.
    #[inline]
    pub(super) fn key_of(&self, word: &[u8]) -> Option<Key> {
        self.keys.get(word).copied()
    }

    /// What a language says of the form of a word alone: all that is needed for most words of a text.
    pub(super) fn of_form(&self, key: Option<Key>, language: Language) -> Concepts {
        key.map(|key| self.entries[usize::from(key.0)].forms[language.index()]).unwrap_or_default()
    }

    /// What a language says of a word, whose own key is known already.
    pub(super) fn look_up(&self, word: &str, key: Option<Key>, language: Language) -> Found {
        // Most words of a text are forms that the lists have, and come again and again.
        match key {
            Some(key) => self.known(key, || word)[language.index()],
            None => self.find(word, None, language),
        }
    }

    /// What both languages say of a word that the lists have in this form.
    #[inline]
    pub(super) fn known<'w>(&self, key: Key, word: impl FnOnce() -> &'w str) -> &[Found; 2] {
        self.entries[usize::from(key.0)].known.get_or_init(|| {
            let word = word();
            Language::ALL.map(|language| self.find(word, Some(key), language))
        })
    }

    fn find(&self, word: &str, key: Option<Key>, language: Language) -> Found {
        let found = self.look_up_whole(word, key, language);
        if !found.concepts.is_empty() || !found.starts.is_empty() {
            return found;
        }
        // `recheck` is to check again.
        let again = word.strip_prefix("re").filter(|rest| rest.len() >= REPEATED_BYTES_MIN);
        let concepts = |rest| self.look_up_whole(rest, self.key_of(rest.as_bytes()), language).concepts;
        Found { concepts: again.map(concepts).unwrap_or_default(), ..found }
    }

    fn look_up_whole(&self, word: &str, key: Option<Key>, language: Language) -> Found {
        let at = language.index();
        let mut found = Found::default();
        if let Some(key) = key {
            let entry = &self.entries[usize::from(key.0)];
            found.concepts = entry.forms[at];
            found.starts = entry.starts[at];
        }
        let stem = language.stem(word);
        found.stem = if stem.len() == word.len() { key } else { self.key_of(stem.as_bytes()) };
        if let Some(key) = found.stem {
            let entry = &self.entries[usize::from(key.0)];
            found.concepts.add(entry.stems[at]);
            found.starts.add(entry.starts[at]);
        }
        found
    }

    /// How many words the longest phrase under a concept has that starts with a word.
    pub(super) fn longest<S: Spoken>(
        &self,
        first: S,
        rest: &(impl Iterator<Item = S> + Clone),
        concept: Concept,
        language: Language,
    ) -> Option<usize> {
        let [form, stem] = first.keys(language);
        let keys = [form, stem.filter(|stem| form != Some(*stem))];
        let entries = keys.into_iter().flatten().map(|key| &self.entries[usize::from(key.0)]);
        let phrases = entries.flat_map(|entry| &entry.phrases);
        let wanted = phrases.filter(|phrase| phrase.concept == concept && phrase.language == language);
        let is_here = |phrase: &&Phrase| {
            let mut words = std::iter::once(first).chain(rest.clone());
            phrase.parts.iter().all(|part| words.next().is_some_and(|word| word.continues(*part, language)))
        };
        wanted.filter(is_here).map(|phrase| phrase.parts.len()).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_in_plain_letters_and_open_with_their_reason() {
        for (concept, texts) in LISTS {
            for text in texts {
                assert!(text.starts_with("# "), "{concept:?} does not say why it is there");
                for entry in entries(text) {
                    let is_plain = entry.split(' ').all(|word| {
                        let word = word.strip_prefix('=').unwrap_or(word);
                        !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
                    });
                    assert!(is_plain, "{concept:?}: {entry:?} has other letters than a to z");
                }
            }
        }
    }

    #[test]
    fn a_word_stands_for_its_forms_and_a_marked_one_for_itself() {
        let mut lexicon = Lexicon { keys: FxHashMap::default(), entries: Vec::new() };
        lexicon.add("change", Concept::General, Language::English);
        lexicon.add("=read", Concept::Step, Language::English);
        let concepts =
            |word, language| lexicon.look_up(word, lexicon.key_of(word.as_bytes()), language).concepts;
        let has = |word, concept| concepts(word, Language::English).has(concept);
        assert!(has("changed", Concept::General) && has("changes", Concept::General));
        assert!(has("rechanged", Concept::General), "to do it again is to do it");
        assert!(has("read", Concept::Step) && !has("ready", Concept::Step) && !has("reads", Concept::Step));
        assert!(concepts("unread", Language::English).is_empty());
        assert!(concepts("read", Language::French).is_empty());
    }
}
