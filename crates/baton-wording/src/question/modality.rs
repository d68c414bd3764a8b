//! What is still to be settled: who has to, who is waited for, who is asked.

use super::super::forms::{Forms, count, forms, listed};
use super::super::lexicon::{Concept, Language};
use super::Sentence;

/// So far behind an obligation stands its verb.
pub(super) const OBLIGED_WORDS_MAX: usize = 4;

/// So far behind a wish or a condition stands who is meant, and what they should do.
pub(super) const WISHED_WORDS_MAX: usize = 9;

/// The words before what is still to be done.
pub(super) const TO_SETTLE: Forms<3> = Forms::of(["à", "a", "to"]);

/// The verbs of asking that a person is told to do.
pub(super) const ASKED: Forms<4> = Forms::of(["ask", "demander", "find", "learn"]);

/// All words that `to_be_settled` looks for, but for those of obligation: at others it is not tried.
pub(super) const TO_BE_SETTLED: Forms<{ count("words before an obligation") }> =
    Forms::listed("words before an obligation");

impl Sentence<'_, '_> {
    /// Matches "has to be clarified", "doit être confirmée avec le DPO", "to be picked by the couple".
    pub(super) fn to_be_settled(&self, at: usize) -> Option<usize> {
        let is_to = self.is_one_of(at, forms!["to"]);
        let must = match self.is_one_of(at, forms!["will", "ll", "shall", "va", "vont"]) {
            _ if self.is_one_of(at, forms!["sera", "seront"]) => Some(at),
            true => Some(at + 1),
            false if is_to => Some(at + 1),
            false => self.reading.after(at, Concept::Must),
        }?;

        let verb = (must + 1..self.words.end).take(2).find(|at| self.is_participle(*at))?;

        let talk = || {
            self.after_any(verb, &[Concept::Decide, Concept::Consult])
                .filter(|_| !self.reading.is(verb, Concept::Closed))
        };
        self.reading.after(verb, Concept::Settle).or_else(talk)
    }

    /// Matches "durée à fixer", "exécuteur à désigner par le client", "à valider avec la DSI", "sommelier to confirm".
    pub(super) fn to_settle(&self, at: usize) -> Option<usize> {
        if !self.is_one_of(at, &TO_SETTLE) || !self.words.contains(&(at + 1)) {
            return None;
        }
        let verb = if self.is_one_of(at + 1, forms!["faire", "refaire"]) { at + 2 } else { at + 1 };
        let is_infinitive =
            |at: usize| self.reading.words.get(at).is_some_and(|verb| verb.text.ends_with('r'));
        let before = at.checked_sub(1).filter(|before| self.words.contains(before));
        let end = match self.reading.language {
            // English has to say who; an aim looks the same.
            Language::English => {
                let is_decider = before
                    .is_some_and(|before| self.reading.is(before, Concept::Decider) || self.is_named(before));
                self.after_any(verb, &[Concept::Decide, Concept::Rule]).filter(|_| is_decider)
            }
            Language::French if !is_infinitive(verb) => None,
            Language::French => {
                let decide = self.reading.after(verb, Concept::Decide);
                let settle = || {
                    let end = self.after_any(verb, &[Concept::Rule, Concept::Consult])?;
                    let mut near = self.clause_behind(end - 1).take(OBLIGED_WORDS_MAX + 1);
                    let is_with = near.any(|at| self.reading.is(at, Concept::With));
                    (is_with || self.is_clause_end(end)).then_some(end)
                };
                decide.or_else(settle)
            }
        }?;
        let is_other = || self.is_denied(at) || self.is_settled(at, end);
        (!is_other()).then_some(end)
    }

    /// Matches "we still have to pick", "il faut encore choisir"; what users have to do is no question.
    pub(super) fn obliged(&self, at: usize) -> Option<usize> {
        let must = self.reading.after(at, Concept::Must).filter(|end| *end <= self.words.end)?;
        let mut near = (must..self.words.end).take(OBLIGED_WORDS_MAX);
        let verb = near.find_map(|at| self.reading.after(at, Concept::Decide))?;
        let is_ours = self.is_clause_start(at) || self.has_decider_as_subject(at);
        let is_other = || self.is_about_users(at);
        (is_ours && !is_other()).then_some(verb)
    }

    /// Matches "please confirm", "merci de valider", "ask the city if".
    pub(super) fn requested(&self, at: usize) -> Option<usize> {
        let request = self.reading.after(at, Concept::Ask).filter(|end| *end <= self.words.end);
        let ask = || {
            let is_ask = self.is_one_of(at, &ASKED) && self.is_clause_start(at);
            let mut near = self.clause_behind(at).take(WISHED_WORDS_MAX).filter(|_| is_ask);
            let whether = near.find(|at| self.reading.is(*at, Concept::Whether)).map(|whether| whether + 1);
            let mut near = self.clause_behind(at).take(OBLIGED_WORDS_MAX).filter(|_| false);
            let is_named = |at: &usize| {
                let is_last = self.is_clause_end(at + 1);
                is_last && *at == self.words.end - 1
            };
            let somebody = || near.find(is_named).map(|at| at + 1);
            whether.or_else(somebody)
        };
        // "C'est ce que la compta voulait" asks nothing.
        if self.is_one_of(at, forms!["est"]) && at > self.words.start && self.is_one_of(at - 1, forms!["c"]) {
            return None;
        }
        let is_duty = self.is_one_of(at, forms!["need", "needs", "have", "has", "must", "should"]);
        // "It has to decide per volume", "`register` must decide": how it works.
        let is_run = is_duty
            && at > self.words.start
            && !(self.words.contains(&(at + 1)) && self.is_indefinite_person(at + 1))
            && (self.reading.words[at - 1].is_code);
        let is_user = || is_run;
        let is_other = || self.is_denied(at) || self.is_marked() || is_user();
        request.or_else(ask).filter(|_| !is_other())
    }

    /// Matches "you choose", "your decision", "libre à vous d'en proposer un autre".
    pub(super) fn addressed(&self, at: usize) -> Option<usize> {
        let is_able =
            |at: usize| self.after_any(at, &[Concept::Help, Concept::Will, Concept::Past]).is_some();
        // "Smaller than you think", "you press Allow": what anybody does.
        let is_wanted = |at: &usize| match self.is_one_of(*at - 1, forms!["your", "votre", "ton", "ta"]) {
            true => self.reading.after(*at, Concept::Answer).is_some(),
            false if self.is_one_of(*at, listed!("verbs of anyone")) => false,
            false => self.reading.after(*at, Concept::Consent).is_some(),
        };
        let verb = self.clause_behind(at).take(OBLIGED_WORDS_MAX).find(is_wanted)?;
        let is_helped = self.clause_before(at).take(2).any(is_able);
        let is_other = || is_helped;
        (!is_other()).then_some(verb + 1)
    }

    /// Matches "ops should validate", "the board will rule", "la direction validera".
    pub(super) fn expected(&self, at: usize) -> Option<usize> {
        // "Faut envoyer" has no one who acts.
        let is_impersonal = self.is_one_of(at, forms!["faut", "faudra", "faudrait"]);
        let must = self.reading.after(at, Concept::Must).filter(|_| !is_impersonal);
        let will = || self.reading.after(at, Concept::Will);
        let future = self.reading.after(at, Concept::Future);
        let end = must.or_else(will).or(future).filter(|end| *end <= self.words.end)?;
        let subject = at.checked_sub(1).filter(|subject| self.words.contains(subject))?;

        // "Dana still has to say".
        let is_adverb = subject > self.words.start
            && self.is_one_of(subject, forms!["still", "also", "now", "encore", "first", "then"]);
        let subject = if is_adverb { subject - 1 } else { subject };
        let mut near = (self.words.start..at).rev().take(OBLIGED_WORDS_MAX + 1);
        let is_any = (self.words.start..subject).rev().take(2).any(|at| self.reading.is(at, Concept::Any));
        // "Marketing keeps going back and forth", "a page which he wants to sleep on".
        let is_he = || {
            const HE: Forms<6> = Forms::of(["he", "she", "they", "elle", "elles", "ils"]);
            // "The code and the doc differ".
            const DIFFER: Forms<6> =
                Forms::of(["differ", "diverge", "disagree", "divergent", "diffèrent", "contest"]);
            if self.is_one_of(at, &DIFFER) && self.reading.is(subject, Concept::Source) {
                return !self.is_fixed(end);
            }
            let is_acting = self.reading.is(subject, Concept::Decider);
            future.is_some() && (is_acting || self.is_one_of(subject, &HE))
                || future.is_some_and(|end| end > at + 1) && self.is_one_of(subject, forms!["il"])
        };
        // "A broker ought to check it" is meant for this case; "a manager must approve" is a rule.
        let is_any =
            is_any && !self.is_one_of(at, forms!["ought", "ferait", "feraient", "should", "devrait"]);
        let is_decider = near.any(|at| self.is_person(at) && (!self.is_named(at) || at == subject))
            && (!is_any)
            || is_he();
        if !is_decider || self.is_case_of_client(at) {
            return None;
        }
        // "The shell refuses to start", "a scanner cannot tell": only who is known to be a person means something by it.
        let is_known = || {
            let mut near = self.clause_before(at).take(2);
            near.any(|who| self.reading.is(who, Concept::Decider) && (who + 1 == at))
        };
        if future.is_some()
            && (self.is_one_of(at, listed!("predicates of things and persons")) || self.is_software(at))
            && !is_known()
        {
            return None;
        }
        if future.is_some() {
            // "A examiné" is done; without its accent it reads as "examine".
            let is_done =
                end == at + 1 && self.is_one_of(subject, forms!["a", "ont", "ai", "avait", "avaient"]);
            // "Is weighed" is what is done with it.
            let is_passive = end == at + 2
                && self.is_one_of(at, forms!["is", "are"])
                && self.reading.words[at + 1].text.ends_with("ed");

            let is_other = || {
                self.is_condition(at)
                    || end == at + 1 && self.is_hypothetical(at)
                    || self.is_past(at, end) && self.is_fixed(end)
            };
            return future.filter(|_| !is_done && !is_passive && !is_other());
        }

        // What can be done may be what was built; what a person will say is to come.
        let is_to_come = must.is_some();
        let mut verbs = (end..self.words.end).take(OBLIGED_WORDS_MAX);
        verbs.find_map(|at| self.reading.after(at, Concept::Rule)).filter(|_| is_to_come)
    }
}
