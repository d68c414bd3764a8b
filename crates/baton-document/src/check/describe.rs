//! What a field wants, in words for messages and pages.

use crate::dialect::{Field, Names, Shape, TextShape};

/// The type of a shape in words.
pub(super) fn type_word(shape: &Shape) -> &'static str {
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
        Shape::Either(_) | Shape::Named(_) => "of a type it may be",
    }
}

/// What a field wants, in words.
pub(crate) fn describe(field: &Field) -> String {
    let own = match &field.shape {
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
        Shape::Either(shapes) => {
            let words: Vec<&str> = shapes.iter().map(type_word).collect();
            words.join(" or ")
        }
        Shape::Any
        | Shape::Text(_)
        | Shape::Integer(None)
        | Shape::Number
        | Shape::Boolean
        | Shape::List(_)
        | Shape::Map(_)
        | Shape::Depends { .. }
        | Shape::Named(_) => type_word(&field.shape).to_owned(),
    };
    if field.is_nullable { format!("{own}, or null") } else { own }
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
