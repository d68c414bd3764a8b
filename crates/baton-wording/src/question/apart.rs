//! Words that tell of something open, and tell of something else where they stand: a name, a state, what was done about it.

use super::super::lexicon::{Concept, Language};
use super::super::text::Gap;
use super::super::texts::{Texts, texts};
use super::Sentence;
use super::clause::SUBJECT_WORDS_MAX;

impl Sentence<'_, '_> {
    /// Whether a pause or a sign of programs stands inside of a phrase: "a decision, follow-up work", `<unknown> which`.
    pub(super) fn is_broken(&self, at: usize, end: usize) -> bool {
        let is_quoted = self.reading.words[at].is_quoted;
        (at + 1..end).any(|at| {
            self.reading.words[at].gap != Gap::None
                || self.reading.words[at].is_quoted != is_quoted
                || self.text_before(at).contains(['<', '>', '`', '='])
        })
    }

    /// Whether words that tell of something open tell of something else here.
    pub(super) fn is_plain(&self, at: usize, end: usize) -> bool {
        // "Asked the label twice, silence."
        let is_quiet = self.is_one_of(at, texts!["silence"])
            && end == at + 1
            && !(self.reading.words[at].gap == Gap::Pause && self.is_clause_end(end));
        // "Fields that do not match the schema" are compared with it; "the two do not match" is a quarrel.
        let is_compared = self.is_one_of(end - 1, texts!["match"]) && !self.is_clause_end(end);
        // "Traceable to open questions", "fixes and open questions": some that stand elsewhere.
        let is_elsewhere = self.is_one_of(at, texts!["open"])
            && self.is_one_of(end - 1, texts!["questions"])
            && at > self.words.start
            && self.is_one_of(at - 1, texts!["to", "and", "of", "for", "with", "or", "any", "all", "the"])
            && self.is_clause_end(end);
        // "A study of doubt", "une étude sur le doute".
        let is_studied = self.is_one_of(end - 1, texts!["doubt", "doute", "doutes", "doubts"])
            && at > self.words.start
            && self.is_one_of(at - 1, texts!["sur", "on", "of"]);
        // "La tâche reste en attente tant que le verrou n'est pas libéré".
        let is_held = self.is_one_of(end - 1, texts!["attente", "pending", "waiting"])
            && self.reading.after(end, Concept::Until).is_some()
            && !(end..self.near_end(end)).any(|at| self.is_crew(at) || self.is_named(at));
        // "In case of doubt", "31 percent were undecided", "how to choose between".
        let is_case = self.is_one_of(end - 1, texts!["doubt", "doute"])
            && self.clause_before(at + 1).take(3).any(|at| self.is_one_of(at, texts!["case", "cas"]));
        let is_share = at >= self.words.start + 2
            && self.is_one_of(at - 1, texts!["were", "are", "étaient", "sont"])
            && (self.is_one_of(at - 2, texts!["percent"]) || self.text_before(at - 1).contains('%'));
        let is_guide = at > self.words.start
            && self.is_one_of(at - 1, texts!["comment", "to"])
            && self.is_one_of(at, texts!["choisir", "choose"]);
        // "The screen lists the requests that are held up".
        const LISTS: Texts<15> = Texts::of([
            "montre",
            "montrent",
            "mentionne",
            "mentionnent",
            "mentions",
            "signale",
            "signalent",
            "affiche",
            "affichent",
            "liste",
            "listent",
            "lists",
            "displays",
            "filters",
            "recense",
        ]);
        let is_listed = self.clause_before(at).any(|at| self.is_one_of(at, &LISTS))
            && !self.clause_before(at).any(|at| self.is_crew(at) || self.reading.is(at, Concept::Teller));
        // "38 % d'indécis", "l'accueil des appelants indécis".
        let is_some = self.is_one_of(at, texts!["indécis", "undecided"])
            && at > self.words.start
            && (self.is_one_of(at - 1, texts!["d", "des", "les", "aux", "the"])
                || self.reading.language == Language::French
                    && self.reading.words[at - 1].text.ends_with('s')
                    && !self.reading.is(at - 1, Concept::Function));
        // "Conformément au choix fait en rétrospective".
        let is_made = self.is_one_of(end - 1, texts!["choix"])
            && self.is_one_of(at, texts!["au"])
            && (self.is_one_of(end, texts!["de", "d", "du"])
                || self.is_one_of(end, texts!["fait", "opéré", "retenu", "effectué"]));
        // "Après hésitation entre deux fournisseurs".
        let is_after = at > self.words.start
            && self.is_one_of(at - 1, texts!["après", "after", "following", "malgré", "despite"]);
        // "J'ai interrogé l'hébergeur : 1 Gbit/s garanti".
        let is_answered = self.is_one_of(end - 1, texts!["interrogé", "sollicité", "questionné", "demandé"])
            && self.reading.words.get(self.words.end).is_some()
            && self.text_before(self.words.end).contains(':');
        is_quiet
            || is_compared
            || is_elsewhere
            || is_studied
            || is_held
            || is_case
            || is_share
            || is_guide
            || is_listed
            || is_some
            || is_made
            || is_after
            || is_answered
    }

    /// Whether a word is the name of a state: "marked as undetermined", "None = undetermined", "à l'état indéterminé".
    pub(super) fn is_state(&self, at: usize) -> bool {
        let before = at.checked_sub(1).filter(|before| self.words.contains(before));
        let is_named = before.is_some_and(|before| {
            self.is_one_of(before, texts!["as", "state", "status", "état", "etat", "statut", "comme"])
        });
        let between = self.text_before(at);
        // "Undecided: 12" counts them.
        let is_count =
            self.words.len() == 1 && self.reading.words.get(at + 1).is_some_and(|word| word.has_digit());
        let is_value = is_count || between.contains('=') && self.reading.words[at].text.len() > 3;
        is_named || is_value || between.contains('→') || self.text_before(at + 1).contains('→')
    }

    /// Whether the next word is another state: "tests for undecided, pending and approved orders".
    pub(super) fn is_listed_state(&self, next: usize) -> bool {
        let is_next = self.words.contains(&next) && self.reading.words[next].gap == Gap::Pause;
        is_next
            && (self.reading.is(next, Concept::Blank)
                || self.reading.is(next, Concept::Wait)
                || self.is_participle(next)
                    && self.after_any(next, &[Concept::Settle, Concept::Closed]).is_some())
    }

    /// Whether a word stands beside others that are written as programs write them: "reports TODO, TBD and FIXME".
    pub(super) fn is_listed_constant(&self, at: usize) -> bool {
        let is_constant = |at: usize| {
            self.words.contains(&at) && {
                let text = self.reading.words[at].text;
                text.len() > 2 && text.bytes().all(|byte| byte.is_ascii_uppercase())
            }
        };
        let is_joint = |at: usize| self.is_one_of(at, texts!["and", "or", "et", "ou"]);
        let before =
            at.checked_sub(1).map(|before| if is_joint(before) { before.saturating_sub(1) } else { before });
        let next = if is_joint(at + 1) { at + 2 } else { at + 1 };
        is_constant(at) && (before.is_some_and(is_constant) || is_constant(next))
    }

    /// Whether what is asked is what a program finds out: "lit le jeton suivant pour savoir si".
    pub(super) fn is_aim(&self, at: usize) -> bool {
        let is_aim = self.is_one_of(at, texts!["savoir"])
            && at > self.words.start
            && self.is_one_of(at - 1, texts!["pour"])
            || self.is_one_of(at, texts!["to"]) && self.is_one_of(at + 1, texts!["know", "decide"]);
        is_aim
            && self.clause_before(at).any(|at| self.reading.is(at, Concept::Thing) || self.is_software(at))
            && !self.clause_before(at).any(|at| self.is_crew(at))
    }

    /// "Que le fichier soit compressé ou non, le lecteur le devine": either way.
    pub(super) fn is_concession(&self, at: usize, end: usize) -> bool {
        let is_or_not = self.is_one_of(at, texts!["ou"]) && self.is_one_of(end - 1, texts!["non", "pas"]);
        let first = self.clause_before(at).last().unwrap_or(at);
        is_or_not
            && self.is_one_of(first, texts!["que", "qu"])
            && (first == self.words.start && self.is_clause_end(end)
                || (first..at).any(|at| self.is_one_of(at, texts!["soit", "soient"])))
    }

    /// "Expected token to be defined" is what a test says.
    pub(super) fn is_awaited_state(&self, at: usize) -> bool {
        self.is_one_of(at, texts!["to"])
            && self
                .clause_before(at)
                .take(SUBJECT_WORDS_MAX)
                .any(|at| self.is_one_of(at, texts!["expected", "expects", "expect"]))
    }

    /// Whether what is open is the subject of what was done about it: "the two definitions have been merged".
    pub(super) fn is_disposed(&self, at: usize, end: usize) -> bool {
        const RAISED: Texts<16> = Texts::of([
            "raised",
            "sent",
            "asked",
            "reported",
            "listed",
            "flagged",
            "noted",
            "escalated",
            "left",
            "signalé",
            "signalée",
            "remonté",
            "remontée",
            "noté",
            "posée",
            "laissé",
        ]);
        // What is without something is some of many: "les lignes sans propriétaire sont rattachées".
        let is_some = self.is_one_of(at, texts!["sans", "without", "peu", "non", "en"]);
        let mut clause = self.clause_behind(end - 1).take(SUBJECT_WORDS_MAX + 5);
        let Some(helper) = clause.find(|at| {
            self.is_one_of(*at, texts!["been", "été", "was", "were"])
                || (is_some || self.clause_behind(*at).take(2).any(|at| self.reading.is(at, Concept::Mend)))
                    && self.is_one_of(*at, texts!["sont", "est", "are", "is"])
        }) else {
            return false;
        };
        let is_free = !(end..helper).any(|at| self.is_denial(at) || self.reading.is(at, Concept::Whether));
        let is_done = |at: &usize| self.is_participle(*at) && !self.reading.is(*at, Concept::Function);
        let done = self.clause_behind(helper).take(2).find(is_done);
        is_free && done.is_some_and(|done| !self.is_one_of(done, &RAISED) && !self.is_denial(done - 1))
    }

    /// Whether the words tell what somebody or something does: "the agent asks a question", "la marche à suivre".
    pub(super) fn is_told_of(&self, at: usize, end: usize) -> bool {
        const ASKS: Texts<10> = Texts::of([
            "pose",
            "posent",
            "poser",
            "posant",
            "asks",
            "asking",
            "affiche",
            "shows",
            "discusses",
            "covers",
        ]);
        let is_asked = self.reading.is(end - 1, Concept::Point)
            && self.clause_before(at).take(3).any(|at| self.is_one_of(at, &ASKS))
            && !self
                .clause_before(at)
                .take(4)
                .any(|at| self.is_one_of(at, texts!["se", "je", "j", "nous", "on"]));
        let is_way = self.is_one_of(end - 1, texts!["suivre"])
            && at > self.words.start
            && self.is_one_of(
                at - 1,
                texts!["marche", "étapes", "règles", "procédure", "démarche", "consignes"],
            );
        // "Le robot demande une décision".
        let is_program = self.is_software(at) && !(at..end).any(|at| self.reading.is(at, Concept::Whether));
        // "The debate is over", "the status is unknown for 4 of 900".
        let is_over = self.clause_behind(end - 1).take(SUBJECT_WORDS_MAX + 6).any(|at| {
            self.is_one_of(
                at,
                texts![
                    "over",
                    "imposé",
                    "imposée",
                    "gone",
                    "dead",
                    "lieu",
                    "levé",
                    "levée",
                    "clos",
                    "close",
                    "dissipé",
                    "derrière"
                ],
            ) && self.is_one_of(at - 1, texts!["is", "are", "est", "sont", "plus"])
        });
        // "The flag decides which of the two is shown".
        let is_shown = self.is_one_of(at, texts!["which"])
            && at > self.words.start
            && self.reading.words[at - 1].text.ends_with('s')
            && self.after_any(at - 1, &[Concept::Say, Concept::Decide, Concept::Settle]).is_some();
        // "Answers to your open questions".
        let is_answered = self.reading.is(end - 1, Concept::Point)
            && self.clause_before(at).take(SUBJECT_WORDS_MAX).any(|at| {
                self.is_one_of(
                    at,
                    texts!["answers", "responses", "replies", "answering", "answered", "réponses", "répond"],
                )
            });
        let is_status = is_answered
            || at > self.words.start && self.is_one_of(at - 1, texts!["status", "state", "statut", "état"]);
        // "No answer from the server means offline".
        let is_absent = (at..end)
            .any(|at| self.is_one_of(at, texts!["answer", "response", "reply", "réponse"]))
            && (end..self.words.end).take(3).any(|at| self.reading.is(at, Concept::Thing))
            && !(end..self.words.end).take(3).any(|at| self.reading.is(at, Concept::Crew));
        // "Les imports non résolus font échouer la construction".
        let is_some = self.is_one_of(at, texts!["non"])
            && at >= self.words.start + 2
            && self.is_one_of(at - 2, texts!["les", "des", "ces", "aux"]);
        is_asked || is_way || is_program || is_over || is_shown || is_status || is_absent || is_some
    }

    /// "UNVERIFIED: the claims could not be checked": whether a sentence says what a state means.
    pub(super) fn is_definition(&self) -> bool {
        const STATES: [Concept; 4] = [Concept::Open, Concept::Blank, Concept::Guess, Concept::Dim];
        let state = self.words.start.checked_sub(1);
        state.is_some_and(|state| {
            let is_state = STATES.iter().any(|concept| self.reading.is(state, *concept));
            is_state && self.is_constant(state) && self.text_before(self.words.start).starts_with(':')
        })
    }

    /// Whether a word is written as programs write their states: `UNVERIFIED`, but not `TBD`.
    pub(super) fn is_constant(&self, at: usize) -> bool {
        let text = self.reading.words[at].text;
        text.len() > 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())
    }
}
