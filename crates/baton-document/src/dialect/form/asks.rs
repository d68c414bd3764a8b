//! Holds what conditions ask for against the fields that the dialect has.

use super::super::{Condition, DialectKind, Expression, Fault, Field, MapShape, Shape};
use super::condition::FieldQuery;
use super::{Compiler, NodeId};
use crate::finding::Level;
use crate::handoff::EXTENSION;
use crate::spelling::nearest;
use crate::timestamp;
use crate::tree::boolean_word;
use timestamp::Reading;

/// The shapes with a name that are looked through one after the other: what is nothing but itself has no end.
const NAMED_MAX: usize = 32;

/// The fields that a condition can be about.
pub(super) struct KnownFields<'k> {
    /// Kinds of its documents.
    pub(super) kinds: Vec<&'k DialectKind>,
    /// The shapes that have a name.
    pub(super) shapes: &'k [Field],
    /// True if documents may be XML, in which all values are text.
    pub(super) is_xml: bool,
}

/// The field at a path, or an open value.
enum Reached<'k> {
    Field(&'k Field),
    Anything,
}

impl<'k> Reached<'k> {
    fn field(&self) -> Option<&'k Field> {
        match self {
            Reached::Field(field) => Some(field),
            Reached::Anything => None,
        }
    }
}

impl Compiler<'_, '_> {
    /// Says which conditions ask for what no document can have.
    pub(super) fn asks_for_fields(&mut self, asked: &[FieldQuery], known: &KnownFields<'_>) {
        for FieldQuery { path, at, condition } in asked {
            let text = self.tree.text(*path);
            let reached = known.reached(text);
            if reached.is_empty() {
                self.no_field(*path, text, known);
                continue;
            }
            let can_be = |one: &Reached<'_>| match one {
                Reached::Anything => true,
                Reached::Field(field) => known.can_be(field, &field.shape, condition, NAMED_MAX),
            };
            if !reached.iter().any(can_be) {
                let field = reached.iter().rev().find_map(Reached::field);
                self.never_so(*at, text, condition, field, known);
            }
        }
    }

    fn no_field(&mut self, at: NodeId, path: &str, known: &KnownFields<'_>) {
        let mut paths = Vec::new();
        known.kinds.iter().for_each(|kind| all_paths(&kind.map, &mut paths));
        let near = nearest(path, paths.into_iter()).map(|near| format!("did you mean `{near}`?"));
        self.refuse(at, format!("`{path}` is no field of this dialect, so nothing can be asked of it"), near);
    }

    fn never_so(
        &mut self,
        at: NodeId,
        path: &str,
        condition: &Condition,
        field: Option<&Field>,
        known: &KnownFields<'_>,
    ) {
        let is = match condition {
            Condition::Is(_, words) => format!("`{}`", words.first().map(|word| &**word).unwrap_or_default()),
            Condition::Null(_) => "null".to_owned(),
            Condition::Within { .. } => "a number within such bounds".to_owned(),
            Condition::Matches(..) => "text of this form".to_owned(),
            Condition::Always
            | Condition::Present(_)
            | Condition::File { .. }
            | Condition::All(_)
            | Condition::Any(_)
            | Condition::Not(_)
            | Condition::AtLeast(..) => return,
        };
        let help =
            field.map(|field| format!("`{path}` is {}", crate::dialect::describe(field, known.shapes)));
        self.refuse(at, format!("`{path}` is never {is}, so this can never hold"), help);
    }
}

impl<'k> KnownFields<'k> {
    /// All that can stand at a path.
    fn reached(&self, path: &str) -> Vec<Reached<'k>> {
        let mut out = Vec::new();
        for kind in &self.kinds {
            if kind.is_open || path.split('.').next() == Some(EXTENSION) {
                out.push(Reached::Anything);
            }
            self.in_map(&kind.map, path, &mut out);
            let payload = kind.map.fields.iter().find(|field| Some(field.key.symbol) == kind.also_in);
            let in_payload =
                payload.and_then(|payload| path.strip_prefix(&*payload.key.text)?.strip_prefix('.'));
            if let Some(rest) = in_payload {
                self.in_map(&kind.map, rest, &mut out);
            }
            for (old, at) in &kind.old_paths {
                if *old.text == *path {
                    out.extend(kind.map.fields.get(*at).map(Reached::Field));
                } else if old.text.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')) {
                    out.push(Reached::Anything);
                }
            }
        }
        out
    }

    fn in_map(&self, map: &'k MapShape, path: &str, out: &mut Vec<Reached<'k>>) {
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let is_first = |field: &&Field| {
            &*field.key.text == first || field.key.aliases.iter().any(|(alias, _)| &**alias == first)
        };
        let named = map.fields.iter().find(is_first).or(map.values.as_deref());
        match (named, rest) {
            (Some(field), None) => out.push(Reached::Field(field)),
            (Some(field), Some(rest)) => self.below(&field.shape, rest, out, NAMED_MAX),
            (None, _) if map.is_open => out.push(Reached::Anything),
            (None, _) => {}
        }
    }

    fn below(&self, shape: &'k Shape, path: &str, out: &mut Vec<Reached<'k>>, left: usize) {
        match shape {
            Shape::Any => out.push(Reached::Anything),
            Shape::Map(map) => self.in_map(map, path, out),
            // In XML an element that could be repeated and is not is no list.
            Shape::List(item) if self.is_xml => self.below(&item.shape, path, out, left),
            Shape::Depends { .. } => out.push(Reached::Anything),
            Shape::Either(shapes) => shapes.iter().for_each(|shape| self.below(shape, path, out, left)),
            Shape::Named(at) if left > 0 => {
                if let Some(named) = self.shapes.get(*at) {
                    self.below(&named.shape, path, out, left - 1);
                }
            }
            Shape::Text(_)
            | Shape::Words(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp
            | Shape::List(_)
            | Shape::Named(_) => {}
        }
    }

    /// Tells whether a value that the field takes can be as a condition asks.
    fn can_be(&self, field: &Field, shape: &Shape, asked: &Condition, left: usize) -> bool {
        let is_strict = |fault| field.level(fault) == Level::Error;
        if matches!(asked, Condition::Present(_)) || !is_strict(Fault::Type) {
            return true;
        }
        if matches!(asked, Condition::Null(_)) && field.is_nullable {
            return true;
        }
        match shape {
            Shape::Any => true,
            Shape::Either(shapes) => shapes.iter().any(|shape| self.can_be(field, shape, asked, left)),
            Shape::Named(at) => {
                let named = self.shapes.get(*at).filter(|_| left > 0);
                named.is_none_or(|named| self.can_be(named, &named.shape, asked, left - 1))
            }
            Shape::List(item) => self.is_xml && self.can_be(item, &item.shape, asked, left),
            Shape::Map(map) => {
                let short = map.shorthand.and_then(|at| map.fields.get(at));
                let text = map.fields.iter().find(|field| &*field.key.text == "#text");
                let mut plain = short.into_iter().chain(text.filter(|_| self.is_xml));
                plain.any(|field| self.can_be(field, &field.shape, asked, left))
            }
            Shape::Depends { .. } => false,
            Shape::Text(_)
            | Shape::Words(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp => self.can_scalar_be(shape, asked, is_strict(Fault::Enum)),
        }
    }

    fn can_scalar_be(&self, shape: &Shape, asked: &Condition, is_strict: bool) -> bool {
        if let Condition::Is(_, words) = asked {
            return words.iter().any(|word| can_say(shape, word, is_strict));
        }
        if let Condition::Matches(_, pattern) = asked {
            return self.is_xml || can_match(shape, pattern, is_strict);
        }
        if let Condition::Within { from, below, .. } = asked {
            #[expect(clippy::cast_precision_loss, reason = "the numbers that dialects ask for are small")]
            let is_within = |only: i64| {
                from.is_none_or(|from| only as f64 >= from) && below.is_none_or(|below| (only as f64) < below)
            };
            return match shape {
                Shape::Integer(Some(only)) => !is_strict || is_within(*only),
                Shape::Integer(None) | Shape::Number => true,
                Shape::Any
                | Shape::Text(_)
                | Shape::Words(_)
                | Shape::Boolean
                | Shape::Date
                | Shape::Timestamp
                | Shape::List(_)
                | Shape::Map(_)
                | Shape::Depends { .. }
                | Shape::Either(_)
                | Shape::Named(_) => self.is_xml,
            };
        }
        false
    }
}

/// Tells whether a scalar of a shape can be a word.
fn can_say(shape: &Shape, word: &str, is_strict: bool) -> bool {
    let number = || word.parse::<f64>().ok();
    match shape {
        Shape::Words(words) => {
            let is_one = |one: &str| one.eq_ignore_ascii_case(word);
            !is_strict
                || words.iter().any(|one| is_one(&one.text) || one.also.iter().any(|also| is_one(also)))
        }
        Shape::Integer(only) => number().is_some_and(|number| {
            #[expect(clippy::cast_precision_loss, reason = "the numbers that dialects ask for are small")]
            let is_only = only.is_none_or(|only| !is_strict || number == only as f64);
            number.fract() == 0.0 && is_only
        }),
        Shape::Number => number().is_some(),
        Shape::Boolean => boolean_word(word).is_some(),
        Shape::Date => !matches!(timestamp::date(word), Reading::Wrong(_)),
        Shape::Timestamp => !matches!(timestamp::timestamp(word), Reading::Wrong(_)),
        Shape::Any
        | Shape::Text(_)
        | Shape::List(_)
        | Shape::Map(_)
        | Shape::Depends { .. }
        | Shape::Either(_)
        | Shape::Named(_) => true,
    }
}

/// Tells whether a scalar of a shape can be text that a pattern matches.
fn can_match(shape: &Shape, pattern: &Expression, is_strict: bool) -> bool {
    match shape {
        Shape::Integer(_) | Shape::Number | Shape::Boolean => false,
        Shape::Words(words) if is_strict => words.iter().any(|word| {
            let spelled = |text: &str| {
                // Words count in any letters, and no file has more ways than these.
                [text.to_owned(), text.to_lowercase(), text.to_uppercase()]
                    .iter()
                    .any(|text| pattern.is_match(text))
            };
            spelled(&word.text) || word.also.iter().any(|also| spelled(also))
        }),
        Shape::Any
        | Shape::Text(_)
        | Shape::Words(_)
        | Shape::Date
        | Shape::Timestamp
        | Shape::List(_)
        | Shape::Map(_)
        | Shape::Depends { .. }
        | Shape::Either(_)
        | Shape::Named(_) => true,
    }
}

/// The paths of all fields outside lists.
fn all_paths<'m>(map: &'m MapShape, out: &mut Vec<&'m str>) {
    for field in &map.fields {
        out.push(&field.path);
        if let Shape::Map(inner) = &field.shape {
            all_paths(inner, out);
        }
    }
}
