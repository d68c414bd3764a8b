//! Expectations of a field, in words for messages and pages.

use super::{Field, MapShape, Names, Shape, TextShape};

/// The shapes with a name that are looked through for words: one may hold itself.
const NAMED_MAX: usize = 4;

/// The keys of a map that are named.
const KEYS_MAX: usize = 3;

/// Describes the values of a field; `shapes` are those of its dialect that have a name.
pub(crate) fn describe(field: &Field, shapes: &[Field]) -> String {
    described(field, shapes, NAMED_MAX)
}

/// The types of a shape, in words.
pub(crate) fn type_words(shape: &Shape, shapes: &[Field]) -> String {
    joined(choices(shape, shapes, NAMED_MAX).into_iter().map(|one| type_word(one).to_owned()).collect())
}

fn described(field: &Field, shapes: &[Field], left: usize) -> String {
    let own = in_words(&field.shape, shapes, left);
    if field.is_nullable && !own.ends_with(", or null") { format!("{own}, or null") } else { own }
}

fn in_words(shape: &Shape, shapes: &[Field], left: usize) -> String {
    match shape {
        Shape::Text(TextShape { pattern: Some(pattern), .. }) => pattern.says.to_string(),
        Shape::Text(TextShape { names: Names::Path, .. }) => "a path".to_owned(),
        Shape::Text(TextShape { names: Names::Location, .. }) => "a `file:line`".to_owned(),
        Shape::Text(TextShape { is_filled: true, .. }) => "non-empty text".to_owned(),
        Shape::Words(words) => {
            let words: Vec<&str> = words.iter().map(|word| &*word.text).collect();
            format!("one of {}", words.join(", "))
        }
        Shape::Integer(Some(equals)) => equals.to_string(),
        Shape::Date => "a date of the form YYYY-MM-DD".to_owned(),
        Shape::Timestamp => "an ISO 8601 timestamp such as 2026-01-31T09:30:00Z".to_owned(),
        Shape::List(item) if !matches!(item.shape, Shape::Any) => {
            format!("a list of {}", plural(&item.shape))
        }
        Shape::Either(_) => joined(choices(shape, shapes, left).into_iter().map(choice).collect()),
        Shape::Named(at) => match shapes.get(*at).filter(|_| left > 0) {
            Some(Field { shape: Shape::Map(map), .. }) => map_in_words(map),
            Some(named) => described(named, shapes, left - 1),
            None => type_word(shape).to_owned(),
        },
        Shape::Any
        | Shape::Text(_)
        | Shape::Integer(None)
        | Shape::Number
        | Shape::Boolean
        | Shape::List(_)
        | Shape::Map(_)
        | Shape::Depends { .. } => type_word(shape).to_owned(),
    }
}

/// All that a value may be where there is a choice.
fn choices<'s>(shape: &'s Shape, shapes: &'s [Field], left: usize) -> Vec<&'s Shape> {
    match shape {
        Shape::Either(either) => either.iter().flat_map(|shape| choices(shape, shapes, left)).collect(),
        Shape::Named(at) if left > 0 => match shapes.get(*at) {
            Some(named) => choices(&named.shape, shapes, left - 1),
            None => vec![shape],
        },
        Shape::Any
        | Shape::Text(_)
        | Shape::Words(_)
        | Shape::Integer(_)
        | Shape::Number
        | Shape::Boolean
        | Shape::Date
        | Shape::Timestamp
        | Shape::List(_)
        | Shape::Map(_)
        | Shape::Depends { .. }
        | Shape::Named(_) => vec![shape],
    }
}

/// One of several things that a value may be.
fn choice(shape: &Shape) -> String {
    if let Shape::Map(map) = shape { map_in_words(map) } else { type_word(shape).to_owned() }
}

/// A map by what must be in it, where it is one of several things that a value may be.
fn map_in_words(map: &MapShape) -> String {
    let needed = map.fields.iter().filter(|field| field.is_required).take(KEYS_MAX);
    let keys: Vec<String> = needed.map(|field| format!("`{}`", field.key.text)).collect();
    match keys.split_last() {
        Some((last, [])) => format!("a map with {last}"),
        Some((last, keys)) => format!("a map with {} and {last}", keys.join(", ")),
        None => "a map".to_owned(),
    }
}

/// Several things that a value may be, in one phrase.
fn joined(each: Vec<String>) -> String {
    let mut once: Vec<String> = Vec::new();
    for one in each {
        if !once.contains(&one) {
            once.push(one);
        }
    }
    match once.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// The type of a shape that is no other shape, in words.
fn type_word(shape: &Shape) -> &'static str {
    match shape {
        Shape::Any => "anything",
        Shape::Text(_) => "text",
        Shape::Words(_) => "a word",
        Shape::Integer(_) => "an integer",
        Shape::Number => "a number",
        Shape::Boolean => "a boolean",
        Shape::Date => "a date",
        Shape::Timestamp => "a timestamp",
        Shape::List(_) => "a list",
        Shape::Map(_) | Shape::Depends { .. } => "a map",
        // Whoever asks went through as many of them as there is room for.
        Shape::Either(_) | Shape::Named(_) => "something else",
    }
}

fn plural(shape: &Shape) -> &'static str {
    match shape {
        Shape::Text(_) => "texts",
        Shape::Words(_) => "words",
        Shape::Map(_) | Shape::Depends { .. } => "maps",
        Shape::Integer(_) | Shape::Number => "numbers",
        Shape::Any
        | Shape::Boolean
        | Shape::Date
        | Shape::Timestamp
        | Shape::List(_)
        | Shape::Either(_)
        | Shape::Named(_) => "values",
    }
}
