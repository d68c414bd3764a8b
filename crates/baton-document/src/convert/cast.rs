//! Casts a value from the shape of one field into the shape of another that means the same.
//!
//! A cast may lose something; whether it did is told by casting back, never guessed here.

use crate::arena_value::{ArenaValue, Maker};
use crate::dialect::{EnumWord, Field, MapShape, Shape, TextShape};
use crate::handoff::{Meaning, Part};
use crate::mixed_content;
use crate::timestamp;
use crate::tree::boolean_word;
use timestamp::Reading;

/// The key of the text of an element beside its attributes.
const TEXT: &str = "#text";

/// The value of one field in the shape of another; nothing where that cannot be.
#[inline(always)]
pub(super) fn cast<'v>(
    meaning: Option<Meaning>,
    value: ArenaValue<'v>,
    from: Option<&Shape>,
    to: &'v Shape,
    maker: &mut Maker<'v>,
) -> Option<ArenaValue<'v>> {
    // Most fields are text and become text.
    match (to, value) {
        (Shape::Text(shape), ArenaValue::Text(text)) if meaning != Some(Meaning::Artifacts) => {
            fits(shape, text).then_some(value)
        }
        (_, _) => cast_by_shape(meaning, value, from, to, maker),
    }
}

#[inline(never)]
fn cast_by_shape<'v>(
    meaning: Option<Meaning>,
    value: ArenaValue<'v>,
    from: Option<&Shape>,
    to: &'v Shape,
    maker: &mut Maker<'v>,
) -> Option<ArenaValue<'v>> {
    let value = from.filter(|from| from.is_scalar()).map_or(value, |_| without_attributes(value));
    let value = mixed_content::text_of(value).map_or(value, ArenaValue::Text);
    match to {
        Shape::Any => Some(value),
        // A shape that may hold itself is known to its own dialect only.
        Shape::Named(_) => None,
        Shape::Text(shape) => {
            let text = match meaning {
                // A file is its path, whatever is said about it.
                Some(Meaning::Artifacts) => path_of(value, from, maker)?,
                Some(_) | None => as_text(value, from, maker)?,
            };
            fits(shape, text).then_some(ArenaValue::Text(text))
        }
        Shape::Words(words) => word(meaning, value.as_text()?, from, words),
        Shape::Integer(only) => {
            let number = as_number(value, maker).filter(|text| is_whole(text))?;
            only.is_none_or(|only| number.parse() == Ok(only)).then_some(ArenaValue::Number(number))
        }
        Shape::Number => as_number(value, maker).map(ArenaValue::Number),
        Shape::Boolean => match value {
            ArenaValue::Boolean(_) => Some(value),
            ArenaValue::Text(text) => boolean_word(text).map(ArenaValue::Boolean),
            ArenaValue::Null | ArenaValue::Number(_) | ArenaValue::List(_) | ArenaValue::Map(_) => None,
        },
        Shape::Date => as_date(value),
        Shape::Timestamp => as_timestamp(value, maker),
        Shape::List(item) => as_list(meaning, value, from, item, maker),
        Shape::Map(map) => as_map(value, from, map, maker),
        Shape::Either(shapes) => {
            // Text may be a number that had to become text on its way.
            let is_text = matches!(value, ArenaValue::Text(_));
            let same = shapes.iter().find(|shape| !is_text && is_of(value, shape));
            same.into_iter().chain(shapes).find_map(|shape| cast(meaning, value, from, shape, maker))
        }
        Shape::Depends { .. } => None,
    }
}

/// A single value that was kept with the attributes beside it.
fn without_attributes(value: ArenaValue<'_>) -> ArenaValue<'_> {
    let ArenaValue::Map(entries) = value else { return value };
    let is_beside = |(key, _): &(&str, ArenaValue<'_>)| key.starts_with('@') || **key == *TEXT;
    value.get(TEXT).filter(|_| entries.iter().all(is_beside)).unwrap_or(value)
}

/// Tells whether a text may stand in a field.
#[inline]
pub(super) fn fits(shape: &TextShape, text: &str) -> bool {
    let is_seen = |text: &str| text.bytes().next().is_some_and(|byte| byte.is_ascii_graphic());
    let says_enough = !shape.is_filled || is_seen(text) || !text.trim().is_empty();
    says_enough && (shape.pattern.is_none() || has_form(shape, text))
}

/// Tells whether a text has the form that its field asks for.
#[inline(never)]
fn has_form(shape: &TextShape, text: &str) -> bool {
    shape.pattern.as_ref().is_none_or(|pattern| pattern.regex.is_match(text))
}

/// Tells whether a value is of the very type of a shape.
fn is_of(value: ArenaValue<'_>, shape: &Shape) -> bool {
    match value {
        ArenaValue::Number(_) => matches!(shape, Shape::Integer(_) | Shape::Number),
        ArenaValue::Text(_) => matches!(shape, Shape::Text(_) | Shape::Words(_)),
        ArenaValue::Boolean(_) => matches!(shape, Shape::Boolean),
        ArenaValue::List(_) => matches!(shape, Shape::List(_)),
        ArenaValue::Map(_) => matches!(shape, Shape::Map(_)),
        ArenaValue::Null => false,
    }
}

fn word<'v>(
    meaning: Option<Meaning>,
    text: &str,
    from: Option<&Shape>,
    to: &'v [EnumWord],
) -> Option<ArenaValue<'v>> {
    let says = meant(text, from);
    let instead = meaning.map(|meaning| meaning.instead_of(says)).unwrap_or_default();
    let means = |word: &&EnumWord, says: &str| word.means.as_deref().unwrap_or(&word.text) == says;
    let named = |word: &&EnumWord, text: &str| {
        word.text.eq_ignore_ascii_case(text) || word.also.iter().any(|also| also.eq_ignore_ascii_case(text))
    };
    let by_meaning = |says: &str| to.iter().find(|word| means(word, says));
    by_meaning(says)
        .or_else(|| to.iter().find(|word| named(word, text)))
        .or_else(|| instead.iter().find_map(|says| by_meaning(says)))
        .map(|word| ArenaValue::Text(&word.text))
}

/// The word of the common model for a word of a dialect; itself where the dialect does not say.
pub(super) fn meant<'a>(text: &'a str, from: Option<&'a Shape>) -> &'a str {
    let Some(Shape::Words(words)) = from else { return text };
    let word = words.iter().find(|word| word.text.eq_ignore_ascii_case(text));
    word.and_then(|word| word.means.as_deref()).unwrap_or(text)
}

fn as_number<'v>(value: ArenaValue<'v>, maker: &Maker<'v>) -> Option<&'v str> {
    match value {
        ArenaValue::Number(text) => Some(text),
        ArenaValue::Text(text) => ArenaValue::number(text, maker.pool)?.as_text(),
        ArenaValue::Null | ArenaValue::Boolean(_) | ArenaValue::List(_) | ArenaValue::Map(_) => None,
    }
}

fn is_whole(text: &str) -> bool {
    text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit())
}

fn as_date(value: ArenaValue<'_>) -> Option<ArenaValue<'_>> {
    let text = value.as_text()?;
    if timestamp::date(text) == Reading::Right {
        return Some(value);
    }
    let day = text.get(..10).filter(|day| timestamp::date(day) == Reading::Right)?;
    let is_time = !matches!(timestamp::timestamp(text), Reading::Wrong(_));
    is_time.then_some(ArenaValue::Text(day))
}

fn as_timestamp<'v>(value: ArenaValue<'v>, maker: &Maker<'v>) -> Option<ArenaValue<'v>> {
    match timestamp::timestamp(value.as_text()?) {
        Reading::Right => Some(value),
        Reading::Drift { usual, .. } => Some(ArenaValue::Text(maker.pool.text(&usual))),
        Reading::Wrong(_) => None,
    }
}

fn as_list<'v>(
    meaning: Option<Meaning>,
    value: ArenaValue<'v>,
    from: Option<&Shape>,
    item: &'v Field,
    maker: &mut Maker<'v>,
) -> Option<ArenaValue<'v>> {
    let ArenaValue::List(items) = value else {
        return cast(meaning, value, from, &item.shape, maker).map(|one| maker.list_of(one));
    };
    let from = item_shape(from);
    let start = maker.items.len();
    let mut is_same = true;
    for one in items {
        let made = cast(meaning, *one, from, &item.shape, maker);
        is_same &= made.is_some_and(|made| made.lies_with(*one));
        maker.items.extend(made);
    }
    if is_same {
        maker.items.truncate(start);
        return Some(value);
    }
    Some(maker.list(start))
}

fn item_shape(list: Option<&Shape>) -> Option<&Shape> {
    match list {
        Some(Shape::List(item)) => Some(&item.shape),
        Some(_) | None => None,
    }
}

/// The field of an entry that is a part of it, with its value.
fn part_of<'a, 'v>(
    value: ArenaValue<'v>,
    from: &'a MapShape,
    part: Part,
) -> Option<(&'a Field, ArenaValue<'v>)> {
    let mut fields = from.fields.iter().filter(|field| field.part == Some(part));
    fields.find_map(|field| value.get(&field.key.text).map(|value| (field, value)))
}

fn as_map<'v>(
    value: ArenaValue<'v>,
    from: Option<&Shape>,
    to: &'v MapShape,
    maker: &mut Maker<'v>,
) -> Option<ArenaValue<'v>> {
    let is_free = to.fields.is_empty();
    if !matches!(value, ArenaValue::Map(_)) {
        let what = to.fields.iter().find(|field| field.part == Some(Part::What));
        let what = what.or_else(|| to.shorthand.and_then(|at| to.fields.get(at)))?;
        let text = cast(None, value, from, &what.shape, maker)?;
        return Some(maker.map_of(&what.key.text, text));
    }
    if is_free {
        return Some(value);
    }
    let from = from.and_then(Shape::as_map);
    let start = maker.entries.len();
    for field in &to.fields {
        let same = from.zip(field.part).and_then(|(from, part)| part_of(value, from, part));
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
        if let Some(value) = cast(None, value, of.map(|of| &of.shape), &field.shape, maker) {
            maker.entries.push((&*field.key.text, value));
        }
    }
    (maker.entries.len() > start).then(|| maker.map(start))
}

/// The path of an artifact.
fn path_of<'v>(value: ArenaValue<'v>, from: Option<&Shape>, maker: &Maker<'v>) -> Option<&'v str> {
    match (value, from.and_then(Shape::as_map)) {
        (ArenaValue::Map(_), Some(from)) => {
            let (field, what) = part_of(value, from, Part::What)?;
            as_text(what, Some(&field.shape), maker)
        }
        (_, from) => as_text(value, None, maker).filter(|_| from.is_none()),
    }
}

/// A value as one text, for a field that has room for nothing else.
fn as_text<'v>(value: ArenaValue<'v>, from: Option<&Shape>, maker: &Maker<'v>) -> Option<&'v str> {
    match value {
        ArenaValue::Text(_) | ArenaValue::Number(_) | ArenaValue::Boolean(_) | ArenaValue::Null => {
            value.as_text()
        }
        ArenaValue::List(items) => {
            let item = item_shape(from);
            let texts = items.iter().filter_map(|one| as_text(*one, item, maker));
            let texts: Vec<_> = texts.filter(|text| !text.trim().is_empty()).collect();
            (!texts.is_empty()).then(|| maker.pool.joined(&texts, "; "))
        }
        ArenaValue::Map(entries) => match from.and_then(Shape::as_map) {
            _ if let Some(content) = mixed_content::text_of(value) => Some(content),
            Some(from) => entry_text(value, from, maker),
            None => {
                let texts = entries.iter().filter_map(|(key, value)| {
                    as_text(*value, None, maker).map(|text| maker.pool.joined(&[key, text], ": "))
                });
                let texts: Vec<_> = texts.collect();
                (!texts.is_empty()).then(|| maker.pool.joined(&texts, ", "))
            }
        },
    }
}

/// An entry as one line: what it says first, the rest in brackets.
fn entry_text<'v>(value: ArenaValue<'v>, from: &MapShape, maker: &Maker<'v>) -> Option<&'v str> {
    let of = |wanted: Part| {
        let (field, value) = part_of(value, from, wanted)?;
        as_text(value, Some(&field.shape), maker)
    };
    let rest: Vec<_> =
        [Part::Weight, Part::Sort, Part::Where, Part::Why, Part::Impact, Part::Remedy, Part::Note]
            .into_iter()
            .filter_map(of)
            .collect();
    let what = match (of(Part::Id), of(Part::What)) {
        (Some(id), Some(what)) => Some(maker.pool.joined(&[id, what], ": ")),
        (one, other) => one.or(other),
    };
    match (what, rest.is_empty()) {
        (Some(what), true) => Some(what),
        (Some(what), false) => Some(maker.pool.joined(&[what, " (", &rest.join("; "), ")"], "")),
        (None, true) => None,
        (None, false) => Some(maker.pool.joined(&rest, "; ")),
    }
}
