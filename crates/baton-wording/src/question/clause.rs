//! What stands around a word in its sentence: its clause, whether it is denied or only a case.

use super::super::forms::{Ends, Forms, count, forms, listed};
use super::super::lexicon::{Concept, Concepts, Language};
use super::super::text::Gap;
use super::Sentence;

/// So far around a word its sentence is looked at; a longer one would be looked at again for each of its words.
pub(super) const SENTENCE_WORDS_MAX: usize = 40;

/// So far before a verb stands who acts.
pub(super) const SUBJECT_WORDS_MAX: usize = 4;

/// So far before a clause stands what opens it.
pub(super) const CASE_WORDS_MAX: usize = 8;

/// Words behind which a clause starts.
pub(super) const JOINTS: Forms<{ count("conjunctions") }> = Forms::listed("conjunctions");

impl Sentence<'_, '_> {
    /// The words before this one in the same clause, the nearest first.
    pub(super) fn clause_before(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let before = (self.near_start(at)..at).rev();
        before
            .take_while(|before| self.reading.words.get(before + 1).is_some_and(|word| word.gap == Gap::None))
    }

    /// The words behind this one in the same clause.
    pub(super) fn clause_behind(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        (at + 1..self.near_end(at)).take_while(|at| self.reading.words[*at].gap == Gap::None)
    }

    /// Checks whether a clause starts here: behind a pause or a word that joins clauses.
    pub(super) fn is_clause_start(&self, at: usize) -> bool {
        let is_joined = || self.is_one_of(at - 1, &JOINTS);
        at == self.words.start || self.reading.words[at].gap != Gap::None || is_joined()
    }

    /// Checks whether a clause ends before this place.
    pub(super) fn is_clause_end(&self, at: usize) -> bool {
        at >= self.words.end || self.reading.words[at].gap != Gap::None
    }

    /// Checks whether the sentence ends with a question mark: then the mark asks, if nothing answers it.
    pub(super) fn is_marked(&self) -> bool {
        self.text_before(self.words.end).contains('?')
    }

    /// Text between a word and the one before it.
    pub(super) fn text_before(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.reading.words[before].end());
        let end = self.reading.words.get(at).map_or(self.reading.text.len(), |word| word.start);
        &self.reading.text[start..end]
    }

    /// Checks whether the word here, without regard to capitals, is one of these.
    #[inline]
    pub(super) fn is_one_of<const N: usize>(&self, at: usize, texts: &Forms<N>) -> bool {
        self.words.contains(&at) && self.reading.words.get(at).is_some_and(|word| texts.have(&word.tag))
    }

    /// Checks whether a word stands in a clause about a case that may come, or about those of many to which something applies.
    pub(super) fn is_hypothetical(&self, at: usize) -> bool {
        // "Whoever has not answered by then", "qui n'a pas répondu".
        let first = self.clause_before(at).last().unwrap_or(at);
        let is_next_denied = || (first + 1..first + 4).any(|at| self.is_denial(at));
        if self.is_one_of(first, forms!["whoever", "those", "anyone", "quiconque", "ceux", "qui"])
            && is_next_denied()
        {
            return true;
        }
        let mut before = self.clause_before(at).take(CASE_WORDS_MAX);
        let Some(opener) = before.find(|before| self.is_opener(*before)) else { return false };
        // The word itself may be who acts: "a figure that I made up", "a reason that escapes me", "dont il n'est pas établi".
        let acts = |concept| (opener + 1..=at).any(|at| self.reading.is(at, concept));
        let is_felt = (opener + 1..=at + 1).any(|at| self.is_one_of(at, forms!["me", "m", "us"]))
            // "Le budget, dont le montant n'est pas connu".
            || self.is_one_of(opener, forms!["dont"]) && self.is_one_of(at, forms!["n", "ne", "nul", "personne"])
            // "Un service payant, dépense dont le principe n'a pas été acté": a noun of its own tells more of one thing.
            || self.is_one_of(opener, forms!["dont"])
                && opener > self.words.start
                && self.reading.words[opener - 1].gap == Gap::Pause;
        if is_felt {
            return false;
        }
        let is_condition = self.is_one_of(opener, listed!("conditions"));
        let is_while = || opener > self.words.start && self.is_one_of(opener - 1, forms!["tant"]);
        // "What wins when both fit is not decided": the case is inside what is asked.
        let start = self.clause_before(at).last().unwrap_or(at);
        let is_asked = start < opener && self.reading.is(start, Concept::Whether);
        if is_asked {
            return false;
        }
        if is_condition || is_while() {
            return !acts(Concept::Narrator);
        }
        // ", which is still open" tells more of one thing; "orders which are open" tells which of many. A first word asks, and
        // behind a small word it opens what is thought: "except that", "parce que".
        let is_of_noun = opener > self.words.start
            && self.reading.words[opener].gap == Gap::None
            && (!self.reading.is(opener - 1, Concept::Function));
        is_of_noun && (self.is_generic() || !acts(Concept::Decider) && !acts(Concept::Narrator))
    }

    fn is_opener(&self, at: usize) -> bool {
        self.reading.is(at, Concept::Relative)
            || self.is_one_of(at, forms!["où"])
            || self.is_one_of(at, forms!["s"]) && self.is_one_of(at + 1, forms!["il", "ils"])
    }

    /// Checks whether what follows is the content of something that was made: "the guide explains why it was unclear".
    pub(super) fn is_reported(&self, at: usize) -> bool {
        let mut before = self.clause_before(at).take(CASE_WORDS_MAX);
        let Some(whether) = before.find(|at| self.reading.after(*at, Concept::Whether).is_some()) else {
            return false;
        };
        let Some(say) = whether.checked_sub(1).filter(|say| *say > self.words.start) else { return false };
        self.reading.is(say, Concept::Say)
    }

    /// The start of the sentence, or of what is looked at of a long one.
    pub(super) fn near_start(&self, at: usize) -> usize {
        self.words.start.max(at.saturating_sub(SENTENCE_WORDS_MAX))
    }

    /// The end of the sentence, or of what is looked at of a long one.
    pub(super) fn near_end(&self, at: usize) -> usize {
        self.words.end.min(at + SENTENCE_WORDS_MAX)
    }

    /// Checks whether a word or phrase under a concept starts between two places.
    pub(super) fn has_between(&self, from: usize, to: usize, concept: Concept) -> bool {
        (from..to).any(|at| self.reading.after(at, concept).is_some())
    }

    /// Checks whether a word or phrase under a concept starts behind a place in the sentence.
    pub(super) fn has_behind(&self, at: usize, concept: Concept) -> bool {
        self.has_between(at, self.near_end(at), concept)
    }

    /// The place behind the first word or phrase under one of some concepts that starts here.
    #[inline]
    pub(super) fn after_any(&self, at: usize, concepts: &[Concept]) -> Option<usize> {
        if !self.reading.words.get(at)?.found.may_be(Concepts::of(concepts)) {
            return None;
        }
        let ends = concepts.iter().find_map(|concept| self.reading.after(at, *concept));
        ends.filter(|end| *end <= self.words.end)
    }

    /// Checks whether a word that is no small one follows without a pause.
    pub(super) fn is_before_noun(&self, at: usize) -> bool {
        let word = self.reading.words.get(at).filter(|_| at < self.words.end);
        word.is_some_and(|word| word.gap == Gap::None && !word.is(Concept::Function))
    }

    /// Checks whether a word stands behind an article.
    pub(super) fn is_behind_article(&self, at: usize) -> bool {
        let before = at.checked_sub(1).filter(|before| *before >= self.words.start);
        before.is_some_and(|before| self.reading.is(before, Concept::Article))
    }

    /// Checks whether a word denies.
    #[inline]
    pub(super) fn is_denial(&self, at: usize) -> bool {
        self.reading.is(at, Concept::Negation) && self.denies(at)
    }

    /// Checks whether a word that may deny does so here.
    #[inline]
    fn denies(&self, at: usize) -> bool {
        // "La clause de non-concurrence" is one.
        let is_joined = || self.is_one_of(at, forms!["non"]) && self.text_before(at + 1) == "-";
        !(self.reading.words[at].is_quoted || is_joined())
    }

    /// Matches "Plus tard" and "plus serait mieux" deny nothing.
    #[inline(never)]
    /// Checks whether a word before this one in the same clause takes it back.
    pub(super) fn is_denied(&self, at: usize) -> bool {
        // "I would not bet on it and the board has to say": behind the joining word a person else acts.
        let is_joined = |joint: &usize| {
            self.is_one_of(*joint, listed!("conjunctions that end a denial"))
                && (joint + 1..at).any(|at| self.reading.is(at, Concept::Narrator))
                || self.is_one_of(*joint, forms!["and", "but", "et", "mais"])
                    && *joint < at
                    && self.is_one_of(joint + 1, listed!("auxiliaries of a possibility"))
        };
        // Most clauses have no denial at all.
        self.clause_before(at).any(|before| self.is_denial(before)) && {
            let mut before = self.clause_before(at).take_while(|before| !is_joined(before));
            before.any(|before| self.is_denial(before))
        }
    }

    /// A verb in a form that says that it happened.
    pub(super) fn is_participle(&self, at: usize) -> bool {
        const ENGLISH: Ends<19> = Ends::of([
            "ed", "en", "ose", "old", "ept", "ave", "ent", "aid", "ot", "ame", "ack", "one", "up", "ade",
            "eard", "ought", "set", "ome", "read",
        ]);
        const FRENCH: Ends<17> = Ends::of([
            "é", "ée", "és", "ées", "i", "ie", "is", "ies", "u", "ue", "us", "ues", "clos", "close", "dit",
            "mise", "mis",
        ]);
        const HELPED: Ends<6> = Ends::of(["e", "es", "ee", "ees", "it", "rt"]);
        let text = self.reading.words[at].text;
        match self.reading.language {
            Language::English => ENGLISH.has(text) && !text.ends_with("accept") && !text.ends_with("except"),
            Language::French => {
                let before = at.checked_sub(1);
                let is_helped = || before.is_some_and(|before| self.reading.is(before, Concept::Helped));
                if FRENCH.has(text) {
                    // "Indique" is no form of what is over.
                    let is_present = ["que", "ques", "gue"].iter().any(|end| text.ends_with(end));
                    return !is_present || is_helped();
                }
                HELPED.has(text) && is_helped()
            }
        }
    }
}
