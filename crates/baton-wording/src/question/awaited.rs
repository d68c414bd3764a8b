//! What somebody waits for.

use super::super::lexicon::{Concept, Language};
use super::super::text::Gap;
use super::super::texts::{Texts, texts};
use super::Sentence;
use super::clause::CASE_WORDS_MAX;
use super::expected::OBLIGED_WORDS_MAX;

/// So far behind a word of waiting stands what is waited for.
const AWAITED_WORDS_MAX: usize = 7;

impl Sentence<'_, '_> {
    /// "waiting for confirmation", "en attente du tarif".
    pub(super) fn awaited(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Wait).filter(|end| *end <= self.words.end)?;
        // "En attente" was looked at one word before.
        if self.is_one_of(at, texts!["attente"])
            && at > self.words.start
            && self.is_one_of(at - 1, texts!["en"])
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
        if is_field
            && !self.clause_behind(end - 1).any(|at| self.is_crew(at) || self.reading.is(at, Concept::Answer))
        {
            return None;
        }
        let is_theirs = || {
            self.clause_behind(end - 1).take(OBLIGED_WORDS_MAX).any(|at| self.reading.is(at, Concept::People))
        };
        // "`stop()` awaits the tick".
        let is_joined = self.reading.words[at].gap == Gap::None || self.text_before(at).starts_with("()");
        if at > self.words.start && is_joined && self.reading.words[at - 1].is_code {
            return None;
        }
        // "C'est l'anneau, attendu": as it should be.
        let is_lone = self.reading.words[at].gap != Gap::None && self.is_clause_end(end);
        if is_lone && self.is_one_of(at, texts!["attendu", "attendue", "attendus", "attendues"]) {
            return None;
        }
        let is_until = self.is_one_of(end - 1, texts!["until", "tant", "jusqu"]);
        // "Les tickets en attente du client sont fermés".
        let is_some = || {
            let noun = at.checked_sub(2).filter(|noun| self.words.contains(noun));
            // "Les PR en attente de relecture depuis deux jours sont listées".
            let is_many = noun == Some(self.words.start)
                && self.clause_behind(end - 1).take(CASE_WORDS_MAX + 2).any(|at| {
                    self.is_one_of(
                        at,
                        texts!["sont", "passent", "restent", "vont", "partent", "apparaissent", "s"],
                    )
                });
            noun.is_some_and(|noun| self.is_one_of(noun, texts!["les", "des", "ces"]))
                && (is_many || self.is_disposed(at, end))
                || self.is_some_of_many(at, end)
        };
        // "A failed job waits for an operator" is how it works.
        let is_rule = || {
            let is_named = (self.words.start + 2..self.words.start + 4).contains(&at);
            self.is_general() && (is_named || self.is_one_of(at, texts!["waits", "attend", "awaits"]))
                || self.is_consequence(at)
        };
        let awaited = self.awaited_answer(at, end)?;
        // "The worker waits for a reply from the broker".
        // "Attend la réponse pendant 30 secondes".
        const SPANS: Texts<6> =
            Texts::of(["seconds", "secondes", "minutes", "ms", "milliseconds", "millisecondes"]);
        let is_timed = || (end..self.near_end(end)).any(|at| self.is_one_of(at, &SPANS));
        let is_run = is_timed()
            || self.is_one_of(at, texts!["waits", "attend"]) && self.is_software(at)
            // "Requests can be cancelled while they are waiting", "la file d'attente de l'accueil".
            || self.clause_before(at).take(4).any(|at| {
                self.is_one_of(at, texts!["while"]) && self.is_one_of(at + 1, texts!["they", "it"])
            })
            || self.is_one_of(at, texts!["attente"])
                && at > self.words.start + 1
                && self.is_one_of(at - 1, texts!["d"])
                && !self.reading.is(at - 2, Concept::Function);
        let is_other = is_run
            || self.is_denied(at)
            || self.is_case(at)
            || is_until && is_theirs()
            || is_rule()
            || is_some();
        (!is_other).then_some(awaited)
    }

    /// "Orders awaiting approval are shown apart": what waits is the subject of what happens to all of them.
    pub(super) fn is_some_of_many(&self, at: usize, end: usize) -> bool {
        let is_first = at == self.words.start + 1 && self.reading.words[at].gap == Gap::None;
        let is_many =
            self.reading.words[self.words.start].text.ends_with('s') && !self.is_crew(self.words.start);
        let Some(answer) = self.reading.after(end, Concept::Answer) else { return false };
        let verb = self.reading.words.get(answer).filter(|_| self.words.contains(&answer));
        self.reading.language == Language::English
            && is_first
            && is_many
            && verb.is_some_and(|verb| verb.gap == Gap::None)
            && !self.is_one_of(answer, texts!["from", "by", "of", "on", "since", "for"])
    }

    /// The place behind the answer, or the one who gives it, that words of waiting up to a place wait for.
    pub(super) fn awaited_answer(&self, at: usize, end: usize) -> Option<usize> {
        // "States: draft, pending or approved".
        let is_item = end < self.words.end
            && (self.is_clause_end(end) || self.is_one_of(end, texts!["or", "and", "ou", "et"]));
        if self.reading.words[at].gap != Gap::None && is_item {
            return None;
        }
        let mut near = (end..self.words.end).take(AWAITED_WORDS_MAX);
        let answer = near.find_map(|at| self.reading.after(at, Concept::Answer));
        // "Blocked on steps 6 and 7", "waiting for current tasks": work that comes first, and no question.
        const WORK: Texts<18> = Texts::of([
            "completion",
            "steps",
            "step",
            "phase",
            "bug",
            "bugs",
            "fix",
            "tasks",
            "task",
            "absence",
            "implementation",
            "workstream",
            "compilation",
            "build",
            "merge",
            "tests",
            "events",
            "migration",
        ]);
        let is_work = answer.is_none()
            && self.clause_behind(end - 1).take(AWAITED_WORDS_MAX).any(|at| self.is_one_of(at, &WORK))
            && !self
                .clause_behind(end - 1)
                .take(AWAITED_WORDS_MAX)
                .any(|at| self.reading.is(at, Concept::Crew));
        // "Blocked by a gate, a risk or a decision" tells what may block it.
        let is_some = self.is_one_of(at, texts!["blocked"])
            && self.is_one_of(end, texts!["a", "an", "any"])
            && !self.clause_behind(end - 1).take(AWAITED_WORDS_MAX).any(|at| self.is_crew(at));
        if is_work || is_some {
            return None;
        }
        // "Draft, waiting for approval and published": the last but one of some states.
        let is_state = answer.is_some_and(|answer| {
            answer <= end + 2
                && self.is_one_of(answer, texts!["or", "and", "ou", "et"])
                && self.words.contains(&(answer + 1))
                && self.is_participle(answer + 1)
                && self.is_clause_end(answer + 2)
        });
        if self.reading.words[at].gap == Gap::Pause && is_state {
            return None;
        }
        let before = at.checked_sub(1).filter(|_| self.reading.words[at].gap == Gap::None);
        let is_predicate = before.is_none_or(|before| self.reading.is(before, Concept::Predicate))
            || self.is_one_of(at, texts!["dans"]);
        let is_name = before.is_some_and(|before| self.reading.is(before, Concept::Article));
        let is_direct = self.reading.after(end, Concept::Answer).is_some() && !is_name;
        // "Pending invoices" are invoices; "pending the answer" waits.
        let is_someone_named = self.words.contains(&end)
            && (self.is_named(end) || self.is_acronym(end))
            && before.is_some_and(|before| self.reading.is(before, Concept::Teller));
        if is_someone_named {
            return Some(end + 1);
        }
        let is_noun =
            end == at + 1 && self.is_before_noun(end) && !is_direct && !self.reading.is(end, Concept::Party);
        // "The date pending an answer" and "content pending lab results" wait too.
        let is_behind_noun = before.is_some_and(|before| !self.reading.is(before, Concept::Function));
        let reach_of = if self.is_one_of(at, texts!["pending"]) { 3 } else { 2 };
        let is_for = is_behind_noun
            && answer.is_some_and(|answer| answer <= end + reach_of && !self.is_before_noun(answer));
        if is_noun && !is_for && (answer.is_none() || is_name || !is_predicate) {
            return None;
        }
        // "En attendant" waits for somebody, however far behind; "en attente" may be a state.
        let reach = if self.reading.words[end - 1].text == "attendant" { AWAITED_WORDS_MAX } else { 3 };
        let is_from = (end..self.words.end).take(reach).any(|at| self.reading.is(at, Concept::Crew))
            && !is_name
            || answer.is_some_and(|answer| {
                answer <= end + 3
                    && self.clause_behind(answer - 1).take(reach).any(|at| self.reading.is(at, Concept::Crew))
            }) && is_behind_noun;
        // "The dialog asks twice and waits for a click": what runs waits for something that is no answer.
        let is_ours =
            || (self.near_start(at)..at).any(|at| self.is_crew(at) || self.reading.is(at, Concept::Teller));
        // "The job waits for an answer from the broker": what gives it is no person either.
        let is_from_other = answer.is_some_and(|answer| {
            self.is_one_of(answer - 1, texts!["answer", "reply", "response", "réponse"])
                && self.is_one_of(answer, texts!["from", "du", "de"])
                && !self.clause_behind(answer).take(3).any(|at| self.is_crew(at) || self.is_named(at))
        });
        let is_run = (answer.is_none() || is_from_other)
            && !is_from
            && self.is_one_of(at, texts!["waits", "attend", "attendent", "patiente", "patientent"])
            && !is_ours();
        // "En attendant la réponse du serveur".
        let is_of_thing = answer.is_some_and(|answer| {
            const MACHINES: Texts<12> = Texts::of([
                "server",
                "serveur",
                "api",
                "webhook",
                "backend",
                "service",
                "database",
                "worker",
                "client",
                "socket",
                "browser",
                "navigateur",
            ]);
            let mut near = self.clause_behind(answer - 1).take(3);
            near.any(|at| self.is_one_of(at, &MACHINES) && !self.reading.is(at, Concept::Crew))
        });
        (!is_run && !is_of_thing && (is_predicate || is_direct || is_from || is_for))
            .then_some(answer.unwrap_or(end))
    }
}
