//! A document as its dialect means it: drift taken out, so that every value stands where it is looked for.

use super::facts::{Fact, is_said};
use crate::arena_value::{ArenaValue, Maker};
use crate::canonical::{Unwrapped, unwrapped, with_attributes};
use crate::dialect::{DialectKind, EnumWord, Field, MapShape, Shape};
use crate::handoff::Meaning;
use crate::timestamp;
use crate::tree::boolean_word;
use crate::tree::{NodeId, Tree};
use timestamp::Reading;

/// The document at a node, with the drift taken out of it.
pub(super) fn of<'v>(
    tree: &'v Tree<'_>,
    kind: &'v DialectKind,
    document: NodeId,
    maker: &mut Maker<'v>,
) -> ArenaValue<'v> {
    let Unwrapped { value, is_usual, .. } = unwrapped(tree, kind, document, maker, |_, _, _| {});
    again(kind, value, is_usual, maker)
}

/// A document as it is converted.
pub(super) struct Normal<'v> {
    /// The document with the drift taken out of it.
    pub(super) value: ArenaValue<'v>,
    /// The same with the attributes that stand beside single values in XML.
    pub(super) whole: ArenaValue<'v>,
    /// The facts that it says in its fields, where they could be gathered on the way.
    pub(super) facts: Option<Vec<Fact<'v>>>,
}

/// The document at a node as it is converted.
pub(super) fn with_facts<'v>(
    tree: &'v Tree<'_>,
    kind: &'v DialectKind,
    document: NodeId,
    maker: &mut Maker<'v>,
) -> Normal<'v> {
    let mut facts = Vec::with_capacity(16);
    let note = |meaning: Meaning, field: &'v Field, value: ArenaValue<'v>| {
        if is_said(value) {
            facts.push(Fact::new(meaning, Some(field), &field.path, value));
        }
    };
    let Unwrapped { value, is_usual, is_in_order, has_more } = unwrapped(tree, kind, document, maker, note);
    // Neither a word nor another map of the document chooses fields, and each stands in its place.
    let is_all = is_usual && is_in_order && kind.capacity.is_settled && kind.also_in.is_none();
    let value = again(kind, value, is_usual, maker);
    let whole = match has_more {
        true => {
            let whole = with_attributes(tree, kind, document, maker);
            normalised(kind, whole, maker)
        }
        false => value,
    };
    Normal { value, whole, facts: is_all.then_some(facts) }
}

/// A document with the drift taken out of it, unless there is known to be none.
pub(super) fn again<'v>(
    kind: &'v DialectKind,
    value: ArenaValue<'v>,
    is_usual: bool,
    maker: &mut Maker<'v>,
) -> ArenaValue<'v> {
    if !is_usual {
        return normalised(kind, value, maker);
    }
    debug_assert!(normalised(kind, value, maker) == value, "{value:?}");
    value
}

/// A document without drift.
fn normalised<'v>(kind: &'v DialectKind, document: ArenaValue<'v>, maker: &mut Maker<'v>) -> ArenaValue<'v> {
    let document = map(&kind.map, document, maker);
    let Some(key) = super::facts::payload_key(kind) else { return document };
    match document.get(key) {
        Some(payload) => {
            let payload = map(&kind.map, payload, maker);
            document.with(key, payload, maker)
        }
        None => document,
    }
}

fn map<'v>(shape: &'v MapShape, value: ArenaValue<'v>, maker: &mut Maker<'v>) -> ArenaValue<'v> {
    let entries = match value {
        ArenaValue::Map(entries) => entries,
        ArenaValue::Null | ArenaValue::List(_) => return value,
        ArenaValue::Boolean(_) | ArenaValue::Number(_) | ArenaValue::Text(_) => {
            let Some(field) = shape.shorthand.and_then(|at| shape.fields.get(at)) else { return value };
            let plain = shaped(&field.shape, value, maker);
            return maker.map_of(&field.key.text, plain);
        }
    };
    let mut hint = 0;
    let start = maker.entries.len();
    for (at, (name, value)) in entries.iter().copied().enumerate() {
        let field = match shape.position_of(name, hint) {
            Some(position) => {
                hint = position + 1;
                Some(&shape.fields[position])
            }
            None => {
                let field = shape.fields.iter().find(|field| has_alias(field, name));
                // A field that stands there under its own name keeps it, and so does the first of several others.
                let done = maker.entries[start..].iter().chain(&entries[at..]);
                field.filter(|field| !done.clone().any(|(name, _)| **name == *field.key.text))
            }
        };
        let made = match (field, &shape.values) {
            (Some(field), _) => (&*field.key.text, shaped(&field.shape, value, maker)),
            (None, Some(field)) => (name, shaped(&field.shape, value, maker)),
            (None, None) => (name, value),
        };
        maker.entries.push(made);
    }
    maker.map(start)
}

fn has_alias(field: &Field, name: &str) -> bool {
    field.key.aliases.iter().any(|(alias, _)| **alias == *name)
}

fn shaped<'v>(shape: &'v Shape, value: ArenaValue<'v>, maker: &mut Maker<'v>) -> ArenaValue<'v> {
    match (shape, value) {
        (Shape::Map(inner), _) => map(inner, value, maker),
        (Shape::List(item), ArenaValue::List(items)) => {
            let start = maker.items.len();
            for one in items {
                let made = shaped(&item.shape, *one, maker);
                maker.items.push(made);
            }
            maker.list(start)
        }
        (Shape::Words(words), ArenaValue::Text(text)) => {
            usual_word(words, text).map_or(value, ArenaValue::Text)
        }
        (Shape::Boolean, ArenaValue::Text(text)) => boolean_word(text).map_or(value, ArenaValue::Boolean),
        (Shape::Timestamp, ArenaValue::Text(text)) => match timestamp::timestamp(text) {
            Reading::Drift { usual, .. } => ArenaValue::Text(maker.pool.text(&usual)),
            Reading::Right | Reading::Wrong(_) => value,
        },
        (_, _) => value,
    }
}

/// The usual word for one that is written otherwise.
fn usual_word<'v>(words: &'v [EnumWord], text: &str) -> Option<&'v str> {
    let is = |word: &&EnumWord| {
        word.text.eq_ignore_ascii_case(text) || word.also.iter().any(|also| also.eq_ignore_ascii_case(text))
    };
    let is_usual = words.iter().any(|word| *word.text == *text);
    words.iter().find(is).filter(|_| !is_usual).map(|word| &*word.text)
}
