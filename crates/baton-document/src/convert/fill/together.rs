//! Puts a document together from the fields that were filled.
//!
//! Its keys are in the order of the dialect, but for those that a word in the document chose: they come in the order in
//! which they were filled.

use super::{Draft, Slot};
use crate::arena_value::ArenaValue;
use crate::datum::is_same_key;
use crate::dialect::{Field, MapShape, Shape};

impl<'v> Draft<'_, 'v> {
    /// Fields that were filled below a map, over its own value, in the order of the dialect.
    pub(super) fn together(&mut self, map: &'v MapShape, whole: ArenaValue<'v>) -> ArenaValue<'v> {
        let is_any_set = !self.given.set.is_empty();
        let start = self.maker.entries.len();
        self.maker.entries.extend_from_slice(whole.entries());
        for (reach, field) in map.reach.iter().zip(&map.fields) {
            if !(reach.is_needed || is_any_set || reach.says.meets(self.said)) || !self.has(reach.id) {
                continue;
            }
            // Most values stand alone, in a map that has nothing else.
            if let Slot::Value(value) = self.slot_at(reach.id)
                && self.mixed.is_empty()
                && whole.entries().is_empty()
            {
                self.maker.entries.push((&*field.key.text, value));
                continue;
            }
            let Some(value) = self.value(field, whole, true) else { continue };
            if whole.entries().is_empty() {
                self.maker.entries.push((&*field.key.text, value));
            } else {
                self.place(map, start, field, value);
            }
        }
        self.maker.map(start)
    }

    /// Puts a value among the entries of a whole: behind the last one that comes before it in the dialect.
    fn place(&mut self, map: &MapShape, start: usize, field: &'v Field, value: ArenaValue<'v>) {
        let entries = &self.maker.entries[start..];
        if let Some(at) = entries.iter().position(|(name, _)| is_same_key(name, &field.key.text)) {
            self.maker.entries[start + at].1 = value;
            return;
        }
        let rank = |name: &str| map.position_of(name, 0).unwrap_or(usize::MAX);
        let own = rank(&field.key.text);
        let before = entries.iter().rposition(|(name, _)| rank(name) <= own);
        self.maker.entries.insert(start + before.map_or(0, |at| at + 1), (&*field.key.text, value));
    }

    /// Content of a field, with all that stands below it; `around` is the whole that stands around it.
    fn value(
        &mut self,
        field: &'v Field,
        around: ArenaValue<'v>,
        is_ordered: bool,
    ) -> Option<ArenaValue<'v>> {
        let whole = match self.slot(field) {
            Slot::Empty => return None,
            Slot::Below => around.get(&field.key.text).unwrap_or(ArenaValue::EMPTY),
            Slot::Value(value) if !self.mixed.contains(&field.id) => return Some(value),
            Slot::Value(value) => value,
        };
        Some(match &field.shape {
            Shape::Map(map) if is_ordered => self.together(map, whole),
            Shape::Any
            | Shape::Text(_)
            | Shape::Words(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp
            | Shape::List(_)
            | Shape::Map(_)
            | Shape::Depends { .. }
            | Shape::Either(_)
            | Shape::Named(_) => self.in_turn(&field.shape, whole),
        })
    }

    /// The same where a word in the document chooses the fields: they come in the order in which they were filled.
    fn in_turn(&mut self, shape: &'v Shape, whole: ArenaValue<'v>) -> ArenaValue<'v> {
        let mut filled: Vec<(usize, &'v Field, ArenaValue<'v>)> = Vec::new();
        for field in shape.maps().into_iter().flat_map(|map| &map.fields) {
            let is_at = |path: &&str| {
                path.strip_prefix(&*field.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let turn = self.order.iter().position(is_at).unwrap_or(usize::MAX);
            // Several cases may have the field.
            let is_known = filled.iter().any(|(_, other, _)| other.id == field.id);
            if let Some(value) = self.value(field, whole, false).filter(|_| !is_known) {
                filled.push((turn, field, value));
            }
        }
        filled.sort_by_key(|(turn, ..)| *turn);
        let start = self.maker.entries.len();
        let is_own = |name: &str| filled.iter().any(|(_, field, _)| is_same_key(&field.key.text, name));
        self.maker.entries.extend(whole.entries().iter().filter(|(name, _)| !is_own(name)));
        self.maker.entries.extend(filled.iter().map(|(_, field, value)| (&*field.key.text, *value)));
        self.maker.map(start)
    }
}
