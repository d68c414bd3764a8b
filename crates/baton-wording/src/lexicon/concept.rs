//! What the lists of words say of a word: the languages, the concepts, and sets of them.
//!
//! This file uses nothing but the standard library and its neighbours, because the generator of `data/words.bin`
//! compiles it too: it must be able to make the file when the crate that embeds it does not compile against the old
//! one.

use super::stem;

/// A language that is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    English,
    French,
}

impl Language {
    /// Both.
    pub(crate) const ALL: [Self; 2] = [Self::English, Self::French];

    /// Its place in pairs.
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::English => 0,
            Self::French => 1,
        }
    }

    /// The folder of its lists.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::French => "fr",
        }
    }

    /// The stem of a word in small letters without accents.
    #[inline]
    pub(crate) fn stem(self, word: &[u8]) -> &[u8] {
        match self {
            Self::English => stem::english(word),
            Self::French => stem::french(word),
        }
    }
}

macro_rules! concepts {
    ($($(#[$says:meta])* $name:ident = $file:literal,)+) => {
        /// Grammatical or semantic class of the words in a list.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Concept { $($(#[$says])* $name,)+ }

        /// Every list: its concept, and the name of its file in the folder of each language.
        pub(crate) const LISTS: &[(Concept, &str)] = &[$((Concept::$name, $file),)+];
    };
}

concepts! {
    /// Small words of grammar.
    Function = "function",
    /// Words that fit any work.
    General = "general",
    /// Kinds of things that every project has.
    Kind = "kind",
    /// General words that name a fault.
    Aspect = "aspect",
    /// Words that only say that something is over, or well, where to look, or whose turn it is.
    Status = "status",
    /// Numbers in words.
    Number = "number",
    /// Words of opinion.
    Opinion = "opinion",
    /// Qualities, which are opinions as nouns.
    Quality = "quality",
    /// Amounts that no one can count.
    Hedge = "hedge",
    /// Names of norms that do not say which one.
    Norm = "norm",
    /// Adverbs that say something that can be looked at.
    Exactly = "exactly",
    /// Conditions that hold or do not.
    Definite = "definite",
    /// Tools and standards that say yes or no by themselves.
    Verdict = "verdict",
    /// Verbs by which a person answers for something.
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
    /// Information that one has to be given.
    Info = "info",
    /// Words that take back what follows.
    Negation = "negation",
    /// Verbs for what is still to be done about a question.
    Decide = "decide",
    /// Words of knowing and daring: with a denial, a doubt.
    Know = "know",
    /// Verbs of finding out and vouching: who cannot, leaves a question.
    Determine = "determine",
    /// Verbs of those who answer for something.
    Own = "own",
    /// Words for what is settled as a matter of fact.
    Certain = "certain",
    /// Words that say that something was meant so.
    Deliberate = "deliberate",
    /// Adjectives for what no one sees clearly.
    Obscure = "obscure",
    /// Verbs of doubting and guessing.
    Ponder = "ponder",
    /// Verbs of documents that leave something out.
    Omit = "omit",
    /// Words before whose account it is.
    Account = "account",
    /// Verbs that bring a question before a person.
    Refer = "refer",
    /// Verbs of those who hold a view.
    Hold = "hold",
    /// Verbs of documents and people that set something.
    Demand = "demand",
    /// Words that set one thing against another.
    Against = "against",
    /// Verbs for what was done about a fault.
    Fix = "fix",
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
    /// Verbs for what hangs on a person or something.
    Depend = "depend",
    /// Words that say that an attempt failed.
    Unable = "unable",
    /// Words of obligation.
    Must = "must",
    /// Parties that ask and answer.
    Party = "party",
    /// Words that make a missing answer one to come.
    Yet = "yet",
    /// Words after which a missing answer is not missed.
    Need = "need",
    /// Words that ask a person to answer.
    Ask = "ask",
    /// Words that start an indirect question.
    Whether = "whether",
    /// Verbs of documents, and the documents that set a task.
    Say = "say",
    Source = "source",
    /// Persons who settle questions about the work and never use it.
    Decider = "decider",
    /// Persons who use the product.
    User = "user",
    /// Products, and programs that run.
    Thing = "thing",
    /// Verbs for what others do about a question.
    Rule = "rule",
    /// Words for what is to come.
    Will = "will",
    /// Words of a wish.
    RunRequest = "wish",
    /// Words of a condition.
    When = "when",
    /// Words for no one, and for the time before an answer.
    Nobody = "nobody",
    Until = "until",
    /// Verbs of consent.
    Consent = "consent",
    /// Words for what is lacking.
    Lack = "lack",
    /// Verbs that put off.
    Defer = "defer",
    /// Forms and surveys, which ask questions of their own.
    Form = "form",
    /// Forms that say that something was so, and words after which it is answered.
    Past = "past",
    Since = "since",
    /// Verbs for what is talked over with a person, and the word before whom.
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
    /// Narrators of a story.
    Narrator = "narrator",
    /// Words between the narrator and the verb.
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
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Concepts(u128);

impl Concepts {
    /// A set of these.
    pub(crate) const fn of(concepts: &[Concept]) -> Self {
        let mut set = 0;
        let mut at = 0;
        while at < concepts.len() {
            set |= 1 << (concepts[at] as u128);
            at += 1;
        }
        Self(set)
    }

    /// The set that has these bits, one for each concept in their order.
    pub(crate) const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// Its bits.
    pub(crate) const fn bits(self) -> u128 {
        self.0
    }

    /// Checks whether a concept is in it.
    #[inline]
    pub(crate) const fn has(self, concept: Concept) -> bool {
        self.has_any(Self::of(&[concept]))
    }

    /// Checks whether one of these is in it.
    #[inline]
    pub(crate) const fn has_any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Those of both.
    #[inline]
    pub(crate) const fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Checks whether there is none.
    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds these.
    #[inline]
    pub(crate) fn add(&mut self, others: Self) {
        self.0 |= others.0;
    }
}

/// The concepts whose words fit any work.
pub(crate) const GENERAL: Concepts = Concepts::of(&[
    Concept::Function,
    Concept::General,
    Concept::Kind,
    Concept::Status,
    Concept::Opinion,
    Concept::Hedge,
]);
