//! A document as its dialect means it: drift taken out, so that every value stands where it is looked for.

use std::borrow::Cow;

use crate::canonical::unwrapped;
use crate::check::{boolean_word, timestamp};
use crate::datum::Datum;
use crate::dialect::{DialectKind, Field, MapShape, Shape, Word};
use crate::tree::{NodeId, Tree};
use timestamp::Reading;

/// The document at a node, with the drift taken out of it.
pub(super) fn of<'v>(tree: &'v Tree<'_>, kind: &'v DialectKind, document: NodeId) -> Datum<'v> {
    let (value, is_usual) = unwrapped(tree, kind, document);
    again(kind, value, is_usual)
}

/// A document with the drift taken out of it, unless there is known to be none.
pub(super) fn again<'v>(kind: &'v DialectKind, mut value: Datum<'v>, is_usual: bool) -> Datum<'v> {
    if !is_usual {
        normalise(kind, &mut value);
    }
    debug_assert!(!is_usual || is_normal(kind, &value), "{value:?}");
    value
}

/// Whether there is no drift in a document.
fn is_normal(kind: &DialectKind, value: &Datum<'_>) -> bool {
    let mut again = value.clone();
    normalise(kind, &mut again);
    again == *value
}

/// Takes the drift out of a document.
fn normalise<'v>(kind: &'v DialectKind, document: &mut Datum<'v>) {
    map(&kind.map, document);
    if let Some(key) = super::facts::payload_key(kind)
        && let Datum::Map(entries) = document
        && let Some((_, payload)) = entries.iter_mut().find(|(name, _)| name == key)
    {
        map(&kind.map, payload);
    }
}

fn map<'v>(shape: &'v MapShape, value: &mut Datum<'v>) {
    let entries = match value {
        Datum::Map(entries) => entries,
        Datum::Null | Datum::List(_) => return,
        Datum::Boolean(_) | Datum::Number(_) | Datum::Text(_) => {
            if let Some(field) = shape.shorthand.and_then(|at| shape.fields.get(at)) {
                let mut plain = std::mem::replace(value, Datum::Null);
                shaped(&field.shape, &mut plain);
                *value = Datum::Map(vec![(Cow::Borrowed(&field.key.text), plain)]);
            }
            return;
        }
    };
    let mut hint = 0;
    for at in 0..entries.len() {
        let field = match shape.position_of(&entries[at].0, hint) {
            Some(position) => {
                hint = position + 1;
                Some(&shape.fields[position])
            }
            None => {
                let field = shape.fields.iter().find(|field| has_alias(field, &entries[at].0));
                // A field that stands there under its own name keeps it.
                field.filter(|field| !entries.iter().any(|(name, _)| **name == *field.key.text))
            }
        };
        let (name, value) = &mut entries[at];
        match (field, &shape.values) {
            (Some(field), _) => {
                if **name != *field.key.text {
                    *name = Cow::Borrowed(&field.key.text);
                }
                shaped(&field.shape, value);
            }
            (None, Some(field)) => shaped(&field.shape, value),
            (None, None) => {}
        }
    }
}

fn has_alias(field: &Field, name: &str) -> bool {
    field.key.aliases.iter().any(|(alias, _)| **alias == *name)
}

fn shaped<'v>(shape: &'v Shape, value: &mut Datum<'v>) {
    match (shape, &mut *value) {
        (Shape::Map(inner), _) => map(inner, value),
        (Shape::List(item), Datum::List(items)) => items.iter_mut().for_each(|one| shaped(&item.shape, one)),
        (Shape::Words(words), Datum::Text(text)) => {
            if let Some(word) = usual_word(words, text) {
                *text = Cow::Borrowed(word);
            }
        }
        (Shape::Boolean, Datum::Text(text)) => {
            if let Some(is) = boolean_word(text) {
                *value = Datum::Boolean(is);
            }
        }
        (Shape::Timestamp, Datum::Text(text)) => {
            if let Reading::Drift { usual, .. } = timestamp::timestamp(text) {
                *text = Cow::Owned(usual);
            }
        }
        (_, _) => {}
    }
}

/// The usual word for one that is written otherwise.
fn usual_word<'v>(words: &'v [Word], text: &str) -> Option<&'v str> {
    let is = |word: &&Word| {
        word.text.eq_ignore_ascii_case(text) || word.also.iter().any(|also| also.eq_ignore_ascii_case(text))
    };
    let is_usual = words.iter().any(|word| *word.text == *text);
    words.iter().find(is).filter(|_| !is_usual).map(|word| &*word.text)
}
