//! What of an original would not come back, told from the fields that were filled on the way back.

use super::{Draft, Slot};
use crate::convert::extension::{Kept, Way, absent_at, keep};
use crate::dialect::MapShape;
use crate::plain::Plain;

impl<'v> Draft<'_, 'v> {
    /// What of the original would not come back, and what would come back and is not there.
    pub(in crate::convert) fn kept(&mut self, original: Plain<'v>) -> Kept<'v> {
        // Otherwise fields do not stand where their slots are.
        if !self.kind.room.is_settled || !self.mixed.is_empty() {
            return self.kept_by_all(original);
        }
        let mut absent = Vec::new();
        let kept = self.kept_of(&self.kind.map, original, None, &mut absent);
        debug_assert_eq!((kept, absent.clone()), self.kept_by_all(original), "{original:?}");
        (kept, absent)
    }

    /// The same told by the document that would come back.
    fn kept_by_all(&mut self, original: Plain<'v>) -> Kept<'v> {
        let mut absent = Vec::new();
        let back = self.together(&self.kind.map, Plain::EMPTY);
        (keep(original, back, None, &mut absent, self.maker), absent)
    }

    /// The same of a map.
    fn kept_of(
        &mut self,
        map: &'v MapShape,
        original: Plain<'v>,
        way: Option<&Way<'_>>,
        absent: &mut Vec<&'v str>,
    ) -> Option<Plain<'v>> {
        let start = self.maker.entries.len();
        let (mut next, mut met) = (0, 0);
        for (key, value) in original.entries().iter().copied() {
            let at = map.position_of(key, next);
            next = at.map_or(next, |at| at + 1);
            let slot = at.map_or(Slot::Empty, |at| self.slot_at(map.reach[at].id));
            let inner = || at.and_then(|at| map.fields[at].shape.as_map());
            met += usize::from(!matches!(slot, Slot::Empty));
            let kept = match (slot, value) {
                (Slot::Value(other), _) if value.lies_with(other) => None,
                (Slot::Value(other), _) => {
                    keep(value, other, Some(&Way { around: way, key }), absent, self.maker)
                }
                (Slot::Below, Plain::Map(_)) if let Some(inner) = inner() => {
                    self.kept_of(inner, value, Some(&Way { around: way, key }), absent)
                }
                (Slot::Below | Slot::Empty, _) => Some(value),
            };
            self.maker.entries.extend(kept.map(|kept| (key, kept)));
        }
        // Where each was met there is nothing new.
        let is_filled = |at: &usize| self.has(map.reach[*at].id);
        if met < (0..map.reach.len()).filter(is_filled).count() {
            for at in (0..map.reach.len()).filter(is_filled) {
                let key = &*map.fields[at].key.text;
                if original.get(key).is_none() {
                    absent.push(absent_at(key, way, self.maker));
                }
            }
        }
        (self.maker.entries.len() > start).then(|| self.maker.map(start))
    }
}
