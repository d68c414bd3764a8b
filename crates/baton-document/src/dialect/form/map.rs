//! The fields of a kind, as one map in another: finding, requiring and counting them.

use super::super::{Field, FieldId, MapShape, Shape};
use super::field::FIELDS_MAX;

/// Tells whether each map has few enough fields to be walked.
pub(super) fn has_room(map: &MapShape) -> bool {
    let fields = || map.fields.iter().chain(map.values.as_deref());
    map.fields.len() <= FIELDS_MAX && fields().all(|field| has_room_below(&field.shape))
}

pub(super) fn has_room_below(shape: &Shape) -> bool {
    match shape {
        Shape::List(item) => has_room_below(&item.shape),
        Shape::Map(map) => has_room(map),
        Shape::Depends { cases, .. } => cases.iter().all(|(_, map)| has_room(map)),
        Shape::Either(shapes) => shapes.iter().all(has_room_below),
        Shape::Any
        | Shape::Text(_)
        | Shape::Words(_)
        | Shape::Integer(_)
        | Shape::Number
        | Shape::Boolean
        | Shape::Date
        | Shape::Timestamp
        | Shape::Named(_) => true,
    }
}

/// A map of anything.
pub(super) fn open_map() -> Shape {
    Shape::Map(MapShape { is_open: true, ..MapShape::default() })
}

/// The field at a dotted path, through maps.
pub(super) fn find_field<'m>(map: &'m MapShape, path: &str) -> Option<&'m Field> {
    find_among(&map.fields, path)
}

pub(super) fn find_among<'m>(fields: &'m [Field], path: &str) -> Option<&'m Field> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let field = fields.iter().find(|field| &*field.key.text == first)?;
    match rest {
        None => Some(field),
        Some(rest) => field.shape.maps().into_iter().find_map(|inner| find_field(inner, rest)),
    }
}

/// Makes the field at a dotted path required; says false where there is none.
pub(super) fn require(map: &mut MapShape, path: &str) -> bool {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let Some(field) = map.fields.iter_mut().find(|field| &*field.key.text == first) else { return false };
    match (rest, &mut field.shape) {
        (None, _) => {
            field.is_required = true;
            true
        }
        (Some(rest), Shape::Map(inner)) => {
            field.leads_to_required = true;
            require(inner, rest)
        }
        (Some(_), _) => false,
    }
}

/// Makes every field of a draft optional.
pub(super) fn relax(map: &mut MapShape) {
    for field in &mut map.fields {
        field.is_required = false;
        field.leads_to_required = false;
        field.shape.maps_mut().into_iter().for_each(relax);
    }
}

/// Gathers the words of each enum field by its slot.
pub(super) fn collect_words(map: &MapShape, words: &mut [Vec<Box<str>>]) {
    for field in map.fields.iter().filter(|field| field.id != FieldId::NONE) {
        let either = if let Shape::Either(shapes) = &field.shape { shapes.as_slice() } else { &[] };
        let own = std::iter::once(&field.shape).chain(either);
        if let Some(own) =
            own.into_iter().find_map(|shape| if let Shape::Words(own) = shape { Some(own) } else { None })
        {
            words[usize::from(field.id.0)] = own.iter().map(|word| word.text.clone()).collect();
        }
        field.shape.maps().into_iter().for_each(|inner| collect_words(inner, words));
    }
}
