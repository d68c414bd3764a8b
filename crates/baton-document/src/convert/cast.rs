//! Casts a value from the shape of one field into the shape of another that means the same.
//!
//! A cast may lose something; whether it did is told by casting back, never guessed here.

use std::borrow::Cow;

use crate::check::{boolean_word, timestamp};
use crate::datum::Datum;
use crate::dialect::{Field, MapShape, Shape, TextShape, Word};
use crate::handoff::{Meaning, Part};
use timestamp::Reading;

/// The value of one field in the shape of another; nothing where that cannot be.
pub(super) fn cast<'v>(
    meaning: Option<Meaning>,
    value: &Datum<'v>,
    from: Option<&Shape>,
    to: &'v Shape,
) -> Option<Datum<'v>> {
    match to {
        Shape::Any => Some(value.clone()),
        // A shape that may hold itself is known to its own dialect only.
        Shape::Named(_) => None,
        Shape::Text(shape) => {
            let text = match meaning {
                // A file is its path, whatever is said about it.
                Some(Meaning::Artifacts) => path_of(value, from)?,
                Some(_) | None => as_text(value, from)?,
            };
            fits(shape, &text).then_some(Datum::Text(text))
        }
        Shape::Words(words) => word(meaning, value.as_text()?, from, words),
        Shape::Integer(only) => {
            let number = as_number(value).filter(|text| is_whole(text))?;
            only.is_none_or(|only| number.parse() == Ok(only)).then_some(Datum::Number(number))
        }
        Shape::Number => as_number(value).map(Datum::Number),
        Shape::Boolean => match value {
            Datum::Boolean(_) => Some(value.clone()),
            Datum::Text(text) => boolean_word(text).map(Datum::Boolean),
            Datum::Null | Datum::Number(_) | Datum::List(_) | Datum::Map(_) => None,
        },
        Shape::Date => as_date(value),
        Shape::Timestamp => as_timestamp(value),
        Shape::List(item) => as_list(meaning, value, from, item),
        Shape::Map(map) => as_map(value, from, map),
        Shape::Either(shapes) => {
            // Text may be a number that had to become text on its way.
            let is_text = matches!(value, Datum::Text(_));
            let same = shapes.iter().find(|shape| !is_text && is_of(value, shape));
            same.into_iter().chain(shapes).find_map(|shape| cast(meaning, value, from, shape))
        }
        Shape::Depends { .. } => None,
    }
}

/// Whether a text may stand in a field.
fn fits(shape: &TextShape, text: &str) -> bool {
    let says_enough = !shape.is_filled || !text.trim().is_empty();
    says_enough && shape.pattern.as_ref().is_none_or(|pattern| pattern.regex.is_match(text))
}

/// Whether a value is of the very type of a shape.
fn is_of(value: &Datum<'_>, shape: &Shape) -> bool {
    match value {
        Datum::Number(_) => matches!(shape, Shape::Integer(_) | Shape::Number),
        Datum::Text(_) => matches!(shape, Shape::Text(_) | Shape::Words(_)),
        Datum::Boolean(_) => matches!(shape, Shape::Boolean),
        Datum::List(_) => matches!(shape, Shape::List(_)),
        Datum::Map(_) => matches!(shape, Shape::Map(_)),
        Datum::Null => false,
    }
}

fn word<'v>(meaning: Option<Meaning>, text: &str, from: Option<&Shape>, to: &'v [Word]) -> Option<Datum<'v>> {
    let says = meant(text, from);
    let instead = meaning.map(|meaning| meaning.instead_of(says)).unwrap_or_default();
    let means = |word: &&Word, says: &str| word.means.as_deref().unwrap_or(&word.text) == says;
    let named = |word: &&Word, text: &str| {
        word.text.eq_ignore_ascii_case(text) || word.also.iter().any(|also| also.eq_ignore_ascii_case(text))
    };
    let by_meaning = |says: &str| to.iter().find(|word| means(word, says));
    by_meaning(says)
        .or_else(|| to.iter().find(|word| named(word, text)))
        .or_else(|| instead.iter().find_map(|says| by_meaning(says)))
        .map(|word| Datum::Text(Cow::Borrowed(&word.text)))
}

/// The word of the common model for a word of a dialect; itself where the dialect does not say.
pub(super) fn meant<'a>(text: &'a str, from: Option<&'a Shape>) -> &'a str {
    let Some(Shape::Words(words)) = from else { return text };
    let word = words.iter().find(|word| word.text.eq_ignore_ascii_case(text));
    word.and_then(|word| word.means.as_deref()).unwrap_or(text)
}

fn as_number<'v>(value: &Datum<'v>) -> Option<Cow<'v, str>> {
    match value {
        Datum::Number(text) => Some(text.clone()),
        Datum::Text(text) => match Datum::number(text)? {
            Datum::Number(number) => Some(Cow::Owned(number.into_owned())),
            Datum::Null | Datum::Boolean(_) | Datum::Text(_) | Datum::List(_) | Datum::Map(_) => None,
        },
        Datum::Null | Datum::Boolean(_) | Datum::List(_) | Datum::Map(_) => None,
    }
}

fn is_whole(text: &str) -> bool {
    text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit())
}

fn as_date<'v>(value: &Datum<'v>) -> Option<Datum<'v>> {
    let text = value.as_text()?;
    if timestamp::date(text) == Reading::Right {
        return Some(value.clone());
    }
    let day = text.get(..10).filter(|day| timestamp::date(day) == Reading::Right)?;
    let is_time = !matches!(timestamp::timestamp(text), Reading::Wrong(_));
    is_time.then(|| Datum::Text(Cow::Owned(day.to_owned())))
}

fn as_timestamp<'v>(value: &Datum<'v>) -> Option<Datum<'v>> {
    match timestamp::timestamp(value.as_text()?) {
        Reading::Right => Some(value.clone()),
        Reading::Drift { usual, .. } => Some(Datum::Text(Cow::Owned(usual))),
        Reading::Wrong(_) => None,
    }
}

fn as_list<'v>(
    meaning: Option<Meaning>,
    value: &Datum<'v>,
    from: Option<&Shape>,
    item: &'v Field,
) -> Option<Datum<'v>> {
    let Datum::List(items) = value else {
        return cast(meaning, value, from, &item.shape).map(|one| Datum::List(vec![one]));
    };
    let from = item_shape(from);
    let mut made = Vec::with_capacity(items.len());
    made.extend(items.iter().filter_map(|one| cast(meaning, one, from, &item.shape)));
    Some(Datum::List(made))
}

fn item_shape(list: Option<&Shape>) -> Option<&Shape> {
    match list {
        Some(Shape::List(item)) => Some(&item.shape),
        Some(_) | None => None,
    }
}

/// The fields of an entry that are a part of it, each with its value.
fn parts<'a, 'v>(
    value: &'a Datum<'v>,
    from: &'a MapShape,
) -> impl Iterator<Item = (Part, &'a Field, &'a Datum<'v>)> {
    from.fields.iter().filter_map(|field| Some((field.part?, field, value.get(&field.key.text)?)))
}

fn as_map<'v>(value: &Datum<'v>, from: Option<&Shape>, to: &'v MapShape) -> Option<Datum<'v>> {
    let is_free = to.fields.is_empty();
    let Datum::Map(entries) = value else {
        let what = to.fields.iter().find(|field| field.part == Some(Part::What));
        let what = what.or_else(|| to.shorthand.and_then(|at| to.fields.get(at)))?;
        let text = cast(None, value, from, &what.shape)?;
        return Some(Datum::Map(vec![(Cow::Borrowed(&*what.key.text), text)]));
    };
    if is_free {
        return Some(Datum::Map(entries.clone()));
    }
    let from = from.and_then(Shape::as_map);
    let mut made = Vec::with_capacity(to.fields.len().min(entries.len()));
    for field in &to.fields {
        let same = from.and_then(|from| {
            parts(value, from).find(|(part, ..)| field.part == Some(*part)).map(|(_, of, value)| (of, value))
        });
        let named = || match (field.part, from) {
            // Without parts on either side a key that is the same means the same.
            (None, from) => {
                let of = from.and_then(|from| from.fields.iter().find(|of| of.key.text == field.key.text));
                let is_free = of.is_none_or(|of| of.part.is_none());
                value.get(&field.key.text).filter(|_| is_free).map(|value| (of, value))
            }
            (Some(_), _) => None,
        };
        let found = same.map(|(of, value)| (Some(of), value)).or_else(named);
        let Some((of, value)) = found else { continue };
        if let Some(value) = cast(None, value, of.map(|of| &of.shape), &field.shape) {
            made.push((Cow::Borrowed(&*field.key.text), value));
        }
    }
    (!made.is_empty()).then_some(Datum::Map(made))
}

/// The path of an artifact.
fn path_of<'v>(value: &Datum<'v>, from: Option<&Shape>) -> Option<Cow<'v, str>> {
    match (value, from.and_then(Shape::as_map)) {
        (Datum::Map(_), Some(from)) => {
            let (_, field, what) = parts(value, from).find(|(part, ..)| *part == Part::What)?;
            as_text(what, Some(&field.shape))
        }
        (_, from) => as_text(value, None).filter(|_| from.is_none()),
    }
}

/// A value as one text, for a field that has room for nothing else.
fn as_text<'v>(value: &Datum<'v>, from: Option<&Shape>) -> Option<Cow<'v, str>> {
    match value {
        Datum::Text(_) | Datum::Number(_) | Datum::Boolean(_) | Datum::Null => value.to_text(),
        Datum::List(items) => {
            let item = item_shape(from);
            let texts: Vec<_> = items.iter().filter_map(|one| as_text(one, item)).collect();
            (!texts.is_empty()).then(|| texts.join("; ").into())
        }
        Datum::Map(entries) => match from.and_then(Shape::as_map) {
            Some(from) => entry_text(value, from),
            None => {
                let texts = entries
                    .iter()
                    .filter_map(|(key, value)| as_text(value, None).map(|text| format!("{key}: {text}")));
                let texts: Vec<_> = texts.collect();
                (!texts.is_empty()).then(|| texts.join(", ").into())
            }
        },
    }
}

/// An entry as one line: what it says first, the rest in brackets.
fn entry_text<'v>(value: &Datum<'v>, from: &MapShape) -> Option<Cow<'v, str>> {
    let of = |wanted: Part| {
        let mut parts = parts(value, from);
        parts
            .find(|(part, ..)| *part == wanted)
            .and_then(|(_, field, value)| as_text(value, Some(&field.shape)))
    };
    let rest: Vec<_> =
        [Part::Weight, Part::Sort, Part::Where, Part::Why, Part::Impact, Part::Remedy, Part::Note]
            .into_iter()
            .filter_map(of)
            .collect();
    let what = match (of(Part::Id), of(Part::What)) {
        (Some(id), Some(what)) => Some(Cow::Owned(format!("{id}: {what}"))),
        (one, other) => one.or(other),
    };
    match (what, rest.is_empty()) {
        (Some(what), true) => Some(what),
        (Some(what), false) => Some(format!("{what} ({})", rest.join("; ")).into()),
        (None, true) => None,
        (None, false) => Some(rest.join("; ").into()),
    }
}
