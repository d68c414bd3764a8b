//! Fills the fields of a kind with what another document says.
//!
//! Three rounds: what means the same, then what a field can hold instead, then what must stand there and
//! nobody said. Each field is filled once, in the slot that its kind gives it; in the end what was filled is put
//! together in the order of the dialect.

mod again;
mod together;

use super::cast::{cast, meant};
use super::facts::{Fact, Facts};
use super::reread::Again;
use crate::dialect::{DialectKind, Field, FieldId, FieldPath, MapShape, Preset, Shape, Subject};
use crate::handoff::{Meaning, Meanings, outcome_within, recommendation_after};
use crate::plain::{Entry, Maker, Plain};
use crate::tree::Kind;

/// What a document was filled with.
#[derive(Debug)]
pub(super) struct Filled<'v> {
    /// The document.
    pub(super) document: Plain<'v>,
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
pub(super) struct Given<'g, 'v> {
    /// Values for fields, by their dotted paths.
    pub(super) set: &'g [(&'v str, Plain<'v>)],
    /// The time to write where one must be written.
    pub(super) now: Option<&'v str>,
    /// Whether what must be there is made up at all.
    pub(super) makes_up: bool,
}

impl Given<'_, '_> {
    /// Nothing is given, and nothing made up.
    pub(super) const NOTHING: Given<'static, 'static> = Given { set: &[], now: None, makes_up: false };
}

/// Fills the fields of a kind.
pub(super) fn fill<'v>(
    kind: &'v DialectKind,
    facts: &Facts<'v>,
    given: Given<'_, 'v>,
    maker: &mut Maker<'v>,
) -> Filled<'v> {
    draft(kind, facts, given, maker).done()
}

/// Fills the fields of a kind, up to putting them together.
pub(super) fn draft<'f, 'v>(
    kind: &'v DialectKind,
    facts: &'f Facts<'v>,
    given: Given<'f, 'v>,
    maker: &'f mut Maker<'v>,
) -> Draft<'f, 'v> {
    let filled = Filled {
        document: Plain::EMPTY,
        uses: Vec::with_capacity(facts.all.len()),
        made_up: Vec::new(),
        missing: Vec::new(),
    };
    let mut draft = Draft {
        kind,
        facts,
        said: facts.said,
        given,
        filled,
        held: Meanings::default(),
        waiting: Vec::new(),
        slots: maker.pool.several(kind.slots, Slot::Empty),
        count: 0,
        has_maps: false,
        mixed: Vec::new(),
        order: Vec::new(),
        maker,
    };
    for (path, value) in given.set {
        draft.set(path, *value);
    }
    draft.carry(&kind.map, Round::Same);
    if kind.room.is_settled {
        for field in std::mem::take(&mut draft.waiting) {
            let before = draft.count;
            draft.instead(field);
            if draft.count > before {
                draft.note_around(&field.path);
            }
        }
    } else {
        draft.carry(&kind.map, Round::Instead);
    }
    if given.makes_up {
        draft.complete(&kind.map, true, None);
    }
    draft
}

/// The figures that a fact says, by their names.
fn figures_of<'v>(fact: &Fact<'v>) -> impl Iterator<Item = Entry<'v>> {
    let is_map = matches!(fact.value, Plain::Map(_));
    let single = fact.field.filter(|_| !is_map).map(|of| (&*of.key.text, fact.value));
    single.into_iter().chain(fact.value.entries().iter().copied())
}

/// A figure as a field holds it: under its own name, or among others of any name.
fn figure<'v>(field: &'v Field, name: &str, value: Plain<'v>, maker: &mut Maker<'v>) -> Option<Plain<'v>> {
    let shape = match field.shape.as_map() {
        Some(map) if map.fields.is_empty() => &Shape::Any,
        Some(map) => &map.fields.iter().find(|of| *of.key.text == *name)?.shape,
        None if *field.key.text == *name => &field.shape,
        None => return None,
    };
    cast(None, value, None, shape, maker)
}

/// A map with its keys in the order of its dialect; others stay behind them.
pub(super) fn in_order<'v>(shape: &MapShape, value: Plain<'v>, maker: &mut Maker<'v>) -> Plain<'v> {
    let Plain::Map(entries) = value else { return value };
    let start = maker.entries.len();
    let (mut last, mut is_sorted) = (0, true);
    for (name, inner) in entries {
        let rank = shape.position_of(name, last).unwrap_or(usize::MAX);
        is_sorted &= last <= rank;
        last = rank;
        let made = match shape.fields.get(rank) {
            Some(Field { shape: Shape::Map(shape), .. }) => in_order(shape, *inner, maker),
            Some(_) | None => *inner,
        };
        maker.entries.push((name, made));
    }
    if !is_sorted {
        let mut last = 0;
        maker.entries[start..].sort_by_cached_key(|(name, _)| {
            last = shape.position_of(name, last).unwrap_or(usize::MAX);
            last
        });
    }
    maker.map(start)
}

impl<'v> Subject for Draft<'_, 'v> {
    type Value = Plain<'v>;

    /// What is missing will be there, whatever it says.
    fn find(&self, field: &FieldPath) -> Option<Plain<'v>> {
        self.at(&field.text).or_else(|| self.is_gap(&field.text).then_some(Plain::Text("")))
    }

    fn kind(&self, value: Plain<'v>) -> Kind {
        value.kind()
    }

    fn text(&self, value: Plain<'v>) -> &str {
        value.text()
    }

    fn has_only_text(&self) -> bool {
        false
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    Same,
    Instead,
}

/// What stands in a field.
#[derive(Clone, Copy)]
enum Slot<'v> {
    /// Nothing.
    Empty,
    /// Something in a field below it.
    Below,
    /// A value; of a map, fields below it may have more.
    Value(Plain<'v>),
}

/// A document of a kind whose fields are filled and not yet put together.
pub(super) struct Draft<'f, 'v> {
    kind: &'v DialectKind,
    facts: &'f Facts<'v>,
    /// What they say: most fields mean something else.
    said: Meanings,
    given: Given<'f, 'v>,
    filled: Filled<'v>,
    /// The meanings that a field holds already.
    held: Meanings,
    /// The fields that may hold something instead of what they mean.
    waiting: Vec<&'v Field>,
    /// What stands in each field.
    slots: &'v mut [Slot<'v>],
    /// How often a value was put into one.
    count: usize,
    /// Whether a map was put into any, in which something may stand that no slot shows.
    has_maps: bool,
    /// The fields with a value that have more below them.
    mixed: Vec<FieldId>,
    /// The paths of fields in the order in which they were filled, where that may be their order in the result.
    order: Vec<&'v str>,
    maker: &'f mut Maker<'v>,
}

impl<'v> Draft<'_, 'v> {
    /// How many fields that must be there have no source.
    pub(super) fn gaps(&self) -> usize {
        self.filled.missing.len()
    }

    /// Whether it has room for nothing of what is said.
    pub(super) fn holds_nothing(&self) -> bool {
        self.filled.uses.is_empty()
    }

    /// Whether the field at a dotted path, or one below it, must be there and has no source.
    fn is_gap(&self, path: &str) -> bool {
        let is_at = |rest: &str| rest.is_empty() || rest.starts_with('.');
        self.filled.missing.iter().any(|field| field.path.strip_prefix(path).is_some_and(is_at))
    }

    /// Puts the document together.
    pub(super) fn done(mut self) -> Filled<'v> {
        self.filled.document = self.together(&self.kind.map, Plain::EMPTY);
        self.filled
    }

    /// Puts the document together, and tells what it will say when it is read again, where that is sure.
    pub(super) fn done_and_told(mut self, again: Option<Again<'v>>) -> (Filled<'v>, Option<Facts<'v>>) {
        let told = again.and_then(|mut again| self.facts_again(&mut again));
        (self.done(), told)
    }

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
                let before = self.count;
                self.carry(inner, round);
                self.note_below(field, before);
            }
        }
    }

    /// The fields below a field, where it has some.
    fn inner(&self, field: &'v Field) -> Option<&'v MapShape> {
        field.shape.fields_by(|path| self.word_at(path))
    }

    /// What stands at a dotted path; of a map without what stands below it.
    fn at(&self, path: &str) -> Option<Plain<'v>> {
        let value = |path: &str| match self.slots.get(self.kind.slot(path)?)? {
            Slot::Value(value) => Some(*value),
            Slot::Below => Some(Plain::EMPTY),
            Slot::Empty => None,
        };
        let around = || dots(path).find_map(|at| value(&path[..at])?.at(&path[at + 1..]));
        value(path).or_else(|| if self.has_maps { around() } else { None })
    }

    /// The text of the scalar at a dotted path.
    fn word_at(&self, path: &str) -> Option<&'v str> {
        self.at(path)?.as_text()
    }

    #[inline]
    fn slot(&self, field: &Field) -> Slot<'v> {
        self.slot_at(field.id)
    }

    #[inline]
    fn slot_at(&self, id: FieldId) -> Slot<'v> {
        self.slots.get(usize::from(id.0)).copied().unwrap_or(Slot::Empty)
    }

    /// Whether something stands in a slot.
    #[inline]
    fn has(&self, id: FieldId) -> bool {
        !matches!(self.slots.get(usize::from(id.0)), Some(Slot::Empty) | None)
    }

    #[inline]
    fn is_filled(&self, field: &Field) -> bool {
        self.has(field.id)
    }

    /// Puts a value into a field; whoever goes down to it notes that in the fields around it.
    #[inline]
    fn put(&mut self, field: &'v Field, value: Plain<'v>) {
        self.put_at(usize::from(field.id.0), &field.path, value);
    }

    #[inline]
    fn put_at(&mut self, slot: usize, path: &'v str, value: Plain<'v>) {
        debug_assert!(slot < self.slots.len(), "a field outside of lists has a slot: {path}");
        if let Some(place) = self.slots.get_mut(slot) {
            // What is set below stands over the whole.
            if matches!(place, Slot::Below) {
                self.mixed.extend(u16::try_from(slot).map(FieldId));
            }
            *place = Slot::Value(value);
            self.count += 1;
            self.has_maps |= matches!(value, Plain::Map(_));
        }
        if !self.kind.room.is_settled {
            self.order.push(path);
        }
    }

    /// Notes in a field that something was put below it since so much was put.
    fn note_below(&mut self, field: &Field, before: usize) {
        if self.count > before {
            self.note_at(usize::from(field.id.0));
        }
    }

    fn note_at(&mut self, slot: usize) {
        match self.slots.get_mut(slot) {
            Some(place @ Slot::Empty) => *place = Slot::Below,
            Some(Slot::Value(_)) => self.mixed.extend(u16::try_from(slot).map(FieldId)),
            Some(Slot::Below) | None => {}
        }
    }

    /// Notes in the fields around a path that something stands below them.
    fn note_around(&mut self, path: &str) {
        for at in dots(path) {
            if let Some(around) = self.kind.slot(&path[..at]) {
                self.note_at(around);
            }
        }
    }

    /// Puts a value that is given at a dotted path, in the place of what was given below it.
    fn set(&mut self, path: &'v str, value: Plain<'v>) {
        let is_below = |of: &str| of.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        for (below, _) in self.given.set.iter().filter(|(of, _)| is_below(of)) {
            if let Some(place) = self.kind.slot(below).and_then(|slot| self.slots.get_mut(slot)) {
                *place = Slot::Empty;
            }
        }
        if let Some(slot) = self.kind.slot(path) {
            self.put_at(slot, path, value);
            self.note_around(path);
        }
    }

    /// Fills a field with what means the same.
    fn same(&mut self, field: &'v Field, meaning: Meaning) {
        if field.or_means.iter().flatten().any(|meaning| self.said.has(*meaning)) {
            self.waiting.push(field);
        }
        // Each field is met once, so that only what is set can stand there already.
        if !self.said.has(meaning)
            || (!self.given.set.is_empty() && matches!(self.slot(field), Slot::Value(_)))
        {
            return;
        }
        if meaning == Meaning::Measurements {
            return self.figures(field);
        }
        // A second field of one meaning takes it only where it must be there.
        if (!self.held.has(meaning) || field.is_required)
            && let Some(value) = self.said(meaning, field)
        {
            self.held.add(meaning);
            self.put(field, value);
        }
    }

    /// What the facts of a meaning come to in a field; notes which facts those are.
    fn said(&mut self, meaning: Meaning, field: &'v Field) -> Option<Plain<'v>> {
        let (shape, path) = (&field.shape, &*field.path);
        let mut said: Option<Plain<'v>> = None;
        for (at, fact) in self.facts.of(meaning) {
            let from = fact.field.map(|field| &field.shape);
            let less = (meaning == Meaning::Outcome).then(|| self.less(fact)).flatten();
            let (told, from) = less.map_or((fact.value, from), |word| (Plain::Text(word), None));
            let Some(value) = cast(Some(meaning), told, from, shape, self.maker) else { continue };
            let joined = match (said, value) {
                (None, value) => value,
                (Some(list @ Plain::List(_)), Plain::List(more)) => self.maker.both(list, more),
                (Some(list @ Plain::List(_)), _) => list,
                (Some(Plain::Text(text)), Plain::Text(more))
                    if matches!(shape, Shape::Text(_)) && is_told_at_length(meaning) =>
                {
                    Plain::Text(self.maker.pool.joined(&[text, more], "; "))
                }
                (Some(_), _) => continue,
            };
            said = Some(joined);
            self.filled.uses.push((at, path));
        }
        said
    }

    /// The outcome in the place of one that says too much by itself: this kind does not say that it should not go on.
    fn less(&self, outcome: &Fact<'v>) -> Option<&'static str> {
        if self.kind.room.holds.has(Meaning::Recommendation) {
            return None;
        }
        outcome_within(word_of(outcome)?, word_of(self.facts.of(Meaning::Recommendation).next()?.1)?)
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
        let held = self.held;
        let start = self.maker.items.len();
        for meaning in together {
            if self.said.has(*meaning)
                && held.has(*meaning) == is_held
                && let Some(value) = self.said(*meaning, field)
            {
                self.maker.items.push(value);
                self.held.add(*meaning);
            }
        }
        let value = match &self.maker.items[start..] {
            [] => return false,
            [one] => *one,
            told => {
                let texts = told.iter().filter_map(|value| value.as_text());
                let sentences: Vec<_> = texts.map(|text| text.trim_end_matches('.')).collect();
                Plain::Text(self.maker.pool.joined(&[&sentences.join(". "), "."], ""))
            }
        };
        self.maker.items.truncate(start);
        self.put(field, value);
        true
    }

    /// Figures go by their names: each into the field of its name, the rest where there is room for any.
    fn figures(&mut self, field: &'v Field) {
        let start = self.maker.entries.len();
        let first = self.filled.uses.len();
        for (at, fact) in self.facts.of(Meaning::Measurements) {
            for (name, value) in figures_of(fact) {
                let value = figure(field, name, value, self.maker);
                let made = &self.maker.entries[start..];
                if let Some(value) = value.filter(|_| !made.iter().any(|(other, _)| *other == name)) {
                    self.maker.entries.push((name, value));
                    // Several figures of one fact are one use of it.
                    if self.filled.uses[first..].last().is_none_or(|(last, _)| *last != at) {
                        self.filled.uses.push((at, &*field.path));
                    }
                }
            }
        }
        let Some((_, single)) = self.maker.entries.get(start).copied() else { return };
        let made = self.maker.map(start);
        let value = match &field.shape {
            Shape::Map(map) => in_order(map, made, self.maker),
            Shape::Any
            | Shape::Text(_)
            | Shape::Words(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp
            | Shape::List(_)
            | Shape::Depends { .. }
            | Shape::Either(_)
            | Shape::Named(_) => single,
        };
        self.put(field, value);
    }

    /// Makes up what must be there and nobody said; what cannot be made up is missing. `within` is the value that
    /// stands around the fields, where one does.
    fn complete(&mut self, map: &'v MapShape, is_needed: bool, within: Option<Plain<'v>>) {
        let is_any_set = !self.given.set.is_empty();
        for (reach, field) in map.reach.iter().zip(&map.fields) {
            let is_needed = is_needed && reach.is_needed;
            let may_be_filled = is_any_set || reach.says.meets(self.said);
            if !(is_needed || reach.has_fields && may_be_filled) {
                continue;
            }
            let value = match self.slot(field) {
                Slot::Value(value) => Some(value),
                Slot::Empty | Slot::Below => within.and_then(|around| around.get(&field.key.text)),
            };
            let is_filled = value.is_some() || self.is_filled(field);
            let gaps = self.gaps();
            if (is_needed || is_filled)
                && let Some(inner) = self.inner(field)
            {
                let before = self.count;
                self.complete(inner, true, value);
                self.note_below(field, before);
            }
            // A map is there with the fields that must be in it.
            let is_named = self.gaps() > gaps;
            if is_needed && field.is_required && value.is_none() && !is_named && !self.is_filled(field) {
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

    fn made_up(&mut self, field: &'v Field) -> Option<Plain<'v>> {
        let preset = match &field.preset {
            Some(Preset::Always(value)) => Some(value),
            Some(Preset::By { on, cases }) => {
                let word = self.word_at(on)?;
                cases.iter().find(|(case, _)| **case == *word).map(|(_, value)| value)
            }
            None => None,
        };
        if let Some(preset) = preset {
            let preset = Plain::of_datum(preset, self.maker);
            return Some(self.no_more(field, preset).unwrap_or(preset));
        }
        if let Some(now) = self.given.now.filter(|_| field.means == Some(Meaning::Written))
            && let Some(now) = cast(field.means, Plain::Text(now), None, &field.shape, self.maker)
        {
            return Some(now);
        }
        match &field.shape {
            Shape::Integer(Some(only)) => Some(Plain::Number(self.maker.pool.text(&only.to_string()))),
            Shape::Map(map) if map.fields.iter().all(|field| !field.is_required) => Some(Plain::EMPTY),
            Shape::Depends { .. } => Some(Plain::EMPTY),
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
        }
    }
}

impl<'v> Draft<'_, 'v> {
    /// What should happen next in the place of going on, where the outcome is not one to go on from.
    fn no_more(&mut self, field: &'v Field, preset: Plain<'v>) -> Option<Plain<'v>> {
        let goes_on = field.means == Some(Meaning::Recommendation)
            && preset.as_text().is_some_and(|text| meant(text, Some(&field.shape)) == "continue");
        let outcome = self.facts.of(Meaning::Outcome).next().filter(|_| goes_on)?.1;
        let word = recommendation_after(word_of(outcome)?)?;
        cast(field.means, Plain::Text(word), None, &field.shape, self.maker)
    }
}

/// The word of the common model that a fact says.
fn word_of<'v>(fact: &Fact<'v>) -> Option<&'v str> {
    Some(meant(fact.value.as_text()?, fact.field.map(|field| &field.shape)))
}

/// Where the keys of a dotted path end, but for the last.
fn dots(path: &str) -> impl Iterator<Item = usize> {
    path.bytes().enumerate().filter(|(_, byte)| *byte == b'.').map(|(at, _)| at)
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
