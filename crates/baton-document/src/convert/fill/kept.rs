//! Part of an original that would not come back, told from the fields that were filled on the way back.

use super::{Draft, Slot};
use crate::arena_value::{ArenaValue, Entry};
use crate::convert::extension::{Kept, KeyPath, absent_at, keep};
use crate::dialect::MapShape;

impl<'v> Draft<'_, 'v> {
    /// Part of the original that would not come back, and what would come back and is not there.
    pub(in crate::convert) fn kept(&mut self, original: ArenaValue<'v>) -> Kept<'v> {
        // Otherwise fields do not stand where their slots are.
        let is_plain = self.kind.capacity.is_settled && self.mixed.is_empty();
        if !is_plain || !matches!(original, ArenaValue::Map(_)) {
            return self.kept_by_all(original);
        }
        let mut absent = Vec::new();
        let kept = self.kept_of(&self.kind.map, original, None, &mut absent).map(ArenaValue::Map);
        debug_assert_eq!((kept, absent.clone()), self.kept_by_all(original), "{original:?}");
        (kept, absent)
    }

    /// The same told by the document that would come back.
    fn kept_by_all(&mut self, original: ArenaValue<'v>) -> Kept<'v> {
        let mut absent = Vec::new();
        let back = self.together(&self.kind.map, ArenaValue::EMPTY);
        (keep(original, back, None, &mut absent, self.maker), absent)
    }

    /// The same of a map.
    fn kept_of(
        &mut self,
        map: &'v MapShape,
        original: ArenaValue<'v>,
        way: Option<&KeyPath<'_>>,
        absent: &mut Vec<&'v str>,
    ) -> Option<&'v [Entry<'v>]> {
        let start = self.maker.entries.len();
        let (mut next, mut met) = (0, 0);
        for entry @ (key, value) in original.entries() {
            let at = map.position_of(key, next);
            next = at.map_or(next, |at| at + 1);
            let Some(slot) = at.and_then(|at| self.slots.get(usize::from(map.reach[at].id.0))) else {
                self.maker.entries.push(*entry);
                continue;
            };
            met += usize::from(!matches!(slot, Slot::Empty));
            let inner = || at.and_then(|at| map.fields[at].shape.as_map());
            match (slot, value) {
                (Slot::Value(other), _) => {
                    if !value.lies_with(*other) {
                        let way = KeyPath { around: way, key };
                        let kept = keep(*value, *other, Some(&way), absent, self.maker);
                        self.maker.entries.extend(kept.map(|kept| (*key, kept)));
                    }
                }
                (Slot::Below, ArenaValue::Map(_)) if let Some(inner) = inner() => {
                    let kept = self.kept_of(inner, *value, Some(&KeyPath { around: way, key }), absent);
                    self.maker.entries.extend(kept.map(|kept| (*key, ArenaValue::Map(kept))));
                }
                (Slot::Below | Slot::Empty, _) => self.maker.entries.push(*entry),
            }
        }
        // Where each was met there is nothing new.
        if met < map.reach.iter().filter(|reach| self.has(reach.id)).count() {
            for (_, field) in map.reach.iter().zip(&map.fields).filter(|(reach, _)| self.has(reach.id)) {
                if original.get(&field.key.text).is_none() {
                    absent.push(absent_at(&field.key.text, way, self.maker));
                }
            }
        }
        (self.maker.entries.len() > start).then(|| self.maker.map(start).entries())
    }
}
