//! Questions that came back without an answer, and choices to be reversed if the answer differs.

use super::super::forms::{Forms, forms, listed};
use super::super::lexicon::{Concept, Language};
use super::Sentence;

/// The words of those who part without having settled it.
pub(super) const PARTED: Forms<2> = Forms::of(["without", "sans"]);

/// The words before a case in which it would be undone.
pub(super) const REVERTED: Forms<3> = Forms::of(["if", "si", "s"]);

/// The words by which French denies what follows the verb.
pub(super) const NONE_OF: Forms<3> = Forms::of(["aucun", "aucune", "rien"]);

/// The words before what no one has set.
pub(super) const NONE_SET: Forms<4> = Forms::of(["no", "aucun", "aucune", "neither"]);

impl Sentence<'_, '_> {
    /// Matches "went home without voting", "s'est séparé sans voter".
    pub(super) fn parted_without_answer(&self, at: usize) -> Option<usize> {
        if !self.is_one_of(at, &PARTED) {
            return None;
        }
        // "Went out without a native having read it".
        let having = self.clause_behind(at).take(5).find(|at| self.is_one_of(*at, forms!["having"]));
        if let Some(having) = having.filter(|having| self.words.contains(&(having + 1))) {
            return Some(having + 2);
        }
        let verb = self.clause_behind(at).take(3).find(|at| {
            let is_form = match self.reading.language {
                Language::English => self.reading.words[*at].text.ends_with("ing"),
                Language::French => self.reading.words[*at].text.ends_with('r'),
            };
            const LEFT_OUT: [Concept; 5] =
                [Concept::Settle, Concept::Decide, Concept::Consent, Concept::Determine, Concept::Say];
            is_form && self.after_any(*at, &LEFT_OUT).is_some()
        })?;
        let is_ours = (self.near_start(at)..at).any(|at| self.is_person(at));
        let is_told = is_ours;
        (is_told && !self.is_hypothetical(at)).then_some(verb + 1)
    }

    /// Matches "whether it counts has been put to the DPO", "la question a été soumise au comité".
    pub(super) fn referred(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Refer).filter(|_| {
            self.is_participle(at) || self.is_one_of(at, forms!["put", "soumise", "soumis", "transmise"])
        })?;
        let to = (end..self.words.end)
            .take(2)
            .find(|at| self.is_one_of(*at, listed!("words before an addressee")))?;
        let who = (to + 1..self.words.end).take(3).find(|at| self.is_person(*at))?;
        let mut before = self.near_start(at)..at;
        let is_asked =
            before.any(|at| self.reading.is(at, Concept::Point) || self.reading.is(at, Concept::Whether));
        is_asked.then_some(who + 1)
    }

    /// Matches "if it was there for a reason we should put it back", "si c'était voulu il faudra la remettre".
    pub(super) fn reversible_choice(&self, at: usize) -> Option<usize> {
        if !self.is_one_of(at, &REVERTED) || at + 2 >= self.words.end {
            return None;
        }
        let must = (at + 1..self.near_end(at)).find(|at| self.reading.after(*at, Concept::Must).is_some())?;
        let is_ours = (at + 1..must).any(|at| self.is_one_of(at, listed!("verbs of a purpose")));
        let back =
            (must..self.near_end(must)).take(6).find(|at| self.is_one_of(*at, listed!("reverting verbs")))?;
        is_ours.then_some(back + 1)
    }

    /// Matches "la comptable n'a réagi à aucune des deux": French denies what follows the verb.
    pub(super) fn none_of(&self, at: usize) -> Option<usize> {
        if !self.is_one_of(at, &NONE_OF) || !self.is_denial(at) {
            return None;
        }
        const VERBS: [Concept; 3] = [Concept::Closed, Concept::Settle, Concept::Rule];
        let verb = self
            .clause_before(at)
            .take(2)
            .find(|at| self.is_participle(*at) && self.after_any(*at, &VERBS).is_some())?;
        let is_denied = self.clause_before(verb).take(3).any(|at| self.is_one_of(at, forms!["n", "ne"]));
        let is_ours = self.clause_before(verb).take(5).any(|at| self.is_decider(at));
        (is_denied && is_ours).then_some(at + 1)
    }

    /// Matches "no target was ever set", "aucun objectif n'a été fixé".
    pub(super) fn none_set(&self, at: usize) -> Option<usize> {
        const SETTLED: [Concept; 3] = [Concept::Settle, Concept::Closed, Concept::Rule];
        if !self.is_one_of(at, &NONE_SET) {
            return None;
        }
        let is_both = self.is_one_of(at + 1, forms!["des", "de"]);
        let noun = at + 1;
        let is_noun = is_both || self.is_before_noun(noun);
        let was = self
            .clause_behind(noun)
            .take(5)
            .find(|at| self.is_one_of(*at, listed!("auxiliaries of the passive")))?;
        let verb = self
            .clause_behind(was)
            .take(3)
            .find(|at| self.is_participle(*at) && self.after_any(*at, &SETTLED).is_some())?;
        is_noun.then_some(verb + 1)
    }
}
