//! Facts of a document, in the words of the common model.

use crate::arena_value::{ArenaValue, Pool};
use crate::dialect::{DialectKind, Field, MapShape};
use crate::handoff::{Meaning, Meanings};
use crate::span::offset;

/// One thing that a document says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact<'v> {
    /// Its meaning.
    pub(super) meaning: Meaning,
    /// The field that says it; none where the kind implies it.
    pub(super) field: Option<&'v Field>,
    /// The dotted path to it.
    pub(super) path: &'v str,
    /// Its value.
    pub(super) value: ArenaValue<'v>,
    /// Index of the next one of the same meaning.
    next: u32,
}

impl<'v> Fact<'v> {
    pub(super) fn new(
        meaning: Meaning,
        field: Option<&'v Field>,
        path: &'v str,
        value: ArenaValue<'v>,
    ) -> Self {
        Self { meaning, field, path, value, next: NONE }
    }
}

/// All that a document says.
#[derive(Debug)]
pub(super) struct Facts<'v> {
    /// Each thing, in the order of the dialect.
    pub(super) all: Vec<Fact<'v>>,
    /// Their meanings.
    pub(super) said: Meanings,
    /// Index of the first of each meaning.
    first: [u32; Meaning::ALL.len()],
}

/// Index that stands for no fact.
const NONE: u32 = u32::MAX;

impl<'v> Facts<'v> {
    pub(super) fn new(all: Vec<Fact<'v>>) -> Self {
        let mut facts = Self { all, said: Meanings::default(), first: [NONE; Meaning::ALL.len()] };
        for (at, fact) in facts.all.iter_mut().enumerate().rev() {
            facts.said.add(fact.meaning);
            fact.next = std::mem::replace(&mut facts.first[fact.meaning as usize], offset(at));
        }
        facts
    }

    /// Tells whether others say the same.
    pub(super) fn is_same(&self, others: &Facts<'_>) -> bool {
        let is_same = |(one, other): (&Fact<'_>, &Fact<'_>)| {
            (one.meaning, one.path, one.value) == (other.meaning, other.path, other.value)
        };
        self.all.len() == others.all.len() && self.all.iter().zip(&others.all).all(is_same)
    }

    /// The only one of a meaning, with its position; nothing where there are more.
    #[inline]
    pub(super) fn only(&self, meaning: Meaning) -> Option<(usize, &Fact<'v>)> {
        let at = self.first[meaning as usize] as usize;
        self.all.get(at).filter(|fact| fact.next == NONE).map(|fact| (at, fact))
    }

    /// Those of a meaning, each with its position.
    pub(super) fn of(&self, meaning: Meaning) -> impl Iterator<Item = (usize, &Fact<'v>)> {
        let mut at = self.first[meaning as usize];
        std::iter::from_fn(move || {
            let (here, fact) = (at as usize, self.all.get(at as usize)?);
            at = fact.next;
            Some((here, fact))
        })
    }
}

/// Tells whether a value says anything: neither null nor a text of nothing but blanks does.
#[inline]
pub(super) fn is_said(value: ArenaValue<'_>) -> bool {
    match value {
        ArenaValue::Null => false,
        ArenaValue::Text(text) => {
            text.as_bytes().first().is_some_and(u8::is_ascii_graphic) || !text.trim().is_empty()
        }
        ArenaValue::Boolean(_) | ArenaValue::Number(_) | ArenaValue::List(_) | ArenaValue::Map(_) => true,
    }
}

/// Gathers what a document of a kind says, in the order of the dialect.
pub(super) fn gather<'v>(kind: &'v DialectKind, document: ArenaValue<'v>, pool: &'v Pool) -> Facts<'v> {
    let mut gatherer = Gatherer { document, pool, facts: Vec::with_capacity(16), payload: None };
    gatherer.map(&kind.map, document);
    if let Some(key) = payload_key(kind)
        && let Some(payload @ ArenaValue::Map(_)) = document.get(key)
    {
        gatherer.payload = Some(key);
        gatherer.map(&kind.map, payload);
    }
    with_implied(kind, gatherer.facts, document, pool)
}

/// Facts of the fields of a document, with those that its kind implies.
pub(super) fn with_implied<'v>(
    kind: &'v DialectKind,
    mut facts: Vec<Fact<'v>>,
    document: ArenaValue<'v>,
    pool: &'v Pool,
) -> Facts<'v> {
    for (meaning, text) in &kind.implied {
        if !facts.iter().any(|fact| fact.meaning == *meaning)
            && let Some(text) = substituted(text, document, pool)
        {
            facts.push(Fact::new(*meaning, None, "", ArenaValue::Text(text)));
        }
    }
    Facts::new(facts)
}

/// The key of the map whose entries count as if they stood at the top.
pub(super) fn payload_key(kind: &DialectKind) -> Option<&str> {
    let symbol = kind.also_in?;
    kind.map.fields.iter().find(|field| field.key.symbol == symbol).map(|field| &*field.key.text)
}

/// Puts the values of fields in the place of `{path}`; nothing where one is not there.
fn substituted<'v>(text: &'v str, document: ArenaValue<'v>, pool: &'v Pool) -> Option<&'v str> {
    let Some((before, rest)) = text.split_once('{') else { return Some(text) };
    let (path, after) = rest.split_once('}')?;
    let value = document.at(path)?.as_text()?;
    let after = substituted(after, document, pool)?;
    let is_whole = before.is_empty() && after.is_empty();
    Some(if is_whole { value } else { pool.joined(&[before, value, after], "") })
}

struct Gatherer<'v> {
    document: ArenaValue<'v>,
    pool: &'v Pool,
    facts: Vec<Fact<'v>>,
    /// The key of the map that is gathered as if it were the top.
    payload: Option<&'v str>,
}

impl<'v> Gatherer<'v> {
    /// Gathers in the order of the dialect, which most documents have themselves.
    fn map(&mut self, shape: &'v MapShape, map: ArenaValue<'v>) {
        let before = self.facts.len();
        let mut next = 0;
        for (name, value) in map.entries().iter().copied() {
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

    fn map_in_disorder(&mut self, shape: &'v MapShape, map: ArenaValue<'v>) {
        for field in &shape.fields {
            if let Some(value) = map.get(&field.key.text) {
                self.field(field, value);
            }
        }
    }

    fn field(&mut self, field: &'v Field, value: ArenaValue<'v>) {
        if !is_said(value) {
            return;
        }
        if let Some(meaning) = field.means {
            let path = match self.payload {
                Some(key) => self.pool.joined(&[key, &field.path], "."),
                None => &*field.path,
            };
            self.facts.push(Fact::new(meaning, Some(field), path, value));
        } else if let Some(inner) = field.shape.fields_by(|path| self.document.at(path)?.as_text()) {
            self.map(inner, value);
        }
    }
}
