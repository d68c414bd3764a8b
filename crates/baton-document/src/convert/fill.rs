//! Fills the fields of a kind with what another document says.
//!
//! Three rounds: what means the same, then what a field can hold instead, then what must stand there and
//! nobody said. Each field is filled once.

use std::borrow::Cow;

use super::cast::cast;
use super::facts::Fact;
use crate::datum::Datum;
use crate::dialect::{DialectKind, Field, MapShape, Preset, Shape};
use crate::handoff::{Meaning, Meanings};

/// What a document was filled with.
#[derive(Debug)]
pub(super) struct Filled<'v> {
    /// The document.
    pub(super) document: Datum<'v>,
    /// Which fact went where.
    pub(super) uses: Vec<Use<'v>>,
    /// The fields that were made up.
    pub(super) made_up: Vec<&'v Field>,
    /// The fields that must be there and have no source.
    pub(super) missing: Vec<&'v Field>,
}

/// The position of a fact, and the dotted path of a field it went to.
pub(super) type Use<'v> = (usize, &'v str);

/// What is used where nothing is said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'g> {
    /// Values for fields, by their dotted paths.
    pub(super) set: &'g [(String, Datum<'static>)],
    /// The time to write where one must be written.
    pub(super) now: Option<&'g str>,
    /// Whether what must be there is made up at all.
    pub(super) makes_up: bool,
}

impl Given<'_> {
    /// Nothing is given, and nothing made up.
    pub(super) const NOTHING: Given<'static> = Given { set: &[], now: None, makes_up: false };
}

/// Fills the fields of a kind.
pub(super) fn fill<'v>(kind: &'v DialectKind, facts: &[Fact<'_, 'v>], given: Given<'_>) -> Filled<'v> {
    let filled = Filled {
        document: Datum::Map(Vec::with_capacity(facts.len().min(kind.map.fields.len()))),
        uses: Vec::with_capacity(facts.len()),
        made_up: Vec::new(),
        missing: Vec::new(),
    };
    let said = facts.iter().map(|fact| fact.meaning).collect();
    let mut filler =
        Filler { facts, said, given, filled, held: Meanings::default(), waiting: Vec::new(), map: &kind.map };
    for (path, value) in given.set {
        filler.filled.document.put(path.clone(), value.clone());
    }
    filler.carry(&kind.map, Round::Same);
    if kind.room.is_settled {
        std::mem::take(&mut filler.waiting).into_iter().for_each(|field| filler.instead(field));
    } else {
        filler.carry(&kind.map, Round::Instead);
    }
    if given.makes_up {
        filler.complete(&kind.map, true);
    }
    let mut filled = filler.filled;
    if !given.set.is_empty() {
        in_order(&kind.map, &mut filled.document);
    }
    filled
}

/// Puts the keys of a document into the order of its dialect; others stay behind them.
pub(super) fn in_order(shape: &MapShape, value: &mut Datum<'_>) {
    let Datum::Map(entries) = value else { return };
    let (mut last, mut is_sorted) = (0, true);
    for (name, inner) in entries.iter_mut() {
        let rank = shape.position_of(name, last).unwrap_or(usize::MAX);
        is_sorted &= last <= rank;
        last = rank;
        if let Some(Field { shape: Shape::Map(shape), .. }) = shape.fields.get(rank) {
            in_order(shape, inner);
        }
    }
    if !is_sorted {
        let mut last = 0;
        entries.sort_by_cached_key(|(name, _)| {
            last = shape.position_of(name, last).unwrap_or(usize::MAX);
            last
        });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    Same,
    Instead,
}

struct Filler<'f, 'v> {
    facts: &'f [Fact<'f, 'v>],
    /// What they say: most fields mean something else.
    said: Meanings,
    given: Given<'f>,
    filled: Filled<'v>,
    /// The meanings that a field holds already.
    held: Meanings,
    /// The fields that may hold something instead of what they mean.
    waiting: Vec<&'v Field>,
    /// The fields of the kind, whose order is that of the document.
    map: &'v MapShape,
}

impl<'v> Filler<'_, 'v> {
    fn carry(&mut self, map: &'v MapShape, round: Round) {
        debug_assert_eq!(map.reach.len(), map.fields.len(), "what a field can be filled with is noted");
        // There are many fields, and few of them can hold what is said.
        for (reach, field) in map.reach.iter().zip(&map.fields) {
            if !reach.says.meets(self.said) {
                continue;
            }
            if let Some(meaning) = field.means {
                match round {
                    Round::Same => self.same(field, meaning),
                    Round::Instead => self.instead(field),
                }
            } else if let Some(inner) = self.inner(field) {
                self.carry(inner, round);
            }
        }
    }

    /// The fields below a field, where it has some.
    fn inner(&self, field: &'v Field) -> Option<&'v MapShape> {
        field.shape.fields_by(|path| self.filled.document.word_at(path))
    }

    fn is_filled(&self, field: &Field) -> bool {
        self.filled.document.at(&field.path).is_some()
    }

    /// Puts a value into a field behind all that were filled before it in the order of the dialect.
    fn put_next(&mut self, field: &'v Field, value: Datum<'v>) {
        if self.given.set.is_empty() {
            self.filled.document.put_last(&field.path, value);
        } else {
            self.filled.document.put(&*field.path, value);
        }
    }

    /// Puts a value into a field at its place in the order of the dialect.
    fn put(&mut self, field: &'v Field, value: Datum<'v>) {
        if !self.given.set.is_empty() {
            return self.filled.document.put(&*field.path, value);
        }
        let (mut shape, mut place) = (Some(self.map), &mut self.filled.document);
        for key in field.path.split('.') {
            let own = shape.and_then(|shape| shape.position_of(key, 0));
            let rank = |name: &str| shape.and_then(|shape| shape.position_of(name, own.unwrap_or_default()));
            place = place.place_among(key, own, rank);
            shape = shape.zip(own).and_then(|(shape, own)| shape.fields[own].shape.as_map());
        }
        *place = value;
    }

    /// Fills a field with what means the same.
    fn same(&mut self, field: &'v Field, meaning: Meaning) {
        if field.or_means.iter().flatten().any(|meaning| self.said.has(*meaning)) {
            self.waiting.push(field);
        }
        // Each field is met once, so that only what is set can stand there already.
        if !self.said.has(meaning) || (!self.given.set.is_empty() && self.is_filled(field)) {
            return;
        }
        if meaning == Meaning::Measurements {
            return self.figures(field);
        }
        // A second field of one meaning takes it only where it must be there.
        if !self.held.has(meaning) || field.is_required {
            let mut uses = std::mem::take(&mut self.filled.uses);
            if let Some(value) = self.said(meaning, field, &mut uses) {
                self.held.add(meaning);
                self.put_next(field, value);
            }
            self.filled.uses = uses;
        }
    }

    /// What the facts of a meaning come to in a field; adds which facts those are.
    fn said(&self, meaning: Meaning, field: &'v Field, uses: &mut Vec<Use<'v>>) -> Option<Datum<'v>> {
        let (shape, path) = (&field.shape, &*field.path);
        let own = self.facts.iter().enumerate().filter(|(_, fact)| fact.meaning == meaning);
        let mut cast = own.filter_map(|(at, fact)| {
            let from = fact.field.map(|field| &field.shape);
            cast(Some(meaning), &fact.value, from, shape).map(|value| (at, value))
        });
        let (first, mut value) = cast.next()?;
        uses.push((first, path));
        match &mut value {
            Datum::List(items) => {
                for (at, more) in cast {
                    uses.push((at, path));
                    if let Datum::List(more) = more {
                        items.extend(more);
                    }
                }
            }
            Datum::Text(text) if matches!(shape, Shape::Text(_)) && is_told_at_length(meaning) => {
                for (at, more) in cast {
                    if let Datum::Text(more) = more {
                        uses.push((at, path));
                        let text = text.to_mut();
                        text.push_str("; ");
                        text.push_str(&more);
                    }
                }
            }
            Datum::Null | Datum::Boolean(_) | Datum::Number(_) | Datum::Text(_) | Datum::Map(_) => {}
        }
        Some(value)
    }

    /// Fills a field with what it can hold instead of what it means.
    fn instead(&mut self, field: &'v Field) {
        if field.or_means.is_empty() || self.is_filled(field) {
            return;
        }
        for together in &field.or_means {
            // What has its own field need not be told again.
            let is_told = self.told(field, together, false);
            if is_told || (field.is_required && self.told(field, together, true)) {
                return;
            }
        }
    }

    /// Fills a field with what is told together, of what other fields hold already or of the rest.
    fn told(&mut self, field: &'v Field, together: &[Meaning], is_held: bool) -> bool {
        let mut uses = std::mem::take(&mut self.filled.uses);
        let mut told = Vec::new();
        let wanted = |meaning: &&Meaning| self.said.has(**meaning) && self.held.has(**meaning) == is_held;
        for meaning in together.iter().filter(wanted) {
            told.extend(self.said(*meaning, field, &mut uses).map(|value| (*meaning, value)));
        }
        self.filled.uses = uses;
        told.iter().for_each(|(meaning, _)| self.held.add(*meaning));
        let value = match told.len() {
            0 => return false,
            1 => told.remove(0).1,
            _ => {
                let texts = told.iter().filter_map(|(_, value)| value.as_text());
                let sentences: Vec<_> = texts.map(|text| text.trim_end_matches('.')).collect();
                Datum::Text(format!("{}.", sentences.join(". ")).into())
            }
        };
        self.put(field, value);
        true
    }

    /// Figures go by their names: each into the field of its name, the rest where there is room for any.
    fn figures(&mut self, field: &'v Field) {
        let is_any = field.shape.as_map().is_some_and(|map| map.fields.is_empty());
        let mut made = Vec::new();
        let first = self.filled.uses.len();
        for (at, fact) in
            self.facts.iter().enumerate().filter(|(_, fact)| fact.meaning == Meaning::Measurements)
        {
            let is_map = matches!(&*fact.value, Datum::Map(_));
            let single = fact.field.filter(|_| !is_map);
            let single = single.map(|of| (Cow::Borrowed(&*of.key.text), &*fact.value));
            let inner = fact.value.entries().iter().map(|(name, value)| (name.clone(), value));
            for (name, value) in single.into_iter().chain(inner) {
                let own = || (*field.key.text == name).then_some(&field.shape);
                let shape = match field.shape.as_map() {
                    Some(_) if is_any => Some(&Shape::Any),
                    Some(map) => map.fields.iter().find(|of| *of.key.text == name).map(|of| &of.shape),
                    None => own(),
                };
                let value = shape.and_then(|shape| cast(None, value, None, shape));
                if let Some(value) = value.filter(|_| !made.iter().any(|(other, _)| *other == name)) {
                    made.push((name, value));
                    // Several figures of one fact are one use of it.
                    if self.filled.uses[first..].last().is_none_or(|(last, _)| *last != at) {
                        self.filled.uses.push((at, &*field.path));
                    }
                }
            }
        }
        let is_map = field.shape.as_map().is_some();
        let mut value = match made.len() {
            0 => return,
            _ if is_map => Datum::Map(made),
            _ => made.remove(0).1,
        };
        if let Shape::Map(map) = &field.shape {
            in_order(map, &mut value);
        }
        self.put_next(field, value);
    }

    /// Makes up what must be there and nobody said; what cannot be made up is missing.
    fn complete(&mut self, map: &'v MapShape, is_needed: bool) {
        let is_any_set = !self.given.set.is_empty();
        for (reach, field) in map.reach.iter().zip(&map.fields) {
            let is_needed = is_needed && reach.is_needed;
            let may_be_filled = is_any_set || reach.says.meets(self.said);
            if !(is_needed || reach.has_fields && may_be_filled) {
                continue;
            }
            // A map that means something as a whole is said whole or not at all.
            let is_looked_into = || (is_needed && field.means.is_none()) || self.is_filled(field);
            if let Some(inner) = self.inner(field).filter(|_| is_looked_into()) {
                self.complete(inner, true);
            }
            if is_needed && field.is_required && !self.is_filled(field) {
                match self.made_up(field) {
                    Some(value) => {
                        self.put(field, value);
                        self.filled.made_up.push(field);
                    }
                    None => self.filled.missing.push(field),
                }
            }
        }
    }

    fn made_up(&self, field: &'v Field) -> Option<Datum<'v>> {
        let preset = match &field.preset {
            Some(Preset::Always(value)) => Some(value.clone()),
            Some(Preset::By { on, cases }) => {
                let word = self.filled.document.word_at(on)?;
                cases.iter().find(|(case, _)| &**case == word).map(|(_, value)| value.clone())
            }
            None => None,
        };
        let is_time = field.means == Some(Meaning::Written);
        let now = || {
            let now = Datum::Text(self.given.now.filter(|_| is_time)?.to_owned().into());
            cast(field.means, &now, None, &field.shape)
        };
        preset.or_else(now).or(match &field.shape {
            Shape::Integer(Some(only)) => Some(Datum::Number(only.to_string().into())),
            Shape::Map(map) if map.fields.iter().all(|field| !field.is_required) => {
                Some(Datum::Map(Vec::new()))
            }
            Shape::Depends { .. } => Some(Datum::Map(Vec::new())),
            Shape::Any
            | Shape::Text(_)
            | Shape::Words(_)
            | Shape::Integer(None)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp
            | Shape::List(_)
            | Shape::Map(_)
            | Shape::Either(_)
            | Shape::Named(_) => None,
        })
    }
}

/// Whether several texts of this meaning can be told one after the other.
fn is_told_at_length(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::Summary
            | Meaning::Did
            | Meaning::Found
            | Meaning::Error
            | Meaning::Reason
            | Meaning::Deliverable
            | Meaning::Decisions
            | Meaning::Assumptions
            | Meaning::Questions
            | Meaning::Concerns
            | Meaning::Constraints
            | Meaning::Criteria
    )
}
