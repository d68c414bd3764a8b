//! Facts that a document will have when it is read again, computed from the fields that were filled.
//!
//! Nothing is put together, written, read and taken apart for it: a field that was filled says what it means. Where
//! that is not all there is to it, nothing is told, and the long way is taken. In tests both are done and must agree.

use super::{Draft, Slot};
use crate::arena_value::ArenaValue;
use crate::convert::facts::{Fact, Facts, is_said, with_implied};
use crate::convert::reread::{Again, Told, Unsure};
use crate::dialect::MapShape;

impl<'v> Draft<'_, 'v> {
    /// Facts that the document will have; nothing if only reading it tells.
    pub(super) fn facts_again(&mut self, again: &mut Again<'v>) -> Option<Facts<'v>> {
        let kind = self.kind;
        // What is implied may name a field, and the entries of one map may count as if they stood elsewhere.
        let is_plain = kind.capacity.is_settled && self.mixed.is_empty() && self.given.set.is_empty();
        let payload = || kind.map.fields.iter().find(|field| Some(field.key.symbol) == kind.also_in);
        let has_payload = || kind.also_in.is_some() && payload().is_some_and(|field| self.is_filled(field));
        if !is_plain || has_payload() || kind.implied.iter().any(|(_, text)| text.contains('{')) {
            return None;
        }
        let mut facts = Vec::with_capacity(self.filled.uses.len() + self.filled.made_up.len());
        self.add_again(&kind.map, 0, again, &mut facts).ok()?;
        Some(with_implied(kind, facts, ArenaValue::EMPTY, self.maker.pool))
    }

    fn add_again(
        &mut self,
        map: &'v MapShape,
        depth: usize,
        again: &mut Again<'v>,
        facts: &mut Vec<Fact<'v>>,
    ) -> Told<()> {
        for (reach, field) in map.reach.iter().zip(&map.fields) {
            if !(reach.is_needed || reach.says.meets(self.said)) {
                continue;
            }
            match (self.slot_at(reach.id), field.means) {
                (Slot::Empty, _) => {}
                (Slot::Value(value), Some(meaning)) if again.is_as_it_is((reach, field), value, depth)? => {
                    if is_said(value) {
                        facts.push(Fact::new(meaning, Some(field), &field.path, value));
                    }
                }
                (Slot::Value(value), Some(meaning)) => {
                    let value = again.value((reach, field), value, depth, self.maker)?;
                    let value = value.filter(|value| is_said(*value));
                    facts.extend(value.map(|value| Fact::new(meaning, Some(field), &field.path, value)));
                }
                (Slot::Below, None) => {
                    let inner = field.shape.as_map().ok_or(Unsure)?;
                    again.element((reach, field), depth)?;
                    self.add_again(inner, depth + 1, again, facts)?;
                }
                // What was made up means nothing, unless it holds something.
                (Slot::Value(ArenaValue::Map([])), None) => again.element((reach, field), depth)?,
                (Slot::Value(value), None) if !reach.has_fields => {
                    again.value((reach, field), value, depth, self.maker)?;
                }
                (Slot::Value(_), None) | (Slot::Below, Some(_)) => return Err(Unsure),
            }
        }
        Ok(())
    }
}
