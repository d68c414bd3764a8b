//! Doubts of the narrator: facts that cannot be determined, claims without proof, answers that are wanted.

use super::super::forms::{Forms, forms, listed};
use super::super::lexicon::{Concept, Language};
use super::Sentence;
use super::clause::SUBJECT_WORDS_MAX;

/// So far behind a denial stands the verb of finding out: "sans que j'aie pu en déterminer".
const FATHOM_WORDS_MAX: usize = 8;

/// The words before who has it now.
pub(super) const HELD_BY: Forms<3> = Forms::of(["with", "chez", "auprès"]);

impl Sentence<'_, '_> {
    /// Matches "whether it holds I cannot judge", "without being able to tell", "sans que je puisse départager".
    pub(super) fn unable_to_determine(&self, at: usize) -> Option<usize> {
        if !self.is_denial(at) {
            return None;
        }
        let is_without = self.is_one_of(at, forms!["without", "sans"]);
        let verb = self
            .clause_behind(at)
            .take(FATHOM_WORDS_MAX)
            .find_map(|at| self.reading.after(at, Concept::Determine))
            .filter(|_| !self.is_about_users(at))?;
        let is_said = match (self.reading.language, is_without) {
            (_, true) => {
                (at + 1..verb).any(|at| self.is_one_of(at, listed!("forms of ability behind without")))
            }
            // "No source that I could trace", "aucune source que j'aie pu retrouver".
            (_, false) if self.is_sought_in_vain(at, verb) => true,
            (Language::English, false) => {
                let helper = if self.is_one_of(at, forms!["cannot"]) { Some(at) } else { at.checked_sub(1) };
                let is_able =
                    helper.is_some_and(|helper| self.is_one_of(helper, listed!("auxiliaries of ability")));
                let is_told = self
                    .clause_before(at)
                    .take(SUBJECT_WORDS_MAX)
                    .any(|at| self.reading.is(at, Concept::Narrator));
                is_told && (is_able || self.is_one_of(at, forms!["never"]))
            }
            (Language::French, false) => {
                let verb = at.checked_sub(1).filter(|verb| self.words.contains(verb));
                let is_able = verb.is_some_and(|verb| {
                    self.is_one_of(verb, listed!("french auxiliaries of ability"))
                        || self.is_one_of(verb, forms!["a", "peut"])
                            && self.clause_before(verb).take(3).any(|at| self.is_one_of(at, forms!["on"]))
                });
                // "N'a pas permis de conclure", "ne permet pas de trancher".
                let is_nothing = self.is_one_of(at, forms!["rien"])
                    && self
                        .clause_behind(at)
                        .take(3)
                        .any(|at| self.is_one_of(at, forms!["permet", "permis", "permettait"]));
                let is_allowed = is_nothing || self.is_one_of(at + 1, forms!["permis"]);
                is_able || is_allowed
            }
        };
        (is_said && !self.is_hypothetical(at) && !self.is_past(at, verb)).then_some(verb)
    }

    fn is_sought_in_vain(&self, at: usize, verb: usize) -> bool {
        self.is_one_of(at, listed!("negations of a search"))
            && (at + 1..verb).any(|at| self.reading.is(at, Concept::Narrator) && self.is_opener_before(at))
            && (at + 1..verb).any(|at| self.is_one_of(at, listed!("forms of ability in a relative clause")))
    }

    fn is_opener_before(&self, at: usize) -> bool {
        self.is_one_of(at - 1, forms!["that", "which", "que", "qu"])
    }

    /// Matches "I took “end of month” to mean the last working day", "j'ai compris « fin de mois » comme le dernier jour".
    pub(super) fn interpretation(&self, at: usize) -> Option<usize> {
        let verb =
            (at + 1..self.words.end).take(3).find(|at| self.is_one_of(*at, listed!("interpreting verbs")))?;
        let mean =
            self.clause_behind(verb).take(FATHOM_WORDS_MAX + 2).find(|at| match self.reading.language {
                Language::English => {
                    self.is_one_of(*at, forms!["to", "as"])
                        && self.is_one_of(at + 1, forms!["mean", "meaning", "meant"])
                }
                Language::French => {
                    self.is_one_of(*at, forms!["comme"]) && self.reading.words[at - 1].is_quoted
                }
            })?;
        Some(mean + 1)
    }

    /// Matches "it is not established that", "il n'est pas dit que".
    pub(super) fn unproven(&self, at: usize) -> Option<usize> {
        if !self.is_denial(at) {
            return None;
        }
        let verb = at.checked_sub(1).filter(|verb| self.words.contains(verb))?;
        let is_impersonal = self.is_one_of(verb, forms!["is", "isn", "est"])
            && self.clause_before(verb).take(2).any(|at| self.is_one_of(at, forms!["it", "il", "rien"]));
        if !is_impersonal {
            return None;
        }
        let shown =
            self.clause_behind(at).take(2).find(|at| self.is_one_of(*at, listed!("participles of proof")))?;
        let is_that = self.is_one_of(shown + 1, forms!["that", "if", "que", "qu", "si", "s"])
            || self.reading.is(shown + 1, Concept::Whether);
        (is_that && !self.is_condition(at)).then_some(shown + 1)
    }

    /// Checks whether a condition opens the clause of a word.
    pub(super) fn is_condition(&self, at: usize) -> bool {
        self.clause_before(at).any(|at| {
            let is_if = self.is_one_of(at, forms!["s"]) && self.is_one_of(at + 1, forms!["il", "ils"]);
            is_if || self.is_one_of(at, forms!["if", "when", "unless", "si", "lorsque", "quand"])
        })
    }

    /// Matches "an opinion that we do not have", "un avis que nous n'avons pas".
    pub(super) fn missing_document(&self, at: usize) -> Option<usize> {
        let have = match self.reading.language {
            Language::English => at + 1,
            Language::French => at.checked_sub(1)?,
        };
        // "An annex that I have not seen".
        let is_seen = self.is_one_of(at + 1, listed!("participles of receipt"));
        let last = if is_seen { at + 1 } else { at.max(have) };
        if !self.is_denial(at) {
            return None;
        }
        let that = self
            .clause_before(at)
            .take(SUBJECT_WORDS_MAX + 1)
            .find(|at| self.is_one_of(*at, forms!["that", "which", "que", "qu"]))?;
        let is_ours = (that..at).any(|at| self.reading.is(at, Concept::Narrator));
        let mut before = (self.near_start(that)..that).rev().take(SUBJECT_WORDS_MAX);
        let is_answer =
            before.any(|at| self.after_any(at, &[Concept::Answer, Concept::Info, Concept::Source]).is_some());
        (is_ours && is_answer).then_some(last + 1)
    }

    /// Matches "ruling needed", "arbitrage de la sécurité nécessaire", "l'avis d'un spécialiste serait précieux".
    pub(super) fn wanted_answer(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Answer)?;
        let wanted = self
            .clause_behind(end - 1)
            .take(FATHOM_WORDS_MAX)
            .find(|at| self.reading.is(*at, Concept::Wanted))?;
        let is_near = (end..wanted).count() <= 2;
        (is_near && self.is_clause_end(wanted + 1)).then_some(wanted + 1)
    }

    /// Matches "anything but understood", "far from settled", "loin d'être acquis".
    pub(super) fn hardly(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Hardly).filter(|end| self.words.contains(end))?;
        let known = [Concept::Settle, Concept::Know, Concept::Certain];
        let verb = self.clause_behind(end - 1).take(2).find_map(|at| self.after_any(at, &known))?;
        // "Les libellés peu clairs" are some of them.
        let mut before = self.clause_before(at).take(3);
        let is_said =
            at == self.words.start || before.any(|at| self.is_one_of(at, listed!("copulas before a degree")));
        let is_done = is_said && self.reading.is(verb - 1, Concept::Certain);
        is_done.then_some(verb)
    }

    /// Matches "whichever Marta goes for", "selon ce que le client voudra".
    pub(super) fn whichever(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Whichever).filter(|end| self.words.contains(end))?;
        let mut near = (end..self.words.end).take(2);
        let who = near.find(|at| self.is_person(*at))?;
        // "Whatever the country" has no one who acts.
        let is_acting = !self.is_clause_end(who + 1);
        is_acting.then_some(who + 1)
    }

    /// Matches "too small to tell", "pas assez de données pour conclure".
    pub(super) fn scant_evidence(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Scant).filter(|end| self.words.contains(end))?;
        let mut near = self.clause_behind(end - 1).take(SUBJECT_WORDS_MAX + 1);
        let to = near.find(|at| self.is_one_of(*at, forms!["to", "pour", "de", "à"]))?;
        let verb =
            self.clause_behind(to).take(3).find_map(|at| self.reading.after(at, Concept::Determine))?;
        Some(verb)
    }

    /// Matches "the budget is still with finance", "le dossier est chez le notaire".
    pub(super) fn held_by(&self, at: usize) -> Option<usize> {
        if !self.is_one_of(at, &HELD_BY) || at == self.words.start {
            return None;
        }
        if !self.is_one_of(at - 1, listed!("copulas before a holder")) {
            return None;
        }
        let who = (at + 1..self.words.end).take(3).find(|at| self.reading.is(*at, Concept::Decider))?;
        let is_near = (at + 1..who).all(|at| self.reading.is(at, Concept::Function));
        is_near.then_some(who + 1)
    }

    /// Matches "the wording is murky", "la formulation reste nébuleuse": how it stands, not which one it is.
    pub(super) fn obscure(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Obscure).filter(|end| *end <= self.words.end)?;
        let before = self.clause_before(at).take(SUBJECT_WORDS_MAX);
        let mut before = before.skip_while(|at| self.is_one_of(*at, listed!("degrees")));
        let verb = before.next().filter(|at| self.is_one_of(*at, listed!("copulas before an obscurity")))?;
        let is_other = || {
            self.is_about_users(at) || self.is_reported(at) || self.is_past(at, end) || self.is_software(verb)
        };
        (!is_other()).then_some(end)
    }

    /// Matches "I rather suspect", "on bute sur": who tells it doubts today.
    pub(super) fn pondering(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Ponder).filter(|end| *end <= self.words.end)?;
        // "Assumed UTC for all of them" leaves out who did.
        if at == self.words.start && self.is_one_of(at, forms!["assumed", "presumed", "guessed", "supposed"])
        {
            return (!self.is_fixed(end)).then_some(end);
        }
        let mut before = self.clause_before(at).take(3);
        let teller = before.find(|at| self.reading.is(*at, Concept::Narrator))?;
        let is_between = (teller + 1..at).all(|at| self.reading.is(at, Concept::Function));
        let is_other =
            || self.is_reported(at) || self.is_past(at, end) || self.is_generic() && self.is_hypothetical(at);
        (is_between && !is_other()).then_some(end)
    }

    /// Matches "the brief glosses over returns", "le contrat passe sous silence les retours".
    pub(super) fn omitted(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Omit).filter(|end| *end <= self.words.end)?;
        let is_said =
            !["ed", "é", "és", "ée", "ées"].iter().any(|end| self.reading.words[at].text.ends_with(end));
        let mut before = self.clause_before(at).take(SUBJECT_WORDS_MAX);
        let is_source = before.any(|at| self.reading.after(at, Concept::Source).is_some());
        let is_other = || self.is_hypothetical(at);
        (is_said && is_source && !is_other()).then_some(end)
    }
}
