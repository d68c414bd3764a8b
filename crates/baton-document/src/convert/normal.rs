//! A document as its dialect means it: drift taken out, so that every value stands where it is looked for.

use std::borrow::Cow;

use crate::check::{boolean_word, timestamp};
use crate::datum::Datum;
use crate::dialect::{DialectKind, Field, MapShape, Shape, Word};
use timestamp::Reading;

/// Takes the drift out of a document.
pub(super) fn normal<'v>(kind: &DialectKind, document: Datum<'v>) -> Datum<'v> {
    let mut made = map(&kind.map, document);
    if let Some(key) = super::facts::payload_key(kind)
        && let Datum::Map(entries) = &mut made
        && let Some((_, payload)) = entries.iter_mut().find(|(name, _)| name == key)
    {
        let inner = std::mem::replace(payload, Datum::Null);
        *payload = map(&kind.map, inner);
    }
    made
}

fn map<'v>(shape: &MapShape, value: Datum<'v>) -> Datum<'v> {
    let entries = match value {
        Datum::Map(entries) => entries,
        other @ (Datum::Null | Datum::List(_)) => return other,
        scalar @ (Datum::Boolean(_) | Datum::Number(_) | Datum::Text(_)) => {
            let Some(field) = shape.shorthand.and_then(|at| shape.fields.get(at)) else { return scalar };
            let value = shaped(&field.shape, scalar);
            return Datum::Map(vec![(Cow::Owned(field.key.text.to_string()), value)]);
        }
    };
    let mut made: Vec<(Cow<'v, str>, Datum<'v>)> = Vec::with_capacity(entries.len());
    let is_known = |name: &str| shape.fields.iter().any(|field| &*field.key.text == name);
    let names: Vec<String> = entries.iter().map(|(name, _)| name.to_string()).collect();
    for (name, value) in entries {
        let field = shape.fields.iter().find(|field| *field.key.text == *name);
        let alias = || {
            let field = shape.fields.iter().find(|field| has_alias(field, &name));
            // A field that stands there under its own name keeps it.
            field.filter(|field| !names.iter().any(|name| **name == *field.key.text))
        };
        match field.or_else(alias) {
            Some(field) => {
                let name = if is_known(&name) { name } else { Cow::Owned(field.key.text.to_string()) };
                made.push((name, shaped(&field.shape, value)));
            }
            None => {
                let value = match &shape.values {
                    Some(field) => shaped(&field.shape, value),
                    None => value,
                };
                made.push((name, value));
            }
        }
    }
    Datum::Map(made)
}

fn has_alias(field: &Field, name: &str) -> bool {
    field.key.aliases.iter().any(|(alias, _)| **alias == *name)
}

fn shaped<'v>(shape: &Shape, value: Datum<'v>) -> Datum<'v> {
    match (shape, value) {
        (Shape::Map(inner), value) => map(inner, value),
        (Shape::List(item), Datum::List(items)) => {
            Datum::List(items.into_iter().map(|one| shaped(&item.shape, one)).collect())
        }
        (Shape::Words(words), Datum::Text(text)) => Datum::Text(usual_word(words, text)),
        (Shape::Boolean, Datum::Text(text)) => match boolean_word(&text) {
            Some(value) => Datum::Boolean(value),
            None => Datum::Text(text),
        },
        (Shape::Timestamp, Datum::Text(text)) => match timestamp::timestamp(&text) {
            Reading::Drift { usual, .. } => Datum::Text(Cow::Owned(usual)),
            Reading::Right | Reading::Wrong(_) => Datum::Text(text),
        },
        (_, value) => value,
    }
}

fn usual_word<'v>(words: &[Word], text: Cow<'v, str>) -> Cow<'v, str> {
    if words.iter().any(|word| *word.text == *text) {
        return text;
    }
    let is = |word: &&Word| {
        word.text.eq_ignore_ascii_case(&text) || word.also.iter().any(|also| also.eq_ignore_ascii_case(&text))
    };
    words.iter().find(is).map_or(text, |word| Cow::Owned(word.text.to_string()))
}
