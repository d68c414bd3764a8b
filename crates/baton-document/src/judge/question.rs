//! Whether a text leaves a question open: says that something is undecided, waits for an answer, or asks.

use std::ops::Range;

use super::judged;
use super::lexicon::{Concept, Concepts, Language};
use super::text::{Gap, Reading};

/// So many words may stand between a denial and the verb it denies: "has not yet been formally decided".
const DENIED_WORDS_MAX: usize = 5;

/// So far around a word its sentence is looked at; a longer one would be looked at again for each of its words.
const SENTENCE_WORDS_MAX: usize = 40;

/// So far behind "until" stands what has to happen, and who has to do it.
const UNTIL_WORDS_MAX: usize = 9;

/// So far behind an obligation stands its verb, and so far before it who is obliged.
const OBLIGED_WORDS_MAX: usize = 4;

/// So far behind a verb of waiting stands what is waited for.
const AWAITED_WORDS_MAX: usize = 7;

/// So far behind a wish or a condition stands who is meant, and what they should do.
const WISHED_WORDS_MAX: usize = 9;

/// So far before a question its survey is named.
const FORM_WORDS_MAX: usize = 20;

/// What the words start with that leave something open; at others nothing is looked at.
const STARTS: Concepts = Concepts::of(&[
    Concept::Open,
    Concept::Guess,
    Concept::Future,
    Concept::Deny,
    Concept::Nobody,
    Concept::Until,
    Concept::Unable,
    Concept::Must,
    Concept::Will,
    Concept::Wait,
    Concept::Ask,
    Concept::Wish,
    Concept::When,
    Concept::Lack,
    Concept::Answer,
    Concept::Consult,
    Concept::Whom,
    Concept::Either,
]);

/// The words that leave something open, or the question mark of a question.
pub(crate) fn left_open(text: &str) -> Option<&str> {
    let reading = Reading::new(judged(text));
    let sentences: Vec<Range<usize>> = reading.sentences().collect();
    let said =
        sentences.iter().find_map(|sentence| Sentence { reading: &reading, words: sentence.clone() }.open());
    said.or_else(|| asked(&reading, &sentences))
}

struct Sentence<'r, 't> {
    reading: &'r Reading<'t>,
    words: Range<usize>,
}

impl<'t> Sentence<'_, 't> {
    /// The first words that leave something open.
    fn open(&self) -> Option<&'t str> {
        self.words.clone().find_map(|at| {
            let word = &self.reading.words[at];
            if word.is_quoted || word.is_code || !self.reading.may_start(at, STARTS) {
                return None;
            }
            let end = self
                .stated(at)
                .or_else(|| self.guessed(at))
                .or_else(|| self.denied(at))
                .or_else(|| self.unanswered(at))
                .or_else(|| self.unsaid(at))
                .or_else(|| self.unable(at))
                .or_else(|| self.to_be_settled(at))
                .or_else(|| self.obliged(at))
                .or_else(|| self.awaited(at))
                .or_else(|| self.requested(at))
                .or_else(|| self.expected(at))
                .or_else(|| self.wished(at))
                .or_else(|| self.conditional(at))
                .or_else(|| self.lacking(at))
                .or_else(|| self.deferred(at))
                .or_else(|| self.consulted(at))
                .or_else(|| self.entrusted(at))
                .or_else(|| self.either(at))?;
            Some(self.reading.words_between(at, end.min(self.words.end)))
        })
    }

    /// "still to be decided", "reste à trancher".
    fn stated(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Open).filter(|end| *end <= self.words.end)?;
        // One word before a noun or behind an article is a part of a name: "undecided voters".
        let is_word = end == at + 1;
        let is_noun = self.ends_with_noun(end) && self.is_before_noun(end);
        let is_name = is_noun || is_word && (self.is_before_noun(end) || self.is_behind_article(at));
        // "Unconfirmed orders" and what happens "when it is not sure" are parts of what was built.
        let is_case = self.is_case(at);
        let is_name = is_name || is_case || self.reading.words[at].text == "non" && self.is_before_noun(end);
        let is_left =
            |at: usize| self.reading.is(at, Concept::Predicate) || self.reading.is(at, Concept::Yet);
        let is_item = self.reading.is(end - 1, Concept::Point)
            && !(self.words.start.max(at.saturating_sub(3))..at).any(is_left)
            && self.has_between(at.saturating_sub(FORM_WORDS_MAX), at, Concept::Form);
        let is_theirs = self.is_theirs(at);
        let is_taken_back = is_name
            || is_item
            || is_theirs
            || self.is_denied(at)
            || self.is_settled(at, end)
            || self.is_past(at, end);
        (!is_taken_back).then_some(end)
    }

    /// "a number I made up", "faute de mieux", "nowhere specified".
    fn guessed(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Guess).filter(|end| *end <= self.words.end)?;
        let is_confirmed = (end..self.near_end(end)).any(|at| self.is_settling(at))
            && self.has_between(self.near_start(at), end, Concept::Past);
        (!self.is_denied(at) && !self.is_theirs(at) && !is_confirmed).then_some(end)
    }

    /// "not yet decided", "nobody has defined", "no decision so far".
    fn denied(&self, at: usize) -> Option<usize> {
        if !self.is_denial(at) {
            return None;
        }
        let near = (at + 1..self.words.end).take(DENIED_WORDS_MAX);
        for next in near.take_while(|at| self.reading.words[*at].gap == Gap::None) {
            let verb = self.reading.after(next, Concept::Settle).filter(|_| self.is_participle(next));
            if verb.is_some() {
                return verb;
            }
            if let Some(end) = self.reading.after(next, Concept::Closed).filter(|_| self.is_participle(next))
            {
                let is_ours = self.is_subject_ours(at) || self.has_between(at, next, Concept::Yet);
                let is_passive =
                    self.has_between(at, next, Concept::Helped) && self.has_participle_of_being(at, next);
                let is_relative = self.has_between(self.near_start(at), at, Concept::Relative);
                return ((is_ours || is_passive) && !is_relative).then_some(end);
            }
            if let Some(end) = self.reading.after(next, Concept::Answer) {
                let is_case = self.has_between(self.near_start(at), at, Concept::Relative);
                let is_missed =
                    !is_case && self.has_behind(end, Concept::Yet) && !self.has_behind(end, Concept::Need);
                return is_missed.then_some(end);
            }
            if !self.reading.is(next, Concept::Function) && !self.reading.is(next, Concept::Deny) {
                return None;
            }
        }
        None
    }

    /// "nobody could tell me", "until finance confirms them", "tant que la banque ne répond pas".
    fn unanswered(&self, at: usize) -> Option<usize> {
        let is_nobody = self.reading.after(at, Concept::Nobody).is_some();
        let is_until = self.reading.after(at, Concept::Until).is_some();
        if !is_nobody && !is_until {
            return None;
        }
        let near = || (at + 1..self.words.end).take(UNTIL_WORDS_MAX);
        let is_verb = |at: usize| {
            let verbs = [Concept::Settle, Concept::Closed, Concept::Decide];
            verbs.iter().find_map(|verb| self.reading.after(at, *verb))
        };
        let is_theirs = is_until && near().any(|at| self.reading.is(at, Concept::People));
        let is_ours = is_nobody || near().any(|at| self.reading.is(at, Concept::Party)) && !is_theirs;
        near().find_map(is_verb).filter(|_| is_ours)
    }

    /// "the spec does not say what happens", "ne précise pas si", "not mentioned in the ticket".
    fn unsaid(&self, at: usize) -> Option<usize> {
        if !self.is_denial(at) {
            return None;
        }
        let is_in = |at: &usize| self.words.contains(at);
        let say = |at: usize| Some(at).filter(is_in).and_then(|at| self.reading.after(at, Concept::Say));
        // English denies before the verb, French behind it.
        let end = match self.reading.language {
            Language::English => say(at + 1).or_else(|| say(at + 2)),
            Language::French => {
                let is_said = at.checked_sub(1).is_some_and(|verb| say(verb).is_some());
                if is_said { Some(at + 1) } else { say(at + 1).or_else(|| say(at + 2)) }
            }
        }?;
        let is_whether = is_in(&end) && self.reading.after(end, Concept::Whether).is_some();
        let is_source = |at: usize| self.reading.after(at, Concept::Source).is_some();
        let mut before = (self.words.start..at).rev().take(OBLIGED_WORDS_MAX);
        let mut behind = (end..self.words.end).take(OBLIGED_WORDS_MAX);
        let is_case = self.has_between(self.near_start(at), at, Concept::Relative);
        let is_brief = !is_case && (before.any(is_source) || behind.any(is_source));
        (is_whether || is_brief).then_some(if is_whether { end + 1 } else { end })
    }

    /// "could not determine whether", "pas réussi à savoir".
    fn unable(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Unable)?;
        let mut near = (end..self.words.end).take(OBLIGED_WORDS_MAX);
        near.find_map(|at| self.reading.after(at, Concept::Decide))
    }

    /// "has to be clarified", "doit être confirmée avec le DPO".
    fn to_be_settled(&self, at: usize) -> Option<usize> {
        let must = self.reading.after(at, Concept::Must).filter(|end| *end <= self.words.end)?;
        let be = self.reading.words.get(must).filter(|_| must < self.words.end)?;
        let is_be = match self.reading.language {
            Language::English => be.text == "be",
            Language::French => matches!(be.text, "être" | "etre"),
        };
        if !is_be {
            return None;
        }
        let verb = (must + 1..self.words.end).take(2).find(|at| self.is_participle(*at))?;
        let settle = self.reading.after(verb, Concept::Settle);
        let closed = self.reading.after(verb, Concept::Closed);
        let is_ours = closed.is_some_and(|end| {
            self.reading.is(end, Concept::With)
                && (end..self.words.end).take(4).any(|at| self.reading.is(at, Concept::Party))
        });
        settle.or(closed.filter(|_| is_ours || self.has_between(self.near_start(at), at, Concept::Yet)))
    }

    /// "we still have to pick", "il faut encore choisir"; what users have to do is no question.
    fn obliged(&self, at: usize) -> Option<usize> {
        let must = self.reading.after(at, Concept::Must).filter(|end| *end <= self.words.end)?;
        let mut near = (must..self.words.end).take(OBLIGED_WORDS_MAX);
        let verb = near.find_map(|at| self.reading.after(at, Concept::Decide))?;
        let is_ours =
            at == self.words.start || self.reading.words[at].gap != Gap::None || self.is_subject_ours(at);
        (is_ours && !self.is_denied(at)).then_some(verb)
    }

    /// "waiting for confirmation", "en attente du tarif".
    fn awaited(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Wait).filter(|end| *end <= self.words.end)?;
        if self.is_denied(at) {
            return None;
        }
        let mut near = (end..self.words.end).take(AWAITED_WORDS_MAX);
        let answer = near.find_map(|at| self.reading.after(at, Concept::Answer));
        let before = at.checked_sub(1).filter(|_| self.reading.words[at].gap == Gap::None);
        let is_predicate = before.is_none_or(|before| self.is_predicate_word(before));
        let is_name = before.is_some_and(|before| self.is_article(before));
        let is_direct = self.reading.after(end, Concept::Answer).is_some() && !is_name;
        // "Pending invoices" are invoices; "pending the answer" waits.
        let is_noun =
            end == at + 1 && self.is_before_noun(end) && !is_direct && !self.reading.is(end, Concept::Party);
        if is_noun && (answer.is_none() || is_name || !is_predicate) {
            return None;
        }
        // "En attendant" waits for somebody, however far behind; "en attente" may be a state.
        let reach = if self.reading.words[end - 1].text == "attendant" { AWAITED_WORDS_MAX } else { 3 };
        let is_from =
            (end..self.words.end).take(reach).any(|at| self.reading.is(at, Concept::Crew)) && !is_name;
        (is_predicate || is_direct || is_from).then_some(answer.unwrap_or(end))
    }

    /// "please confirm", "merci de valider".
    fn requested(&self, at: usize) -> Option<usize> {
        self.reading.after(at, Concept::Ask).filter(|end| *end <= self.words.end && !self.is_denied(at))
    }

    /// "ops should validate", "the board will rule", "la direction validera".
    fn expected(&self, at: usize) -> Option<usize> {
        let must = self.reading.after(at, Concept::Must);
        let will = || self.reading.after(at, Concept::Will);
        let future = self.reading.after(at, Concept::Future);
        let end = must.or_else(will).or(future).filter(|end| *end <= self.words.end)?;
        let subject = at.checked_sub(1).filter(|subject| self.words.contains(subject))?;
        let mut near = (self.words.start..at).rev().take(OBLIGED_WORDS_MAX + 1);
        let is_any = (self.words.start..subject).rev().take(2).any(|at| self.reading.is(at, Concept::Any));
        let is_other =
            |at: usize| self.reading.is(at, Concept::Crew) && !self.reading.is(at, Concept::Function);
        let is_crew =
            near.any(|at| is_other(at) || self.is_someone(at)) && (!is_any || self.is_someone(subject));
        if !is_crew || self.is_denied(at) || self.has_between(self.near_start(at), at, Concept::People) {
            return None;
        }
        if future.is_some() {
            return future;
        }
        // What can be done may be what was built; what somebody will say is to come.
        let is_to_come = must.is_some() || self.is_someone(subject) || self.reading.words[at].text == "will";
        let mut verbs = (end..self.words.end).take(OBLIGED_WORDS_MAX);
        verbs.find_map(|at| self.reading.after(at, Concept::Rule)).filter(|_| is_to_come)
    }

    /// "I'd like a native speaker to choose", "il faudrait que la RH précise".
    fn wished(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Wish).filter(|end| *end < self.words.end)?;
        let near = || (end..self.words.end).take(WISHED_WORDS_MAX);
        let is_crew = near().any(|at| self.reading.is(at, Concept::Crew));
        let verbs = [Concept::Rule, Concept::Settle, Concept::Closed, Concept::Answer];
        let verb = near().find_map(|at| verbs.iter().find_map(|verb| self.reading.after(at, *verb)));
        let answer = near().take(OBLIGED_WORDS_MAX).find_map(|at| self.reading.after(at, Concept::Answer));
        verb.filter(|_| is_crew).or(answer)
    }

    /// "ready once somebody decides", "si la direction est d'accord".
    fn conditional(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::When).filter(|end| *end < self.words.end)?;
        let crew = (end..self.words.end).take(3).find(|at| self.reading.is(*at, Concept::Crew))?;
        let is_any = (end..crew).any(|at| self.reading.is(at, Concept::Any)) && !self.is_someone(crew);
        let is_user = self.reading.words[crew].text.starts_with("client") && at == self.words.start;
        if is_any || is_user || self.has_between(end, crew, Concept::People) {
            return None;
        }
        let verbs = [Concept::Rule, Concept::Settle, Concept::Closed, Concept::Consent];
        let mut near = (crew + 1..self.words.end).take(OBLIGED_WORDS_MAX + 1);
        let mut clause = near.by_ref().take_while(|at| self.reading.words[*at].gap == Gap::None);
        let verb = clause.find(|at| verbs.iter().any(|verb| self.reading.after(*at, *verb).is_some()))?;
        // What did not come in time is a case that the work handles.
        let is_denied = self.has_between(crew, verb, Concept::Deny);
        (!is_denied && !self.has_behind(verb, Concept::People)).then_some(verb + 1)
    }

    /// "what's missing is a decision", "il ne manque plus que l'accord", "mériterait l'avis d'un juriste".
    fn lacking(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Lack).filter(|end| *end < self.words.end)?;
        let mut near = (end..self.words.end).take(OBLIGED_WORDS_MAX);
        let answer = near.find_map(|at| self.reading.after(at, Concept::Answer))?;
        (!self.is_denied(at) && !self.is_before_noun(answer)).then_some(answer)
    }

    /// "the choice of the bank is put off".
    fn deferred(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Answer)?;
        let mut near = (end..self.words.end).take(WISHED_WORDS_MAX);
        near.find_map(|at| self.reading.after(at, Concept::Defer)).filter(|_| !self.is_denied(at))
    }

    /// "revisit the interval with security", "à caler avec la DSI".
    fn consulted(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Consult)?;
        let mut near = (end..self.words.end).take(OBLIGED_WORDS_MAX + 1);
        let with = near.find(|at| self.reading.is(*at, Concept::With))?;
        let is_with = matches!(self.reading.words[with].text, "with" | "avec" | "auprès");
        let crew = (with + 1..self.words.end).take(3).find(|at| self.reading.is(*at, Concept::Crew))?;
        let is_denied = self.is_denied(at) || self.has_between(self.near_start(at), at, Concept::People);
        (is_with && !is_denied).then_some(crew + 1)
    }

    /// "is for marketing to say", "c'est au marketing de le dire".
    fn entrusted(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Whom).filter(|end| *end < self.words.end)?;
        let crew = (end..self.words.end).take(2).find(|at| self.reading.is(*at, Concept::Crew))?;
        let to = crew + 1;
        let is_to = self.words.contains(&to) && matches!(self.reading.words[to].text, "to" | "de" | "d");
        let mut near =
            (to + 1..self.words.end).take(2).filter(|_| is_to && self.reading.words[to].gap == Gap::None);
        let verb = near.find_map(|at| {
            self.reading.after(at, Concept::Decide).or_else(|| self.reading.after(at, Concept::Rule))
        });
        verb.filter(|_| !self.is_past(at, to) && !self.has_between(self.near_start(at), at, Concept::Help))
    }

    /// "Either we cache it or we do not", "Soit le batch, soit la sauvegarde".
    fn either(&self, at: usize) -> Option<usize> {
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

    /// Whether a word means somebody who is not known.
    fn is_someone(&self, at: usize) -> bool {
        ["someone", "somebody", "anyone", "anybody", "quelqu"]
            .iter()
            .any(|start| self.reading.words[at].text.to_lowercase().starts_with(start))
    }

    /// Whether a word stands in a clause about a case that may come, and nobody behind the work is in it.
    fn is_case(&self, at: usize) -> bool {
        let before = (self.near_start(at)..at).rev().take(OBLIGED_WORDS_MAX);
        let mut clause = before.take_while(|before| self.reading.words[before + 1].gap == Gap::None);
        let when = clause.find(|at| {
            let text = self.reading.words[*at].text;
            ["when", "whenever", "quand", "lorsque", "lorsqu"]
                .iter()
                .any(|word| text.eq_ignore_ascii_case(word))
        });
        when.is_some_and(|when| !self.has_between(when, at, Concept::Crew))
    }

    /// Whether what follows is done or felt by those who use what is made, or helped by it.
    fn is_theirs(&self, at: usize) -> bool {
        let before = (self.words.start..at).rev().take(OBLIGED_WORDS_MAX);
        let mut clause = before.take_while(|before| self.reading.words[before + 1].gap == Gap::None);
        clause.any(|before| {
            self.reading.is(before, Concept::People)
                || before + 1 == at && self.reading.after(before, Concept::Help).is_some()
        })
    }

    /// Whether something was open, and what follows says that it was answered.
    fn is_past(&self, at: usize, end: usize) -> bool {
        self.has_between(at.saturating_sub(2).max(self.words.start), end, Concept::Past)
            && (end..self.reading.words.len().min(end + SENTENCE_WORDS_MAX))
                .any(|at| self.reading.after(at, Concept::Since).is_some() || self.is_settling(at))
    }

    /// Whether a word between is "been", in whatever language.
    fn has_participle_of_being(&self, from: usize, to: usize) -> bool {
        self.reading.words[from..to].iter().any(|word| matches!(word.text, "been" | "été" | "ete"))
    }

    /// Whether somebody behind the work stands right before a word, or is it.
    fn is_subject_ours(&self, at: usize) -> bool {
        let before = (self.words.start..at).rev().take(OBLIGED_WORDS_MAX);
        let mut clause = before.take_while(|before| self.reading.words[before + 1].gap == Gap::None);
        self.reading.is(at, Concept::Party) || clause.any(|before| self.reading.is(before, Concept::Party))
    }

    /// The start of the sentence, or of what is looked at of a long one.
    fn near_start(&self, at: usize) -> usize {
        self.words.start.max(at.saturating_sub(SENTENCE_WORDS_MAX))
    }

    /// The end of the sentence, or of what is looked at of a long one.
    fn near_end(&self, at: usize) -> usize {
        self.words.end.min(at + SENTENCE_WORDS_MAX)
    }

    fn has_between(&self, from: usize, to: usize, concept: Concept) -> bool {
        (from..to).any(|at| self.reading.after(at, concept).is_some())
    }

    /// Whether the word before this place is a name for something open.
    fn ends_with_noun(&self, end: usize) -> bool {
        self.reading.is(end - 1, Concept::Point)
    }

    fn is_before_noun(&self, at: usize) -> bool {
        let word = self.reading.words.get(at).filter(|_| at < self.words.end);
        word.is_some_and(|word| word.gap == Gap::None && !word.is(Concept::Function, self.reading.language))
    }

    fn is_behind_article(&self, at: usize) -> bool {
        let before = at.checked_sub(1).filter(|before| *before >= self.words.start);
        before.is_some_and(|before| self.is_article(before))
    }

    fn is_denial(&self, at: usize) -> bool {
        self.reading.is(at, Concept::Deny) && !self.reading.words[at].is_quoted
    }

    /// Whether a word before this one in the same clause takes it back.
    fn is_denied(&self, at: usize) -> bool {
        let before = (self.near_start(at)..at).rev();
        let mut clause = before.take_while(|before| self.reading.words[before + 1].gap == Gap::None);
        clause.any(|before| self.is_denial(before))
    }

    /// Whether the same sentence says that it was settled: behind it, or before it in the same clause.
    fn is_settled(&self, start: usize, end: usize) -> bool {
        let before = (self.near_start(start)..start).rev();
        let mut clause = before.take_while(|at| {
            self.reading.words[at + 1].gap == Gap::None && !self.reading.is(*at, Concept::Because)
        });
        (end..self.near_end(end)).any(|at| self.is_settling(at)) || clause.any(|at| self.is_settling(at))
    }

    /// A verb that says that a question was closed.
    fn is_settling(&self, at: usize) -> bool {
        let is_verb =
            [Concept::Settle, Concept::Closed].iter().any(|verb| self.reading.after(at, *verb).is_some());
        is_verb && self.is_participle(at) && !self.is_near_denial(at) && !self.is_behind_article(at)
    }

    fn is_near_denial(&self, at: usize) -> bool {
        (self.words.start..at).rev().take(3).any(|before| self.is_denial(before))
    }

    /// A verb in a form that says that it happened.
    fn is_participle(&self, at: usize) -> bool {
        let text = self.reading.words[at].text;
        let ends = |ends: &[&str]| ends.iter().any(|end| text.ends_with(end));
        match self.reading.language {
            Language::English => {
                ends(&["ed", "en", "ose", "old", "ept", "ave", "ent", "aid", "ot", "ame", "ack", "one", "up"])
            }
            Language::French => {
                let before = at.checked_sub(1);
                let is_helped = before.is_some_and(|before| self.reading.is(before, Concept::Helped));
                ends(&[
                    "é", "ée", "és", "ées", "i", "ie", "is", "ies", "u", "ue", "us", "ues", "clos", "close",
                    "dit",
                ]) || (is_helped && ends(&["e", "es", "ee", "ees", "it", "rt", "mise", "mis"]))
                    || ends(&["mise", "mis"])
            }
        }
    }

    fn has_behind(&self, at: usize, concept: Concept) -> bool {
        (at..self.near_end(at)).any(|at| self.reading.after(at, concept).is_some())
    }

    fn is_article(&self, at: usize) -> bool {
        self.reading.is(at, Concept::Article)
    }

    fn is_predicate_word(&self, at: usize) -> bool {
        self.reading.is(at, Concept::Predicate)
    }
}

/// The question mark of a question that is not answered on the spot.
fn asked<'t>(reading: &Reading<'t>, sentences: &[Range<usize>]) -> Option<&'t str> {
    let text = reading.text;
    text.match_indices('?').find_map(|(at, mark)| {
        let before = text[..at].trim_end();
        // Two marks in a row ask by themselves, and so does one between parentheses.
        let is_asked = before.ends_with(|c: char| {
            c.is_alphanumeric()
                || matches!(c, ')' | '"' | '”' | '»' | '`' | '*' | '%' | '€' | '$' | '(' | '?' | ',')
        });
        let after = text[at + 1..].chars().next();
        let is_end = after.is_none_or(|c| c.is_whitespace() || matches!(c, '?' | '!' | ')' | '*'));
        let nth =
            sentences.partition_point(|sentence| reading.words[sentence.start].start < at).checked_sub(1)?;
        let is_open = is_asked && is_end && !is_quoted(reading, at) && !is_answered(reading, sentences, nth);
        is_open.then_some(mark)
    })
}

/// Whether a place in the text stands between quotation marks.
fn is_quoted(reading: &Reading<'_>, at: usize) -> bool {
    let last = reading.words.partition_point(|word| word.start < at).checked_sub(1);
    last.map(|last| &reading.words[last])
        .is_some_and(|word| word.is_quoted && !reading.text[word.end()..at].contains(['"', '”', '»', '`']))
}

/// Whether what follows a question answers it.
fn is_answered(reading: &Reading<'_>, sentences: &[Range<usize>], nth: usize) -> bool {
    let Some(next) = sentences.get(nth + 1) else { return false };
    let first = reading.words[sentences[nth].start].text.to_lowercase();
    if matches!(first.as_str(), "why" | "pourquoi") {
        return true;
    }
    if reading.is(next.start, Concept::Reply) {
        return true;
    }
    let sentence = Sentence { reading, words: next.clone() };
    (next.start..sentence.near_end(next.start)).any(|at| sentence.is_settling(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_that_leave_something_open_are_shown() {
        for (text, open) in [
            ("Cart built, the currency is still undecided.", Some("still undecided")),
            ("The caterer has not been selected.", Some("not been selected")),
            ("We still have to pick a provider.", Some("have to pick")),
            ("Panier fait. Quelle devise ?", Some("?")),
            ("La spec ne dit pas si le port est compris.", Some("pas si")),
            ("En attente de la réponse du client", Some("En attente de la réponse")),
            ("Undecided voters are 38 %.", None),
            ("Users who have not confirmed see a banner.", None),
            ("Why did it fail? The index was wrong.", None),
            ("Ajout de la page « Qui sommes-nous ? »", None),
            ("Aucune question ouverte.", None),
        ] {
            assert_eq!(left_open(text), open, "{text}");
        }
    }

    #[test]
    fn a_sentence_without_end_is_read_in_bounds() {
        for word in ["unclear voters ", "why? ", "not ", "no question open ", "pas "] {
            let text = word.repeat(200_000 / word.len());
            assert!(left_open(&text).is_none_or(|open| open.len() < 200), "{word}");
        }
    }
}
