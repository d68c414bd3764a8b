//! Values that another dialect cannot hold: kept under `x-baton`, and put back on the way home.
//!
//! The extension says which dialect and kind the handoff came from, the `fields` that would not come back
//! by themselves, the ones that would come back and were `absent`, and what was `given` for the conversion
//! alone. What was changed in the meantime wins over what was kept.

use super::Kinds;
use super::facts::{Fact, Facts, gather};
use super::fill::{FillDefaults, Filled, fill};
use super::set::find;
use crate::arena_value::{ArenaValue, Maker, Pool};
use crate::datum::is_same_key;
use crate::dialect::DialectKind;
use crate::write;

/// Number of times a handoff was carried on from a dialect it was converted into: more is a loop.
pub(super) const DEPTH_MAX: usize = 16;

/// Bytes of a field that is handed on although the receiver's dialect cannot hold it.
const FIELD_BYTES_MAX: usize = 200;

/// The fields of an original that would not come back, and the dotted paths of those that would and were not there.
pub(super) type Kept<'v> = (Option<ArenaValue<'v>>, Vec<&'v str>);

/// Values of a converted handoff that its new dialect cannot hold.
#[derive(Debug)]
pub(super) struct Extension<'v> {
    /// The dialect it came from.
    pub(super) dialect: &'v str,
    /// The kind it was.
    pub(super) kind: &'v str,
    /// The fields that would not come back by themselves.
    pub(super) fields: ArenaValue<'v>,
    /// The fields that would come back and were not there.
    pub(super) absent: Vec<&'v str>,
    /// Values given for fields of the result, which the original never said.
    pub(super) given: ArenaValue<'v>,
}

impl<'v> Extension<'v> {
    /// Part of the original that would not come back by converting again; nothing if all of it would.
    pub(super) fn between(
        dialect: &'v str,
        kind: &'v DialectKind,
        [original, back]: [ArenaValue<'v>; 2],
        given: ArenaValue<'v>,
        maker: &mut Maker<'v>,
    ) -> Option<Self> {
        let mut absent = Vec::new();
        let kept = keep(original, back, None, &mut absent, maker);
        Self::of(dialect, kind, (kept, absent), given)
    }

    /// Extension of an original with its absent fields; nothing if it is empty.
    pub(super) fn of(
        dialect: &'v str,
        kind: &'v DialectKind,
        (kept, absent): Kept<'v>,
        given: ArenaValue<'v>,
    ) -> Option<Self> {
        if kept.is_none() && absent.is_empty() && given.is_blank() {
            return None;
        }
        Some(Self { dialect, kind: &kind.name, fields: kept.unwrap_or(ArenaValue::EMPTY), absent, given })
    }

    /// Reads an extension; nothing where it is none that this program wrote.
    pub(super) fn read(value: ArenaValue<'v>) -> Option<Self> {
        let (mut dialect, mut kind) = (None, None);
        let (mut fields, mut absent, mut given) = (ArenaValue::EMPTY, Vec::new(), ArenaValue::EMPTY);
        for (key, value) in value.entries() {
            match (*key, *value) {
                ("dialect", ArenaValue::Text(name)) => dialect = Some(name),
                ("kind", ArenaValue::Text(name)) => kind = Some(name),
                ("fields", ArenaValue::Map(_)) => fields = *value,
                ("given", ArenaValue::Map(_)) => given = *value,
                ("absent", ArenaValue::List(paths)) => {
                    let text = |path: &ArenaValue<'v>| match path {
                        ArenaValue::Text(path) => Some(*path),
                        ArenaValue::Null
                        | ArenaValue::Boolean(_)
                        | ArenaValue::Number(_)
                        | ArenaValue::List(_)
                        | ArenaValue::Map(_) => None,
                    };
                    absent = paths.iter().map(text).collect::<Option<_>>()?;
                }
                _ => return None,
            }
        }
        let says_nothing = fields.is_blank() && absent.is_empty() && given.is_blank();
        let extension = Self { dialect: dialect?, kind: kind?, fields, absent, given };
        (!says_nothing).then_some(extension)
    }

    /// Short values, which a receiver can read although no conversion puts them back.
    pub(super) fn in_short(mut self, maker: &mut Maker<'v>) -> Option<Self> {
        if let ArenaValue::Map(fields) = self.fields {
            let start = maker.entries.len();
            let is_short = |value: ArenaValue<'_>| write::json_line(&value).len() <= FIELD_BYTES_MAX;
            let short = fields.iter().filter(|(_, value)| !value.is_blank() && is_short(*value));
            maker.entries.extend(short);
            self.fields = maker.map(start);
        }
        (self.absent, self.given) = (Vec::new(), ArenaValue::EMPTY);
        (!self.fields.is_blank()).then_some(self)
    }

    /// Its form in a document.
    pub(super) fn into_plain(self, maker: &mut Maker<'v>) -> ArenaValue<'v> {
        let start = maker.entries.len();
        maker.entries.push(("dialect", ArenaValue::Text(self.dialect)));
        maker.entries.push(("kind", ArenaValue::Text(self.kind)));
        if !self.fields.is_blank() {
            maker.entries.push(("fields", self.fields));
        }
        if !self.absent.is_empty() {
            let start = maker.items.len();
            maker.items.extend(self.absent.into_iter().map(ArenaValue::Text));
            let paths = maker.list(start);
            maker.entries.push(("absent", paths));
        }
        if !self.given.is_blank() {
            maker.entries.push(("given", self.given));
        }
        maker.map(start)
    }

    /// The original of a document that was converted from it, with what was changed since, and what it has no place for.
    /// Nothing where it holds nothing of what the document says: then the document never was that original.
    ///
    /// `whole` is the document with the attributes that stand beside single values in XML; `as_written` gives a document
    /// as it would be read again.
    pub(super) fn restore(
        mut self,
        dialect: &'v str,
        kinds: Kinds<'v>,
        (document, whole): (ArenaValue<'v>, ArenaValue<'v>),
        as_written: impl Fn(ArenaValue<'v>, &mut Maker<'v>) -> ArenaValue<'v>,
        maker: &mut Maker<'v>,
    ) -> Option<Restored<'v>> {
        let Kinds { original, converted } = kinds;
        let mut set = Vec::new();
        values(self.given, "", converted, &mut set, maker.pool);
        let said = gather(converted, without(document, self.given, maker), maker.pool);
        let back = fill(original, &said, FillDefaults::NOTHING, maker);
        // What was given for the conversion is given again, so that it gives the same again.
        let forward = |again: &Facts<'v>, set: &[(&'v str, ArenaValue<'v>)], maker: &mut Maker<'v>| {
            let mut forward =
                fill(converted, again, FillDefaults { set, now: None, makes_up: true, key: None }, maker);
            forward.document = as_written(forward.document, maker);
            forward
        };
        let mut value = self.over(back.document, maker);
        let mut again = gather(original, value, maker.pool);
        let mut made = forward(&again, &set, maker);
        if is_alike(made.document, whole) {
            return Some(Restored { value, left: None, said, back, again, made });
        }
        let changed = changes(&said.all, &again.all, &back, &made, document);
        if !changed.is_empty() {
            for path in &changed {
                self.fields = self.fields.pruned(standing(self.fields, path), maker);
            }
            let is_changed = |path: &str| changed.iter().any(|of| is_within(of, path) || is_within(path, of));
            self.absent.retain(|absent| !is_changed(absent));
            value = self.over(back.document, maker);
            set.retain(|(path, given)| document.at(path).is_none_or(|now| now == *given));
            again = gather(original, value, maker.pool);
            made = forward(&again, &set, maker);
        }
        let left = Self::between(dialect, converted, [whole, made.document], ArenaValue::EMPTY, maker);
        let left = left.filter(|left| !left.fields.is_blank());
        if left.is_some() && back.uses.is_empty() {
            return None;
        }
        Some(Restored { value, left, said, back, again, made })
    }

    /// Lays what was kept over what came back.
    fn over(&self, back: ArenaValue<'v>, maker: &mut Maker<'v>) -> ArenaValue<'v> {
        let mut over = overlay(back, self.fields, maker);
        for path in &self.absent {
            over = over.without(path, maker);
        }
        over
    }
}

/// An original that was brought back.
#[derive(Debug)]
pub(super) struct Restored<'v> {
    /// The original.
    pub(super) value: ArenaValue<'v>,
    /// Values of the document that the original has no place for.
    pub(super) left: Option<Extension<'v>>,
    /// Facts of the document.
    pub(super) said: Facts<'v>,
    /// Fields of the original that were filled from it.
    pub(super) back: Filled<'v>,
    /// Facts of the original.
    pub(super) again: Facts<'v>,
    /// Result of converting it again.
    pub(super) made: Filled<'v>,
}

/// The values in a map that are no maps of fields themselves, by their dotted paths.
fn values<'v>(
    map: ArenaValue<'v>,
    path: &'v str,
    kind: &DialectKind,
    into: &mut Vec<(&'v str, ArenaValue<'v>)>,
    pool: &'v Pool,
) {
    for (key, value) in map.entries() {
        let path = if path.is_empty() { key } else { pool.joined(&[path, key], ".") };
        let is_free = || {
            let field = find(kind, path);
            field.and_then(|field| field.shape.as_map()).is_some_and(|map| map.fields.is_empty())
        };
        if value.entries().is_empty() || is_free() {
            into.push((path, *value));
        } else {
            values(*value, path, kind, into, pool);
        }
    }
}

/// Tells whether a dotted path is another one, or lies below it.
pub(super) fn is_within(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Value at a dotted path or in its way: the path up to there.
fn standing<'p>(fields: ArenaValue<'_>, path: &'p str) -> &'p str {
    let ends = path.bytes().enumerate().filter(|(_, byte)| *byte == b'.').map(|(at, _)| &path[..at]);
    let in_the_way = |path: &&str| fields.at(path).is_some_and(|value| !matches!(value, ArenaValue::Map(_)));
    ends.into_iter().find(in_the_way).unwrap_or(path)
}

/// The fields of the original whose counterpart was changed since.
fn changes<'v>(
    said: &[Fact<'v>],
    again: &[Fact<'v>],
    back: &Filled<'v>,
    forward: &Filled<'v>,
    document: ArenaValue<'v>,
) -> Vec<&'v str> {
    let is_changed = |path: &str| match (document.at(path), forward.document.at(path)) {
        (Some(now), Some(before)) => !is_alike(now, before),
        (now, before) => now.is_some() != before.is_some(),
    };
    let mut changed = Vec::new();
    for (fact, path) in &forward.uses {
        if is_changed(path) {
            changed.push(again[*fact].path);
        }
    }
    for (fact, path) in &back.uses {
        if said[*fact].field.is_some() && is_changed(said[*fact].path) {
            changed.push(*path);
        }
    }
    changed
}

/// How many keys of a map are looked for in any order.
const KEYS_MAX: usize = 64;

/// Tells whether two values say the same, in whatever order their keys are.
fn is_alike(one: ArenaValue<'_>, other: ArenaValue<'_>) -> bool {
    match (one, other) {
        (ArenaValue::List(one), ArenaValue::List(other)) => {
            let mut both = one.iter().zip(other);
            one.len() == other.len() && both.all(|(one, other)| is_alike(*one, *other))
        }
        (ArenaValue::Map(entries), ArenaValue::Map(others)) if entries.len() <= KEYS_MAX => {
            let has =
                |(key, value): &(&str, ArenaValue<'_>)| other.get(key).is_some_and(|of| is_alike(*value, of));
            entries.len() == others.len() && entries.iter().all(has)
        }
        (_, _) => one == other,
    }
}

/// The keys on the way to a map, from the last one.
pub(super) struct KeyPath<'w> {
    pub(super) around: Option<&'w KeyPath<'w>>,
    pub(super) key: &'w str,
}

/// Part of the original that would not come back; what would come back and is not there goes to `absent`.
pub(super) fn keep<'v>(
    original: ArenaValue<'v>,
    back: ArenaValue<'v>,
    way: Option<&KeyPath<'_>>,
    absent: &mut Vec<&'v str>,
    maker: &mut Maker<'v>,
) -> Option<ArenaValue<'v>> {
    let (ArenaValue::Map(entries), ArenaValue::Map(others)) = (original, back) else {
        return (original != back).then_some(original);
    };
    let start = maker.entries.len();
    let mut met = 0;
    for (key, value) in entries {
        // Most keys come back in the order in which they were.
        let next = others.get(met).filter(|(name, _)| is_same_key(name, key));
        let Some(other) = next.map(|(_, other)| *other).or_else(|| back.get(key)) else {
            maker.entries.push((key, *value));
            continue;
        };
        met += 1;
        if value.lies_with(other) {
            continue;
        }
        let kept = keep(*value, other, Some(&KeyPath { around: way, key }), absent, maker);
        maker.entries.extend(kept.map(|kept| (*key, kept)));
    }
    // Where each was met there is nothing new.
    if met < others.len() {
        let is_new = |key: &str| !entries.iter().any(|(name, _)| is_same_key(name, key));
        for (key, _) in others.iter().filter(|(key, _)| is_new(key)) {
            absent.push(absent_at(key, way, maker));
        }
    }
    (maker.entries.len() > start).then(|| maker.map(start))
}

/// The dotted path to a key.
pub(super) fn absent_at<'v>(key: &str, way: Option<&KeyPath<'_>>, maker: &Maker<'v>) -> &'v str {
    let mut keys = vec![key];
    let mut around = way;
    while let Some(KeyPath { around: further, key }) = around {
        keys.push(*key);
        around = *further;
    }
    keys.reverse();
    maker.pool.joined(&keys, ".")
}

/// A document without what is the same in another one.
pub(super) fn without<'v>(
    document: ArenaValue<'v>,
    same: ArenaValue<'_>,
    maker: &mut Maker<'v>,
) -> ArenaValue<'v> {
    let ArenaValue::Map(entries) = document else { return document };
    if same.entries().is_empty() {
        return document;
    }
    let start = maker.entries.len();
    for (key, value) in entries {
        let left = match same.get(key) {
            Some(inner @ ArenaValue::Map(_)) if matches!(value, ArenaValue::Map(_)) => {
                let left = without(*value, inner, maker);
                (!left.is_blank()).then_some(left)
            }
            Some(inner) => (*value != inner).then_some(*value),
            None => Some(*value),
        };
        maker.entries.extend(left.map(|left| (*key, left)));
    }
    maker.map(start)
}

fn overlay<'v>(under: ArenaValue<'v>, over: ArenaValue<'v>, maker: &mut Maker<'v>) -> ArenaValue<'v> {
    let (ArenaValue::Map(entries), ArenaValue::Map(more)) = (under, over) else { return over };
    let start = maker.entries.len();
    maker.entries.extend_from_slice(entries);
    for (key, value) in more {
        let at = maker.entries[start..].iter().position(|(name, _)| is_same_key(name, key));
        match at.map(|at| start + at) {
            Some(at) => maker.entries[at].1 = overlay(maker.entries[at].1, *value, maker),
            None => maker.entries.push((key, *value)),
        }
    }
    maker.map(start)
}
