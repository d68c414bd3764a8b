//! Words that say by themselves that something is open, a guess, or hangs on somebody.

use super::super::lexicon::{Concept, Language};
use super::super::text::Gap;
use super::Sentence;
use super::clause::SUBJECT_WORDS_MAX;

/// So far before a question its survey is named.
const FORM_WORDS_MAX: usize = 20;

/// So far behind "depends on" stands what it depends on.
const DEPENDS_WORDS_MAX: usize = 5;

impl Sentence<'_, '_> {
    /// "still to be decided", "reste à trancher".
    pub(super) fn stated(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Open).filter(|end| *end <= self.words.end)?;
        // One word before a noun or behind an article is a part of a name: "undecided voters".
        let is_word = end == at + 1;
        if is_word && self.is_constant(at) {
            return None;
        }
        let is_noun = self.ends_with_noun(end) && self.is_before_noun(end);
        let is_name = is_noun || is_word && (self.is_before_noun(end) || self.is_behind_article(at));
        let is_name = is_name || self.reading.words[at].text == "non" && self.is_before_noun(end);
        let is_left =
            |at: usize| self.reading.is(at, Concept::Predicate) || self.reading.is(at, Concept::Yet);
        let is_item = self.reading.is(end - 1, Concept::Point)
            && !(self.words.start.max(at.saturating_sub(3))..at).any(is_left)
            && self.has_between(at.saturating_sub(FORM_WORDS_MAX), at, Concept::Form);
        // "Unless the candidate objects" is their case.
        let is_objected = self.is_one_of(at, &["unless", "sauf"])
            && (end..self.words.end).take(3).any(|at| self.reading.is(at, Concept::People));
        // "Unconfirmed orders" and what happens "when it is not sure" are parts of what was built.
        let is_taken_back = is_name
            || is_item
            || is_objected
            || self.is_case(at)
            || self.is_content(at)
            || self.is_theirs(at)
            || self.is_denied(at)
            || self.is_settled(at, end)
            || self.is_past(at, end);
        (!is_taken_back).then_some(end)
    }

    /// Whether a word is written as programs write their states: `UNVERIFIED`, but not `TBD`.
    fn is_constant(&self, at: usize) -> bool {
        let text = self.reading.words[at].text;
        text.len() > 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())
    }

    /// "Open: the parking", "Encoding of the files: unknown".
    pub(super) fn alone(&self, at: usize) -> Option<usize> {
        const HEAD_WORDS_MAX: usize = 5;
        if !self.reading.is(at, Concept::Blank) || self.words.len() > HEAD_WORDS_MAX {
            return None;
        }
        let is_head = at == self.words.start && self.text_before(self.words.end).contains(':');
        let is_answer = self.reading.is(self.words.end, Concept::Reply);
        let is_state = at.checked_sub(1).is_some_and(|key| {
            let key = self.reading.words[key].text.to_lowercase();
            matches!(key.as_str(), "state" | "status" | "état" | "etat" | "statut")
        });
        let is_value = self.words.len() == 1
            && !is_state
            && self.text_before(at).contains(':')
            && !self.text_before(at).contains(['"', '`', '«']);
        (is_head && !is_answer || is_value).then_some(at + 1)
    }

    /// "title pending", "budget du T3 inconnu": a few words that say no more.
    pub(super) fn ending(&self, at: usize) -> Option<usize> {
        const CLAUSE_WORDS_MAX: usize = 4;
        const ADDED_WORDS_MAX: usize = 6;
        let wait = self.reading.after(at, Concept::Wait);
        let end = wait.or_else(|| self.reading.is(at, Concept::Blank).then_some(at + 1))?;
        // "Shop open" is a state of the shop.
        let is_plain =
            self.is_one_of(at, &["open", "ouvert", "ouverte", "provisional", "missing", "manquant"]);
        if is_plain || end > self.words.end || !self.is_clause_end(end) || self.is_constant(at) {
            return None;
        }
        let before = self.clause_before(at).count();
        let start = at - before;
        // "Pending invoices: 14" counts them.
        let is_head = end == self.words.end && self.text_before(end).contains(':');
        let most = if start > self.words.start { ADDED_WORDS_MAX } else { CLAUSE_WORDS_MAX };
        let is_short = (1..most).contains(&before) && !is_head && self.text_before(at) == " ";
        let is_other = |at: usize| {
            let others = [
                Concept::People,
                Concept::Predicate,
                Concept::Deny,
                Concept::Must,
                Concept::Relative,
                Concept::Past,
            ];
            let is_verb = self.is_participle(at) && !self.reading.is(at, Concept::Function);
            others.iter().any(|other| self.reading.is(at, *other)) || is_verb
        };
        let is_state = at > 0
            && self.is_one_of(
                at - 1,
                &["status", "state", "statut", "état", "as", "to", "or", "and", "ou", "et"],
            );
        (is_short && !is_state && !(start..at).any(is_other)).then_some(end)
    }

    /// "the scope remains vague", "la durée reste indéterminée".
    pub(super) fn remaining(&self, at: usize) -> Option<usize> {
        let before = at.checked_sub(1).filter(|before| self.words.contains(before))?;
        let is_left = self.is_one_of(
            before,
            &["remains", "remain", "stays", "still", "reste", "restent", "demeure", "toujours", "encore"],
        );
        let is_left = is_left && self.reading.is(at, Concept::Blank) && !self.is_before_noun(at + 1);
        let is_other =
            || self.is_denied(at) || self.is_case(at) || self.is_theirs(at) || self.is_settled(at, at + 1);
        (is_left && !is_other()).then_some(at + 1)
    }

    /// "a number I made up", "faute de mieux", "nowhere specified", "peut-être".
    pub(super) fn guessed(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Guess).filter(|end| *end <= self.words.end)?;
        if self.is_constant(at) {
            return None;
        }
        let is_confirmed = (end..self.near_end(end)).any(|at| self.is_settling(at))
            && self.has_between(self.near_start(at), end, Concept::Past);
        // With a blank it is "can be".
        let is_able = self.is_one_of(at, &["peut"])
            && !self.reading.text[self.reading.words[at].end()..].starts_with('-');
        let is_other = is_able || self.is_case(at) || self.is_content(at);
        (!is_other && !self.is_denied(at) && !self.is_theirs(at) && !is_confirmed).then_some(end)
    }

    /// "depends on the director", "suspendu à la réponse du support".
    pub(super) fn depending(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Depend).filter(|end| *end < self.words.end)?;
        let mut near = self.clause_behind(end - 1).take(DEPENDS_WORDS_MAX);
        let is_theirs = self
            .clause_behind(end - 1)
            .take(DEPENDS_WORDS_MAX)
            .any(|at| self.reading.is(at, Concept::People));
        // What is up to somebody is; what depends on a thing may be its work.
        let is_up = self.is_one_of(at, &["up"]);
        let is_on = |at: &usize| {
            let is_known = self.reading.is(*at, Concept::Crew) || self.reading.is(*at, Concept::Answer);
            is_known || is_up && self.is_somebody(*at)
        };
        let on = near.find(is_on)?;
        (!is_theirs && !self.is_denied(at) && !self.is_case(at)).then_some(on + 1)
    }

    /// "Either we cache it or we do not", "Soit le batch, soit la sauvegarde".
    pub(super) fn either(&self, at: usize) -> Option<usize> {
        let is_first = at == self.words.start || self.reading.words[at].gap != Gap::None;
        if !is_first || !self.reading.is(at, Concept::Either) {
            return None;
        }
        let or = (at + 2..self.near_end(at)).find(|at| match self.reading.language {
            Language::English => self.reading.words[*at].text == "or",
            Language::French => self.reading.words[*at].text == "soit",
        })?;
        (!self.is_settled(at, or) && !self.has_between(at, or, Concept::People)).then_some(or + 1)
    }

    /// "is for marketing to say", "c'est au marketing de le dire".
    pub(super) fn entrusted(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Whom).filter(|end| *end < self.words.end)?;
        let is_crew = |at: &usize| self.reading.is(*at, Concept::Crew) || self.is_somebody(*at);
        let crew = (end..self.words.end).take(2).find(is_crew)?;
        // "A question for legal", "a call for sales".
        let is_for = self.is_one_of(at, &["for", "pour"])
            && at.checked_sub(1).is_some_and(|noun| {
                self.reading.is(noun, Concept::Point)
                    || self.is_one_of(noun, &["call", "matter", "one", "choice", "choix", "sujet"])
            });
        if is_for && self.is_clause_end(crew + 1) && !self.is_denied(at) && !self.is_past(at, crew) {
            return Some(crew + 1);
        }
        let to = crew + 1;
        let is_to = self.words.contains(&to) && matches!(self.reading.words[to].text, "to" | "de" | "d");
        let mut near =
            (to + 1..self.words.end).take(2).filter(|_| is_to && self.reading.words[to].gap == Gap::None);
        let verb = near.find_map(|at| self.after_any(at, &[Concept::Decide, Concept::Rule]));
        let is_helped =
            self.clause_before(at).take(SUBJECT_WORDS_MAX).any(|at| self.reading.is(at, Concept::Help));
        verb.filter(|_| !self.is_past(at, to) && !is_helped)
    }
}
