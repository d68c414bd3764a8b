//! What is not settled, not said and not known.

use super::super::forms::{Forms, count, forms, listed};
use super::super::lexicon::{Concept, Language};
use super::super::text::Gap;
use super::Sentence;
use super::clause::SUBJECT_WORDS_MAX;

/// So many words may stand between a denial and the verb it denies: "has not yet been formally decided".
const DENIED_WORDS_MAX: usize = 5;

/// So far behind "until" stands what has to happen, and who has to do it.
pub(super) const UNTIL_WORDS_MAX: usize = 9;

/// So far before "has not been made" stands the choice.
const CHOICE_WORDS_MAX: usize = 9;

/// Forms before a denied participle that make it a report: no one has done it so far.
const PERFECT: Forms<{ count("auxiliaries of the perfect") }> = Forms::listed("auxiliaries of the perfect");

impl Sentence<'_, '_> {
    /// Matches "not yet decided", "nobody has defined", "no decision so far".
    pub(super) fn denied_settling(&self, at: usize) -> Option<usize> {
        if !self.is_denial(at) || self.is_consent(at) {
            return None;
        }
        // What users have not decided by now is open too; what they do not decide is what was built.
        let is_perfect = at.checked_sub(1).is_some_and(|before| self.is_one_of(before, &PERFECT));

        // "A reminder to suppliers that have not answered", "aux fournisseurs n'ayant pas répondu".
        let is_some = self.is_one_of(at.saturating_sub(1), forms!["ayant"])
            && self.clause_before(at).nth(2).is_some_and(|noun| self.reading.words[noun].text.ends_with('s'));
        if is_some {
            return None;
        }
        let end = self.unsettled(at, is_perfect)?;
        (is_perfect || !self.is_about_users(at)).then_some(end)
    }

    /// The place behind what a denial says is not settled.
    fn unsettled(&self, at: usize, is_perfect: bool) -> Option<usize> {
        // "Les imports non résolus" are some of them.
        const MANY: Forms<4> = Forms::of(["les", "des", "ces", "aux"]);
        if self.is_one_of(at, forms!["non"])
            && at >= self.words.start + 2
            && (self.is_one_of(at - 2, listed!("indefinite articles"))
                || self.is_one_of(at - 2, &MANY)
                    && self.reading.words.get(at + 1).is_some_and(|next| next.text.ends_with('s')))
        {
            return None;
        }

        // "Found no answer".
        let mut is_light = at > self.words.start && self.reading.is(at - 1, Concept::Light);
        // "Legal never wrote back".
        let is_never = self.is_one_of(at, forms!["never", "jamais"]);
        for next in self.clause_behind(at).take(DENIED_WORDS_MAX) {
            if self.reading.words[next].is_code {
                return None;
            }
            let is_done = || self.is_participle(next);
            if self.reading.is(next, Concept::Light) {
                // "A choice the studio hasn't made", "feu vert non reçu".
                let mut before = self.clause_before(at).take(CHOICE_WORDS_MAX);
                if before.any(|at| self.reading.after(at, Concept::Answer).is_some()) {
                    return Some(next + 1);
                }
                is_light = true;
            }
            if let Some(end) = self.reading.after(next, Concept::Settle).filter(|_| is_done()) {
                return (!self.is_hypothetical(at)).then_some(end);
            }
            // "What it should show was never discussed".
            let talk = || self.after_any(next, &[Concept::Consult, Concept::Decide]);
            let is_untold = is_perfect && self.is_one_of(next, listed!("participles of discussion"));
            if is_untold && self.is_one_of(next - 1, forms!["been", "été"]) {
                return Some(next + 1);
            }
            if let Some(end) = talk().filter(|_| is_never && self.is_participle(next)) {
                return Some(end);
            }
            if let Some(end) = self.reading.after(next, Concept::Closed).filter(|_| is_done()) {
                return self.is_unclosed(at, next).then_some(end);
            }
            // "The security team hasn't ruled".
            if let Some(end) = self.reading.after(next, Concept::Rule).filter(|_| is_done()) {
                let is_ours = self.clause_before(at).take(SUBJECT_WORDS_MAX + 1).any(|at| self.is_person(at));
                if is_ours {
                    return Some(end);
                }
            }
            if let Some(end) = self.reading.after(next, Concept::Answer) {
                let is_missing = self.is_missing_answer(next, end, is_light) && !self.is_hypothetical(at);
                return is_missing.then_some(end);
            }
            if is_done() && self.is_waited_for(at, next) {
                return (!self.is_hypothetical(at)).then_some(next + 1);
            }
            // "Not 100% decided", "pas définitivement arrêté".
            let is_degree = self.reading.words[next].has_digit();
            let is_passed = [Concept::Light, Concept::Function, Concept::Negation];
            if !is_degree && !is_passed.iter().any(|concept| self.reading.is(next, *concept)) {
                return None;
            }
        }
        None
    }

    /// Checks whether a negated answer is missed: "no answer from the supplier", but not "from the server".
    fn is_missing_answer(&self, answer: usize, end: usize, is_light: bool) -> bool {
        let is_from_person = || self.clause_behind(end - 1).take(3).any(|at| self.is_person(at));
        let is_from_thing = self.is_one_of(answer, forms!["answer", "response", "reply", "réponse"])
            && self.is_one_of(end, forms!["from", "de", "du"])
            && self.clause_behind(end - 1).take(3).any(|at| self.reading.is(at, Concept::Thing));
        !is_from_thing
            && (is_light || self.has_behind(end, Concept::Yet) || is_from_person())
            && !self.has_behind(end, Concept::Need)
    }

    /// Checks whether a person has yet to do what a negated participle says: "the family hasn't read it yet".
    fn is_waited_for(&self, at: usize, participle: usize) -> bool {
        let is_concessive = || {
            let start = self.clause_before(at).last();
            start.is_some_and(|start| self.is_one_of(start, listed!("concessive conjunctions")))
        };
        (self.has_between(at, participle, Concept::Yet) || is_concessive())
            && self.clause_before(at).take(SUBJECT_WORDS_MAX + 1).any(|at| self.is_person(at))
    }

    /// Matches "Nobody objected", "nobody knew it then": whether a denial is no question.
    fn is_consent(&self, at: usize) -> bool {
        let is_nobody = self.is_one_of(at, forms!["nobody", "one", "personne"]);
        is_nobody
            && self
                .is_one_of(at + 1, forms!["objected", "objects", "complained", "knew", "minded", "opposed"])
    }

    /// Matches "the sender isn't answering", "the supplier won't say", "l'expéditeur ne répond pas".
    pub(super) fn silence(&self, at: usize) -> Option<usize> {
        let is_in = |at: &usize| self.words.contains(at);
        if !self.is_denial(at) {
            return None;
        }
        let verb = match self.reading.language {
            Language::English => Some(at + 1),
            Language::French => at.checked_sub(1),
        };
        let verb = verb.filter(is_in)?;
        let is_form = match self.reading.language {
            Language::English => self.reading.words[verb].text.ends_with("ing"),
            Language::French => {
                self.clause_before(verb).take(2).any(|at| self.is_one_of(at, forms!["ne", "n"]))
            }
        };
        let is_silent =
            is_form && self.after_any(verb, &[Concept::Closed, Concept::Settle, Concept::Rule]).is_some();
        let is_person = || self.clause_before(at).take(SUBJECT_WORDS_MAX + 1).any(|at| self.is_person(at));
        let is_other = || self.is_hypothetical(at);
        (is_silent && is_person() && !is_other()).then_some(at.max(verb) + 1)
    }

    /// Checks whether a verb of closing that is denied leaves something open: it is a person's to do, or a report of today.
    fn is_unclosed(&self, denial: usize, verb: usize) -> bool {
        let before = denial.checked_sub(1).filter(|_| self.reading.words[denial].gap == Gap::None);
        let is_perfect = before.is_some_and(|before| self.is_one_of(before, &PERFECT));
        let from = denial.saturating_sub(1).max(self.words.start);
        let is_ours = self.has_decider_as_subject(denial) || self.has_between(from, verb, Concept::Yet);
        let is_been = (denial..verb).any(|at| self.is_one_of(at, forms!["been", "été", "ete"]));
        (is_perfect || is_ours || is_been) && !self.is_hypothetical(denial)
    }

    /// Matches "I don't quite know", "on ne m'a pas dit", "je ne vois pas clairement".
    pub(super) fn unknown(&self, at: usize) -> Option<usize> {
        if !self.is_denial(at) || self.is_consent(at) {
            return None;
        }
        let know = |at: usize| {
            // Without its accent it is "on".
            let sure = || self.is_one_of(at, forms!["sûr", "sûrs", "sûre", "sûres"]).then_some(at + 1);
            // "Not found who approves it".
            let found = || {
                let is_found = self.is_one_of(at, listed!("finding verbs"));
                (is_found && self.reading.is(at + 1, Concept::Whether)).then_some(at + 2)
            };
            let known = self.reading.after(at, Concept::Know).filter(|end| *end <= self.words.end);
            known.or_else(sure).or_else(found)
        };
        let is_small = |at: &usize| {
            let word = &self.reading.words[*at];
            word.is(Concept::Function)
        };
        let behind = self.clause_behind(at).take(SUBJECT_WORDS_MAX);
        let mut is_on = true;
        let known = behind.take_while(|at| std::mem::replace(&mut is_on, is_small(at))).find_map(know);
        let is_ours = || self.has_decider_as_subject(at);
        let is_state = |end: usize| !self.is_one_of(end - 1, listed!("verbs of knowledge"));
        let known =
            known.filter(|end| self.reading.language == Language::French || is_state(*end) || is_ours());
        // French denies behind the verb.
        let verb = || match self.reading.language {
            Language::English => None,
            Language::French => {
                let is_run = self.is_software(at);
                self.clause_before(at).take(2).find_map(know).map(|_| at + 1).filter(|_| !is_run)
            }
        };
        let end = known.or_else(verb)?;

        let is_other =
            self.is_hypothetical(at) || self.is_reported(at) || self.is_deliberate(at) || self.is_order(at);
        let is_open = !is_other && !self.is_needless(end) && !self.is_past(at, end);
        is_open.then_some(end)
    }

    /// Matches "not my decision", "ce n'est pas à moi de décider".
    pub(super) fn disowned(&self, at: usize) -> Option<usize> {
        if !self.is_denial(at) && !self.reading.is(at, Concept::Hardly) {
            return None;
        }
        let mine = self
            .clause_behind(at)
            .take(2)
            .find(|at| self.is_one_of(*at, listed!("possessives of the narrator")))?;
        let mut near = self.clause_behind(mine).take(2);
        near.find_map(|at| self.after_any(at, &[Concept::Answer, Concept::Decide]))
    }

    /// Matches "nobody could tell me", "until finance confirms them", "tant que la banque ne répond pas".
    pub(super) fn unanswered(&self, at: usize) -> Option<usize> {
        let is_nobody = self.reading.after(at, Concept::Nobody).is_some();
        let is_until = self.reading.after(at, Concept::Until).is_some();

        // "Until we halved it, now most like it": what follows the pause is another matter.
        let is_apart = |at: &usize| is_until && self.reading.words[*at].gap == Gap::Pause;
        let is_end = |at: &usize| is_apart(at);
        let near = || (at + 1..self.words.end).take(UNTIL_WORDS_MAX).take_while(|at| !is_end(at));
        let verbs: &[Concept] = match is_nobody {
            true => &[
                Concept::Settle,
                Concept::Closed,
                Concept::Decide,
                Concept::Know,
                Concept::Answer,
                Concept::Determine,
                Concept::Own,
            ],
            false => &[Concept::Settle, Concept::Closed, Concept::Decide, Concept::Know, Concept::Consent],
        };
        let verb = |at: usize| self.after_any(at, verbs);
        let is_about_users = is_until && near().any(|at| self.reading.is(at, Concept::User));
        let is_ours =
            is_nobody || near().any(|at| self.is_decider(at) || self.is_named(at)) && !is_about_users;
        // "Until a manager approves" is a rule, not this case; what a program shows meanwhile is one too.
        let is_rule = || {
            let crew = near().find(|at| self.is_decider(*at));
            crew.is_some() && self.is_generic()
        };
        // "No one has categorised the robot": whatever no one has done so far.
        let undone = || {
            let has = (at + 1..self.words.end).take(3).find(|at| self.is_one_of(*at, forms!["has", "a"]))?;
            let verb = self
                .clause_behind(has)
                .take(2)
                .find(|at| !self.is_one_of(*at, forms!["yet", "ever", "encore"]))?;
            let is_form = self.is_participle(verb);
            (is_nobody && is_form).then_some((verb, verb + 1))
        };
        let (first, end) = near().find_map(|at| verb(at).map(|end| (at, end))).or_else(undone)?;

        let is_other = || match is_nobody {
            true if false => true,
            true => {
                // "Which no one recognised, turned out to be the old one".
                // "Nobody objected" is consent; what no one knew then is known now.
                if self.is_consent(first - 1) {
                    return true;
                }
                self.is_hypothetical(at)
            }
            false => is_rule(),
        };
        // "Nobody needs to approve it any more" misses nothing.
        let is_needless = is_nobody && self.is_deliberate(at);
        (is_ours && !is_needless && !is_other()).then_some(end)
    }

    /// Matches "could not determine whether", "pas réussi à savoir", "que je n'ai pas pu vérifier".
    pub(super) fn unable(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Unable)?;
        let mut near = (end..self.words.end).take(SUBJECT_WORDS_MAX);
        // "I wasn't able to reach the archivist"; what a program fails to reach is another matter.
        let is_told = self.is_clause_start(at)
            && self.is_one_of(at, forms!["pas", "impossible", "unable", "couldn", "could"]);
        let wanted: &[Concept] = match is_told {
            true => &[Concept::Decide, Concept::Know, Concept::Decider, Concept::Determine],
            false => &[Concept::Decide, Concept::Know],
        };
        let verb = near.find_map(|at| self.after_any(at, wanted))?;
        (!self.is_hypothetical(at)).then_some(verb)
    }
}
