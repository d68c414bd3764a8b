//! Content of each field of a document that is being filled.

use super::Draft;
use crate::arena_value::ArenaValue;
use crate::dialect::{Field, FieldId};

/// Content of a field.
#[derive(Clone, Copy)]
pub(super) enum Slot<'v> {
    /// Nothing.
    Empty,
    /// Something in a field below it.
    Below,
    /// A value; of a map, fields below it may have more.
    Value(ArenaValue<'v>),
}
impl<'v> Draft<'_, 'v> {
    /// Value that a dotted path will have; a missing one counts as present.
    pub(in crate::convert) fn find(&self, path: &str) -> Option<ArenaValue<'v>> {
        self.at(path).or_else(|| self.is_gap(path).then_some(ArenaValue::Text("")))
    }

    /// Value at a dotted path; of a map without what stands below it.
    pub(super) fn at(&self, path: &str) -> Option<ArenaValue<'v>> {
        let value = |path: &str| match self.slots.get(self.kind.slot(path)?)? {
            Slot::Value(value) => Some(*value),
            Slot::Below => Some(ArenaValue::EMPTY),
            Slot::Empty => None,
        };
        let around = || dots(path).find_map(|at| value(&path[..at])?.at(&path[at + 1..]));
        value(path).or_else(|| if self.has_maps { around() } else { None })
    }

    /// The text of the scalar at a dotted path.
    pub(super) fn word_at(&self, path: &str) -> Option<&'v str> {
        self.at(path)?.as_text()
    }

    #[inline]
    pub(super) fn slot(&self, field: &Field) -> Slot<'v> {
        self.slot_at(field.id)
    }

    #[inline]
    pub(super) fn slot_at(&self, id: FieldId) -> Slot<'v> {
        self.slots.get(usize::from(id.0)).copied().unwrap_or(Slot::Empty)
    }

    /// Tells whether something stands in a slot.
    #[inline]
    pub(super) fn has(&self, id: FieldId) -> bool {
        !matches!(self.slots.get(usize::from(id.0)), Some(Slot::Empty) | None)
    }

    #[inline]
    pub(super) fn is_filled(&self, field: &Field) -> bool {
        self.has(field.id)
    }

    /// Puts a value into a field; the caller notes it in the fields around it.
    #[inline]
    pub(super) fn put(&mut self, field: &'v Field, value: ArenaValue<'v>) {
        self.put_at(usize::from(field.id.0), &field.path, value);
    }

    #[inline]
    pub(super) fn put_at(&mut self, slot: usize, path: &'v str, value: ArenaValue<'v>) {
        debug_assert!(slot < self.slots.len(), "a field outside of lists has a slot: {path}");
        if let Some(place) = self.slots.get_mut(slot) {
            // What is set below stands over the whole.
            if matches!(place, Slot::Below) {
                self.mixed.extend(u16::try_from(slot).map(FieldId));
            }
            *place = Slot::Value(value);
            self.count += 1;
            self.has_maps |= matches!(value, ArenaValue::Map(_));
        }
        if !self.kind.capacity.is_settled {
            self.order.push(path);
        }
    }

    /// Notes in a field that something was put below it since so much was put.
    pub(super) fn note_below(&mut self, field: &Field, before: usize) {
        if self.count > before {
            self.note_at(usize::from(field.id.0));
        }
    }

    pub(super) fn note_at(&mut self, slot: usize) {
        match self.slots.get_mut(slot) {
            Some(place @ Slot::Empty) => *place = Slot::Below,
            Some(Slot::Value(_)) => self.mixed.extend(u16::try_from(slot).map(FieldId)),
            Some(Slot::Below) | None => {}
        }
    }

    /// Notes in the fields around a path that something stands below them.
    pub(super) fn note_around(&mut self, path: &str) {
        for at in dots(path) {
            if let Some(around) = self.kind.slot(&path[..at]) {
                self.note_at(around);
            }
        }
    }

    /// Puts a value that is given at a dotted path, in the place of what was given below it.
    pub(super) fn set(&mut self, path: &'v str, value: ArenaValue<'v>) {
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
}

/// Ends of the keys of a dotted path, but for the last.
fn dots(path: &str) -> impl Iterator<Item = usize> {
    path.bytes().enumerate().filter(|(_, byte)| *byte == b'.').map(|(at, _)| at)
}
