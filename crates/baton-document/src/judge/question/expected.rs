//! What is still to be settled: who has to, who is waited for, who is asked.

use super::super::lexicon::{Concept, Language};
use super::super::text::Gap;
use super::super::texts::{Texts, texts};
use super::Sentence;
use super::clause::CASE_WORDS_MAX;

/// So far behind an obligation stands its verb.
pub(super) const OBLIGED_WORDS_MAX: usize = 4;

/// So far behind a verb of waiting stands what is waited for.
const AWAITED_WORDS_MAX: usize = 7;

/// So far behind a wish or a condition stands who is meant, and what they should do.
pub(super) const WISHED_WORDS_MAX: usize = 9;

/// The words before what is still to be done.
pub(super) const TO_SETTLE: Texts<3> = Texts::of(["à", "a", "to"]);

/// The verbs of asking that somebody is told to do.
pub(super) const ASKED: Texts<4> = Texts::of(["ask", "demander", "find", "learn"]);

/// All words that `to_be_settled` looks for, but for those of obligation: at others it is not tried.
pub(super) const TO_BE_SETTLED: Texts<8> =
    Texts::of(["to", "will", "ll", "shall", "va", "vont", "sera", "seront"]);

impl Sentence<'_, '_> {
    /// "has to be clarified", "doit être confirmée avec le DPO", "to be picked by the couple".
    pub(super) fn to_be_settled(&self, at: usize) -> Option<usize> {
        if self.is_norm(at) {
            return None;
        }
        let is_to = self.is_one_of(at, texts!["to"]);
        let must = match self.is_one_of(at, texts!["will", "ll", "shall", "va", "vont"]) {
            _ if self.is_one_of(at, texts!["sera", "seront"]) => Some(at),
            true => Some(at + 1),
            false if is_to => Some(at + 1),
            false => self.reading.after(at, Concept::Must),
        }?;
        if !self.is_one_of(must, texts!["be", "être", "etre", "sera", "seront"]) {
            return None;
        }
        // "Has drifted to be defined": what came of it.
        let is_outcome = is_to && at > self.words.start && self.reading.words[at - 1].text.ends_with("ed");
        if is_outcome && !self.reading.is(at - 1, Concept::Function) {
            return None;
        }
        let verb = (must + 1..self.words.end).take(2).find(|at| self.is_participle(*at))?;
        if self.is_one_of(verb, texts!["done", "fait", "faite", "faits", "faites"]) {
            return None;
        }
        // "The approver must be chosen in the form".
        let is_input = self.is_one_of(verb + 1, texts!["in", "on", "dans", "via"])
            && self
                .clause_behind(verb)
                .take(4)
                .any(|at| self.reading.is(at, Concept::Form) || self.reading.is(at, Concept::Thing));
        if is_input {
            return None;
        }
        let talk = || {
            self.after_any(verb, &[Concept::Decide, Concept::Consult])
                .filter(|_| !self.reading.is(verb, Concept::Closed))
        };
        let settle = self.reading.after(verb, Concept::Settle).or_else(talk);
        let closed = self.after_any(verb, &[Concept::Closed, Concept::Rule]).filter(|end| {
            let is_ours = self.reading.is(*end, Concept::With)
                && (*end..self.words.end)
                    .take(OBLIGED_WORDS_MAX + 1)
                    .any(|at| self.is_crew(at) || self.is_somebody(at));
            is_ours
                || is_to && self.is_clause_end(*end)
                || self.has_between(self.near_start(at), at, Concept::Yet)
        });
        // "Waits for the token to be validated" is what a program does.
        let is_expected = || {
            let is_waiting =
                |at: usize| ["expect", "wait"].iter().any(|start| self.reading.words[at].starts_with(start));
            self.clause_before(at).any(is_waiting)
        };
        let is_other =
            || self.is_theirs(at) || self.is_case(at) || is_expected() || self.is_settled(at, verb + 1);
        settle.or(closed).filter(|_| !is_other())
    }

    /// `MUST` in capitals is how norms are written.
    fn is_norm(&self, at: usize) -> bool {
        matches!(self.reading.words[at].text, "MUST" | "SHOULD" | "SHALL" | "MAY" | "DOIT" | "DOIVENT")
    }

    /// "durée à fixer", "exécuteur à désigner par le client", "à valider avec la DSI", "sommelier to confirm".
    pub(super) fn to_settle(&self, at: usize) -> Option<usize> {
        if !self.is_one_of(at, &TO_SETTLE) || !self.words.contains(&(at + 1)) {
            return None;
        }
        let verb = if self.is_one_of(at + 1, texts!["faire", "refaire"]) { at + 2 } else { at + 1 };
        let is_infinitive = |at: usize| {
            self.reading
                .words
                .get(at)
                .is_some_and(|verb| verb.text.ends_with('r') || verb.text.ends_with("re"))
        };
        let before = at.checked_sub(1).filter(|before| self.words.contains(before));
        let is_alone = self.reading.words[at].gap != Gap::None || before.is_none();
        let end = match self.reading.language {
            // English has to say who; an aim looks the same.
            Language::English => {
                let is_crew = before
                    .is_some_and(|before| self.reading.is(before, Concept::Crew) || self.is_named(before))
                    && !is_alone;
                self.after_any(verb, &[Concept::Decide, Concept::Rule]).filter(|_| is_crew)
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
        // "A mis trois semaines à répondre" is over.
        let is_spent = || {
            self.clause_before(at)
                .take(WISHED_WORDS_MAX)
                .any(|at| self.is_one_of(at, texts!["mis", "passé", "mit"]))
        };
        // "À valider, validée, refusée" are states.
        let is_state = is_alone && end < self.words.end && self.is_clause_end(end);
        // "Les dates impossibles à lire".
        let is_hard = before.is_some_and(|before| {
            const HARD: Texts<8> = Texts::of([
                "impossible",
                "impossibles",
                "difficile",
                "difficiles",
                "facile",
                "faciles",
                "prêt",
                "prête",
            ]);
            self.is_one_of(before, &HARD)
        });
        // "Les congés à valider remontent en tête": which of them.
        let is_some = at == self.words.start + 2
            && self.is_one_of(self.words.start, texts!["les", "des", "ces"])
            && self.is_before_noun(end)
            && self.reading.words[end].text.ends_with("ent");
        // "C'est-à-dire", "authority to settle".
        let is_said = before.is_some_and(|before| self.is_one_of(before, texts!["est", "authority"]))
            && self.is_one_of(verb, texts!["dire", "settle", "decide", "approve", "sign"]);
        // "I'll ask you to review it" is asked then, and asks by itself where it is asked now.
        let is_asked = at > self.words.start + 1
            && self.is_one_of(at - 1, texts!["you"])
            && self.is_one_of(at - 2, texts!["ask", "want"]);
        // "Asks the assistant to look it up": what somebody is asked or allowed is told of them.
        const TOLD: Texts<16> = Texts::of([
            "asked",
            "asks",
            "asking",
            "allow",
            "allows",
            "lets",
            "tells",
            "told",
            "restricting",
            "forces",
            "forced",
            "requires",
            "enables",
            "letting",
            "wants",
            "can",
        ]);
        let is_told = self.reading.language == Language::English
            && self.clause_before(at).take(CASE_WORDS_MAX).any(|at| self.is_one_of(at, &TOLD));
        let is_state = is_state || is_some || is_hard || is_said || is_asked || is_told;
        let is_other =
            || self.is_theirs(at) || self.is_case(at) || self.is_denied(at) || self.is_settled(at, end);
        (!is_state && !is_spent() && !is_other()).then_some(end)
    }

    /// "we still have to pick", "il faut encore choisir"; what users have to do is no question.
    pub(super) fn obliged(&self, at: usize) -> Option<usize> {
        if self.is_norm(at) {
            return None;
        }
        let must = self.reading.after(at, Concept::Must).filter(|end| *end <= self.words.end)?;
        let mut near = (must..self.words.end).take(OBLIGED_WORDS_MAX);
        let verb = near.find_map(|at| self.reading.after(at, Concept::Decide))?;
        // What remains to be done about a thing is ours.
        let is_left = self.is_one_of(
            at,
            texts!["remains", "remain", "left", "yet", "still", "reste", "restent", "restera"],
        );
        // "Claims prove little — must judge by outcomes" is what holds for all of them.
        let is_rule = at > self.words.start
            && self.is_one_of(at, texts!["must"])
            && self.reading.words[at].gap == Gap::Pause;
        let is_ours = self.is_clause_start(at) && !is_rule || is_left || self.is_subject_ours(at);
        let is_other = || self.is_denied(at) || self.is_theirs(at) || self.is_case(at);
        (is_ours && !is_other()).then_some(verb)
    }

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
    fn is_some_of_many(&self, at: usize, end: usize) -> bool {
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
    fn awaited_answer(&self, at: usize, end: usize) -> Option<usize> {
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
                answer <= end + 2
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
            && self.is_one_of(at, texts!["waits", "attend", "attendent"])
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

    /// "please confirm", "merci de valider", "ask the city if".
    pub(super) fn requested(&self, at: usize) -> Option<usize> {
        let request = self.reading.after(at, Concept::Ask).filter(|end| *end <= self.words.end);
        let ask = || {
            let is_ask = self.is_one_of(at, &ASKED) && self.is_clause_start(at);
            // "Stop and ask the user how to go on" is for every time.
            const USERS: Texts<5> = Texts::of(["user", "users", "yourself", "themselves", "itself"]);
            let is_ask = is_ask && !self.clause_behind(at).take(3).any(|at| self.is_one_of(at, &USERS));
            let mut near = self.clause_behind(at).take(WISHED_WORDS_MAX).filter(|_| is_ask);
            let whether = near.find(|at| self.reading.is(*at, Concept::Whether)).map(|whether| whether + 1);
            // "Ship it or not, ask the release manager".
            // "Ask Lena for the key" is something to do.
            let is_for =
                self.clause_behind(at).take(OBLIGED_WORDS_MAX).any(|at| self.is_one_of(at, texts!["for"]));
            let is_plain = is_ask
                && !is_for
                && (self.is_one_of(at, texts!["ask"])
                    || self.is_one_of(at, texts!["demander"])
                        && self.is_one_of(at + 1, texts!["à", "au", "aux"]));
            let mut near = self.clause_behind(at).take(OBLIGED_WORDS_MAX).filter(|_| is_plain);
            let is_named = |at: &usize| {
                let is_last = self.is_clause_end(at + 1) && !self.reading.is(*at, Concept::Thing);
                self.is_crew(*at) || self.is_somebody(*at) || is_last && *at == self.words.end - 1
            };
            let somebody = || near.find(is_named).map(|at| at + 1);
            whether.or_else(somebody)
        };
        // "C'est ce que la compta voulait" asks nothing.
        if self.is_one_of(at, texts!["est"]) && at > self.words.start && self.is_one_of(at - 1, texts!["c"]) {
            return None;
        }
        let is_duty = self.is_one_of(at, texts!["need", "needs", "have", "has", "must", "should"]);
        // "It has to decide per volume", "`register` must decide": how it works.
        let is_run = is_duty
            && at > self.words.start
            && !(self.words.contains(&(at + 1)) && self.is_someone(at + 1))
            && (self.is_one_of(at - 1, texts!["it", "person", "user", "reader", "caller"])
                || self.reading.words[at - 1].is_code);
        // "I'll deliver it next and ask you to review", "done items need approval".
        let is_later = self.is_one_of(at, texts!["ask"])
            && (self.near_start(at)..at).any(|at| self.is_one_of(at, texts!["ll", "will"]));
        // "Refunds above 200 EUR need a manager's sign-off".
        let is_rule = self.reading.words[self.words.start].text.ends_with('s')
            && self.is_one_of(at + 1, texts!["a", "an"])
            && !(self.words.start..at).any(|at| self.is_crew(at) || self.reading.is(at, Concept::Teller));
        let is_many = self.is_one_of(at, texts!["need"])
            && at > self.words.start
            && (self.reading.words[at - 1].text.ends_with('s') && !self.is_crew(at - 1) || is_rule);
        // "She wanted to know if it does. It does".
        let is_answered = || {
            let next = Sentence { reading: self.reading, words: self.words.end..self.reading.words.len() };
            let is_near = next.words.start < self.reading.words.len()
                && self.text_before(next.words.start).contains(';');
            self.is_one_of(at, texts!["wanted"])
                && (is_near
                    || next.is_one_of(next.words.start, texts!["it", "they", "we", "yes", "no", "he", "she"]))
        };
        let is_user = || {
            is_run
                || is_answered()
                || is_later
                || is_many
                || self.is_one_of(at, texts!["disagrees"]) && (self.is_theirs(at) || self.is_general())
        };
        let is_other = || self.is_denied(at) || is_duty && self.is_case(at) || self.is_marked() || is_user();
        request.or_else(ask).filter(|_| !is_other())
    }

    /// "you choose", "your decision", "libre à vous d'en proposer un autre".
    pub(super) fn addressed(&self, at: usize) -> Option<usize> {
        if !self.reading.is(at, Concept::You) {
            return None;
        }
        let is_able = |at: usize| {
            self.after_any(at, &[Concept::Help, Concept::Will, Concept::Past]).is_some() || self.is_denial(at)
        };
        // "Smaller than you think", "you press Allow": what anybody does.
        const ANYBODY: Texts<7> = Texts::of(["think", "feel", "care", "allow", "permit", "mind", "judge"]);
        let is_yours = self.is_one_of(at, texts!["your", "votre", "ton", "ta"]);
        let is_wanted = |at: &usize| match self.is_one_of(*at - 1, texts!["your", "votre", "ton", "ta"]) {
            true => self.reading.after(*at, Concept::Answer).is_some(),
            false if is_yours || self.is_one_of(*at, &ANYBODY) => false,
            false => {
                let is_choice =
                    self.reading.is(*at, Concept::Decide) && self.reading.is(*at, Concept::Settle);
                let is_past = ["ed", "ing"].iter().any(|end| self.reading.words[*at].text.ends_with(end));
                !is_past && (is_choice || self.reading.after(*at, Concept::Consent).is_some())
            }
        };
        let verb = self.clause_behind(at).take(OBLIGED_WORDS_MAX).find(is_wanted)?;
        let is_helped = (at + 1..verb).any(is_able) || self.clause_before(at).take(2).any(is_able);
        // "Your choice is applied everywhere".
        let is_done = self.is_one_of(at, texts!["your", "votre", "ton", "ta"])
            && self
                .clause_behind(verb)
                .take(OBLIGED_WORDS_MAX)
                .any(|at| self.is_one_of(at, texts!["is", "est", "was", "should", "must", "will"]));
        let is_other = || {
            is_helped || is_done || self.is_marked() || self.is_case(verb) || self.is_settled(at, verb + 1)
        };
        (!is_other()).then_some(verb + 1)
    }

    /// "ops should validate", "the board will rule", "la direction validera".
    pub(super) fn expected(&self, at: usize) -> Option<usize> {
        if self.is_norm(at) {
            return None;
        }
        // "Faut envoyer" has nobody who acts.
        let is_impersonal = self.is_one_of(at, texts!["faut", "faudra", "faudrait"]);
        let must = self.reading.after(at, Concept::Must).filter(|_| !is_impersonal);
        let will = || self.reading.after(at, Concept::Will);
        let future = self.reading.after(at, Concept::Future);
        let end = must.or_else(will).or(future).filter(|end| *end <= self.words.end)?;
        let subject = at.checked_sub(1).filter(|subject| self.words.contains(subject))?;
        // "Dana still has to say".
        let is_adverb = subject > self.words.start
            && self.is_one_of(subject, texts!["still", "also", "now", "encore", "first", "then"]);
        let subject = if is_adverb { subject - 1 } else { subject };
        let mut near = (self.words.start..at).rev().take(OBLIGED_WORDS_MAX + 1);
        let is_any = (self.words.start..subject).rev().take(2).any(|at| self.reading.is(at, Concept::Any));
        // "HR has been asked for approval and is sitting on it": the subject of both stands first.
        let is_shared = || {
            let is_first = self.is_somebody(self.words.start) || self.is_somebody(self.words.start + 1);
            self.is_one_of(subject, texts!["and", "et", "but", "mais"]) && is_first
        };
        // "Marketing keeps going back and forth", "a page which he wants to sleep on".
        let is_he = || {
            const HE: Texts<6> = Texts::of(["he", "she", "they", "elle", "elles", "ils"]);
            // "The code and the doc differ".
            const DIFFER: Texts<6> =
                Texts::of(["differ", "diverge", "disagree", "divergent", "diffèrent", "contest"]);
            if self.is_one_of(at, &DIFFER) && self.reading.is(subject, Concept::Source) {
                return !self.is_mended(end);
            }
            let is_acting =
                self.reading.is(subject, Concept::Crew) && !self.reading.is(subject, Concept::Function);
            future.is_some() && (is_acting || self.is_one_of(subject, &HE))
                || future.is_some_and(|end| end > at + 1) && self.is_one_of(subject, texts!["il"])
        };
        // "A broker ought to check it" is meant for this case; "a manager must approve" is a rule.
        let is_any =
            is_any && !self.is_one_of(at, texts!["ought", "ferait", "feraient", "should", "devrait"]);
        let is_crew = near.any(|at| self.is_somebody(at) && (!self.is_named(at) || at == subject))
            && (!is_any || self.is_someone(subject))
            || is_shared()
            || !is_any && is_he();
        // "If someone needs to leave a rule out, they can".
        let is_anyone =
            self.is_someone(subject) && self.is_one_of(self.words.start, texts!["if", "when", "si"]);
        if !is_crew
            || is_anyone
            || self.is_denied(at)
            || self.is_case_of_client(at)
            || self.has_between(self.near_start(at), at, Concept::People)
        {
            return None;
        }
        // "The shell refuses to start", "a scanner cannot tell": only who is known to be somebody means something by it.
        const THINGS_TOO: Texts<11> = Texts::of([
            "refuses", "refused", "declines", "declined", "cannot", "objects", "differs", "opposes", "split",
            "reste", "restent",
        ]);
        let is_known = || {
            let mut near = self.clause_before(at).take(2);
            near.any(|who| {
                self.reading.is(who, Concept::Crew) && (who + 1 == at || !self.is_modifier(who))
                    || self.is_named(who)
            })
        };
        if future.is_some() && (self.is_one_of(at, &THINGS_TOO) || self.is_software(at)) && !is_known() {
            return None;
        }
        if future.is_some() {
            // "A examiné" is done; without its accent it reads as "examine".
            let is_done =
                end == at + 1 && self.is_one_of(subject, texts!["a", "ont", "ai", "avait", "avaient"]);
            // "Is weighed" is what is done with it.
            let is_passive = end == at + 2
                && self.is_one_of(at, texts!["is", "are"])
                && self.reading.words[at + 1].text.ends_with("ed");
            // What a thing "thinks" is how it works.
            let is_thought = self
                .is_one_of(at, texts!["thinks", "believes", "suspects", "reckons", "pense", "croit"])
                && !self.reading.is(subject, Concept::Crew)
                && !self.is_named(subject);
            if is_thought {
                return None;
            }
            // "C'est l'auditeur qui la donnera".
            let is_cleft = || {
                let mut before = self.clause_before(at).take(WISHED_WORDS_MAX);
                before.any(|at| {
                    self.is_one_of(at, texts!["est", "sera"])
                        && at > 0
                        && self.is_one_of(at - 1, texts!["c", "ce"])
                })
            };
            let is_other = || {
                self.is_condition(at)
                    || end == at + 1 && self.is_case(at) && !is_cleft()
                    || self.is_past(at, end) && self.is_mended(end)
            };
            return future.filter(|_| !is_done && !is_passive && !is_other());
        }
        // "Will be fixed" is done to the subject, not by it.
        if self.is_one_of(end, texts!["be", "être"]) {
            return None;
        }
        // What can be done may be what was built; what somebody will say is to come.
        let is_to_come = must.is_some() || self.is_someone(subject) || self.reading.words[at].text == "will";
        let mut verbs = (end..self.words.end).take(OBLIGED_WORDS_MAX);
        verbs.find_map(|at| self.reading.after(at, Concept::Rule)).filter(|_| is_to_come)
    }
}
