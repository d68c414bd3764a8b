//! Values that are given for fields of the result: `--set to.agent=reviewer`.

use super::cast::cast;
use crate::check::{Candidate, describe, nearest};
use crate::dialect::{Dialect, DialectKind, Field, MapShape, Shape};
use crate::finding::Edit;
use crate::plain::{Maker, Plain, Pool};
use crate::tree::{Kind, NodeId, Syntax, Tree};
use crate::write;

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
        /// What would be right.
        expected: String,
    },
    /// The handoff stays in its dialect and the field has no single value there that could be replaced.
    NoPlace(String),
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
                write!(out, "`{path}` has no single value in this handoff that could be replaced")
            }
        }
    }
}

/// Values for fields, by their dotted paths.
pub(super) type Values<'v> = Vec<(&'v str, Plain<'v>)>;

/// Reads the values given for fields of a kind; those of one list join it.
pub(super) fn values<'v>(
    dialect: &Dialect,
    kind: &'v DialectKind,
    set: &'v [(String, String)],
    maker: &mut Maker<'v>,
) -> Result<Values<'v>, SetError> {
    let mut values: Values<'v> = Vec::new();
    for (path, text) in set {
        let value = value(field(dialect, kind, path)?, path, text, maker)?;
        let before = values.iter_mut().find(|(other, _)| *other == *path);
        match (before, value) {
            (Some((_, before @ Plain::List(_))), Plain::List(more)) => *before = maker.both(*before, more),
            (Some((_, before)), value) => *before = value,
            (None, value) => values.push((path, value)),
        }
    }
    Ok(values)
}

pub(super) fn value<'v>(
    field: &'v Field,
    path: &str,
    text: &'v str,
    maker: &mut Maker<'v>,
) -> Result<Plain<'v>, SetError> {
    if field.is_nullable && text == "null" {
        return Ok(Plain::Null);
    }
    cast(field.means, Plain::Text(text), None, &field.shape, maker).ok_or_else(|| SetError::NoValue {
        path: path.to_owned(),
        value: text.to_owned(),
        expected: describe(field),
    })
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

/// The edits that give fields of a handoff other values where they stand.
pub(super) fn in_place(
    tree: &Tree<'_>,
    candidate: &Candidate,
    dialect: &Dialect,
    set: &[(String, String)],
) -> Result<Vec<Edit>, SetError> {
    let mut edits = Vec::new();
    let pool = Pool::default();
    let maker = &mut Maker::new(&pool);
    for (path, text) in set {
        let kind = &dialect.kinds[candidate.kind];
        let wanted = value(field(dialect, kind, path)?, path, text, maker)?;
        let node = path.split('.').try_fold(candidate.document, |node, key| tree.find(node, key));
        let node = node.map(|node| tree.text_among_attributes(node).unwrap_or(node));
        let edit = node.and_then(|node| replacement(tree, node, wanted));
        edits.push(edit.ok_or_else(|| SetError::NoPlace(path.clone()))?);
    }
    Ok(edits)
}

/// The edit that replaces a single value in its line; nothing where it stands otherwise.
fn replacement(tree: &Tree<'_>, node: NodeId, wanted: Plain<'_>) -> Option<Edit> {
    let span = tree.span(node);
    let base = tree.base();
    let source = tree.source().get((span.start - base) as usize..(span.end - base) as usize)?;
    let is_single = !matches!(tree.kind(node), Kind::Map | Kind::List);
    if !is_single || source.contains('\n') || matches!(wanted, Plain::List(_) | Plain::Map(_)) {
        return None;
    }
    let text = wanted.as_text().unwrap_or("null");
    let is_quoted = source.starts_with(['"', '\'']);
    let text = match (tree.syntax(), wanted) {
        (Syntax::Xml, _) => write::xml_text(text),
        (Syntax::Yaml, Plain::Text(text)) if !is_quoted && is_plain(text) => text.to_owned(),
        (Syntax::Json | Syntax::Yaml | Syntax::Toml, _) => write::json(&wanted),
    };
    Some(Edit { span, text })
}

/// Whether a text needs no quotes in YAML, whoever reads it.
fn is_plain(text: &str) -> bool {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'));
    let folded = text.to_ascii_lowercase();
    is_word && !matches!(folded.as_str(), "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n")
}
