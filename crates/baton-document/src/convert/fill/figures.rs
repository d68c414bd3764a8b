//! Figures, which go by their names.

use std::collections::HashSet;

use super::{Draft, Slot, in_order};
use crate::arena_value::ArenaValue;
use crate::convert::cast::cast;
use crate::datum::is_same_key;
use crate::dialect::{Field, Shape};
use crate::handoff::Meaning;
use crate::mixed_content;

impl<'v> Draft<'_, 'v> {
    /// Puts each figure into the field of its name, and the rest where there is room for any.
    ///
    /// A figure stands once: first come the fields that must be there, those that take any name come last.
    pub(super) fn place_figures(&mut self, waiting: &[&'v Field]) {
        for turn in [FillOrder::Needed, FillOrder::Named, FillOrder::Rest] {
            let is_next =
                |field: &Field| field.means == Some(Meaning::Measurements) && turn_of(field) == turn;
            for field in waiting.iter().copied().filter(|field| is_next(field)) {
                let before = self.count;
                self.figures(field, turn);
                if self.count > before {
                    self.note_around(&field.path);
                }
            }
        }
    }

    /// Puts the only field for figures into its turn.
    pub(super) fn all_figures(&mut self, field: &'v Field) {
        self.figures(field, turn_of(field));
    }

    /// Fills a field with figures.
    fn figures(&mut self, field: &'v Field, turn: FillOrder) {
        if !self.given.set.is_empty() && matches!(self.slot(field), Slot::Value(_)) {
            return;
        }
        let start = self.maker.entries.len();
        let first = self.filled.uses.len();
        // What has its place already stands here as well only where it must.
        let mut is_new = turn == FillOrder::Needed;
        // The names in one map differ; those in several may not.
        let mut before = self.facts.only(Meaning::Measurements).is_none().then(FigureNames::default);
        for (at, fact) in self.facts.of(Meaning::Measurements) {
            let value = mixed_content::text_of(fact.value).map_or(fact.value, ArenaValue::Text);
            let single = fact.field.map(|field| (&*field.key.text, value));
            let figures = if let ArenaValue::Map(entries) = value { entries } else { single.as_slice() };
            for (name, value) in figures.iter().copied() {
                let Some((shape, is_needed)) = place_of(field, name) else { continue };
                let is_held = self.figures.has(name);
                if (is_held && !is_needed) || before.as_ref().is_some_and(|before| before.has(name)) {
                    continue;
                }
                let Some(value) = cast(None, value, None, shape, self.maker) else { continue };
                is_new |= !is_held;
                self.maker.entries.push((name, value));
                before.iter_mut().for_each(|before| before.add(name));
                // Several figures of one fact are one use of it.
                if self.filled.uses[first..].last().is_none_or(|(last, _)| *last != at) {
                    self.filled.uses.push((at, &*field.path));
                }
            }
        }
        if !is_new {
            self.maker.entries.truncate(start);
            self.filled.uses.truncate(first);
            return;
        }
        if self.kind.capacity.has_many_figures {
            self.maker.entries[start..].iter().for_each(|(name, _)| self.figures.add(name));
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
}

/// Names of figures.
#[derive(Default)]
pub(super) struct FigureNames<'v> {
    all: Vec<&'v str>,
    /// The same, where they are too many to be looked through.
    many: HashSet<&'v str>,
}

/// Names that are searched one by one.
const FEW_NAMES: usize = 32;

impl<'v> FigureNames<'v> {
    fn has(&self, name: &str) -> bool {
        match self.many.is_empty() {
            true => self.all.iter().any(|other| is_same_key(other, name)),
            false => self.many.contains(name),
        }
    }

    fn add(&mut self, name: &'v str) {
        self.all.push(name);
        if self.all.len() > FEW_NAMES {
            let from = if self.many.is_empty() { 0 } else { self.all.len() - 1 };
            self.many.extend(&self.all[from..]);
        }
    }
}

/// When a field for figures is filled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FillOrder {
    /// First: it must be there.
    Needed,
    /// Then: it holds figures of some names.
    Named,
    /// Last: it holds any.
    Rest,
}

fn turn_of(field: &Field) -> FillOrder {
    match field.shape.as_map() {
        _ if field.is_required || field.leads_to_required => FillOrder::Needed,
        Some(map) if map.fields.is_empty() => FillOrder::Rest,
        Some(_) | None => FillOrder::Named,
    }
}

/// The shape that a figure has in a field, under its own name or among others of any name, and whether it must be there.
fn place_of<'v>(field: &'v Field, name: &str) -> Option<(&'v Shape, bool)> {
    match field.shape.as_map() {
        Some(map) if map.fields.is_empty() => Some((&Shape::Any, false)),
        Some(map) => map.field(name).map(|of| (&of.shape, of.is_required)),
        None => is_same_key(&field.key.text, name).then_some((&field.shape, field.is_required)),
    }
}
