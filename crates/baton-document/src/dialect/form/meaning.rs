//! Compiles what fields and kinds mean in the common model, and refuses what they cannot mean.

use super::super::{Field, MapShape, Preset, Shape, Word};
use super::{Compiler, NodeId, Position, find_field};
use crate::check::nearest;
use crate::datum::Datum;
use crate::handoff::{Meaning, Part};

/// The words of the common model for what only some words can be.
fn words_of(meaning: Meaning) -> &'static [&'static str] {
    if meaning == Meaning::Delivery {
        &["pending", "sent", "failed"]
    } else if meaning == Meaning::Outcome {
        &["done", "done-with-concerns", "partial", "blocked", "failed", "skipped", "running"]
    } else if meaning == Meaning::Recommendation {
        &["continue", "repeat", "detour", "escalate", "ask", "stop"]
    } else {
        &[]
    }
}

/// The words of a weight.
const WEIGHTS: &[&str] = &["high", "medium", "low"];

impl Compiler<'_, '_> {
    /// What a field means, or of what it is a part.
    pub(super) fn meaning(
        &mut self,
        node: NodeId,
        position: Position<'_>,
    ) -> (Option<Meaning>, Option<Part>) {
        let Some(at) = self.tree.find(node, "means") else { return (None, None) };
        if !position.in_whole {
            return (self.meaning_at(at), None);
        }
        let word = self.tree.text(at);
        let part = Part::from_word(word);
        if part.is_none() {
            let words = Part::ALL.map(|(word, _)| word).join(", ");
            self.impossible(at, format!("`{word}` is no part of an entry, which is one of: {words}"));
        }
        (None, part)
    }

    /// Meanings in order of preference; those joined with `+` are told together.
    pub(super) fn alternatives(&mut self, list: NodeId) -> Vec<Vec<Meaning>> {
        let tree = self.tree;
        let together = |item: NodeId| {
            let words = tree.text(item).split('+');
            words.filter_map(|word| self.meaning_of(item, word.trim())).collect()
        };
        tree.items(list).map(together).collect()
    }

    fn meaning_at(&mut self, at: NodeId) -> Option<Meaning> {
        self.meaning_of(at, self.tree.text(at))
    }

    fn meaning_of(&mut self, at: NodeId, word: &str) -> Option<Meaning> {
        let meaning = Meaning::from_word(word);
        if meaning.is_none() {
            let near = nearest(word, Meaning::ALL.into_iter().map(|(word, _)| word));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            self.impossible(at, format!("the common model has no `{word}`{near}"));
        }
        meaning
    }

    /// What a kind means without saying it.
    pub(super) fn implied(&mut self, map: NodeId, fields: &MapShape) -> Vec<(Meaning, Box<str>)> {
        let mut implied = Vec::new();
        for (key, value) in self.tree.entries(map) {
            let text = self.tree.text(value);
            let names = text.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name));
            for name in names.filter(|name| find_field(fields, name).is_none()) {
                self.impossible(value, format!("`{name}` is no field of this kind"));
            }
            if let Some(meaning) = self.meaning_at(key) {
                implied.push((meaning, text.into()));
            }
        }
        implied
    }

    pub(super) fn preset(&mut self, node: NodeId) -> Option<Preset> {
        let at = self.tree.find(node, "default")?;
        let Some(by) = self.tree.find(at, "by") else {
            return Some(Preset::Always(Datum::of(self.tree, at).into_owned()));
        };
        let cases = self.tree.entries(at).filter(|(key, _)| self.tree.text(*key) != "by");
        let cases = cases
            .map(|(key, value)| (self.tree.text(key).into(), Datum::of(self.tree, value).into_owned()))
            .collect();
        Some(Preset::By { on: self.tree.text(by).into(), cases })
    }

    /// A field can hold what it means, and its words are words of that.
    pub(super) fn can_mean(&mut self, node: NodeId, field: &Field) {
        let Some(at) = self.tree.find(node, "means") else { return };
        if let Some(meaning) = field.means.filter(|meaning| !can_hold(*meaning, &field.shape)) {
            let word = meaning.word();
            self.impossible(at, format!("a field of this type cannot mean `{word}`"));
        }
        let known = match (field.means, field.part) {
            (Some(meaning), _) => words_of(meaning),
            (None, Some(Part::Weight)) => WEIGHTS,
            (None, _) => &[],
        };
        if let (Shape::Words(words), false) = (&field.shape, known.is_empty()) {
            self.word_meanings(node, words, known);
        }
    }

    fn word_meanings(&mut self, node: NodeId, words: &[Word], known: &[&str]) {
        let map = self.tree.find(node, "words");
        for word in words {
            let Some(means) = word.means.as_deref().filter(|means| !known.contains(means)) else { continue };
            let of = map.and_then(|map| self.tree.find(map, &word.text));
            let at = of.and_then(|of| self.tree.find(of, "means")).unwrap_or(node);
            self.impossible(at, format!("`{means}` is none of: {}", known.join(", ")));
        }
    }
}

/// Whether a value of a shape can say what a meaning is.
fn can_hold(meaning: Meaning, shape: &Shape) -> bool {
    let is_list = match meaning {
        Meaning::Written => {
            return !matches!(shape, Shape::Boolean | Shape::List(_) | Shape::Map(_) | Shape::Words(_));
        }
        Meaning::Tokens => return !matches!(shape, Shape::Boolean | Shape::Date | Shape::Timestamp),
        Meaning::Decisions
        | Meaning::Assumptions
        | Meaning::Questions
        | Meaning::Concerns
        | Meaning::Artifacts
        | Meaning::Commits
        | Meaning::Commands
        | Meaning::Constraints
        | Meaning::Criteria => true,
        Meaning::Id
        | Meaning::Thread
        | Meaning::Flow
        | Meaning::Step
        | Meaning::Branch
        | Meaning::From
        | Meaning::To
        | Meaning::Delivery
        | Meaning::Outcome
        | Meaning::Recommendation
        | Meaning::Reason
        | Meaning::Summary
        | Meaning::Did
        | Meaning::Found
        | Meaning::Measurements
        | Meaning::Deliverable
        | Meaning::Error
        | Meaning::Gate => false,
    };
    let is_scalar =
        matches!(shape, Shape::Integer(_) | Shape::Number | Shape::Boolean | Shape::Date | Shape::Timestamp);
    match (is_list, meaning) {
        (true, _) => !is_scalar,
        (false, Meaning::Id | Meaning::Thread | Meaning::Step) => {
            !matches!(shape, Shape::Boolean | Shape::Map(_) | Shape::Date | Shape::Timestamp)
        }
        (false, Meaning::Summary | Meaning::Reason | Meaning::From | Meaning::To | Meaning::Branch) => {
            !is_scalar
        }
        (false, _) => true,
    }
}
