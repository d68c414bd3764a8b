//! Actors of a sentence: deciders, users of the product, programs.

use super::super::forms::{forms, listed};
use super::super::lexicon::{Concept, Concepts, Language};
use super::super::text::Gap;
use super::Sentence;
use super::clause::{CASE_WORDS_MAX, SUBJECT_WORDS_MAX};

impl Sentence<'_, '_> {
    /// Checks whether a word means a person who is not known.
    pub(super) fn is_indefinite_person(&self, at: usize) -> bool {
        let word = &self.reading.words[at];
        matches!(word.text.as_bytes().first(), Some(b's' | b'S' | b'a' | b'A' | b'q' | b'Q'))
            && ["someone", "somebody", "anyone", "anybody", "quelqu"]
                .iter()
                .any(|start| word.starts_with(start))
    }

    /// Checks whether a word is a person who settles questions about the work.
    pub(super) fn is_decider(&self, at: usize) -> bool {
        self.reading.is(at, Concept::Decider) || self.reading.is(at, Concept::Party)
    }

    /// Checks whether a word is a person, as far as one can tell: of those who settle, or one that no list has for a thing, a
    /// user or a word that fits any work, and that stands alone behind an article.
    pub(super) fn is_person(&self, at: usize) -> bool {
        const OTHERS: Concepts = Concepts::of(&[
            Concept::Function,
            Concept::General,
            Concept::Thing,
            Concept::User,
            Concept::Number,
            Concept::Answer,
            Concept::Source,
        ]);
        let word = &self.reading.words[at];
        let before = at.checked_sub(1).filter(|before| self.words.contains(before));
        let is_one = before.is_some_and(|before| self.is_one_of(before, listed!("determiners of a person")));
        let is_name = is_one
            && word.gap == Gap::None
            && !word.is_code
            && !word.is_quoted
            && !word.has_digit()
            && !word.text.ends_with('s')
            && !word.is_any(OTHERS);
        self.reading.is(at, Concept::Decider)
            && !self.reading.is(at, Concept::Function)
            && !self.is_modifier(at)
            || self.is_indefinite_person(at)
            || is_name
            || self.is_named(at)
    }

    /// Checks whether a name for a person only says which things are meant: "brand colours", "security headers".
    pub(super) fn is_modifier(&self, at: usize) -> bool {
        const VERBS: Concepts = Concepts::of(&[
            Concept::Function,
            Concept::Decider,
            Concept::Rule,
            Concept::Settle,
            Concept::Closed,
            Concept::Decide,
            Concept::Say,
            Concept::Future,
            Concept::Consent,
            Concept::Know,
            Concept::Light,
            Concept::Wait,
            Concept::Must,
            Concept::Will,
        ]);
        let next = self.reading.words.get(at + 1).filter(|_| self.words.contains(&(at + 1)));
        self.reading.language == Language::English
            && next
                .is_some_and(|next| next.gap == Gap::None && next.text.ends_with('s') && !next.is_any(VERBS))
    }

    /// Checks whether a word is the name of a person, as far as one can tell: `Karim`, `@dmitri`, but not `Redis` at the start.
    pub(super) fn is_named(&self, at: usize) -> bool {
        let Some(word) = self.reading.words.get(at).filter(|_| self.words.contains(&at)) else {
            return false;
        };

        let mut letters = word.text.chars();
        if !letters.next().is_some_and(char::is_uppercase) {
            return false;
        }
        // Months, days and languages are written as names in English.
        if self.is_one_of(at, listed!("languages, days and months")) {
            return false;
        }
        let is_capital = letters.all(char::is_lowercase);
        // At the start every word has a capital: a verb has to follow, not another noun.
        const VERBS: Concepts =
            Concepts::of(&[Concept::Function, Concept::Must, Concept::Will, Concept::Hold, Concept::Future]);
        let next = self.reading.words.get(at + 1).filter(|next| next.gap == Gap::None);
        let is_subject =
            at > self.words.start || !word.text.ends_with('s') && next.is_some_and(|next| next.is_any(VERBS));
        is_subject
            && is_capital
            && word.text.len() > 2
            && !word.is_code
            && !word.is_quoted
            && !self.reading.is_listed(word)
    }

    /// Checks whether a word is written as a short name: `DHL`.
    pub(super) fn is_acronym(&self, at: usize) -> bool {
        let text = self.reading.words[at].text;
        (2..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase())
    }

    /// Checks whether what follows is done or felt by those who use what is made, or helped by it.
    pub(super) fn is_about_users(&self, at: usize) -> bool {
        let mut before = self.clause_before(at).take(SUBJECT_WORDS_MAX);
        // What it does not permit, it does not do.
        let is_helped = |before: &usize| {
            self.reading.after(*before, Concept::Help).is_some() && !self.is_denial(before + 1)
        };
        // "The barcode reader guy": the nearest one acts.
        let near = self
            .clause_before(at)
            .take(SUBJECT_WORDS_MAX)
            .find(|at| self.reading.is(*at, Concept::Decider) || self.reading.is(*at, Concept::User));
        let is_decider = self.reading.language == Language::English
            && near.is_some_and(|near| self.reading.is(near, Concept::Decider));
        before.any(|before| {
            self.reading.after(before, Concept::User).is_some() && !self.reading.words[before].is_quoted
        }) && !is_decider
            || self.clause_before(at).take(SUBJECT_WORDS_MAX + 1).any(|before| is_helped(&before))
            || self.is_case_of_client(at)
    }

    /// Matches "Si aucune adresse ne correspond, le client doit choisir": a client who uses what was made.
    pub(super) fn is_case_of_client(&self, at: usize) -> bool {
        self.clause_before(at)
            .take(SUBJECT_WORDS_MAX)
            .any(|at| self.is_one_of(at, forms!["client", "clients", "cliente"]))
            && self.is_one_of(self.words.start, forms!["si", "quand", "lorsque", "lorsqu", "if", "when"])
    }

    /// Checks whether a person behind the work stands right before a word, or is it.
    pub(super) fn has_decider_as_subject(&self, at: usize) -> bool {
        self.is_decider(at)
            || self.clause_before(at).take(SUBJECT_WORDS_MAX).any(|before| self.is_decider(before))
    }

    /// Checks whether a sentence tells what a program does in words of asking: "le robot demande une décision".
    pub(super) fn is_software(&self, at: usize) -> bool {
        let is_joint = |at: &usize| self.is_one_of(*at, forms!["but", "and", "mais", "et"]);
        self.clause_before(at)
            .take(CASE_WORDS_MAX)
            .take_while(|at| !is_joint(at))
            .any(|at| self.is_one_of(at, listed!("programs")))
            && !self.clause_before(at).any(|at| self.reading.is(at, Concept::Narrator))
    }

    /// Checks whether a sentence tells what happens in a case: "Si le stock est insuffisant, la commande passe en attente".
    pub(super) fn is_consequence(&self, at: usize) -> bool {
        self.is_one_of(self.words.start, listed!("conditions of a consequence"))
            && (self.words.start + 1..=at).any(|at| self.reading.words[at].gap == Gap::Pause)
    }

    /// Checks whether a sentence tells a rule for any of many things: "A request stays open until a manager approves it".
    pub(super) fn is_generic(&self) -> bool {
        self.is_generic_from(self.words.start)
    }

    /// Checks whether a clause that starts here does.
    pub(super) fn is_generic_from(&self, start: usize) -> bool {
        const MANY: Concepts = Concepts::of(&[Concept::Thing, Concept::User, Concept::Form, Concept::Source]);
        let noun = self.reading.words.get(start + 1).filter(|_| self.words.contains(&(start + 1)));
        self.reading.is(start, Concept::Any) && noun.is_some_and(|noun| noun.is_any(MANY))
    }
}
