//! Settled questions: answered, over, deliberate or needless.

use super::super::forms::{forms, listed};
use super::super::lexicon::{Concept, Language};
use super::super::text::Gap;
use super::Sentence;
use super::clause::{CASE_WORDS_MAX, SENTENCE_WORDS_MAX};

/// So many words behind a quarrel may say how it ended, in the same sentence or the next ones.
const END_WORDS_MAX: usize = 30;

/// So far before a doubt stands the verb that spares it.
const SPARED_WORDS_MAX: usize = 4;

impl Sentence<'_, '_> {
    /// Checks whether something was open, and what follows says that it was answered, or at least what came of it.
    pub(super) fn is_past(&self, at: usize, end: usize) -> bool {
        let is_start = || {
            self.is_at_first(end)
                || (at.saturating_sub(1).max(self.words.start)..end).any(|at| self.is_imperfect(at))
                || self.is_one_of(at.saturating_sub(1), forms!["a", "ont", "avons", "ai"])
                    && self.reading.words[at].text.ends_with('é')
        };
        // "Pendant deux jours on n'a pas su".
        let is_lasting = self.is_one_of(self.words.start, forms!["pendant", "for", "durant", "throughout"]);
        let is_was = is_lasting || self.has_between(at.saturating_sub(3).max(self.words.start), end, Concept::Past)
            // "Two readings of the spec were possible".
            || self.clause_behind(end - 1).take(4).any(|at| self.is_one_of(at, forms!["were", "était", "étaient"]));
        let is_told = !is_was && self.is_told_as_past(at, end);
        if !is_was && !is_told && !is_start() {
            return false;
        }
        let behind = || end..self.reading.words.len().min(end + SENTENCE_WORDS_MAX);
        let all = Sentence { reading: self.reading, words: self.words.start..behind().end };
        let is_answered = behind()
            .any(|at| self.reading.after(at, Concept::Since).is_some() || all.is_settling(at))
            || self.is_followed_by_fix(end);
        let is_gone_on = behind().any(|at| self.reading.words[at].gap != Gap::None)
            && !behind().any(|at| self.reading.is(at, Concept::Narrator));
        is_answered || is_gone_on && !is_told
    }

    /// Checks whether an English verb of what is open stands in the tense of what was so: "contradicted", not "is contradicted".
    fn is_told_as_past(&self, at: usize, end: usize) -> bool {
        let verb = (at..end).find(|at| self.reading.words[*at].text.ends_with("ed"));
        self.reading.language == Language::English
            && verb.is_some_and(|verb| {
                !self
                    .clause_before(verb)
                    .take(2)
                    .any(|at| self.is_one_of(at, listed!("forms of the present")))
                    && verb > self.words.start
            })
    }

    /// Matches "We do not know their age and do not need to": whether no one misses it.
    pub(super) fn is_needless(&self, end: usize) -> bool {
        (end..self.near_end(end)).filter(|at| self.is_denial(*at)).any(|at| {
            let mut near = self.clause_behind(at).take(3);
            near.any(|at| self.is_one_of(at, forms!["need", "besoin", "matter", "importance", "needed"]))
        })
    }

    /// Matches "I did not know it at first, but": whether a clause says that it was so at the start alone.
    pub(super) fn is_at_first(&self, end: usize) -> bool {
        self.clause_behind(end - 1).take(CASE_WORDS_MAX).any(|at| {
            let is_first = self.is_one_of(at, forms!["first", "initially", "départ", "début", "abord"]);
            is_first && self.is_one_of(at - 1, forms!["at", "au"])
        })
    }

    /// A French verb in the tense of what was so: "on ne savait pas".
    pub(super) fn is_imperfect(&self, at: usize) -> bool {
        let Some(text) = self.reading.words.get(at).map(|word| word.text) else { return false };
        let is_form = text.ends_with("ait") || text.ends_with("aient");
        let is_conditional = text.ends_with("rait") || text.ends_with("raient");
        self.reading.language == Language::French
            && is_form
            && !is_conditional
            && !self.is_one_of(at, listed!("words that end like an imperfect"))
    }

    /// Checks whether the sentence says that it was meant so: "by design".
    pub(super) fn is_deliberate(&self, at: usize) -> bool {
        let found = (self.near_start(at)..self.near_end(at))
            .find(|at| self.reading.after(*at, Concept::Deliberate).is_some());
        found.is_some_and(|found| {
            !self
                .clause_before(found)
                .take(CASE_WORDS_MAX)
                .any(|at| self.is_one_of(at, listed!("words of doubt")))
        })
    }

    /// Checks whether the same sentence says that it was settled: behind it, or before it in the same clause.
    pub(super) fn is_settled(&self, start: usize, end: usize) -> bool {
        let mut clause = self.clause_before(start).take_while(|at| !self.reading.is(*at, Concept::Because));
        let behind = end..self.near_end(end);
        // "Not sure the cause is fixed", "unclear how to treat those who answered twice": that is what is asked.
        let is_joint = |at: usize| {
            self.reading.words[at].gap != Gap::None
                || self.is_one_of(at, listed!("conjunctions before a settlement"))
        };
        // "All open questions on taxes answered": what follows a name for them tells of them.
        let content = match (start..end).any(|at| self.reading.is(at, Concept::Point)) {
            true => 0,
            false => behind.clone().take_while(|at| !is_joint(*at)).count(),
        };
        behind.clone().any(|at| self.is_given_answer(at))
            || (end + content..behind.end).any(|at| self.is_settling(at))
            || clause.any(|at| self.is_settling(at))
    }

    /// Matches "Every one has an answer", "ont reçu une réponse".
    fn is_given_answer(&self, at: usize) -> bool {
        self.is_one_of(at, forms!["answer", "answers", "reply", "réponse", "réponses"])
            && self.clause_before(at).take(2).any(|at| self.is_one_of(at, listed!("verbs of receipt")))
    }

    /// A verb that says that a question was closed.
    pub(super) fn is_settling(&self, at: usize) -> bool {
        if self.after_any(at, &[Concept::Settle, Concept::Closed]).is_none() {
            return false;
        }
        // "Je suis revenu en arrière" settles nothing.
        let is_undone = self.is_one_of(at, forms!["revenu", "revenue", "revenus"])
            && self.is_one_of(at + 1, forms!["en"]);
        // "Set to 30" and "scheduled for Monday" tell what was done; denied, they leave it open.
        if self.is_one_of(at, listed!("participles of planning")) {
            return false;
        }
        // "Is still sent" tells how it is.
        let is_kept = at > self.words.start && self.is_one_of(at - 1, forms!["still", "encore", "toujours"]);
        self.is_participle(at)
            && !self.is_near_denial(at)
            && !self.is_behind_article(at)
            && !self.is_to_be(at)
            && !is_kept
            && !is_undone
    }

    /// Matches "Avoids confusion about", "rather than guessed": whether a clause says that this is just what it is not.
    pub(super) fn is_prevented(&self, at: usize) -> bool {
        let is_contrast = at > self.words.start
            && self.is_one_of(at - 1, forms!["than", "of", "que"])
            && self.is_one_of(at.saturating_sub(2), forms!["rather", "instead", "plutôt"]);

        is_contrast
            || self
                .clause_before(at)
                .take(SPARED_WORDS_MAX)
                .any(|at| self.is_one_of(at, listed!("preventing verbs")))
    }

    /// Matches "Do not judge the style": what a person is told not to do leaves nothing open.
    pub(super) fn is_order(&self, at: usize) -> bool {
        let verb = at.checked_sub(1).filter(|verb| self.words.contains(verb));
        let is_do =
            verb.is_some_and(|verb| self.is_one_of(verb, forms!["do", "don"]) && self.is_clause_start(verb));
        is_do && self.words.contains(&(at + 1))
    }

    /// Checks whether the next sentence opens with the answer: "Answer: the net one".
    pub(super) fn is_replied(&self) -> bool {
        let start = self.words.end;
        let end = self.reading.words.len().min(start + 3);
        let next = Sentence { reading: self.reading, words: start..end };
        (start..end).any(|at| {
            next.is_one_of(at, listed!("headings of an answer")) && next.text_before(at + 1).contains(':')
        }) || self.is_settled_next()
    }

    /// Matches "They defined it differently; they settled on one": whether what follows a semicolon takes it up and settles it.
    fn is_settled_next(&self) -> bool {
        let start = self.words.end;
        if !self.reading.words.get(start).is_some_and(|_| self.text_before(start).contains(';')) {
            return false;
        }
        let next = Sentence { reading: self.reading, words: self.reading.sentence(start) };
        let is_all = next.is_one_of(start, forms!["all", "both", "every", "each", "tous", "toutes"]);
        let is_settling = |at: usize| {
            (is_all || self.reading.is(at, Concept::Settle)) && next.is_settling(at)
                || next.is_given_answer(at)
        };
        next.is_one_of(start, listed!("pronouns that resume"))
            && (start..next.near_end(start)).any(is_settling)
    }

    pub(super) fn is_near_denial(&self, at: usize) -> bool {
        (self.words.start..at).rev().take(3).any(|before| self.is_denial(before))
    }

    /// Checks whether a participle is one of what is to come: "to be confirmed", "doit être confirmé".
    pub(super) fn is_to_be(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.is_one_of(before, forms!["be", "être", "etre"]))
    }

    /// Checks whether what follows, in the same sentence or the next ones, tells what was done about it: "has been replaced".
    pub(super) fn is_followed_by_fix(&self, from: usize) -> bool {
        let end = self.reading.words.len().min(from + END_WORDS_MAX);
        let stops = (self.words.end + 1..end).find(|at| self.reading.words[*at].gap == Gap::Stop);
        let end = stops.unwrap_or(end);
        (from..end).any(|at| self.reading.after(at, Concept::Fix).is_some())
    }

    /// Checks whether what follows says how it ended.
    pub(super) fn is_concluded(&self, from: usize) -> bool {
        let end = self.reading.words.len().min(from + END_WORDS_MAX);
        let sentence = Sentence { reading: self.reading, words: self.words.start..end };
        (from..end).any(|at| {
            let is_view = self.reading.is(at, Concept::Hold);
            sentence.is_settling(at) && !is_view || sentence.is_one_of(at, listed!("words for an end"))
        })
    }
}
