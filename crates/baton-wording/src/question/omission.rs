//! Documents that leave a point out.

use super::super::forms::{Forms, forms, listed};
use super::super::lexicon::{Concept, Language};
use super::Sentence;
use super::clause::SUBJECT_WORDS_MAX;
use super::negation::UNTIL_WORDS_MAX;

impl Sentence<'_, '_> {
    /// Matches "the spec does not say what happens", "ne précise pas si", "sans dire ce qu'il permet".
    pub(super) fn unsaid(&self, at: usize) -> Option<usize> {
        // "Ne dit plus" was changed.
        if !self.is_denial(at) || self.is_one_of(at, forms!["plus"]) {
            return None;
        }
        self.unstated(at)
    }

    /// The place behind what a denial says is not said.
    pub(super) fn unstated(&self, at: usize) -> Option<usize> {
        let is_in = |at: &usize| self.words.contains(at);
        // "A search without results shows".
        let is_without = self.is_one_of(at, forms!["without"]);
        let is_form = |at: &usize| is_in(at) && (!is_without);
        let say = |at: usize| Some(at).filter(is_form).and_then(|at| self.reading.after(at, Concept::Say));
        // English denies before the verb, French behind it.
        if let Some(end) = self.nowhere(at) {
            return Some(end);
        }
        if let Some(end) = self.unwritten(at) {
            return Some(end);
        }
        // "Gross or net was not in the metadata".
        let mut near = self.clause_behind(at).take(SUBJECT_WORDS_MAX);
        // "Not in scope" is settled.
        let is_scope = |at: &usize| self.is_one_of(*at, forms!["scope"]);
        let source = near.find(|at| self.reading.is(*at, Concept::Source) && !is_scope(at));
        // "Lands in the manual, but not in the readme" is told of what lands.
        let is_standing = self.reading.language == Language::French
            || at
                .checked_sub(1)
                .is_some_and(|before| self.is_one_of(before, listed!("copulas before a gap")));
        if let Some(source) = source.filter(|_| self.is_one_of(at + 1, forms!["in", "dans"]) && is_standing) {
            return Some(source + 1);
        }
        let end = match self.reading.language {
            Language::English => {
                let is_said =
                    self.is_one_of(at, forms!["nothing"]) && at > self.words.start && say(at - 1).is_some();
                match is_said {
                    true => Some(at + 1),
                    false if false => None,
                    false => say(at + 1).or_else(|| say(at + 2)),
                }
            }
            Language::French => {
                let is_said = at.checked_sub(1).is_some_and(|verb| say(verb).is_some());
                if is_said { Some(at + 1) } else { say(at + 1).or_else(|| say(at + 2)) }
            }
        }?;
        let is_whether =
            is_in(&end) && self.reading.after(end, Concept::Whether).is_some() && !self.is_software(at);
        let is_source = |at: usize| self.reading.after(at, Concept::Source).is_some();
        let mut before = (self.words.start..at).rev().take(SUBJECT_WORDS_MAX + 1);
        // "Which rate applies was not mentioned".
        let is_passive = || {
            let helpers = const { Forms::of(["was", "wasn", "were", "weren", "been", "été"]) };
            let is_told = (at.saturating_sub(1)..=at + 1).any(|at| self.is_one_of(at, &helpers))
                || self.is_one_of(end, forms!["anywhere"]);
            is_told && self.is_participle(end - 1)
        };
        let is_brief = before.any(is_source) || is_passive();
        // "The docs don't give one, but the engineer confirmed it".
        let is_told = (end..self.near_end(end)).any(|at| self.is_settling(at));
        (!is_told && (is_whether || is_brief)).then_some(if is_whether { end + 1 } else { end })
    }

    /// Matches "there was no figure in the brief", "aucun chiffre dans le brief".
    pub(super) fn unwritten(&self, at: usize) -> Option<usize> {
        if !self.is_one_of(at, forms!["no", "nothing", "aucun", "aucune", "rien", "pas"]) {
            return None;
        }
        let place = self.clause_behind(at).take(5).find(|at| self.is_one_of(*at, forms!["in", "dans"]))?;
        let is_told =
            (at + 1..place).any(|at| self.after_any(at, &[Concept::Info, Concept::Answer]).is_some());
        let source = self.clause_behind(place).take(3).find(|at| self.reading.is(*at, Concept::Source))?;
        is_told.then_some(source + 1)
    }

    /// Matches "nothing in the contract tells us whether".
    pub(super) fn nowhere(&self, at: usize) -> Option<usize> {
        if !self.is_one_of(at, forms!["nothing", "nowhere", "rien"]) {
            return None;
        }
        let mut near = self.clause_behind(at).take(UNTIL_WORDS_MAX);
        let say = near.find(|at| self.reading.is(*at, Concept::Say))?;
        let mut behind = self.clause_behind(say).take(3);
        behind.find(|at| self.reading.is(*at, Concept::Whether)).map(|whether| whether + 1)
    }
}
