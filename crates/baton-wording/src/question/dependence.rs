//! Dependence on persons: wishes, conditions, missing or deferred answers, consultations.

use super::super::forms::{Forms, forms, listed};
use super::super::lexicon::{Concept, Language};
use super::Sentence;
use super::modality::{OBLIGED_WORDS_MAX, WISHED_WORDS_MAX};

/// Concepts of the verbs by which a person deals with a question.
const VERBS: [Concept; 5] =
    [Concept::Rule, Concept::Settle, Concept::Closed, Concept::Consent, Concept::Know];

/// Adverbs before a verb of discussion.
pub(super) const IN_TALKS: Forms<4> = Forms::of(["still", "being", "encore", "toujours"]);

impl Sentence<'_, '_> {
    /// Matches "I'd like a native speaker to choose", "il faudrait que la RH précise".
    pub(super) fn wished(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::RunRequest).filter(|end| *end < self.words.end)?;
        let near = || (end..self.words.end).take(WISHED_WORDS_MAX);

        // "Il faudrait que Lucía confirme".
        let is_named = self.is_one_of(end - 1, forms!["que", "qu", "if"]) && self.is_named(end);
        let is_decider = is_named || near().any(|at| self.is_decider(at));
        let verbs = [Concept::Rule, Concept::Settle, Concept::Closed, Concept::Answer];
        let verb = near().find_map(|at| self.after_any(at, &verbs));
        let answer = near().take(OBLIGED_WORDS_MAX).find_map(|at| self.reading.after(at, Concept::Answer));
        // "It would be good to know which", "il serait bon de faire attester".
        let is_aim = |at: &usize| {
            *at == end && self.reading.language == Language::French
                || self.is_one_of(*at - 1, listed!("words before an aim"))
        };
        let know = || {
            let mut near = self.clause_behind(end - 1).take(OBLIGED_WORDS_MAX).filter(is_aim);
            near.find_map(|at| self.after_any(at, &[Concept::Determine, Concept::Decide]))
        };
        verb.filter(|_| is_decider).or(answer).or_else(know)
    }

    /// Matches "ready once somebody decides", "si la direction est d'accord".
    pub(super) fn conditional(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::When).filter(|end| *end < self.words.end)?;
        let is_decider =
            |at: &usize| self.reading.is(*at, Concept::Decider) || self.reading.is(*at, Concept::Narrator);
        let crew = (end..self.words.end).take(3).find(|at| is_decider(at))?;
        // "Wait for the signature before you send it" tells the reader what to do.
        // "A user can wait as long as they like".
        let is_they = self.is_one_of(crew, forms!["they", "ils", "elles"])
            && (self.is_one_of(at, forms!["when"])
                || self.has_between(self.near_start(at), at, Concept::User));
        let is_you = self.is_one_of(at, forms!["before", "avant"]) && self.reading.is(crew, Concept::You);
        // "If we allow it, we model too much", "if someone needs it": a case that is thought through.
        let is_thought = at == self.words.start
            && self.is_one_of(at, forms!["if"])
            && self.is_one_of(crew, forms!["we", "i"]);
        if is_you || is_they || is_thought {
            return None;
        }
        // At the start it says what happens then, as a rule; the future says "will", or has the narrator as subject.
        let to_come = [Concept::Will, Concept::Must, Concept::Narrator];
        let is_to_come = |at: usize| to_come.iter().any(|concept| self.reading.is(at, *concept));
        let is_objecting = self.is_one_of(at, forms!["unless"]) && self.reading.is(crew, Concept::Decider);
        let is_user = at == self.words.start && !is_objecting && !(crew..self.near_end(crew)).any(is_to_come);
        if is_user {
            return None;
        }
        let mut clause = self.clause_behind(crew).take(OBLIGED_WORDS_MAX + 2);
        // "Unless procurement steps in": whatever they may do.
        let is_unless = (self.is_one_of(at, forms!["unless"])
            || self.is_one_of(at + 1, forms!["moins", "condition"]))
            && at > self.words.start;
        // "Unless you look for it", "as if you gave the flag": what anybody who runs it does.
        let wanted: &[Concept] = match self.reading.is(crew, Concept::You) {
            true => &[Concept::Rule, Concept::Settle, Concept::Consent],
            false => &VERBS,
        };
        let is_any_verb = is_unless;
        let is_verb = |at: &usize| self.after_any(*at, wanted).is_some() || is_any_verb;
        let verb = clause.find(is_verb)?;

        // "Released after they looked into the peak".
        if self.is_one_of(at, forms!["after"]) && self.reading.words[verb].text.ends_with("ed") {
            return None;
        }
        // What did not come in time is a case that the work handles.
        let is_denied = !is_unless && (crew..self.words.end.min(verb + 2)).any(|at| self.is_denial(at));
        (!is_denied).then_some(verb + 1)
    }

    /// Matches "what's missing is a decision", "il ne manque plus que l'accord", "mériterait l'avis d'un juriste".
    pub(super) fn lacking(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Lack).filter(|end| *end < self.words.end)?;
        let mut near = self.clause_behind(end - 1).take(OBLIGED_WORDS_MAX);
        // What is needed may be anything; what is lacking has to be told.
        // "The job lacked a token" is over, "you do not have access" is a rule.
        // "The agent stops as soon as it lacks a permission".
        let is_over = self.is_one_of(at, forms!["lacked", "needed", "wanted", "required"])
            || self.clause_before(at + 1).any(|at| self.is_one_of(at, forms!["dès", "soon"]));
        if is_over {
            return None;
        }
        let is_bare = self.is_clause_start(at);
        let wanted: &[Concept] =
            match self.is_one_of(at, forms!["need", "needs", "besoin", "still", "there"]) && !is_bare {
                true => &[Concept::Answer],
                false => &[Concept::Answer, Concept::Info],
            };
        let is_indefinite_person = |at: usize| self.is_indefinite_person(at).then_some(at + 1);
        let answer = near.find_map(|at| self.after_any(at, wanted).or_else(|| is_indefinite_person(at)))?;
        // What a step requires of just anybody is part of it: "requires approval", "requires a manager's approval".
        let is_required = end == at + 1 && self.is_one_of(at, listed!("requiring verbs"));
        let is_asked = || {
            let mut near = self.clause_behind(end - 1).take(WISHED_WORDS_MAX);
            let crew = near.find(|at| self.reading.is(*at, Concept::Decider));
            crew.is_some_and(|crew| !self.reading.is(crew - 1, Concept::Any))
        };
        let is_other = || self.is_denied(at) || self.is_about_users(at) || is_required && !is_asked();
        let is_mute = self.is_of_thing(answer);
        (!is_other() && !is_mute).then_some(answer)
    }

    /// Matches "the choice of the bank is put off", "the question is with legal".
    pub(super) fn deferred(&self, at: usize) -> Option<usize> {
        let end = self.after_any(at, &[Concept::Answer, Concept::Point])?;

        let near = self.clause_behind(end - 1).take(WISHED_WORDS_MAX);
        let mut near = near.take_while(|at| !self.is_one_of(*at, forms!["et", "and", "donc", "so"]));
        let put_off = near.find_map(|at| self.reading.after(at, Concept::Defer))?;
        // "Un vote à égalité est enregistré comme « non tranché » et renvoyé".
        let is_named = (end..put_off).any(|at| self.reading.words[at].is_quoted);
        let is_other = is_named || self.is_denied(at);
        (!is_other).then_some(put_off)
    }

    /// Matches "still being argued about", "est encore discuté".
    pub(super) fn in_talks(&self, at: usize) -> Option<usize> {
        if !self.is_one_of(at, &IN_TALKS) {
            return None;
        }
        let is_open = |at: &usize| {
            let is_form = self.is_participle(*at);
            is_form && self.after_any(*at, &[Concept::Decide, Concept::Consult]).is_some()
        };
        let verb = self.clause_behind(at).take(3).find(is_open)?;
        Some(verb + 1)
    }

    /// Matches "revisit the interval with security", "à caler avec la DSI".
    pub(super) fn consulted(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Consult)?;
        // "Dropped after checking with the team".
        const DONE: Forms<6> = Forms::of(["after", "by", "following", "while", "upon", "when"]);
        if at > self.words.start && self.is_one_of(at - 1, &DONE) {
            return None;
        }
        if self.reading.language == Language::French && self.is_participle(at) {
            return None;
        }

        let mut near = (end..self.words.end).take(OBLIGED_WORDS_MAX + 1);
        let with = near.find(|at| self.reading.is(*at, Concept::With))?;
        let is_with = matches!(self.reading.words[with].text, "with" | "avec" | "auprès");
        let crew = (with + 1..self.words.end).take(3).find(|at| self.reading.is(*at, Concept::Decider))?;

        is_with.then_some(crew + 1)
    }
}
