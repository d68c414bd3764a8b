//! What is not settled, not said and not known.

use super::super::lexicon::{Concept, Language};
use super::super::text::Gap;
use super::super::texts::{Texts, texts};
use super::Sentence;
use super::clause::SUBJECT_WORDS_MAX;

/// So many words may stand between a denial and the verb it denies: "has not yet been formally decided".
const DENIED_WORDS_MAX: usize = 5;

/// So far behind "until" stands what has to happen, and who has to do it.
pub(super) const UNTIL_WORDS_MAX: usize = 9;

/// So far before "has not been made" stands the choice.
const CHOICE_WORDS_MAX: usize = 9;

/// Forms before a denied participle that make it a report: nobody has done it so far.
const PERFECT: Texts<12> = Texts::of([
    "has", "have", "hasn", "haven", "hasnt", "havent", "a", "ont", "ai", "avons", "soit", "soient",
]);

impl Sentence<'_, '_> {
    /// "not yet decided", "nobody has defined", "no decision so far".
    pub(super) fn denied(&self, at: usize) -> Option<usize> {
        if !self.is_denial(at) || self.is_consent(at) {
            return None;
        }
        // What users have not decided by now is open too; what they do not decide is what was built.
        let is_perfect = at.checked_sub(1).is_some_and(|before| self.is_one_of(before, &PERFECT));
        // "The boundary cannot name two files" is how it works.
        let is_can = self.is_one_of(at, texts!["cannot"])
            || self.is_one_of(at, texts!["t", "not"]) && self.is_one_of(at.saturating_sub(1), texts!["can"]);
        if is_can && !self.is_subject_ours(at) {
            return None;
        }
        // "The fixture had not yet landed" was so then.
        let helper = match self.is_one_of(at, texts!["yet"]) {
            true => at.saturating_sub(2),
            false => at.saturating_sub(1),
        };
        if self.is_one_of(helper, texts!["had", "hadn"]) && self.is_past(at, at + 2) {
            return None;
        }
        // "A reminder to suppliers that have not answered", "aux fournisseurs n'ayant pas répondu".
        let is_some = self.is_one_of(at.saturating_sub(1), texts!["ayant"])
            && self.clause_before(at).nth(2).is_some_and(|noun| self.reading.words[noun].text.ends_with('s'));
        if is_some {
            return None;
        }
        let end = self.unsettled(at, is_perfect)?;
        let is_spared = self.is_deliberate(at) || self.is_order(at);
        (!is_spared && (is_perfect || !self.is_theirs(at))).then_some(end)
    }

    /// The place behind what a denial says is not settled.
    fn unsettled(&self, at: usize, is_perfect: bool) -> Option<usize> {
        // "Les imports non résolus" are some of them.
        const MANY: Texts<4> = Texts::of(["les", "des", "ces", "aux"]);
        const ANY: Texts<7> = Texts::of(["un", "une", "de", "d", "toute", "tout", "chaque"]);
        if self.is_one_of(at, texts!["non"])
            && at >= self.words.start + 2
            && (self.is_one_of(at - 2, &ANY)
                || self.is_one_of(at - 2, &MANY)
                    && self.reading.words.get(at + 1).is_some_and(|next| next.text.ends_with('s')))
        {
            return None;
        }
        // "L'animation ne boucle plus" is no matter that was closed: that is "bouclé".
        if self.is_one_of(at + 1, texts!["boucle", "bouclent"]) {
            return None;
        }
        // "Found no answer".
        let mut is_light = at > self.words.start && self.reading.is(at - 1, Concept::Light);
        let did = at.checked_sub(1).is_some_and(|did| self.is_one_of(did, texts!["did", "didn", "didnt"]));
        // "Legal never wrote back".
        let is_never = self.is_one_of(at, texts!["never", "jamais"]);
        let is_they = at > self.words.start && self.is_one_of(at - 1, texts!["they", "it"]);
        for next in self.clause_behind(at).take(DENIED_WORDS_MAX) {
            // "Names the raw argument, not the resolved path", "not `permission.respond`".
            let is_which = || self.is_one_of(next - 1, texts!["a", "an", "the"]) && self.is_participle(next);
            if self.reading.words[next].is_code || self.is_one_of(at, texts!["not"]) && is_which() {
                return None;
            }
            // "N'a pas voulu confirmer".
            let is_willing = || {
                (at + 1..next).any(|at| self.is_one_of(at, texts!["voulu", "souhaité", "daigné", "pu", "su"]))
            };
            // "Agents should not set this": the same form, and no participle.
            let is_bare = || {
                self.is_one_of(next, texts!["set"])
                    && !self.is_one_of(next - 1, texts!["been", "yet", "is", "are", "was", "ever"])
            };
            let is_done = || !is_bare() && (did || is_willing() || self.is_participle(next));
            if self.reading.is(next, Concept::Light) {
                // "A choice the studio hasn't made", "feu vert non reçu".
                let mut before = self.clause_before(at).take(CHOICE_WORDS_MAX);
                if before.any(|at| self.reading.after(at, Concept::Answer).is_some()) && !self.is_case(at) {
                    return Some(next + 1);
                }
                is_light = true;
            }
            if let Some(end) = self.reading.after(next, Concept::Settle).filter(|_| is_done()) {
                return (!self.is_case(at)).then_some(end);
            }
            let is_ours = || self.clause_before(at).take(SUBJECT_WORDS_MAX).any(|at| self.is_somebody(at));
            let is_free = || {
                !self.clause_before(at).take(SUBJECT_WORDS_MAX).any(|at| self.reading.is(at, Concept::Thing))
                    && !self.is_software(at)
                    && self.is_participle(next)
                    // "The index never reached it" tells what happened; "was never sent" what did not.
                    && (self.reading.language == Language::French
                        || self.is_one_of(at.saturating_sub(1), texts!["was", "were", "been", "is", "are"]))
            };
            // "What it should show was never discussed".
            let talk = || self.after_any(next, &[Concept::Consult, Concept::Decide]);
            const TALKED: Texts<28> = Texts::of([
                "reproduced",
                "replicated",
                "corroborated",
                "tested",
                "audited",
                "proofread",
                "reproduit",
                "reproduite",
                "corroboré",
                "testé",
                "testée",
                "audité",
                "discussed",
                "debated",
                "negotiated",
                "raised",
                "considered",
                "addressed",
                "reviewed",
                "discuté",
                "discutée",
                "débattu",
                "débattue",
                "évoqué",
                "évoquée",
                "abordé",
                "abordée",
                "examinée",
            ]);
            let is_untold =
                is_perfect && self.is_one_of(next, &TALKED) && !self.is_case(at) && !self.is_theirs(at);
            if is_untold && self.is_one_of(next - 1, texts!["been", "été"]) {
                return Some(next + 1);
            }
            if let Some(end) = talk().filter(|_| is_never && self.is_participle(next) && !self.is_case(at)) {
                return Some(end);
            }
            let is_back = || {
                self.is_one_of(next + 1, texts!["back", "rappelé"])
                    || self.is_one_of(next, texts!["replied", "answered", "rappelé", "répondu"])
            };
            if let Some(end) = self
                .reading
                .after(next, Concept::Closed)
                .filter(|_| is_never && (is_ours() && !is_they || is_back() || is_free()))
            {
                return (!self.is_case(at)).then_some(end);
            }
            // "The error has not come back".
            let is_to_us = self.is_one_of(next + 1, texts!["back"])
                && (next + 2..next + 4).any(|at| self.is_one_of(at, texts!["me", "us"]));
            if self.is_one_of(next, texts!["come", "returned", "revenu", "revenue"])
                && !is_ours()
                && !is_to_us
            {
                return None;
            }
            if let Some(end) = self.reading.after(next, Concept::Closed).filter(|_| is_done()) {
                return self.is_unclosed(at, next).then_some(end);
            }
            // "The security team hasn't ruled".
            if let Some(end) = self.reading.after(next, Concept::Rule).filter(|_| is_done()) {
                let is_ours =
                    self.clause_before(at).take(SUBJECT_WORDS_MAX + 1).any(|at| self.is_somebody(at));
                if is_ours && !self.is_case(at) {
                    return Some(end);
                }
            }
            if let Some(end) = self.reading.after(next, Concept::Answer) {
                // "No answer from the supplier".
                let is_of = || self.clause_behind(end - 1).take(3).any(|at| self.is_somebody(at));
                // "No answer from the server means offline".
                let is_thing = || {
                    let mut near = self.clause_behind(end - 1).take(3);
                    self.is_one_of(next, texts!["answer", "response", "reply", "réponse"])
                        && self.is_one_of(end, texts!["from", "de", "du"])
                        && near.any(|at| self.reading.is(at, Concept::Thing) && !self.is_crew(at))
                };
                if is_thing() {
                    return None;
                }
                // "No explanation has been found".
                let is_none = || {
                    let mut behind = self.clause_behind(end - 1).take(3);
                    behind.any(|at| self.is_one_of(at, texts!["been", "été"]))
                        && self.clause_behind(end - 1).take(4).any(|at| self.reading.is(at, Concept::Light))
                };
                let is_missed = (is_light || self.has_behind(end, Concept::Yet) || is_of() || is_none())
                    && !self.has_behind(end, Concept::Need);
                return (is_missed && !self.is_case(at)).then_some(end);
            }
            // "The family hasn't read it yet": whatever somebody has yet to do about it.
            let is_waited = || {
                const THOUGH: Texts<7> =
                    Texts::of(["though", "although", "while", "but", "quoique", "bien", "alors"]);
                let is_though =
                    self.clause_before(at).last().is_some_and(|start| self.is_one_of(start, &THOUGH));
                let is_yet = self.has_between(at, next, Concept::Yet) || is_though;
                is_yet && self.clause_before(at).take(SUBJECT_WORDS_MAX + 1).any(|at| self.is_somebody(at))
            };
            if !self.reading.is(next, Concept::Function) && is_done() && is_waited() {
                return (!self.is_case(at)).then_some(next + 1);
            }
            // "Not 100% decided", "pas définitivement arrêté".
            let word = &self.reading.words[next];
            let is_degree = self.is_one_of(next, texts!["voulu", "souhaité", "daigné"])
                || word.has_digit()
                || word.text.ends_with("ly")
                || word.text.ends_with("ment");
            let is_passed = [Concept::Light, Concept::Function, Concept::Deny];
            if !is_degree && !is_passed.iter().any(|concept| self.reading.is(next, *concept)) {
                return None;
            }
        }
        None
    }

    /// "Nobody objected", "nobody knew it then": whether a denial is no question.
    fn is_consent(&self, at: usize) -> bool {
        let is_nobody = self.is_one_of(at, texts!["nobody", "one", "personne"]);
        is_nobody
            && self
                .is_one_of(at + 1, texts!["objected", "objects", "complained", "knew", "minded", "opposed"])
    }

    /// "the sender isn't answering", "the supplier won't say", "l'expéditeur ne répond pas".
    pub(super) fn silent(&self, at: usize) -> Option<usize> {
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
            Language::English => {
                let is_now = self.reading.words[verb].text.ends_with("ing");
                let helpers =
                    const { Texts::of(["won", "will", "wouldn", "would", "doesn", "does", "don", "do"]) };
                is_now || at.checked_sub(1).is_some_and(|before| self.is_one_of(before, &helpers))
            }
            Language::French => {
                self.clause_before(verb).take(2).any(|at| self.is_one_of(at, texts!["ne", "n"]))
            }
        };
        let is_silent =
            is_form && self.after_any(verb, &[Concept::Closed, Concept::Settle, Concept::Rule]).is_some();
        let is_somebody =
            || self.clause_before(at).take(SUBJECT_WORDS_MAX + 1).any(|at| self.is_somebody(at));
        let is_other = || self.is_case(at) || self.is_theirs(at);
        (is_silent && is_somebody() && !is_other()).then_some(at.max(verb) + 1)
    }

    /// Whether a verb of closing that is denied leaves something open: it is somebody's to do, or a report of today.
    fn is_unclosed(&self, denial: usize, verb: usize) -> bool {
        let before = denial.checked_sub(1).filter(|_| self.reading.words[denial].gap == Gap::None);
        let is_perfect = before.is_some_and(|before| self.is_one_of(before, &PERFECT));
        // One customer has not answered; customers do not.
        let is_many = self.clause_before(denial).take(SUBJECT_WORDS_MAX).any(|at| {
            let is_one = at > 0 && self.is_one_of(at - 1, texts!["the", "le", "la", "l"]);
            self.reading.is(at, Concept::People) && (!is_one || self.reading.words[at].text.ends_with('s'))
        });
        let is_perfect = is_perfect && !is_many;
        let from = denial.saturating_sub(1).max(self.words.start);
        let is_ours = self.is_subject_ours(denial) || self.has_between(from, verb, Concept::Yet);
        let is_been = (denial..verb).any(|at| self.is_one_of(at, texts!["been", "été", "ete"]));
        (is_perfect || is_ours || is_been) && !self.is_case(denial)
    }

    /// "I don't quite know", "on ne m'a pas dit", "je ne vois pas clairement".
    pub(super) fn unknown(&self, at: usize) -> Option<usize> {
        if !self.is_denial(at) || self.is_consent(at) {
            return None;
        }
        let know = |at: usize| {
            // Without its accent it is "on".
            let sure = || self.is_one_of(at, texts!["sûr", "sûrs", "sûre", "sûres"]).then_some(at + 1);
            // "Not found who approves it".
            let found = || {
                let is_found = self.is_one_of(
                    at,
                    texts!["find", "found", "see", "seen", "trouvé", "trouve", "vu", "retrouvé"],
                );
                (is_found && self.reading.is(at + 1, Concept::Whether)).then_some(at + 2)
            };
            let known = self.reading.after(at, Concept::Know).filter(|end| *end <= self.words.end);
            known.or_else(sure).or_else(found)
        };
        let is_small = |at: &usize| {
            let word = &self.reading.words[*at];
            word.is(Concept::Function) || word.text.ends_with("ly") || word.text.ends_with("ment")
        };
        let behind = self.clause_behind(at).take(SUBJECT_WORDS_MAX);
        let mut is_on = true;
        let known = behind.take_while(|at| std::mem::replace(&mut is_on, is_small(at))).find_map(know);
        // What a program does not know is part of what was built; what nobody is named for, the teller does not know.
        let is_it = || self.is_one_of(at - 1, texts!["it", "this"]);
        let is_bare =
            || self.is_clause_start(at) || at > self.words.start && self.is_clause_start(at - 1) && !is_it();
        let is_ours = || self.is_subject_ours(at) || is_bare();
        const VERBS: Texts<14> = Texts::of([
            "know",
            "tell",
            "decide",
            "say",
            "understand",
            "hear",
            "dare",
            "recall",
            "remember",
            "identify",
            "recognise",
            "recognize",
            "verify",
            "see",
        ]);
        let is_state = |end: usize| {
            let is_verb = self.reading.is(end - 1, Concept::Fathom) && !self.is_participle(end - 1);
            !is_verb && !self.is_one_of(end - 1, &VERBS)
        };
        let known =
            known.filter(|end| self.reading.language == Language::French || is_state(*end) || is_ours());
        // French denies behind the verb.
        let verb = || match self.reading.language {
            Language::English => None,
            Language::French => {
                let is_run = self.is_software(at)
                    || self
                        .clause_before(at)
                        .take(SUBJECT_WORDS_MAX)
                        .any(|at| self.reading.is(at, Concept::Thing));
                self.clause_before(at).take(2).find_map(know).map(|_| at + 1).filter(|_| !is_run)
            }
        };
        let end = known.or_else(verb)?;
        // "Cannot do certain things", "no trace pollution".
        // "No known issues" are none.
        let is_kind = self
            .is_one_of(end - 1, texts!["certain", "trace", "verified", "verify", "final", "known"])
            && (self.is_before_noun(end) || self.is_one_of(at, texts!["no"]));
        if is_kind {
            return None;
        }
        let is_other = self.is_theirs(at)
            || self.is_case(at)
            || self.is_content(at)
            || self.is_deliberate(at)
            || self.is_order(at);
        let is_open = !is_other && !self.is_needless(end) && !self.is_past(at, end);
        (is_open && !self.is_settled(at, end)).then_some(end)
    }

    /// "I didn't want to choose alone": who tells it does not decide.
    pub(super) fn unchosen(&self, at: usize) -> Option<usize> {
        let is_told =
            || self.clause_before(at).take(SUBJECT_WORDS_MAX).any(|at| self.reading.is(at, Concept::Teller));
        if !self.is_denial(at) || !is_told() || self.is_case(at) {
            return None;
        }
        let mut near = self.clause_behind(at).take(SUBJECT_WORDS_MAX);
        let verb =
            near.find(|at| self.reading.is(*at, Concept::Decide) && self.reading.is(*at, Concept::Settle))?;
        (!self.is_settled(at, verb + 1)).then_some(verb + 1)
    }

    /// "not my decision", "ce n'est pas à moi de décider".
    pub(super) fn disowned(&self, at: usize) -> Option<usize> {
        if !self.is_denial(at) && !self.reading.is(at, Concept::Hardly) {
            return None;
        }
        let mine = self.clause_behind(at).take(2).find(|at| {
            self.is_one_of(*at, texts!["my", "mine", "our", "me", "us", "moi", "mon", "ma", "nous"])
        })?;
        let mut near = self.clause_behind(mine).take(2);
        near.find_map(|at| self.after_any(at, &[Concept::Answer, Concept::Decide]))
    }

    /// "nobody could tell me", "until finance confirms them", "tant que la banque ne répond pas".
    pub(super) fn unanswered(&self, at: usize) -> Option<usize> {
        let is_nobody = self.reading.after(at, Concept::Nobody).is_some();
        let is_until = self.reading.after(at, Concept::Until).is_some();
        if !is_nobody && !is_until {
            return None;
        }
        // "Nobody has used it and IT signed the form": behind the joining word somebody else acts.
        let is_joint = |at: &usize| is_nobody && self.is_one_of(*at, texts!["and", "but", "et", "mais"]);
        // "Until we halved it, now most like it": what follows the pause is another matter.
        let is_apart = |at: &usize| is_until && self.reading.words[*at].gap == Gap::Pause;
        let is_end = |at: &usize| is_joint(at) || is_apart(at);
        let near = || (at + 1..self.words.end).take(UNTIL_WORDS_MAX).take_while(|at| !is_end(at));
        let verbs: &[Concept] = match is_nobody {
            true => &[
                Concept::Settle,
                Concept::Closed,
                Concept::Decide,
                Concept::Know,
                Concept::Answer,
                Concept::Fathom,
                Concept::Own,
            ],
            false => &[Concept::Settle, Concept::Closed, Concept::Decide, Concept::Know, Concept::Consent],
        };
        let verb = |at: usize| self.after_any(at, verbs);
        let is_theirs = is_until && near().any(|at| self.reading.is(at, Concept::People));
        let is_ours = is_nobody || near().any(|at| self.is_crew(at) || self.is_named(at)) && !is_theirs;
        // "Until a manager approves" is a rule, not this case; what a program shows meanwhile is one too.
        let is_rule = || {
            const SHOWS: Texts<6> =
                Texts::of(["affiche", "affichent", "shows", "displays", "renvoie", "returns"]);
            if self.clause_before(at).any(|at| self.is_one_of(at, &SHOWS)) {
                return true;
            }
            let crew = near().find(|at| self.is_crew(*at) || self.is_named(*at));
            crew.is_some_and(|crew| {
                self.reading.is(crew - 1, Concept::Any) && !self.is_someone(crew)
                    || self.is_general()
                    || self.is_general_from(self.clause_before(at).last().unwrap_or(at))
            })
        };
        // "No one has categorised the robot": whatever nobody has done so far.
        let undone = || {
            const HARMLESS: Texts<24> = Texts::of([
                "complained",
                "objected",
                "noticed",
                "reported",
                "used",
                "needed",
                "missed",
                "asked",
                "minded",
                "opposed",
                "been",
                "had",
                "plaint",
                "plainte",
                "opposé",
                "opposée",
                "remarqué",
                "signalé",
                "utilisé",
                "demandé",
                "été",
                "eu",
                "protesté",
                "contesté",
            ]);
            let has = (at + 1..self.words.end).take(3).find(|at| self.is_one_of(*at, texts!["has", "a"]))?;
            let verb = self
                .clause_behind(has)
                .take(2)
                .find(|at| !self.is_one_of(*at, texts!["yet", "ever", "encore"]))?;
            let is_form = self.is_participle(verb) && !self.reading.is(verb, Concept::Function);
            (is_nobody && is_form && !self.is_one_of(verb, &HARMLESS)).then_some((verb, verb + 1))
        };
        let (first, end) = near().find_map(|at| verb(at).map(|end| (at, end))).or_else(undone)?;
        // "We did not know it until accounting confirmed the net figure".
        let is_known_since = is_until
            && self.reading.words[first].text.ends_with("ed")
            && self.clause_before(at).any(|at| self.is_one_of(at, texts!["did", "didn", "was", "were"]));
        if is_known_since {
            return None;
        }
        // "Une notion que personne n'a su me définir" is what the teller asked.
        let is_asked =
            || near().take(SUBJECT_WORDS_MAX + 1).any(|at| self.is_one_of(at, texts!["me", "m", "us"]));
        // "So nobody breaks it": what it is for.
        let is_aim = || at > self.words.start && self.is_one_of(at - 1, texts!["so"]);
        // "A file nobody named": which one it is; what nobody wrote down or knows is open all the same.
        const MISSED: Texts<14> = Texts::of([
            "wrote",
            "knows",
            "knew",
            "remembers",
            "recalls",
            "owns",
            "understands",
            "signed",
            "approved",
            "validated",
            "confirmed",
            "can",
            "could",
            "seems",
        ]);
        let is_which = || {
            at > self.words.start
                && self.reading.language == Language::English
                && self.reading.words[at].gap == Gap::None
                && self.is_behind_article(at - 1)
                && !self.is_one_of(at + 1, &MISSED)
        };
        let is_other = || match is_nobody {
            true if is_aim() || is_which() => true,
            true => {
                // "Which no one recognised, turned out to be the old one".
                // "Nobody objected" is consent; what nobody knew then is known now.
                if self.is_consent(first - 1) {
                    return true;
                }
                let is_found =
                    (at..self.near_end(at)).any(|at| self.is_one_of(at, texts!["turned", "turns", "proved"]));
                // "Dont personne n'a gardé trace" tells what happened; "que personne ne traite" tells which ones.
                let is_perfect = (at + 1..at + 4)
                    .any(|at| self.is_one_of(at, texts!["a", "has", "ever", "wrote", "took"]));
                self.is_case(at) && !is_asked() && !is_perfect || self.is_content(at) || is_found
            }
            false => is_rule(),
        };
        // "Nobody needs to approve it any more" misses nothing.
        let is_needless = is_nobody
            && ((at + 1..first).any(|at| self.reading.is(at, Concept::Need)) || self.is_deliberate(at));
        (is_ours && !is_needless && !is_other()).then_some(end)
    }

    /// "could not determine whether", "pas réussi à savoir", "que je n'ai pas pu vérifier".
    pub(super) fn unable(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Unable)?;
        let mut near = (end..self.words.end).take(SUBJECT_WORDS_MAX);
        // "I wasn't able to reach the archivist"; what a program fails to reach is another matter.
        let is_told =
            self.clause_before(at).take(SUBJECT_WORDS_MAX).any(|at| self.reading.is(at, Concept::Teller))
                || self.is_clause_start(at)
                    && self.is_one_of(at, texts!["pas", "impossible", "unable", "couldn", "could"])
                || self.is_one_of(at, texts!["pas", "aucun", "n", "ne"])
                    && self.is_one_of(at + 1, texts!["moyen", "ai", "avons", "puis", "saurais"]);
        let wanted: &[Concept] = match is_told {
            true => &[Concept::Decide, Concept::Know, Concept::Crew, Concept::Fathom],
            false => &[Concept::Decide, Concept::Know],
        };
        let verb = near.find_map(|at| self.after_any(at, wanted))?;
        (!self.is_theirs(at) && !self.is_case(at)).then_some(verb)
    }
}
