//! What is still to be settled: who has to, who is waited for, who is asked.

use super::super::lexicon::{Concept, Language};
use super::super::text::Gap;
use super::super::texts::{Texts, texts};
use super::Sentence;
use super::clause::CASE_WORDS_MAX;

/// So far behind an obligation stands its verb.
pub(super) const OBLIGED_WORDS_MAX: usize = 4;

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
        // "Le marchand hésite deux secondes".
        let is_timed = |at: usize| self.reading.words.get(at).is_some_and(|word| word.has_digit());
        // "Le client doit nous payer sous 30 jours" is what the contract says.
        let is_due =
            self.is_one_of(future.unwrap_or(end), texts!["payer", "verser", "rembourser", "facturer"]);
        if future.is_some() && (is_due || is_timed(end) || self.reading.is(end, Concept::Number)) {
            return None;
        }
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
