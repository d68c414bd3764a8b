//! Two documents that set different things, and a document that sets something else than what was done.

use super::super::lexicon::Concept;
use super::super::text::Gap;
use super::super::texts::{Texts, texts};
use super::Sentence;

/// So far behind a document stands what it does.
const VERB_WORDS_MAX: usize = 5;

/// So far behind the first document stands the other one.
const OTHER_WORDS_MAX: usize = 24;

/// So far behind a verb stands the figure that it sets.
const FIGURE_WORDS_MAX: usize = 5;

impl Sentence<'_, '_> {
    /// "the policy says 24, the contract says 36", "le ticket demande un an, la note impose six mois".
    pub(super) fn clashing(&self, at: usize) -> Option<usize> {
        let verb = self.demand_of(at)?;
        if self.is_case(at) || self.is_denied(verb) {
            return None;
        }
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
                (is_noun && self.reading.words[figure].text != first && !all.is_denied(verb)).then_some(verb)
            });
            let other = { other }.next();
            if let Some(other) = other.filter(|other| !all.is_mended(*other)) {
                return Some(other + 1);
            }
        }
        let pairs = (verb + 2..end)
            .filter(|other| self.reading.after(*other, Concept::Source).is_some() && !all.is_place(*other));
        // "The brief says 60, the mail “a minute”": the verb is not said again.
        let second = |other: usize| all.demand_of(other).or_else(|| all.figure_near(other).map(|_| other));
        let mut others = pairs.filter_map(|other| second(other).map(|second| (other, second)));
        let (other, second) = others.find(|(other, _)| {
            let is_apart =
                (verb + 1..=*other).any(|at| self.reading.words[at].gap != Gap::None || all.is_against(at));
            is_apart && !all.is_same(*other, at)
        })?;
        let is_against = (verb + 1..other).any(|at| all.is_against(at)) && !all.is_denied(second);
        let figures = || Some((all.figure(verb)?, all.figure(second)?));
        let is_other = || figures().is_some_and(|(first, second)| first != second);
        let is_opposite = || all.is_refusal(verb) != all.is_refusal(second);
        ((is_against || is_other() || is_opposite()) && !all.is_mended(other)).then_some(second + 1)
    }

    /// "although the terms of sale mention 14", "alors que les CGV parlent de 14".
    pub(super) fn unlike(&self, at: usize) -> Option<usize> {
        if !self.is_against(at) || at == self.words.start {
            return None;
        }
        let source = (at + 1..self.words.end.min(at + VERB_WORDS_MAX))
            .find(|at| self.reading.after(*at, Concept::Source).is_some())?;
        let verb = self.demand_of(source)?;
        let is_still = || {
            self.clause_behind(verb)
                .take(3)
                .any(|at| self.is_one_of(at, texts!["still", "toujours", "encore"]))
        };
        let is_still = is_still() || self.is_one_of(verb - 1, texts!["still"]);
        if self.figure(verb).is_none() && !is_still {
            return None;
        }
        (!self.is_denied(verb) && !self.is_mended(verb)).then_some(verb + 1)
    }

    /// Whether a word with its number says where something stands: "the rules say no, page 14".
    pub(super) fn is_place(&self, at: usize) -> bool {
        const PLACES: Texts<16> = Texts::of([
            "page",
            "pages",
            "article",
            "section",
            "clause",
            "chapter",
            "chapitre",
            "annex",
            "annexe",
            "appendix",
            "paragraph",
            "paragraphe",
            "alinéa",
            "slide",
            "point",
            "ligne",
        ]);
        self.is_one_of(at, &PLACES)
            && self.words.contains(&(at + 1))
            && self.reading.words[at].gap != Gap::None
            && self.reading.words[at + 1].has_digit()
    }

    fn is_against(&self, at: usize) -> bool {
        let is_still =
            || self.is_one_of(at, texts!["quand"]) && self.is_one_of(at + 1, texts!["même", "meme"]);
        self.reading.is(at, Concept::Against) && !is_still()
    }

    /// The verb by which the document here sets something now.
    fn demand_of(&self, at: usize) -> Option<usize> {
        let end = self.reading.after(at, Concept::Source)?;
        let mut behind = self.clause_behind(end - 1).take(VERB_WORDS_MAX);
        let verb = behind.find(|at| self.reading.after(*at, Concept::Demand).is_some())?;
        let is_past =
            self.is_one_of(verb, texts!["said", "disait"]) || self.reading.words[verb].text.ends_with("ed");
        let is_free = !(end..verb).any(|at| self.reading.is(at, Concept::Relative) || self.is_denial(at));
        (!is_past && is_free).then_some(verb)
    }

    /// Whether a document says no.
    fn is_refusal(&self, verb: usize) -> bool {
        const REFUSES: Texts<14> = Texts::of([
            "forbids",
            "forbid",
            "prohibits",
            "prohibit",
            "rules",
            "rule",
            "excludes",
            "exclude",
            "interdit",
            "interdisent",
            "exclut",
            "excluent",
            "refuse",
            "refuses",
        ]);
        self.is_one_of(verb, &REFUSES) || self.is_one_of(verb + 1, texts!["no", "non", "never", "not"])
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
            const UNITS: Texts<13> = Texts::of([
                "year", "month", "week", "day", "hour", "an", "mois", "semaine", "jour", "heure", "fois",
                "time", "minute",
            ]);
            let is_one =
                self.is_one_of(*at, texts!["one", "a", "an", "un", "une"]) && self.is_one_of(at + 1, &UNITS);
            word.has_digit() || word.is_quoted || is_one || self.reading.is(*at, Concept::Number)
        })?;
        // "99.9" is two words.
        let is_joined = self.text_before(figure + 1) == ".";
        let last = if is_joined && self.words.contains(&(figure + 1)) { figure + 1 } else { figure };
        Some(self.reading.words_between(figure, last + 1))
    }

    /// Whether what follows says how it ended, or what was done about it.
    pub(super) fn is_mended(&self, from: usize) -> bool {
        self.is_ended(from) || self.is_done_about(from)
    }
}
