//! Compiles what fields and kinds mean in the common model, and refuses what they cannot mean.

use super::super::{EnumWord, Field, MapShape, Preset, Shape};
use super::{Compiler, NodeId, Position, Reference};
use crate::datum::Datum;
use crate::dialect::DefaultValue;
use crate::handoff::{Meaning, Part};
use crate::spelling::nearest;

/// The words of the common model for what only some words can be.
pub(super) fn words_of(meaning: Meaning) -> &'static [&'static str] {
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
    /// Compiles the meaning of a field, or its part of one.
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

    /// Compiles the meanings that a kind implies.
    pub(super) fn implied(&mut self, map: NodeId, fields: &MapShape) -> Vec<(Meaning, Box<str>)> {
        let mut implied = Vec::new();
        for (key, value) in self.tree.entries(map) {
            let meaning = self.meaning_at(key);
            if !self.is_shipped() {
                self.implies_something(value, meaning, fields);
            }
            if let Some(meaning) = meaning {
                implied.push((meaning, self.tree.text(value).into()));
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

    /// Remembers what stands in a field when nothing says it, to be held against the field once all is known.
    pub(super) fn note_defaults(&mut self, node: NodeId, field: &Field) {
        let Some(at) = self.tree.find(node, "default") else { return };
        let by = self.tree.find(at, "by");
        if let Some(by) = by {
            self.references.push(Reference { path: by, cases: at });
        }
        let values: Vec<NodeId> = match by {
            Some(by) => self.tree.entries(at).map(|(_, value)| value).filter(|value| *value != by).collect(),
            None => vec![at],
        };
        if by.is_some() && values.is_empty() {
            self.impossible(at, "there is no word here with which something goes".to_owned());
        }
        for value in values {
            let span = self.tree.span(value);
            if self.given.iter().all(|given| given.span != span) {
                let value = Datum::of(self.tree, value).into_owned();
                // Whether a file is there is asked of a document, where it lies.
                let field = Field { must_exist: false, ..field.clone() };
                self.given.push(DefaultValue { span, field, value });
            }
        }
    }

    /// Requires one field per meaning that a handoff has once; fields of which a word chooses one count as one.
    pub(super) fn means_once(&mut self, map: &MapShape, sources: &[NodeId]) {
        for meaning in [Meaning::From, Meaning::To, Meaning::Id, Meaning::Written] {
            let mut paths = Vec::new();
            meaning_in(map, meaning, &mut paths);
            let Some((first, others)) = paths.split_first() else { continue };
            for path in others {
                let node = sources.iter().find_map(|source| self.field_node(*source, path));
                let Some(at) = node.and_then(|node| self.tree.find(node, "means")) else { continue };
                let message =
                    format!("`{first}` means `{}` already, and a handoff says that once", meaning.word());
                self.impossible(at, message);
            }
        }
    }

    /// Node that defines the field at a dotted path, below the fields of a map.
    fn field_node(&self, fields: NodeId, path: &str) -> Option<NodeId> {
        self.tree.entries(fields).find_map(|(key, node)| match path.strip_prefix(self.tree.text(key))? {
            "" => Some(node),
            rest => self.field_node(self.tree.find(node, "fields")?, rest.strip_prefix('.')?),
        })
    }

    /// A field can hold what it means, and its words are words of that.
    pub(super) fn can_mean(&mut self, node: NodeId, field: &Field) {
        let others = self.tree.find(node, "or-means");
        for (item, meanings) in others.into_iter().flat_map(|list| self.tree.items(list)).zip(&field.or_means)
        {
            for meaning in meanings.iter().filter(|meaning| !can_hold(**meaning, &field.shape)) {
                let word = meaning.word();
                self.impossible(item, format!("a field of this type cannot mean `{word}`"));
            }
        }
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
            let is_known = |word: &EnumWord| {
                let mut own = std::iter::once(&word.text).chain(&word.also);
                word.means.is_some() || own.any(|own| known.iter().any(|one| one.eq_ignore_ascii_case(own)))
            };
            if !words.is_empty() && !words.iter().any(is_known) {
                let message = format!("none of its words means any of: {}", known.join(", "));
                let help = format!("`{}: {{means: {}}}` says what a word means", words[0].text, known[0]);
                self.refuse(at, message, Some(help));
            }
        }
    }

    fn word_meanings(&mut self, node: NodeId, words: &[EnumWord], known: &[&str]) {
        let map = self.tree.find(node, "words");
        for word in words {
            let Some(means) = word.means.as_deref().filter(|means| !known.contains(means)) else { continue };
            let of = map.and_then(|map| self.tree.find(map, &word.text));
            let at = of.and_then(|of| self.tree.find(of, "means")).unwrap_or(node);
            self.impossible(at, format!("`{means}` is none of: {}", known.join(", ")));
        }
    }
}

/// Usual alternatives of a field without any of its own: `did` can hold a summary.
pub(super) fn usual_alternatives(field: &Field) -> Vec<Vec<Meaning>> {
    let alternatives = [vec![Meaning::Did, Meaning::Found], vec![Meaning::Error], vec![Meaning::Concerns]];
    match (field.means, &field.shape) {
        (Some(Meaning::Summary), Shape::Text(_)) => alternatives.into(),
        (_, _) => Vec::new(),
    }
}

/// Tells whether a value of a shape can say what a meaning is.
fn can_hold(meaning: Meaning, shape: &Shape) -> bool {
    if let Shape::Either(shapes) = shape {
        return shapes.iter().any(|shape| can_hold(meaning, shape));
    }
    let is_time = matches!(shape, Shape::Date | Shape::Timestamp);
    let is_truth = matches!(shape, Shape::Boolean);
    let is_figure = matches!(shape, Shape::Integer(_) | Shape::Number);
    let is_many = matches!(shape, Shape::List(_) | Shape::Map(_) | Shape::Depends { .. });
    match meaning {
        // A word that decides what happens next, and figures and times are no words.
        Meaning::Delivery | Meaning::Outcome | Meaning::Recommendation => {
            !is_time && !is_truth && !is_figure && !is_many
        }
        Meaning::Written => !is_truth && !is_many && !matches!(shape, Shape::Words(_)),
        Meaning::Tokens => !is_truth && !is_time && !matches!(shape, Shape::List(_) | Shape::Words(_)),
        // What tells one from another is one value.
        Meaning::Id | Meaning::Thread | Meaning::Flow | Meaning::Step => !is_truth && !is_time && !is_many,
        Meaning::Branch => !is_truth && !is_time && !is_many && !is_figure,
        Meaning::From
        | Meaning::To
        | Meaning::Reason
        | Meaning::Summary
        | Meaning::Decisions
        | Meaning::Assumptions
        | Meaning::Questions
        | Meaning::Concerns
        | Meaning::Artifacts
        | Meaning::Commits
        | Meaning::Commands
        | Meaning::Constraints
        | Meaning::Criteria => !is_truth && !is_time && !is_figure,
        Meaning::Did
        | Meaning::Found
        | Meaning::Measurements
        | Meaning::Deliverable
        | Meaning::Error
        | Meaning::Gate => true,
    }
}

/// The dotted paths of the fields of a map that mean something.
fn meaning_in<'m>(map: &'m MapShape, meaning: Meaning, into: &mut Vec<&'m str>) {
    for field in &map.fields {
        match (field.means, &field.shape) {
            (Some(means), _) if means == meaning => into.push(&field.path),
            (None, Shape::Map(inner)) => meaning_in(inner, meaning, into),
            (Some(_) | None, _) => {}
        }
    }
}
