//! What takes a question back: it was settled, is over, was meant so, or nobody misses the answer.

use super::super::lexicon::{Concept, Language};
use super::super::text::Gap;
use super::super::texts::{Texts, texts};
use super::Sentence;
use super::clause::{CASE_WORDS_MAX, SENTENCE_WORDS_MAX};

/// So many words behind a quarrel may say how it ended, in the same sentence or the next ones.
const END_WORDS_MAX: usize = 30;

impl Sentence<'_, '_> {
    /// Whether something was open, and what follows says that it was answered, or at least what came of it.
    pub(super) fn is_past(&self, at: usize, end: usize) -> bool {
        let is_start = || {
            self.is_at_first(end)
                || (at.saturating_sub(1).max(self.words.start)..end).any(|at| self.is_imperfect(at))
                || self.is_one_of(at.saturating_sub(1), texts!["a", "ont", "avons", "ai"])
                    && self.reading.words[at].text.ends_with('é')
        };
        if !self.has_between(at.saturating_sub(2).max(self.words.start), end, Concept::Past) && !is_start() {
            return false;
        }
        let behind = || end..self.reading.words.len().min(end + SENTENCE_WORDS_MAX);
        let is_answered =
            behind().any(|at| self.reading.after(at, Concept::Since).is_some() || self.is_settling(at));
        let is_gone_on = behind().any(|at| self.reading.words[at].gap != Gap::None)
            && !behind().any(|at| {
                const YET: Texts<4> = Texts::of(["still", "yet", "encore", "toujours"]);
                self.reading.is(at, Concept::Teller)
                    || self.reading.is(at, Concept::Yet) && self.is_one_of(at, &YET)
            });
        is_answered || is_gone_on
    }

    /// "We do not know their age and do not need to": whether nobody misses it.
    pub(super) fn is_needless(&self, end: usize) -> bool {
        (end..self.near_end(end)).filter(|at| self.is_denial(*at)).any(|at| {
            let mut near = self.clause_behind(at).take(3);
            near.any(|at| self.is_one_of(at, texts!["need", "besoin", "matter", "importance", "needed"]))
        })
    }

    /// "I did not know it at first, but": whether a clause says that it was so at the start alone.
    pub(super) fn is_at_first(&self, end: usize) -> bool {
        self.clause_behind(end - 1).take(CASE_WORDS_MAX).any(|at| {
            let is_first = self.is_one_of(at, texts!["first", "initially", "départ", "début", "abord"]);
            is_first && (self.is_one_of(at - 1, texts!["at", "au"]) || self.is_clause_end(at + 1))
        })
    }

    /// A French verb in the tense of what was so: "on ne savait pas".
    pub(super) fn is_imperfect(&self, at: usize) -> bool {
        const OTHERS: Texts<12> = Texts::of([
            "fait",
            "sait",
            "plaît",
            "paraît",
            "connaît",
            "parfait",
            "disparaît",
            "refait",
            "trait",
            "devait",
            "devaient",
            "ait",
        ]);
        let Some(text) = self.reading.words.get(at).map(|word| word.text) else { return false };
        let is_form = text.ends_with("ait") || text.ends_with("aient");
        let is_conditional = text.ends_with("rait") || text.ends_with("raient");
        self.reading.language == Language::French
            && is_form
            && !is_conditional
            && !self.is_one_of(at, &OTHERS)
    }

    /// Whether the sentence says that it was meant so: "by design".
    pub(super) fn is_deliberate(&self, at: usize) -> bool {
        const DOUBTS: Texts<12> = Texts::of([
            "may", "might", "could", "whether", "if", "perhaps", "maybe", "si", "peut", "s", "not", "pas",
        ]);
        let found = (self.near_start(at)..self.near_end(at))
            .find(|at| self.reading.after(*at, Concept::Deliberate).is_some());
        found.is_some_and(|found| {
            !self.clause_before(found).take(CASE_WORDS_MAX).any(|at| self.is_one_of(at, &DOUBTS))
        })
    }

    /// Whether the same sentence says that it was settled: behind it, or before it in the same clause.
    pub(super) fn is_settled(&self, start: usize, end: usize) -> bool {
        let mut clause = self.clause_before(start).take_while(|at| !self.reading.is(*at, Concept::Because));
        (end..self.near_end(end)).any(|at| self.is_settling(at)) || clause.any(|at| self.is_settling(at))
    }

    /// A verb that says that a question was closed.
    pub(super) fn is_settling(&self, at: usize) -> bool {
        // "Je suis revenu en arrière" settles nothing.
        let is_undone = self.is_one_of(at, texts!["revenu", "revenue", "revenus"])
            && self.is_one_of(at + 1, texts!["en"]);
        self.after_any(at, &[Concept::Settle, Concept::Closed]).is_some()
            && self.is_participle(at)
            && !self.is_near_denial(at)
            && !self.is_behind_article(at)
            && !self.is_to_be(at)
            && !is_undone
    }

    pub(super) fn is_near_denial(&self, at: usize) -> bool {
        (self.words.start..at).rev().take(3).any(|before| self.is_denial(before))
    }

    /// Whether a participle is one of what is to come: "to be confirmed", "doit être confirmé".
    pub(super) fn is_to_be(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.is_one_of(before, texts!["be", "être", "etre"]))
    }

    /// Whether what follows says how it ended.
    pub(super) fn is_ended(&self, from: usize) -> bool {
        let end = self.reading.words.len().min(from + END_WORDS_MAX);
        const ENDS: Texts<7> =
            Texts::of(["end", "eventually", "finally", "finalement", "final", "fini", "definitive"]);
        let sentence = Sentence { reading: self.reading, words: self.words.start..end };
        (from..end).any(|at| {
            let is_view = self.reading.is(at, Concept::Hold);
            sentence.is_settling(at) && !is_view || sentence.is_one_of(at, &ENDS)
        })
    }
}
