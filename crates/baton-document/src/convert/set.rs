//! Values that are given for fields of the result: `--set to.agent=reviewer`.

use super::cast::cast;
use crate::arena_value::{ArenaValue, Maker};
use crate::dialect::describe;
use crate::dialect::{Dialect, DialectKind, Field, MapShape, Shape};
use crate::spelling::nearest;

/// Why a conversion cannot be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetError {
    /// No dialect has this name.
    NoDialect(String),
    /// No kind of the dialect has this field; perhaps another one was meant.
    NoField {
        /// The dialect.
        dialect: String,
        /// The path that was given.
        path: String,
        /// The path that may have been meant.
        meant: Option<String>,
    },
    /// The field cannot hold this value.
    NoValue {
        /// The path of the field.
        path: String,
        /// The value that was given.
        value: String,
        /// Expected value.
        expected: String,
    },
    /// The handoff stays in its dialect and nothing can be changed there that gives the field this value.
    NoPlace(String),
    /// The file holds several handoffs, some of which are converted, and each of them says this field by itself.
    NoGap {
        /// The path of the field.
        path: String,
        /// Number of handoffs in the file.
        count: usize,
    },
    /// A file of the dialect would not hold so many handoffs.
    TooMany {
        /// The dialect.
        dialect: String,
        /// Number of handoffs in the file.
        count: usize,
    },
}

impl std::fmt::Display for SetError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SetError::NoDialect(name) => write!(out, "no dialect is called `{name}`"),
            SetError::NoField { dialect, path, meant: Some(meant) } => {
                write!(out, "`{path}` is no field of {dialect}; did you mean `{meant}`?")
            }
            SetError::NoField { dialect, path, meant: None } => {
                write!(out, "`{path}` is no field of {dialect}")
            }
            SetError::NoValue { path, value, expected } => {
                write!(out, "`{path}` cannot be `{value}`: expected {expected}")
            }
            SetError::NoPlace(path) => {
                write!(out, "`{path}` cannot be set here without changing something else: edit it by hand")
            }
            SetError::NoGap { path, count } => write!(
                out,
                "`{path}` is said by each of the {count} handoffs; among several, what is given only fills what is not said"
            ),
            SetError::TooMany { dialect, count } => {
                write!(out, "{count} handoffs do not fit into one file of {dialect}")
            }
        }
    }
}

/// Values for fields, by their dotted paths.
pub(super) type Values<'v> = Vec<(&'v str, ArenaValue<'v>)>;

/// Reads the values given for fields of a kind; those of one list join it.
pub(super) fn values<'v>(
    dialect: &Dialect,
    kind: &'v DialectKind,
    set: &'v [(String, String)],
    maker: &mut Maker<'v>,
) -> Result<Values<'v>, SetError> {
    let mut values: Values<'v> = Vec::new();
    for (path, text) in set {
        let value = value(field(dialect, kind, path)?, &dialect.shapes, path, text, maker)?;
        let before = values.iter_mut().find(|(other, _)| *other == *path);
        match (before, value) {
            (Some((_, before @ ArenaValue::List(_))), ArenaValue::List(more)) => {
                *before = maker.both(*before, more);
            }
            (Some((_, before)), value) => *before = value,
            (None, value) => values.push((path, value)),
        }
    }
    Ok(values)
}

pub(super) fn value<'v>(
    field: &'v Field,
    shapes: &[Field],
    path: &str,
    text: &'v str,
    maker: &mut Maker<'v>,
) -> Result<ArenaValue<'v>, SetError> {
    if field.is_nullable && text == "null" {
        return Ok(ArenaValue::Null);
    }
    let no_value =
        |expected: String| SetError::NoValue { path: path.to_owned(), value: text.to_owned(), expected };
    let given = match json(text, maker) {
        Some(Ok(value)) => Some(value).filter(|value| takes(&field.shape, *value)),
        // Where text is all that can stand there, it may look like anything.
        Some(Err(why)) if is_meant_as_json(&field.shape, &why) => {
            return Err(no_value(format!("{}; what is given is no JSON: {why}", describe(field, shapes))));
        }
        Some(Err(_)) | None => None,
    };
    let made = match given {
        Some(value) => as_given(&field.shape, value, maker),
        None => cast(field.means, ArenaValue::Text(text), None, &field.shape, maker),
    };
    made.ok_or_else(|| no_value(describe(field, shapes)))
}

/// A list or map that is given as JSON, or why it is none; any other text says itself.
fn json<'v>(text: &str, maker: &mut Maker<'v>) -> Option<Result<ArenaValue<'v>, serde_json::Error>> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let value: Result<serde_json::Value, _> = serde_json::from_str(text);
    Some(value.map(|value| ArenaValue::of_json(&value, maker)))
}

/// Tells whether what looks like JSON is meant as such: for a map it is, and for a list where only its end is missing.
fn is_meant_as_json(shape: &Shape, why: &serde_json::Error) -> bool {
    match shape {
        Shape::Map(_) | Shape::Depends { .. } | Shape::Named(_) => true,
        Shape::List(_) => why.is_eof(),
        Shape::Either(shapes) => shapes.iter().any(|shape| is_meant_as_json(shape, why)),
        Shape::Any
        | Shape::Text(_)
        | Shape::Words(_)
        | Shape::Integer(_)
        | Shape::Number
        | Shape::Boolean
        | Shape::Date
        | Shape::Timestamp => false,
    }
}

/// Tells whether a shape has room for a list or map as such, whatever is in it.
fn takes(shape: &Shape, value: ArenaValue<'_>) -> bool {
    match (shape, value) {
        (Shape::Any | Shape::Named(_), _) | (Shape::Map(_) | Shape::Depends { .. }, ArenaValue::Map(_)) => {
            true
        }
        (Shape::List(item), ArenaValue::List(items)) => {
            items.iter().all(|one| one.as_text().is_some() || takes(&item.shape, *one))
        }
        (Shape::List(item), _) => takes(&item.shape, value),
        (Shape::Either(shapes), _) => shapes.iter().any(|shape| takes(shape, value)),
        (
            Shape::Text(_)
            | Shape::Words(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp
            | Shape::Map(_)
            | Shape::Depends { .. },
            _,
        ) => false,
    }
}

/// All of a value that is given, as a shape holds it; nothing where part of it does not fit.
fn as_given<'v>(shape: &'v Shape, value: ArenaValue<'v>, maker: &mut Maker<'v>) -> Option<ArenaValue<'v>> {
    match (shape, value) {
        // A value for such a shape is complete by itself.
        (Shape::Any | Shape::Named(_) | Shape::Depends { .. }, _) => Some(value),
        (Shape::Map(map), ArenaValue::Map(entries)) => {
            let mut made = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                made.push(entry(map, key, *value, maker)?);
            }
            let start = maker.entries.len();
            maker.entries.append(&mut made);
            Some(maker.map(start))
        }
        (Shape::List(item), ArenaValue::List(items)) => {
            let mut made = Vec::with_capacity(items.len());
            for one in items {
                made.push(as_given(&item.shape, *one, maker)?);
            }
            let start = maker.items.len();
            maker.items.append(&mut made);
            Some(maker.list(start))
        }
        (Shape::List(item), _) => as_given(&item.shape, value, maker).map(|one| maker.list_of(one)),
        (Shape::Either(shapes), _) => shapes.iter().find_map(|shape| as_given(shape, value, maker)),
        (_, ArenaValue::Null | ArenaValue::List(_) | ArenaValue::Map(_)) => None,
        (_, ArenaValue::Boolean(_) | ArenaValue::Number(_) | ArenaValue::Text(_)) => {
            cast(None, value, None, shape, maker)
        }
    }
}

/// An entry of a map that is given, under the name that its field has; one that is no field stays as it is.
fn entry<'v>(
    map: &'v MapShape,
    key: &'v str,
    value: ArenaValue<'v>,
    maker: &mut Maker<'v>,
) -> Option<(&'v str, ArenaValue<'v>)> {
    let is_it = |field: &&Field| {
        *field.key.text == *key || field.key.aliases.iter().any(|(alias, _)| **alias == *key)
    };
    let own = map.fields.iter().find(is_it);
    let name = own.map_or(key, |field| &field.key.text);
    match own.or(map.values.as_deref()) {
        Some(field) if field.is_nullable && matches!(value, ArenaValue::Null) => Some((name, value)),
        Some(field) => as_given(&field.shape, value, maker).map(|value| (name, value)),
        None => Some((name, value)),
    }
}

pub(super) fn field<'d>(dialect: &Dialect, kind: &'d DialectKind, path: &str) -> Result<&'d Field, SetError> {
    find(kind, path).ok_or_else(|| {
        let mut known = Vec::new();
        dialect.kinds.iter().for_each(|kind| paths(&kind.map, &mut known));
        let meant = nearest(path, known.iter().copied()).map(ToOwned::to_owned);
        SetError::NoField { dialect: dialect.name.to_string(), path: path.to_owned(), meant }
    })
}

/// The field at a dotted path, if there is one.
pub(super) fn find<'d>(kind: &'d DialectKind, path: &str) -> Option<&'d Field> {
    let keys: Vec<&str> = path.split('.').collect();
    below(&kind.map, &keys)
}

fn below<'d>(map: &'d MapShape, keys: &[&str]) -> Option<&'d Field> {
    let (first, rest) = keys.split_first()?;
    let field = map.fields.iter().find(|field| &*field.key.text == *first)?;
    if rest.is_empty() {
        return Some(field);
    }
    // Entries of a list have no path of their own.
    let is_list = matches!(field.shape, Shape::List(_));
    field.shape.maps().into_iter().filter(|_| !is_list).find_map(|inner| below(inner, rest))
}

fn paths<'d>(map: &'d MapShape, into: &mut Vec<&'d str>) {
    for field in &map.fields {
        into.push(&field.path);
        if let Shape::Map(inner) = &field.shape {
            paths(inner, into);
        }
    }
}
