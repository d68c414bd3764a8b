//! Contradictions between two documents, and between a document and the work.

use super::super::forms::listed;
use super::super::lexicon::Concept;
use super::super::text::Gap;
use super::Sentence;

/// So far behind a document stands what it does.
const VERB_WORDS_MAX: usize = 5;

/// So far behind the first document stands the other one.
const OTHER_WORDS_MAX: usize = 24;

/// So far behind a verb stands the figure that it sets.
const FIGURE_WORDS_MAX: usize = 5;

impl Sentence<'_, '_> {
    /// Matches "the policy says 24, the contract says 36", "le ticket demande un an, la note impose six mois".
    pub(super) fn contradicting_documents(&self, at: usize) -> Option<usize> {
        let verb = self.demand_of(at)?;

        // The other one may stand in the next sentence.
        let end = self.reading.words.len().min(verb + OTHER_WORDS_MAX);
        let all = Sentence { reading: self.reading, words: self.words.start..end };
        // "The silkscreen on the board reads 5 V": anything that gives another figure.
        if let Some(first) = self.figure(verb) {
            let starts = (verb + 2..end).filter(|at| self.reading.words[*at].gap != Gap::None);
            let other = starts.filter_map(|start| {
                let verb = all
                    .clause_behind(start)
                    .take(VERB_WORDS_MAX + 1)
                    .find(|at| self.reading.is(*at, Concept::Demand))?;
                let is_noun = (start..verb).any(|at| !self.reading.is(at, Concept::Function));
                let figure =
                    all.clause_behind(verb).take(2).find(|at| self.reading.words[*at].has_digit())?;
                (is_noun && self.reading.words[figure].text != first).then_some(verb)
            });
            let other = { other }.next();
            if let Some(other) = other.filter(|other| !all.is_fixed(*other)) {
                return Some(other + 1);
            }
        }
        let pairs = (verb + 2..end).filter(|other| self.reading.after(*other, Concept::Source).is_some());
        // "The brief says 60, the mail “a minute”": the verb is not said again.
        let second = |other: usize| all.demand_of(other).or_else(|| all.figure_near(other).map(|_| other));
        let mut others = pairs.filter_map(|other| second(other).map(|second| (other, second)));
        let (other, second) = others
            .find(|(other, _)| (verb + 1..=*other).any(|at| self.reading.words[at].gap != Gap::None))?;
        let figures = || Some((all.figure(verb)?, all.figure(second)?));
        let is_other = || figures().is_some_and(|(first, second)| first != second);
        let is_opposite = || all.is_refusal(verb) != all.is_refusal(second);
        ((is_other() || is_opposite()) && !all.is_fixed(other)).then_some(second + 1)
    }

    /// Matches "although the terms of sale mention 14", "alors que les CGV parlent de 14".
    pub(super) fn deviating_document(&self, at: usize) -> Option<usize> {
        if !self.is_against(at) || at == self.words.start {
            return None;
        }
        let source = (at + 1..self.words.end.min(at + VERB_WORDS_MAX))
            .find(|at| self.reading.after(*at, Concept::Source).is_some())?;
        let verb = self.demand_of(source)?;

        Some(verb + 1)
    }

    fn is_against(&self, at: usize) -> bool {
        self.reading.is(at, Concept::Against)
    }

    /// The verb by which the document here sets something now.
    fn demand_of(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Source)?;
        let mut behind = self.clause_behind(end - 1).take(VERB_WORDS_MAX);
        let verb = behind.find(|at| self.reading.after(*at, Concept::Demand).is_some())?;
        Some(verb)
    }

    /// Checks whether a document says no.
    fn is_refusal(&self, verb: usize) -> bool {
        self.is_one_of(verb, listed!("refusing verbs"))
    }

    /// The figure that stands right behind a document.
    fn figure_near(&self, at: usize) -> Option<&str> {
        let figure = self.figure(at)?;
        let end = self.clause_behind(at).take(FIGURE_WORDS_MAX).last()?;
        self.is_clause_end(end + 1).then_some(figure)
    }

    /// The figure or quoted word that a verb sets.
    fn figure(&self, verb: usize) -> Option<&str> {
        let mut behind = self.clause_behind(verb).take(FIGURE_WORDS_MAX);
        let figure = behind.find(|at| {
            let word = &self.reading.words[*at];
            word.has_digit() || word.is_quoted
        })?;
        // "99.9" is two words.
        let is_joined = self.text_before(figure + 1) == ".";
        let last = if is_joined && self.words.contains(&(figure + 1)) { figure + 1 } else { figure };
        Some(self.reading.words_between(figure, last + 1))
    }

    /// Checks whether what follows says how it ended, or what was done about it.
    pub(super) fn is_fixed(&self, from: usize) -> bool {
        self.is_concluded(from) || self.is_followed_by_fix(from)
    }
}
