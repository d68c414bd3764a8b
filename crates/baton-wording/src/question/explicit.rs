//! Words that state by themselves that a question is open, a value is a guess, or a choice depends on a person.

use super::super::forms::{forms, listed};
use super::super::lexicon::{Concept, Language};
use super::super::text::Gap;
use super::Sentence;
use super::clause::SUBJECT_WORDS_MAX;

/// So far before a question its survey is named.
const FORM_WORDS_MAX: usize = 20;

/// So far behind "depends on" stands what it depends on.
const DEPENDS_WORDS_MAX: usize = 5;

impl Sentence<'_, '_> {
    /// Matches "still to be decided", "reste à trancher".
    pub(super) fn explicitly_open(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Open).filter(|end| *end <= self.words.end)?;

        if self.is_prevented(at) || self.has_other_sense(at, end) {
            return None;
        }
        // One word before a noun or behind an article is a part of a name: "undecided voters".
        let is_word = end == at + 1;

        // "With one unresolved clash" there is one.
        let is_there = at > self.words.start && self.is_one_of(at - 1, listed!("quantities"));
        let is_name = is_word && !is_there && self.is_before_noun(end);
        let is_name = is_name || self.reading.words[at].text == "non" && self.is_before_noun(end);
        // "Aux clients indécis, la page propose": which of them.
        let is_some = is_word
            && at == self.words.start + 2
            && self.is_one_of(self.words.start, forms!["aux", "les", "des", "ces"])
            && self.words.contains(&end);
        // "On a le choix entre sombre et clair" is what was built.
        let is_offered = self.is_one_of(at, forms!["choix"])
            && self.is_one_of(end - 1, forms!["entre"])
            && self.clause_before(at).take(3).any(|at| self.is_one_of(at, forms!["a", "avez", "ont", "as"]));
        // "In doubt, the model returns the class" is a case.
        let is_in_doubt =
            at == self.words.start && self.is_one_of(end - 1, forms!["doubt"]) && self.is_clause_end(end);
        // "L'étude répond à la question de savoir si …".
        let is_answered = (self.reading.is(at, Concept::Point) || self.is_one_of(at, forms!["savoir"]))
            && self.clause_before(at).take(5).any(|at| self.is_one_of(at, listed!("answering verbs")));
        // "Pas de retour arrière" is a pattern back, "conformément à l'arbitrage" and "réécrit selon l'avis" follow what was said.
        let is_way_back = self.is_one_of(end - 1, forms!["retour"])
            && self.is_one_of(end, forms!["arrière", "en", "visuel", "haptique", "chariot"]);
        let is_followed =
            at.checked_sub(1).filter(|before| self.words.contains(before)).is_some_and(|before| {
                let is_so = forms!["conformément", "suite", "grâce", "conforme", "conformes", "fidèle"];
                self.is_one_of(at, forms!["à"]) && self.is_one_of(before, is_so)
                    || self.is_one_of(at, forms!["selon", "suivant"]) && self.is_participle(before)
            });
        let is_name =
            is_name || is_way_back || is_followed || is_answered || is_in_doubt || is_some || is_offered;
        let is_left = |at: usize| self.reading.is(at, Concept::Predicate);
        let is_item = self.reading.is(end - 1, Concept::Point)
            && at > self.words.start
            && !(self.words.start.max(at.saturating_sub(3))..at).any(is_left)
            && self.has_between(at.saturating_sub(FORM_WORDS_MAX), at, Concept::Form);
        // "Left unresolved on purpose"; French doubts it in the same words: "exprès ou non".
        let is_meant = || (self.reading.language == Language::English) && self.is_deliberate(at);
        // "Unconfirmed orders" and what happens "when it is not sure" are parts of what was built.
        let is_taken_back = is_name
            || is_item
            || is_word && self.is_state(at)
            || is_word && self.is_listed_constant(at)
            || self.is_dealt_with(at, end)
            || self.is_concession(at, end)
            || is_meant()
            || self.is_description(at, end)
            || self.is_needless(end)
            || self.is_hypothetical(at)
            || self.is_reported(at)
            || self.is_about_users(at)
            || self.is_denied(at)
            || self.is_settled(at, end)
            || self.is_past(at, end);
        (!is_taken_back).then_some(end)
    }

    /// Matches "Open: the parking", "Encoding of the files: unknown".
    pub(super) fn blank_heading(&self, at: usize) -> Option<usize> {
        const HEAD_WORDS_MAX: usize = 5;
        if self.words.len() > HEAD_WORDS_MAX {
            return None;
        }
        // "Pending-jobs counter fixed: twice" tells what was done.
        let is_count = self.reading.words.get(self.words.end).is_some_and(|word| word.has_digit());
        let is_done = is_count || self.words.len() > 2 && self.is_participle(self.words.end - 1);
        // "Status: unknown Branch: main" is a line of fields.
        let is_field = self.text_before(at).contains(':') && self.words.len() > 1;
        let is_head =
            at == self.words.start && self.text_before(self.words.end).contains(':') && !is_done && !is_field;
        let is_value = self.words.len() == 1 && self.text_before(at).contains(':');
        (is_head || is_value).then_some(at + 1)
    }

    /// Matches "title pending", "budget du T3 inconnu": a few words that say no more.
    pub(super) fn blank_ending(&self, at: usize) -> Option<usize> {
        const CLAUSE_WORDS_MAX: usize = 4;
        const ADDED_WORDS_MAX: usize = 6;
        let wait = self.reading.after(at, Concept::Wait);
        let end = wait.or_else(|| self.reading.is(at, Concept::Blank).then_some(at + 1))?;
        if !self.is_clause_end(end) {
            return None;
        }
        // "Shop open" is a state of the shop.
        let is_plain =
            self.is_one_of(at, forms!["open", "ouvert", "ouverte", "provisional", "missing", "manquant"]);
        let first = self.clause_before(at).last().unwrap_or(at);
        let is_some = self.is_one_of(first, forms!["aux", "for", "pour", "with", "avec"]);
        let is_code = at > self.words.start && self.reading.words[at - 1].has_digit();
        let is_named = is_plain || is_some || is_code || self.is_state(at);
        if is_named || self.is_consequence(at) {
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
                Concept::User,
                Concept::Predicate,
                Concept::Negation,
                Concept::Must,
                Concept::Relative,
                Concept::Past,
            ];
            others.iter().any(|other| self.reading.is(at, *other))
        };
        (is_short && !(start..at).any(is_other)).then_some(end)
    }

    /// Matches "Faute de réponse du serveur": whether what gives an answer that ends at a place is a thing, and no one.
    pub(super) fn is_of_thing(&self, end: usize) -> bool {
        let mut behind = self.clause_behind(end - 1).take(3);
        self.is_one_of(end, forms!["du", "de", "d", "from"])
            && behind.any(|at| self.reading.is(at, Concept::Thing))
            && !self.clause_behind(end - 1).take(4).any(|at| self.is_decider(at))
    }

    /// Matches "a number I made up", "faute de mieux", "nowhere specified", "peut-être".
    pub(super) fn guess(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Guess).filter(|end| *end <= self.words.end)?;
        if self.is_about_users(at) {
            return None;
        }
        // "Maybe-types" are a kind of types.
        let is_part = self.is_one_of(at, forms!["maybe"]) && self.text_before(end) == "-";
        // "A confirmé de vive voix puis par écrit".
        let is_written = self.is_one_of(end - 1, forms!["voix"])
            && (end..self.near_end(end)).any(|at| self.is_one_of(at, forms!["écrit", "mail", "courriel"]));
        // "An unverified default", "a placeholder pattern".
        let is_kind = self.is_one_of(end - 1, forms!["unverified", "placeholder"])
            && self.is_before_noun(end)
            && !self.reading.is(end, Concept::Wait);
        // "Le pic de mémoire", "possibly unbound names", "could be mistaken for the real one".
        let is_part = is_part
            // "25 questions tirées au hasard".
            || self.is_one_of(end - 1, forms!["hasard", "random"])
                && at > self.words.start
                && self.is_one_of(
                    at - 1,
                    listed!("participles of a choice"),
                );
        let is_meant_else = self.is_of_thing(end) || is_kind || self.is_prevented(at);
        if self.is_constant(at) || is_part || is_written || is_meant_else {
            return None;
        }
        // "We assumed 5 percent and the CFO has validated it".
        let is_confirmed = || {
            self.has_between(self.near_start(at), end, Concept::Past)
                && (end..self.near_end(end)).any(|at| self.is_settling(at))
        };
        // "The algorithm picks one at random".
        let is_drawn = self.is_one_of(end - 1, forms!["hasard", "random"])
            && self.clause_before(at).any(|at| self.reading.is(at, Concept::Thing));
        // With a blank it is "can be".
        let is_able = self.is_one_of(at, forms!["peut"])
            && !self.reading.text[self.reading.words[at].end()..].starts_with('-');
        // "Failed for want of a code, which has been added".
        let is_fixed = || {
            self.clause_before(at)
                .any(|at| self.reading.is(at, Concept::Past) || self.is_one_of(at, forms!["failed"]))
                && self.is_followed_by_fix(end)
        };
        let is_other = is_able
            || is_drawn
            || is_fixed()
            || self.is_at_first(end)
            || self.is_dealt_with(at, end)
            || self.is_hypothetical(at);
        (!is_other && !self.is_denied(at) && !is_confirmed()).then_some(end)
    }

    /// Matches "depends on the director", "suspendu à la réponse du support".
    pub(super) fn dependence(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Depend).filter(|end| *end < self.words.end)?;
        // "Depends on `com.x`", "on @scope/name".
        if self.reading.words[end].is_code {
            return None;
        }
        // "Up to 900 words", "up to date".
        let is_amount = self.reading.words[end].has_digit() || self.reading.is(end, Concept::Number);
        if is_amount {
            return None;
        }
        let mut near = self.clause_behind(end - 1).take(DEPENDS_WORDS_MAX);
        // What is up to a person is; what depends on a thing may be its work.
        let is_up = self.is_one_of(at, forms!["up"]);
        let is_on = |at: &usize| {
            let is_known = self.reading.is(*at, Concept::Decider) || self.reading.is(*at, Concept::Answer);
            is_known || is_up && self.is_person(*at)
        };
        // "Hangs on a budget that has not been voted".
        let unsettled = || {
            let denial =
                self.clause_behind(end - 1).take(2 * DEPENDS_WORDS_MAX).find(|at| self.is_denial(*at))?;
            let mut behind = self.clause_behind(denial).take(SUBJECT_WORDS_MAX);
            behind.find(|at| {
                self.is_participle(*at) && self.after_any(*at, &[Concept::Settle, Concept::Closed]).is_some()
            })
        };
        let on = near.find(is_on).or_else(unsettled)?;

        // "Mention qui dépendra de la réponse" is to come.
        let is_to_come = self.reading.words[at].text.ends_with("dra");
        // "Le chiffrage qui dépend de l'arbitrage de Me Faure".
        let is_one = || is_to_come;
        (is_one() || !self.is_hypothetical(at)).then_some(on + 1)
    }

    /// Matches "Either we cache it or we do not", "Soit le batch, soit la sauvegarde".
    pub(super) fn choice(&self, at: usize) -> Option<usize> {
        let or = (at + 2..self.near_end(at)).find(|at| match self.reading.language {
            Language::English => self.is_one_of(*at, forms!["or", "either"]),
            Language::French => self.reading.words[*at].text == "soit",
        })?;
        Some(or + 1)
    }

    /// Matches "is for marketing to say", "c'est au marketing de le dire".
    pub(super) fn entrusted(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Whom).filter(|end| *end < self.words.end)?;
        // "A question for legal", "a call for sales".
        let is_for = self.is_one_of(at, forms!["for", "pour"])
            && at.checked_sub(1).is_some_and(|noun| {
                self.is_one_of(noun, forms!["call", "matter", "one", "choice", "choix", "sujet"])
            });
        let is_to =
            |at: usize| self.words.contains(&at) && matches!(self.reading.words[at].text, "to" | "de" | "d");

        let is_decider = |at: &usize| self.is_person(*at);
        let crew = (end..self.words.end).take(2).find(is_decider)?;
        if is_for && self.is_clause_end(crew + 1) {
            return Some(crew + 1);
        }
        let to = crew + 1;
        let is_to = is_to(to);
        let mut near =
            (to + 1..self.words.end).take(2).filter(|_| is_to && self.reading.words[to].gap == Gap::None);
        let verb = near.find_map(|at| self.after_any(at, &[Concept::Decide, Concept::Rule]));
        let is_helped =
            self.clause_before(at).take(SUBJECT_WORDS_MAX).any(|at| self.reading.is(at, Concept::Help));
        verb.filter(|_| !is_helped)
    }
}
