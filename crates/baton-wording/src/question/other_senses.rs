//! Words of openness in another sense: the name of a state, an entry of a list, a matter that was dealt with.

use super::super::forms::{forms, listed};
use super::super::lexicon::Concept;
use super::super::text::Gap;
use super::Sentence;
use super::clause::SUBJECT_WORDS_MAX;

impl Sentence<'_, '_> {
    /// Checks whether words that tell of something open tell of something else here.
    pub(super) fn has_other_sense(&self, at: usize, end: usize) -> bool {
        // "Asked the label twice, silence."
        let is_quiet = self.is_one_of(at, forms!["silence"])
            && end == at + 1
            && !(self.reading.words[at].gap == Gap::Pause && self.is_clause_end(end));
        // "Fields that do not match the schema" are compared with it; "the two do not match" is a quarrel.
        let is_compared = self.is_one_of(end - 1, forms!["match"]);
        // "The screen lists the requests that are held up".
        let is_listed = self.clause_before(at).any(|at| self.is_one_of(at, listed!("displaying verbs")));
        // "38 % d'indécis", "l'accueil des appelants indécis".
        let is_some = self.is_one_of(at, forms!["indécis", "undecided"])
            && at > self.words.start
            && self.is_one_of(at - 1, forms!["d", "des", "les", "aux", "the"]);
        is_quiet || is_compared || is_listed || is_some
    }

    /// Checks whether a word is the name of a state: "marked as undetermined", "None = undetermined", "à l'état indéterminé".
    pub(super) fn is_state(&self, at: usize) -> bool {
        let before = at.checked_sub(1).filter(|before| self.words.contains(before));
        let is_named = before.is_some_and(|before| self.is_one_of(before, listed!("words before a state")));
        let between = self.text_before(at);
        // "Undecided: 12" counts them.
        let is_count =
            self.words.len() == 1 && self.reading.words.get(at + 1).is_some_and(|word| word.has_digit());
        let is_value = is_count || between.contains('=') && self.reading.words[at].text.len() > 3;
        is_named || is_value || self.text_before(at + 1).contains('→')
    }

    /// Checks whether a word stands beside others that are written as programs write them: "reports TODO, TBD and FIXME".
    pub(super) fn is_listed_constant(&self, at: usize) -> bool {
        let is_constant = |at: usize| {
            self.words.contains(&at) && {
                let text = self.reading.words[at].text;
                text.len() > 2 && text.bytes().all(|byte| byte.is_ascii_uppercase())
            }
        };
        let is_joint = |at: usize| self.is_one_of(at, forms!["and", "or", "et", "ou"]);
        let next = if is_joint(at + 1) { at + 2 } else { at + 1 };
        is_constant(at) && is_constant(next)
    }

    /// Matches "Que le fichier soit compressé ou non, le lecteur le devine": either pattern.
    pub(super) fn is_concession(&self, at: usize, end: usize) -> bool {
        let is_or_not = self.is_one_of(at, forms!["ou"]) && self.is_one_of(end - 1, forms!["non", "pas"]);
        let first = self.clause_before(at).last().unwrap_or(at);
        is_or_not
            && self.is_one_of(first, forms!["que", "qu"])
            && (first == self.words.start && self.is_clause_end(end))
    }

    /// Checks whether what is open is the subject of what was done about it: "the two definitions have been merged".
    pub(super) fn is_dealt_with(&self, at: usize, end: usize) -> bool {
        // What is without something is some of many: "les lignes sans propriétaire sont rattachées".
        let is_some = self.is_one_of(at, forms!["sans", "without", "peu", "non", "en"]);
        let mut clause = self.clause_behind(end - 1).take(SUBJECT_WORDS_MAX + 5);
        let Some(helper) = clause.find(|at| {
            self.is_one_of(*at, forms!["been", "été", "was", "were"])
                || is_some && self.is_one_of(*at, forms!["sont", "est", "are", "is"])
        }) else {
            return false;
        };
        let is_free = !(end..helper).any(|at| self.reading.is(at, Concept::Whether));
        let is_done = |at: &usize| self.is_participle(*at);
        let done = self.clause_behind(helper).take(2).find(is_done);
        is_free && done.is_some()
    }

    /// Checks whether the words tell what a person or something does: "the agent asks a question", "la marche à suivre".
    pub(super) fn is_description(&self, at: usize, end: usize) -> bool {
        let is_asked = self.reading.is(end - 1, Concept::Point)
            && self.clause_before(at).take(3).any(|at| self.is_one_of(at, listed!("asking verbs")));
        let is_way = self.is_one_of(end - 1, forms!["suivre"])
            && at > self.words.start
            && self.is_one_of(
                at - 1,
                forms!["marche", "étapes", "règles", "procédure", "démarche", "consignes"],
            );
        // "Le robot demande une décision".
        let is_program = self.is_software(at);
        // "The debate is over", "the status is unknown for 4 of 900".
        let is_over = self.clause_behind(end - 1).take(SUBJECT_WORDS_MAX + 6).any(|at| {
            self.is_one_of(at, listed!("words for what is over"))
                && self.is_one_of(at - 1, forms!["is", "are", "est", "sont", "plus"])
        });
        // "The flag decides which of the two is shown".
        let is_shown = self.is_one_of(at, forms!["which"])
            && at > self.words.start
            && self.reading.words[at - 1].text.ends_with('s')
            && self.after_any(at - 1, &[Concept::Say, Concept::Decide, Concept::Settle]).is_some();
        let is_status =
            at > self.words.start && self.is_one_of(at - 1, forms!["status", "state", "statut", "état"]);
        // "No answer from the server means offline".
        let is_absent = (at..end)
            .any(|at| self.is_one_of(at, forms!["answer", "response", "reply", "réponse"]))
            && (end..self.words.end).take(3).any(|at| self.reading.is(at, Concept::Thing));
        // "Les imports non résolus font échouer la construction".
        let is_some = self.is_one_of(at, forms!["non"])
            && at >= self.words.start + 2
            && self.is_one_of(at - 2, forms!["les", "des", "ces", "aux"]);
        is_asked || is_way || is_program || is_over || is_shown || is_status || is_absent || is_some
    }

    /// Checks whether a word is written as programs write their states: `UNVERIFIED`, but not `TBD`.
    pub(super) fn is_constant(&self, at: usize) -> bool {
        let text = self.reading.words[at].text;
        text.len() > 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())
    }
}
