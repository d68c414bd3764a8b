//! Fields that a document must have and that have no source.

use super::{Draft, Slot, word_of};
use crate::arena_value::ArenaValue;
use crate::convert::cast::{cast, meant};
use crate::dialect::{Field, MapShape, Preset, Shape};
use crate::handoff::{Meaning, recommendation_after};

impl<'v> Draft<'_, 'v> {
    /// Makes up required values without a source; what cannot be made up is missing. `within` is the value that
    /// stands around the fields, where one does.
    pub(super) fn complete(&mut self, map: &'v MapShape, is_needed: bool, within: Option<ArenaValue<'v>>) {
        let is_any_set = !self.given.set.is_empty();
        for (reach, field) in map.reach.iter().zip(&map.fields) {
            // There are many fields, and few of them must be there.
            if !(reach.is_needed || reach.has_fields) {
                continue;
            }
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

    /// The key of a handoff among others says something, or it is missing.
    pub(super) fn complete_key(&mut self) {
        let Some(key) = self.given.key else { return };
        let field = self.kind.map.fields.iter().find(|field| *field.key.text == *key);
        let is_named = self.word_at(key).is_some_and(|name| !name.is_empty());
        self.filled.missing.extend(field.filter(|_| !is_named && !self.is_gap(key)));
    }

    fn made_up(&mut self, field: &'v Field) -> Option<ArenaValue<'v>> {
        let preset = match &field.preset {
            Some(Preset::Always(value)) => Some(value),
            Some(Preset::By { on, cases }) => {
                let word = self.word_at(on)?;
                cases.iter().find(|(case, _)| **case == *word).map(|(_, value)| value)
            }
            None => None,
        };
        if let Some(preset) = preset {
            let preset = ArenaValue::of_datum(preset, self.maker);
            return Some(self.no_more(field, preset).unwrap_or(preset));
        }
        if let Some(now) = self.given.now.filter(|_| field.means == Some(Meaning::Written))
            && let Some(now) = cast(field.means, ArenaValue::Text(now), None, &field.shape, self.maker)
        {
            return Some(now);
        }
        match &field.shape {
            Shape::Integer(Some(only)) => Some(ArenaValue::Number(self.maker.pool.text(&only.to_string()))),
            Shape::Map(map) if map.fields.iter().all(|field| !field.is_required) => Some(ArenaValue::EMPTY),
            Shape::Depends { .. } => Some(ArenaValue::EMPTY),
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

    /// Recommendation in the place of `continue`, where the outcome allows no next step.
    fn no_more(&mut self, field: &'v Field, preset: ArenaValue<'v>) -> Option<ArenaValue<'v>> {
        let goes_on = field.means == Some(Meaning::Recommendation)
            && preset.as_text().is_some_and(|text| meant(text, Some(&field.shape)) == "continue");
        let outcome = self.facts.of(Meaning::Outcome).next().filter(|_| goes_on)?.1;
        let word = recommendation_after(word_of(outcome)?)?;
        cast(field.means, ArenaValue::Text(word), None, &field.shape, self.maker)
    }
}
