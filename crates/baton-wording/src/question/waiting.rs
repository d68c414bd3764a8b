//! Answers and approvals that the work waits for.

use super::super::forms::{Forms, forms, listed};
use super::super::lexicon::Concept;
use super::super::text::Gap;
use super::Sentence;
use super::modality::OBLIGED_WORDS_MAX;

/// So far behind a word of waiting stands what is waited for.
const AWAITED_WORDS_MAX: usize = 7;

impl Sentence<'_, '_> {
    /// Matches "waiting for confirmation", "en attente du tarif".
    pub(super) fn awaited(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Wait).filter(|end| *end <= self.words.end)?;
        // "En attente" was looked at one word before.
        if self.is_one_of(at, forms!["attente"])
            && at > self.words.start
            && self.is_one_of(at - 1, forms!["en"])
        {
            return None;
        }
        // "Status: pending".
        let is_field = at == self.words.start
            && at > 0
            && self.text_before(at).contains(':')
            && matches!(
                self.reading.words[at - 1].text.to_lowercase().as_str(),
                "status" | "state" | "statut" | "état"
            );
        if is_field {
            return None;
        }
        let is_about_users = || {
            self.clause_behind(end - 1).take(OBLIGED_WORDS_MAX).any(|at| self.reading.is(at, Concept::User))
        };
        // "`stop()` awaits the tick".
        let is_joined = self.reading.words[at].gap == Gap::None;
        if at > self.words.start && is_joined && self.reading.words[at - 1].is_code {
            return None;
        }

        let is_until = self.is_one_of(end - 1, forms!["until", "tant", "jusqu"]);
        // "Les tickets en attente du client sont fermés".
        let is_some = || {
            let noun = at.checked_sub(2).filter(|noun| self.words.contains(noun));
            noun.is_some_and(|noun| self.is_one_of(noun, forms!["les", "des", "ces"]))
                && self.is_dealt_with(at, end)
        };
        // "A failed job waits for an operator" is how it works.
        let is_rule = || self.is_consequence(at);
        let awaited = self.awaited_answer(at, end)?;
        // "The worker waits for a reply from the broker".
        // "Attend la réponse pendant 30 secondes".
        const SPANS: Forms<6> =
            Forms::of(["seconds", "secondes", "minutes", "ms", "milliseconds", "millisecondes"]);
        let is_timed = || (end..self.near_end(end)).any(|at| self.is_one_of(at, &SPANS));
        let is_run = is_timed() || self.is_one_of(at, forms!["waits", "attend"]) && self.is_software(at);
        let is_other = is_run
            || self.is_denied(at)
            || self.is_hypothetical(at)
            || is_until && is_about_users()
            || is_rule()
            || is_some();
        (!is_other).then_some(awaited)
    }

    /// The place behind the answer, or the one who gives it, that words of waiting up to a place wait for.
    pub(super) fn awaited_answer(&self, at: usize, end: usize) -> Option<usize> {
        // "States: draft, pending or approved".
        let is_item = end < self.words.end
            && (self.is_clause_end(end) || self.is_one_of(end, forms!["or", "and", "ou", "et"]));
        if self.reading.words[at].gap != Gap::None && is_item {
            return None;
        }
        let mut near = (end..self.words.end).take(AWAITED_WORDS_MAX);
        let answer = near.find_map(|at| self.reading.after(at, Concept::Answer));
        // "Blocked on steps 6 and 7", "waiting for current tasks": work that comes first, and no question.
        let is_work = answer.is_none()
            && self
                .clause_behind(end - 1)
                .take(AWAITED_WORDS_MAX)
                .any(|at| self.is_one_of(at, listed!("preceding work")));
        if is_work {
            return None;
        }
        // "Draft, waiting for approval and published": the last but one of some states.
        let is_state = answer.is_some_and(|answer| {
            answer <= end + 2
                && self.is_one_of(answer, forms!["or", "and", "ou", "et"])
                && self.words.contains(&(answer + 1))
                && self.is_participle(answer + 1)
                && self.is_clause_end(answer + 2)
        });
        if self.reading.words[at].gap == Gap::Pause && is_state {
            return None;
        }
        let before = at.checked_sub(1).filter(|_| self.reading.words[at].gap == Gap::None);
        let is_predicate = before.is_none_or(|before| self.reading.is(before, Concept::Predicate))
            || self.is_one_of(at, forms!["dans"]);
        let is_name = before.is_some_and(|before| self.reading.is(before, Concept::Article));
        let is_direct = self.reading.after(end, Concept::Answer).is_some();
        // "Pending invoices" are invoices; "pending the answer" waits.
        let is_someone_named = self.words.contains(&end)
            && self.is_acronym(end)
            && before.is_some_and(|before| self.reading.is(before, Concept::Narrator));
        if is_someone_named {
            return Some(end + 1);
        }
        let is_noun = end == at + 1 && self.is_before_noun(end);
        // "The date pending an answer" and "content pending lab results" wait too.
        let is_behind_noun = before.is_some_and(|before| !self.reading.is(before, Concept::Function));
        if is_noun && answer.is_none() {
            return None;
        }
        // "En attendant" waits for a person, however far behind; "en attente" may be a state.
        let reach = if self.reading.words[end - 1].text == "attendant" { AWAITED_WORDS_MAX } else { 3 };
        let is_from = (end..self.words.end).take(reach).any(|at| self.reading.is(at, Concept::Decider))
            && !is_name
            || answer.is_some_and(|answer| {
                answer <= end + 3
                    && self
                        .clause_behind(answer - 1)
                        .take(reach)
                        .any(|at| self.reading.is(at, Concept::Decider))
            }) && is_behind_noun;
        let is_run = answer.is_none()
            && self.is_one_of(at, forms!["waits", "attend", "attendent", "patiente", "patientent"]);
        (!is_run && (is_predicate || is_direct || is_from)).then_some(answer.unwrap_or(end))
    }
}
