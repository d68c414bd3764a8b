//! What another dialect cannot hold: kept under `x-baton`, and put back on the way home.
//!
//! The extension says which dialect and kind the handoff came from, the `fields` that would not come back
//! by themselves, the ones that would come back and were `absent`, and what was `given` for the conversion
//! alone. What was changed in the meantime wins over what was kept.

use super::Kinds;
use super::facts::{Fact, Facts, gather};
use super::fill::{Filled, Given, fill};
use super::set::find;
use crate::datum::is_same_key;
use crate::dialect::DialectKind;
use crate::plain::{Maker, Plain, Pool};
use crate::write;

/// How often a handoff was carried on from a dialect it was converted into: more is a loop.
pub(super) const DEPTH_MAX: usize = 16;

/// How long a field may be that is handed on although the receiver's dialect cannot hold it.
const FIELD_BYTES_MAX: usize = 200;

/// The fields of an original that would not come back, and the dotted paths of those that would and were not there.
pub(super) type Kept<'v> = (Option<Plain<'v>>, Vec<&'v str>);

/// What is kept of a handoff that was converted.
#[derive(Debug)]
pub(super) struct Extension<'v> {
    /// The dialect it came from.
    pub(super) dialect: &'v str,
    /// The kind it was.
    pub(super) kind: &'v str,
    /// The fields that would not come back by themselves.
    pub(super) fields: Plain<'v>,
    /// The fields that would come back and were not there.
    pub(super) absent: Vec<&'v str>,
    /// What was given for fields of the result, which the original never said.
    pub(super) given: Plain<'v>,
}

impl<'v> Extension<'v> {
    /// What of the original would not come back by converting again; nothing if all of it would.
    pub(super) fn between(
        dialect: &'v str,
        kind: &'v DialectKind,
        [original, back]: [Plain<'v>; 2],
        given: Plain<'v>,
        maker: &mut Maker<'v>,
    ) -> Option<Self> {
        let mut absent = Vec::new();
        let kept = keep(original, back, None, &mut absent, maker);
        Self::of(dialect, kind, (kept, absent), given)
    }

    /// What is kept of an original and was absent in it; nothing where that is nothing.
    pub(super) fn of(
        dialect: &'v str,
        kind: &'v DialectKind,
        (kept, absent): Kept<'v>,
        given: Plain<'v>,
    ) -> Option<Self> {
        if kept.is_none() && absent.is_empty() && given.is_blank() {
            return None;
        }
        Some(Self { dialect, kind: &kind.name, fields: kept.unwrap_or(Plain::EMPTY), absent, given })
    }

    /// Reads an extension; nothing where it is none that this program wrote.
    pub(super) fn read(value: Plain<'v>) -> Option<Self> {
        let (mut dialect, mut kind) = (None, None);
        let (mut fields, mut absent, mut given) = (Plain::EMPTY, Vec::new(), Plain::EMPTY);
        for (key, value) in value.entries() {
            match (*key, *value) {
                ("dialect", Plain::Text(name)) => dialect = Some(name),
                ("kind", Plain::Text(name)) => kind = Some(name),
                ("fields", Plain::Map(_)) => fields = *value,
                ("given", Plain::Map(_)) => given = *value,
                ("absent", Plain::List(paths)) => {
                    let text = |path: &Plain<'v>| match path {
                        Plain::Text(path) => Some(*path),
                        Plain::Null
                        | Plain::Boolean(_)
                        | Plain::Number(_)
                        | Plain::List(_)
                        | Plain::Map(_) => None,
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

    /// What of it is worth reading for whoever only receives the handoff: what is short. Nobody converts it back.
    pub(super) fn in_short(mut self, maker: &mut Maker<'v>) -> Option<Self> {
        if let Plain::Map(fields) = self.fields {
            let start = maker.entries.len();
            let is_short = |value: Plain<'_>| write::json_line(&value).len() <= FIELD_BYTES_MAX;
            let short = fields.iter().filter(|(_, value)| !value.is_blank() && is_short(*value));
            maker.entries.extend(short);
            self.fields = maker.map(start);
        }
        (self.absent, self.given) = (Vec::new(), Plain::EMPTY);
        (!self.fields.is_blank()).then_some(self)
    }

    /// Its form in a document.
    pub(super) fn into_plain(self, maker: &mut Maker<'v>) -> Plain<'v> {
        let start = maker.entries.len();
        maker.entries.push(("dialect", Plain::Text(self.dialect)));
        maker.entries.push(("kind", Plain::Text(self.kind)));
        if !self.fields.is_blank() {
            maker.entries.push(("fields", self.fields));
        }
        if !self.absent.is_empty() {
            let start = maker.items.len();
            maker.items.extend(self.absent.into_iter().map(Plain::Text));
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
        (document, whole): (Plain<'v>, Plain<'v>),
        as_written: impl Fn(Plain<'v>, &mut Maker<'v>) -> Plain<'v>,
        maker: &mut Maker<'v>,
    ) -> Option<Restored<'v>> {
        let Kinds { original, converted } = kinds;
        let mut set = Vec::new();
        values(self.given, "", converted, &mut set, maker.pool);
        let said = gather(converted, without(document, self.given, maker), maker.pool);
        let back = fill(original, &said, Given::NOTHING, maker);
        // What was given for the conversion is given again, so that it gives the same again.
        let forward = |again: &Facts<'v>, set: &[(&'v str, Plain<'v>)], maker: &mut Maker<'v>| {
            let mut forward =
                fill(converted, again, Given { set, now: None, makes_up: true, key: None }, maker);
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
        let left = Self::between(dialect, converted, [whole, made.document], Plain::EMPTY, maker);
        let left = left.filter(|left| !left.fields.is_blank());
        if left.is_some() && back.uses.is_empty() {
            return None;
        }
        Some(Restored { value, left, said, back, again, made })
    }

    /// Lays what was kept over what came back.
    fn over(&self, back: Plain<'v>, maker: &mut Maker<'v>) -> Plain<'v> {
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
    pub(super) value: Plain<'v>,
    /// What the document says now and the original has no place for.
    pub(super) left: Option<Extension<'v>>,
    /// What the document says.
    pub(super) said: Facts<'v>,
    /// What of it the original was filled with.
    pub(super) back: Filled<'v>,
    /// What the original says.
    pub(super) again: Facts<'v>,
    /// What it would become if it were converted again.
    pub(super) made: Filled<'v>,
}

/// The values in a map that are no maps of fields themselves, by their dotted paths.
fn values<'v>(
    map: Plain<'v>,
    path: &'v str,
    kind: &DialectKind,
    into: &mut Vec<(&'v str, Plain<'v>)>,
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

/// Whether a dotted path is another one, or lies below it.
pub(super) fn is_within(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What stands at a dotted path or in its way: the path up to there.
fn standing<'p>(fields: Plain<'_>, path: &'p str) -> &'p str {
    let ends = path.bytes().enumerate().filter(|(_, byte)| *byte == b'.').map(|(at, _)| &path[..at]);
    let in_the_way = |path: &&str| fields.at(path).is_some_and(|value| !matches!(value, Plain::Map(_)));
    ends.into_iter().find(in_the_way).unwrap_or(path)
}

/// The fields of the original whose counterpart was changed since.
fn changes<'v>(
    said: &[Fact<'v>],
    again: &[Fact<'v>],
    back: &Filled<'v>,
    forward: &Filled<'v>,
    document: Plain<'v>,
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

/// Whether two values say the same, in whatever order their keys are.
fn is_alike(one: Plain<'_>, other: Plain<'_>) -> bool {
    match (one, other) {
        (Plain::List(one), Plain::List(other)) => {
            let mut both = one.iter().zip(other);
            one.len() == other.len() && both.all(|(one, other)| is_alike(*one, *other))
        }
        (Plain::Map(entries), Plain::Map(others)) if entries.len() <= KEYS_MAX => {
            let has =
                |(key, value): &(&str, Plain<'_>)| other.get(key).is_some_and(|of| is_alike(*value, of));
            entries.len() == others.len() && entries.iter().all(has)
        }
        (_, _) => one == other,
    }
}

/// The keys on the way to a map, from the last one.
pub(super) struct Way<'w> {
    pub(super) around: Option<&'w Way<'w>>,
    pub(super) key: &'w str,
}

/// What of the original would not come back; what would come back and is not there goes to `absent`.
pub(super) fn keep<'v>(
    original: Plain<'v>,
    back: Plain<'v>,
    way: Option<&Way<'_>>,
    absent: &mut Vec<&'v str>,
    maker: &mut Maker<'v>,
) -> Option<Plain<'v>> {
    let (Plain::Map(entries), Plain::Map(others)) = (original, back) else {
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
        let kept = keep(*value, other, Some(&Way { around: way, key }), absent, maker);
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
pub(super) fn absent_at<'v>(key: &str, way: Option<&Way<'_>>, maker: &Maker<'v>) -> &'v str {
    let mut keys = vec![key];
    let mut around = way;
    while let Some(Way { around: further, key }) = around {
        keys.push(*key);
        around = *further;
    }
    keys.reverse();
    maker.pool.joined(&keys, ".")
}

/// A document without what is the same in another one.
pub(super) fn without<'v>(document: Plain<'v>, same: Plain<'_>, maker: &mut Maker<'v>) -> Plain<'v> {
    let Plain::Map(entries) = document else { return document };
    if same.entries().is_empty() {
        return document;
    }
    let start = maker.entries.len();
    for (key, value) in entries {
        let left = match same.get(key) {
            Some(inner @ Plain::Map(_)) if matches!(value, Plain::Map(_)) => {
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

fn overlay<'v>(under: Plain<'v>, over: Plain<'v>, maker: &mut Maker<'v>) -> Plain<'v> {
    let (Plain::Map(entries), Plain::Map(more)) = (under, over) else { return over };
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
