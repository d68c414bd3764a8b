//! Two who hold different views, two accounts of one thing, and two of which one is meant.

use super::super::lexicon::{Concept, Concepts, Language};
use super::super::text::Gap;
use super::super::texts::{Texts, texts};
use super::Sentence;

/// So far behind the first view stands the second one.
const VIEW_WORDS_MAX: usize = 12;

/// The words before whose account it is.
pub(super) const BY_ACCOUNT: Texts<3> = Texts::of(["according", "selon", "après"]);

impl Sentence<'_, '_> {
    /// "Marc said green and Julie said blue", "le marketing veut juin, la technique août".
    pub(super) fn opposed(&self, at: usize) -> Option<usize> {
        let view = self.reading.after(at, Concept::Hold).filter(|end| self.words.contains(end))?;
        // "The rule says 'each test asserts both, and …'": what follows is its text.
        if self.text_before(view).ends_with('\'') {
            return None;
        }
        let is_who = |at: usize| {
            self.is_somebody(at)
                || self.is_named(at)
                || self.is_one_of(at, texts!["i", "je", "one", "other", "autre", "un"])
        };
        // "The old terms say 60, the website 120", "the guide says to drop it, the DBA to keep it": anything that says a figure or
        // what to do.
        let is_figure = |from: usize, to: usize| {
            (from..to.min(self.words.end)).any(|at| self.reading.words[at].has_digit())
        };
        let is_order = self.is_one_of(view, texts!["to", "de", "d"]) && self.reading.is(at, Concept::Say);
        let is_now = !self.is_one_of(at, texts!["said", "disait", "disaient"]);
        let is_any = is_now && (is_order || self.reading.is(at, Concept::Say) && is_figure(view, view + 2));
        let is_who = |at: usize| is_who(at) || is_any && !self.reading.is(at, Concept::Function);
        let mut before = self.clause_before(at).take(2);
        let who = before.find(|at| is_who(*at))?;
        // The other one: behind a pause or a joining word, with a verb of the same kind or none at all.
        let other = (view + 1..self.near_end(view)).take(VIEW_WORDS_MAX).find(|at| {
            let start = (view..=*at).rev().take(3).find(|at| self.is_view_start(*at));
            let is_same = self.is_same(*at, who);
            // "L'éditeur de l'ERP dit".
            let is_of = self.is_one_of(at + 1, texts!["de", "du", "of"]);
            let verbs = if is_of { at + 2..at + 5 } else { at + 1..at + 2 };
            let is_verb = verbs.into_iter().any(|at| self.reading.after(at, Concept::Hold).is_some());
            start.is_some_and(|start| {
                is_verb || (start..*at).all(|at| self.reading.is(at, Concept::Function) || self.is_joint(at))
            }) && is_who(*at)
                && !is_same
                && !self.is_place(*at)
                && (is_verb
                    || self.is_bare(at + 1) && (!is_any || is_figure(at + 1, at + 2))
                    || is_order && self.is_one_of(at + 1, texts!["to", "de", "d"]))
        })?;
        // "La norme dit 14 mm, le plan dit 14 mm aussi".
        let is_alike = || {
            let mut behind = self.clause_behind(other);
            behind.any(|at| self.is_one_of(at, texts!["aussi", "également", "too", "likewise"]))
        };
        let is_other = || {
            self.is_case(at) || self.is_theirs(at) || self.is_denied(at) || self.is_ended(other) || is_alike()
        };
        (!is_other()).then_some(other + 1)
    }

    /// Whether two words are the same, without regard to capitals.
    pub(super) fn is_same(&self, at: usize, other: usize) -> bool {
        let [text, other] = [at, other].map(|at| self.reading.words[at].text);
        match text.is_ascii() {
            true => text.eq_ignore_ascii_case(other),
            false => text.chars().flat_map(char::to_lowercase).eq(other.chars()),
        }
    }

    fn is_joint(&self, at: usize) -> bool {
        self.is_one_of(
            at,
            texts!["and", "but", "while", "whereas", "et", "mais", "quand", "tandis", "que", "alors", "yet"],
        )
    }

    fn is_view_start(&self, at: usize) -> bool {
        self.reading.words[at].gap != Gap::None || self.is_joint(at)
    }

    /// Whether the verb is left out: "engineering August", "la technique août", "l'équipe non".
    fn is_bare(&self, at: usize) -> bool {
        const VERBS: [Concept; 4] = [Concept::Must, Concept::Will, Concept::Past, Concept::Helped];
        let is_verb =
            VERBS.iter().any(|concept| self.reading.is(at, *concept)) || self.is_participle_or_verb(at);
        // "Le PDG un forfait".
        let last = if self.reading.is(at, Concept::Article) { at + 1 } else { at };
        self.words.contains(&last)
            && self.reading.words[at].gap == Gap::None
            && !is_verb
            && self.is_clause_end(last + 1)
    }

    fn is_participle_or_verb(&self, at: usize) -> bool {
        self.reading.words.get(at).is_none_or(|word| {
            self.reading.language == Language::English
                && (word.text.ends_with("ed") || word.text.ends_with("ing"))
        })
    }

    /// "The CFO says “let's talk in July”": whether quoted words are what somebody of ours said.
    pub(super) fn is_spoken(&self, at: usize) -> bool {
        let mut first = at;
        while first > self.near_start(at) && self.reading.words[first - 1].is_quoted {
            first -= 1;
        }
        let Some(verb) = first.checked_sub(1).filter(|verb| self.words.contains(verb)) else { return false };
        let is_said = self.is_one_of(
            verb,
            texts!["says", "said", "say", "dit", "disent", "answered", "replied", "répond", "fait"],
        );
        let mut before = self.clause_before(verb).take(2);
        is_said
            && !self.is_software(verb)
            && before.any(|at| self.reading.is(at, Concept::Crew) || self.is_named(at))
    }

    /// "five according to Zoom, seven according to Anna", "cinq selon Zoom, sept selon Anna".
    pub(super) fn accounts(&self, at: usize) -> Option<usize> {
        if !self.is_one_of(at, &BY_ACCOUNT) {
            return None;
        }
        let other = (at + 2..self.near_end(at)).find(|other| self.is_one_of(*other, &BY_ACCOUNT))?;
        let is_case = self.reading.is(at + 1, Concept::When) || self.is_one_of(at + 1, texts!["que", "qu"]);
        (!is_case && !self.is_ended(other)).then_some(other + 1)
    }

    /// "The date of the vase, 1740 or 1760, the curator was to check": two without a verb, and somebody or a doubt behind them.
    pub(super) fn alternatives(&self, at: usize) -> Option<usize> {
        const VERBS: Concepts = Concepts::of(&[
            Concept::Past,
            Concept::Helped,
            Concept::Must,
            Concept::Will,
            Concept::Predicate,
            Concept::Relative,
            Concept::People,
            Concept::Thing,
        ]);
        const ALTERNATIVE_WORDS_MAX: usize = 9;
        // `VS-004` is a name.
        if self.text_before(at + 1) != " " {
            return None;
        }
        let start = self.clause_before(at).last()?;
        let end = (at + 1..self.near_end(at)).find(|at| self.is_clause_end(*at)).unwrap_or(self.near_end(at));
        if end == at + 1 || end >= self.words.end || end - start > ALTERNATIVE_WORDS_MAX {
            return None;
        }
        let is_verb = |at: usize| {
            self.reading.words[at].is_any(VERBS)
                || self.is_participle(at)
                    && !self.reading.words[at].has_digit()
                    && !self.reading.is(at, Concept::Function)
        };
        if (start..end).any(|at| is_verb(at) || self.reading.words[at].is_code) {
            return None;
        }
        let mut behind = end..self.near_end(end).min(end + ALTERNATIVE_WORDS_MAX);
        let is_open = behind.any(|at| {
            self.reading.is(at, Concept::Teller) || self.reading.is(at, Concept::Crew) || self.is_named(at)
        });
        let is_theirs = (end..self.near_end(end)).any(|at| {
            self.reading.is(at, Concept::People)
                || self.is_imperfect(at)
                || self.is_one_of(at, texts!["both", "either", "deux"])
        });
        let is_done = (end..self.near_end(end))
            .any(|at| self.is_participle(at) && !self.reading.is(at, Concept::Function));
        (is_open && !is_theirs && !is_done && !self.is_ended(end)).then_some(end)
    }
}
