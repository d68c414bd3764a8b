//! Opposed views of two persons, and differing accounts of one matter.

use super::super::forms::{Forms, forms, listed};
use super::super::lexicon::Concept;
use super::super::text::Gap;
use super::Sentence;

/// So far behind the first view stands the second one.
const VIEW_WORDS_MAX: usize = 12;

/// The words before whose account it is.
pub(super) const BY_ACCOUNT: Forms<3> = Forms::of(["according", "selon", "après"]);

impl Sentence<'_, '_> {
    /// Matches "Marc said green and Julie said blue", "le marketing veut juin, la technique août".
    pub(super) fn opposed_views(&self, at: usize) -> Option<usize> {
        let view = self.reading.after(at, Concept::Hold).filter(|end| self.words.contains(end))?;

        let is_who = |at: usize| self.is_person(at);
        // "The old terms say 60, the website 120", "the guide says to drop it, the DBA to keep it": anything that says a figure or
        // what to do.
        let is_figure = |from: usize, to: usize| {
            (from..to.min(self.words.end)).any(|at| self.reading.words[at].has_digit())
        };
        let is_order = self.is_one_of(view, forms!["to", "de", "d"]) && self.reading.is(at, Concept::Say);
        let is_now = !self.is_one_of(at, forms!["said", "disait", "disaient"]);
        let is_any = is_now && (is_order || self.reading.is(at, Concept::Say) && is_figure(view, view + 2));
        let is_who = |at: usize| is_who(at) || is_any;
        let mut before = self.clause_before(at).take(2);
        before.find(|at| is_who(*at))?;
        // The other one: behind a pause or a joining word, with a verb of the same kind or none at all.
        let other = (view + 1..self.near_end(view)).take(VIEW_WORDS_MAX).find(|at| {
            let start = (view..=*at).rev().take(3).find(|at| self.is_view_start(*at));
            // "L'éditeur de l'ERP dit".
            let is_of = self.is_one_of(at + 1, forms!["de", "du", "of"]);
            let verbs = if is_of { at + 2..at + 5 } else { at + 1..at + 2 };
            let is_verb = verbs.into_iter().any(|at| self.reading.after(at, Concept::Hold).is_some());
            start.is_some_and(|start| (start..*at).all(|at| self.reading.is(at, Concept::Function)))
                && is_who(*at)
                && (is_verb
                    || self.is_bare(at + 1) && (!is_any || is_figure(at + 1, at + 2))
                    || is_order && self.is_one_of(at + 1, forms!["to", "de", "d"]))
        })?;
        let is_other = || self.is_concluded(other);
        (!is_other()).then_some(other + 1)
    }

    fn is_joint(&self, at: usize) -> bool {
        self.is_one_of(at, listed!("conjunctions between views"))
    }

    fn is_view_start(&self, at: usize) -> bool {
        self.reading.words[at].gap != Gap::None || self.is_joint(at)
    }

    /// Checks whether the verb is left out: "engineering August", "la technique août", "l'équipe non".
    fn is_bare(&self, at: usize) -> bool {
        // "Le PDG un forfait".
        let last = if self.reading.is(at, Concept::Article) { at + 1 } else { at };
        self.words.contains(&last) && self.reading.words[at].gap == Gap::None && self.is_clause_end(last + 1)
    }

    /// Matches "The CFO says “let's talk in July”": whether quoted words are what a person of ours said.
    pub(super) fn is_spoken(&self, at: usize) -> bool {
        let mut first = at;
        while first > self.near_start(at) && self.reading.words[first - 1].is_quoted {
            first -= 1;
        }
        let Some(verb) = first.checked_sub(1).filter(|verb| self.words.contains(verb)) else { return false };
        let is_said = self.is_one_of(verb, listed!("verbs of speech"));
        let mut before = self.clause_before(verb).take(2);
        is_said && before.any(|at| self.reading.is(at, Concept::Decider))
    }

    /// Matches "five according to Zoom, seven according to Anna", "cinq selon Zoom, sept selon Anna".
    pub(super) fn differing_accounts(&self, at: usize) -> Option<usize> {
        if !self.is_one_of(at, &BY_ACCOUNT) {
            return None;
        }
        let other = (at + 2..self.near_end(at)).find(|other| self.is_one_of(*other, &BY_ACCOUNT))?;
        Some(other + 1)
    }
}
