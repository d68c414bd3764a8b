//! What a document says, in the words of the common model.

use std::borrow::Cow;

use crate::datum::Datum;
use crate::dialect::{DialectKind, Field, MapShape};
use crate::handoff::Meaning;

/// One thing that a document says.
#[derive(Clone, Debug)]
pub(super) struct Fact<'d, 'v> {
    /// What it means.
    pub(super) meaning: Meaning,
    /// The field that says it; none where the kind implies it.
    pub(super) field: Option<&'v Field>,
    /// The dotted path to it.
    pub(super) path: Cow<'v, str>,
    /// What it says.
    pub(super) value: Cow<'d, Datum<'v>>,
}

/// Gathers what a document of a kind says, in the order of the dialect.
pub(super) fn gather<'d, 'v>(kind: &'v DialectKind, document: &'d Datum<'v>) -> Vec<Fact<'d, 'v>> {
    let mut gatherer = Gatherer { document, facts: Vec::with_capacity(16), payload: None };
    gatherer.map(&kind.map, document);
    if let Some(key) = payload_key(kind)
        && let Some(payload @ Datum::Map(_)) = document.get(key)
    {
        gatherer.payload = Some(key);
        gatherer.map(&kind.map, payload);
    }
    for (meaning, text) in &kind.implied {
        if !gatherer.facts.iter().any(|fact| fact.meaning == *meaning)
            && let Some(text) = substituted(text, document)
        {
            let value = Cow::Owned(Datum::Text(text));
            gatherer.facts.push(Fact { meaning: *meaning, field: None, path: Cow::Borrowed(""), value });
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
fn substituted<'v>(text: &'v str, document: &Datum<'v>) -> Option<Cow<'v, str>> {
    let Some((before, rest)) = text.split_once('{') else { return Some(Cow::Borrowed(text)) };
    let (path, after) = rest.split_once('}')?;
    let value = document.at(path)?.to_text()?;
    let after = substituted(after, document)?;
    let is_whole = before.is_empty() && after.is_empty();
    Some(if is_whole { value } else { format!("{before}{value}{after}").into() })
}

struct Gatherer<'d, 'v> {
    document: &'d Datum<'v>,
    facts: Vec<Fact<'d, 'v>>,
    /// The key of the map that is gathered as if it were the top.
    payload: Option<&'v str>,
}

impl<'d, 'v> Gatherer<'d, 'v> {
    /// Gathers in the order of the dialect, which most documents have themselves.
    fn map(&mut self, shape: &'v MapShape, map: &'d Datum<'v>) {
        let before = self.facts.len();
        let mut next = 0;
        for (name, value) in map.entries() {
            match shape.position_of(name, next) {
                Some(at) if at >= next => {
                    self.field(&shape.fields[at], value);
                    next = at + 1;
                }
                Some(_) => {
                    self.facts.truncate(before);
                    return self.map_in_disorder(shape, map);
                }
                None => {}
            }
        }
    }

    fn map_in_disorder(&mut self, shape: &'v MapShape, map: &'d Datum<'v>) {
        for field in &shape.fields {
            if let Some(value) = map.get(&field.key.text) {
                self.field(field, value);
            }
        }
    }

    fn field(&mut self, field: &'v Field, value: &'d Datum<'v>) {
        if matches!(value, Datum::Null) {
            return;
        }
        if let Some(meaning) = field.means {
            let path = match self.payload {
                Some(key) => Cow::Owned(format!("{key}.{}", field.path)),
                None => Cow::Borrowed(&*field.path),
            };
            self.facts.push(Fact { meaning, field: Some(field), path, value: Cow::Borrowed(value) });
        } else if let Some(inner) = field.shape.fields_by(|path| self.document.word_at(path)) {
            self.map(inner, value);
        }
    }
}
