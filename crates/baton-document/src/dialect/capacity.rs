//! Capacity of a kind: the meanings that its fields can hold, known before any handoff is converted.

use super::{Condition, DialectKind, FieldId, MapShape, Shape};
use crate::handoff::{Meaning, Meanings};
use crate::span::offset;
use crate::write::is_xml_element;

/// Meanings that the fields of a kind can hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Capacity {
    /// Meanings that its fields can hold.
    pub(crate) holds: Meanings,
    /// For each field that must be there and has no default, what it could hold.
    pub(crate) needs: Vec<Meanings>,
    /// True if no word in a document chooses further fields.
    pub(crate) is_settled: bool,
    /// True if several fields are for figures, which go by their names.
    pub(crate) has_many_figures: bool,
    /// True if only the name of a file makes a document this kind.
    pub(crate) is_told_by_file: bool,
}

impl Capacity {
    /// Computes the capacity of a kind.
    pub(crate) fn of(map: &MapShape, when: &Condition) -> Self {
        let is_told_by_file = when.needs_file();
        let mut capacity = Self { is_settled: true, is_told_by_file, ..Self::default() };
        capacity.add(map, true);
        capacity
    }

    fn add(&mut self, map: &MapShape, is_needed: bool) {
        for (reach, field) in map.reach.iter().zip(&map.fields) {
            if reach.is_left {
                continue;
            }
            let own: Meanings =
                field.means.into_iter().chain(field.or_means.iter().flatten().copied()).collect();
            let is_figures = field.means == Some(Meaning::Measurements);
            self.has_many_figures |= is_figures && self.holds.has(Meaning::Measurements);
            field.means.into_iter().for_each(|meaning| self.holds.add(meaning));
            let is_needed = is_needed && (field.is_required || field.leads_to_required);
            self.is_settled &= !matches!(field.shape, Shape::Depends { .. });
            let has_default = match &field.shape {
                Shape::Integer(Some(_)) | Shape::Map(_) | Shape::Depends { .. } => true,
                Shape::Any
                | Shape::Text(_)
                | Shape::Words(_)
                | Shape::Integer(None)
                | Shape::Number
                | Shape::Boolean
                | Shape::Date
                | Shape::Timestamp
                | Shape::List(_)
                | Shape::Either(_)
                | Shape::Named(_) => field.preset.is_some(),
            };
            if is_needed && field.is_required && !has_default {
                self.needs.push(own);
            }
            if field.means.is_none() {
                field.shape.maps().into_iter().for_each(|inner| self.add(inner, is_needed));
            }
        }
    }
}

/// Capacity of one field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Its meanings, or those of the fields below it where it has none itself.
    pub(crate) says: Meanings,
    /// True if it must be there, or something below it.
    pub(crate) is_needed: bool,
    /// True if it has fields.
    pub(crate) has_fields: bool,
    /// True if it is left to another kind: a document that has it would be that one.
    pub(crate) is_left: bool,
    /// True if its key can be the name of an element for every reader.
    pub(crate) is_element: bool,
    /// Its slot.
    pub(crate) id: FieldId,
    /// Bits of its key, to tell most keys apart.
    pub(crate) mark: u32,
}

/// A number that two keys which are the same have in common, and few others.
#[inline]
pub(crate) fn mark_of(key: &str) -> u32 {
    let bytes = key.as_bytes();
    let ends = match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => u32::from_le_bytes(*first) ^ u32::from_le_bytes(*last).rotate_left(13),
        _ => bytes.iter().fold(0, |all, byte| all << 8 | u32::from(*byte)),
    };
    ends ^ offset(bytes.len())
}

impl MapShape {
    /// Notes what each field can be filled with; gives what all of them can say.
    pub(super) fn note_reach(&mut self) -> Meanings {
        let mut all = Meanings::default();
        self.reach.clear();
        self.spared = u64::MAX;
        for (at, field) in (0..).zip(&mut self.fields) {
            let own = field.means.into_iter().chain(field.or_means.iter().flatten().copied());
            let mut says: Meanings = own.collect();
            let has_fields = matches!(field.shape, Shape::Map(_) | Shape::Depends { .. });
            for inner in field.shape.maps_mut() {
                let below = inner.note_reach();
                if field.means.is_none() && has_fields {
                    says.join(below);
                }
            }
            all.join(says);
            let is_needed = field.is_required || field.leads_to_required;
            if is_needed {
                // Nothing is known of any where a bit for each would not do.
                self.spared &= 1_u64.checked_shl(at).map_or(0, |bit| !bit);
            }
            let key = &*field.key.text;
            let (is_element, mark) = (key.is_ascii() && is_xml_element(key), mark_of(key));
            self.reach.push(Reach {
                says,
                is_needed,
                has_fields,
                is_left: false,
                is_element,
                id: field.id,
                mark,
            });
        }
        all
    }

    /// Leaves a field to another kind: nothing is put into it.
    fn leave(&mut self, path: &str) {
        let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
        let Some(at) = self.fields.iter().position(|field| *field.key.text == *key) else { return };
        match (rest, &mut self.fields[at].shape) {
            (Some(rest), Shape::Map(inner)) => inner.leave(rest),
            (None, _) if !self.reach[at].is_needed => {
                self.reach[at].is_left = true;
                self.reach[at].says = Meanings::default();
            }
            (_, _) => {}
        }
    }
}

impl DialectKind {
    /// Leaves to the kinds that come before it the fields that would make a document one of those; notes what it has
    /// room for then.
    pub(super) fn leave_to(&mut self, before: &[DialectKind]) {
        for other in before {
            if other.has_root_of(self) {
                other.when.enough().iter().for_each(|field| self.map.leave(&field.text));
            }
        }
        self.capacity = Capacity::of(&self.map, &self.when);
    }
}
