//! What a document says, in the words of the common model.

use std::borrow::Cow;

use crate::datum::Datum;
use crate::dialect::{DialectKind, Field, MapShape, Shape};
use crate::handoff::Meaning;

/// One thing that a document says.
#[derive(Clone, Debug)]
pub(super) struct Fact<'d, 'v> {
    /// What it means.
    pub(super) meaning: Meaning,
    /// The field that says it; none where the kind implies it.
    pub(super) field: Option<&'d Field>,
    /// The keys that lead to it.
    pub(super) path: Vec<&'d str>,
    /// What it says.
    pub(super) value: Cow<'v, Datum<'v>>,
}

/// Gathers what a document of a kind says, in the order of the dialect.
pub(super) fn gather<'d, 'v>(kind: &'d DialectKind, document: &'v Datum<'v>) -> Vec<Fact<'d, 'v>> {
    let mut gatherer = Gatherer { document, facts: Vec::with_capacity(16), path: Vec::new() };
    gatherer.map(&kind.map, document);
    if let Some(key) = payload_key(kind)
        && let Some(payload @ Datum::Map(_)) = document.get(key)
    {
        gatherer.path.push(key);
        gatherer.map(&kind.map, payload);
        gatherer.path.pop();
    }
    for (meaning, text) in &kind.implied {
        if !gatherer.facts.iter().any(|fact| fact.meaning == *meaning)
            && let Some(text) = substituted(text, document)
        {
            let value = Cow::Owned(Datum::Text(text));
            gatherer.facts.push(Fact { meaning: *meaning, field: None, path: Vec::new(), value });
        }
    }
    gatherer.facts
}

/// The key of the map whose entries count as if they stood at the top.
pub(super) fn payload_key(kind: &DialectKind) -> Option<&str> {
    let symbol = kind.also_in?;
    kind.map.fields.iter().find(|field| field.key.symbol == symbol).map(|field| &*field.key.text)
}

/// Puts the values of fields in the place of `{path}`; nothing where one is not there.
fn substituted<'v>(text: &str, document: &'v Datum<'v>) -> Option<Cow<'v, str>> {
    let Some((before, rest)) = text.split_once('{') else { return Some(Cow::Owned(text.to_owned())) };
    let (path, after) = rest.split_once('}')?;
    let value = document.at(path)?.as_text()?;
    let after = substituted(after, document)?;
    Some(if before.is_empty() && after.is_empty() {
        value.into()
    } else {
        format!("{before}{value}{after}").into()
    })
}

struct Gatherer<'d, 'v> {
    document: &'v Datum<'v>,
    facts: Vec<Fact<'d, 'v>>,
    path: Vec<&'d str>,
}

impl<'d, 'v> Gatherer<'d, 'v> {
    fn map(&mut self, shape: &'d MapShape, map: &'v Datum<'v>) {
        for field in &shape.fields {
            let Some(value) = map.get(&field.key.text).filter(|value| **value != Datum::Null) else {
                continue;
            };
            self.path.push(&field.key.text);
            match (field.means, &field.shape) {
                (Some(meaning), _) => {
                    let value = Cow::Borrowed(value);
                    self.facts.push(Fact { meaning, field: Some(field), path: self.path.clone(), value });
                }
                (None, Shape::Map(inner)) => self.map(inner, value),
                (None, Shape::Depends { on, cases }) => {
                    let word = self.document.at(&on.text).and_then(Datum::as_text);
                    if let Some((_, inner)) = cases.iter().find(|(case, _)| Some(&**case) == word) {
                        self.map(inner, value);
                    }
                }
                (
                    None,
                    Shape::Any
                    | Shape::Text(_)
                    | Shape::Words(_)
                    | Shape::Integer(_)
                    | Shape::Number
                    | Shape::Boolean
                    | Shape::Date
                    | Shape::Timestamp
                    | Shape::List(_)
                    | Shape::Either(_),
                ) => {}
            }
            self.path.pop();
        }
    }
}
