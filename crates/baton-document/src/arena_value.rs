//! A value that has no memory of its own: what conversion reads, moves and writes, and what a handoff tells.
//!
//! Text is borrowed from the document, the dialect or the [`Pool`] of the conversion, lists and maps lie in the pool.
//! So a value is copied by noting where it lies, nothing is given back one by one, and what was carried
//! unchanged is known by its place.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use bumpalo::Bump;

use crate::datum::{Datum, first_key, is_same_key};
use crate::tree::{Kind, NodeId, Syntax, Tree};

/// A value; maps keep the order of their keys.
///
/// What it is takes a whole word, so that a copy is words too: with a single byte in front, a copy is put together from
/// parts that lie across words, and a processor waits for each of them.
#[derive(Clone, Copy, Debug)]
#[repr(usize)]
pub enum ArenaValue<'v> {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number, as JSON would write it.
    Number(&'v str),
    /// Text.
    Text(&'v str),
    /// A list.
    List(&'v [ArenaValue<'v>]),
    /// A map.
    Map(&'v [Entry<'v>]),
}

/// A key and its value.
pub(crate) type Entry<'v> = (&'v str, ArenaValue<'v>);

impl PartialEq for ArenaValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (ArenaValue::Null, ArenaValue::Null) => true,
            (ArenaValue::Boolean(one), ArenaValue::Boolean(other)) => one == other,
            (ArenaValue::Number(one), ArenaValue::Number(other))
            | (ArenaValue::Text(one), ArenaValue::Text(other)) => std::ptr::eq(one, other) || one == other,
            (ArenaValue::List(one), ArenaValue::List(other)) => std::ptr::eq(one, other) || one == other,
            (ArenaValue::Map(one), ArenaValue::Map(other)) => {
                let is_same =
                    |(one, other): (&Entry<'_>, &Entry<'_>)| is_same_key(one.0, other.0) && one.1 == other.1;
                std::ptr::eq(one, other) || (one.len() == other.len() && one.iter().zip(other).all(is_same))
            }
            (
                ArenaValue::Null
                | ArenaValue::Boolean(_)
                | ArenaValue::Number(_)
                | ArenaValue::Text(_)
                | ArenaValue::List(_)
                | ArenaValue::Map(_),
                _,
            ) => false,
        }
    }
}

impl<'v> ArenaValue<'v> {
    /// A map without entries.
    pub(crate) const EMPTY: ArenaValue<'static> = ArenaValue::Map(&[]);

    /// The value of a node as it stands; in XML repeated elements become a list.
    pub(crate) fn of(tree: &'v Tree<'_>, node: NodeId, maker: &mut Maker<'v>) -> Self {
        let text = || tree.text(node);
        match tree.kind(node) {
            Kind::Null | Kind::Broken => ArenaValue::Null,
            Kind::False => ArenaValue::Boolean(false),
            Kind::True => ArenaValue::Boolean(true),
            Kind::Integer | Kind::Float => {
                Self::number(text(), maker.pool).unwrap_or_else(|| ArenaValue::Text(text()))
            }
            Kind::Text => ArenaValue::Text(text()),
            Kind::List => {
                let start = maker.items.len();
                for item in tree.items(node) {
                    let made = Self::of(tree, item, maker);
                    maker.items.push(made);
                }
                maker.list(start)
            }
            Kind::Map => {
                let mut map = maker.open(tree.may_repeat_keys());
                for (key, value) in tree.entries(node) {
                    let made = Self::of(tree, value, maker);
                    maker.add(&mut map, tree.text(key), made);
                }
                maker.close(&map, tree.syntax() == Syntax::Xml)
            }
        }
    }

    /// A number; text that JSON would not take is written as JSON would, if that is possible.
    pub(crate) fn number(text: &'v str, pool: &'v Pool) -> Option<Self> {
        match Datum::number(text)? {
            Datum::Number(Cow::Borrowed(text)) => Some(ArenaValue::Number(text)),
            Datum::Number(Cow::Owned(text)) => Some(ArenaValue::Number(pool.text(&text))),
            Datum::Null | Datum::Boolean(_) | Datum::Text(_) | Datum::List(_) | Datum::Map(_) => None,
        }
    }

    /// The same value as one that has memory of its own.
    pub(crate) fn of_datum(datum: &'v Datum<'_>, maker: &mut Maker<'v>) -> Self {
        match datum {
            Datum::Null => ArenaValue::Null,
            Datum::Boolean(is) => ArenaValue::Boolean(*is),
            Datum::Number(text) => ArenaValue::Number(text),
            Datum::Text(text) => ArenaValue::Text(text),
            Datum::List(items) => {
                let start = maker.items.len();
                for item in items {
                    let made = Self::of_datum(item, maker);
                    maker.items.push(made);
                }
                maker.list(start)
            }
            Datum::Map(entries) => {
                let start = maker.entries.len();
                for (key, value) in entries {
                    let made = Self::of_datum(value, maker);
                    maker.entries.push((key, made));
                }
                maker.map(start)
            }
        }
    }

    /// A value of JSON in memory.
    pub(crate) fn of_json(value: &serde_json::Value, maker: &mut Maker<'v>) -> Self {
        match value {
            serde_json::Value::Null => ArenaValue::Null,
            serde_json::Value::Bool(is) => ArenaValue::Boolean(*is),
            serde_json::Value::Number(number) => ArenaValue::Number(maker.pool.text(&number.to_string())),
            serde_json::Value::String(text) => ArenaValue::Text(maker.pool.text(text)),
            serde_json::Value::Array(items) => {
                let start = maker.items.len();
                for item in items {
                    let made = Self::of_json(item, maker);
                    maker.items.push(made);
                }
                maker.list(start)
            }
            serde_json::Value::Object(entries) => {
                let start = maker.entries.len();
                for (key, value) in entries {
                    let made = Self::of_json(value, maker);
                    maker.entries.push((maker.pool.text(key), made));
                }
                maker.map(start)
            }
        }
    }

    /// The same value as one that lives shorter, with all of its text.
    pub(crate) fn copied(value: ArenaValue<'_>, maker: &mut Maker<'v>) -> Self {
        match value {
            ArenaValue::Null => ArenaValue::Null,
            ArenaValue::Boolean(is) => ArenaValue::Boolean(is),
            ArenaValue::Number(text) => ArenaValue::Number(maker.pool.text(text)),
            ArenaValue::Text(text) => ArenaValue::Text(maker.pool.text(text)),
            ArenaValue::List(items) => {
                let start = maker.items.len();
                for item in items {
                    let made = Self::copied(*item, maker);
                    maker.items.push(made);
                }
                maker.list(start)
            }
            ArenaValue::Map(entries) => {
                let start = maker.entries.len();
                for (key, value) in entries {
                    let made = Self::copied(*value, maker);
                    maker.entries.push((maker.pool.text(key), made));
                }
                maker.map(start)
            }
        }
    }

    /// The same value, with memory of its own.
    pub fn into_datum(self) -> Datum<'static> {
        match self {
            ArenaValue::Null => Datum::Null,
            ArenaValue::Boolean(is) => Datum::Boolean(is),
            ArenaValue::Number(text) => Datum::Number(text.to_owned().into()),
            ArenaValue::Text(text) => Datum::Text(text.to_owned().into()),
            ArenaValue::List(items) => Datum::List(items.iter().map(|item| item.into_datum()).collect()),
            ArenaValue::Map(entries) => {
                let entries =
                    entries.iter().map(|(key, value)| ((*key).to_owned().into(), value.into_datum()));
                Datum::Map(entries.collect())
            }
        }
    }

    /// Tells whether it is the same value at the same place.
    #[inline]
    pub(crate) fn lies_with(self, other: ArenaValue<'_>) -> bool {
        match (self, other) {
            (ArenaValue::Number(one), ArenaValue::Number(other))
            | (ArenaValue::Text(one), ArenaValue::Text(other)) => std::ptr::eq(one, other),
            (ArenaValue::List(one), ArenaValue::List(other)) => std::ptr::eq(one, other),
            (ArenaValue::Map(one), ArenaValue::Map(other)) => std::ptr::eq(one, other),
            (
                ArenaValue::Null
                | ArenaValue::Boolean(_)
                | ArenaValue::Number(_)
                | ArenaValue::Text(_)
                | ArenaValue::List(_)
                | ArenaValue::Map(_),
                _,
            ) => false,
        }
    }

    /// The value under a key.
    pub fn get(self, key: &str) -> Option<ArenaValue<'v>> {
        self.entries().iter().find(|(name, _)| is_same_key(name, key)).map(|(_, value)| *value)
    }

    /// The value at a dotted path.
    pub fn at(self, path: &str) -> Option<ArenaValue<'v>> {
        let (mut value, mut rest) = (self, Some(path));
        while let Some(path) = rest {
            let (key, more) = first_key(path);
            (value, rest) = (value.get(key)?, more);
        }
        Some(value)
    }

    /// The entries of a map; none of anything else.
    #[inline]
    pub fn entries(self) -> &'v [Entry<'v>] {
        match self {
            ArenaValue::Map(entries) => entries,
            ArenaValue::Null
            | ArenaValue::Boolean(_)
            | ArenaValue::Number(_)
            | ArenaValue::Text(_)
            | ArenaValue::List(_) => &[],
        }
    }

    /// The text of a scalar.
    #[inline]
    pub fn as_text(self) -> Option<&'v str> {
        match self {
            ArenaValue::Text(text) | ArenaValue::Number(text) => Some(text),
            ArenaValue::Boolean(true) => Some("true"),
            ArenaValue::Boolean(false) => Some("false"),
            ArenaValue::Null | ArenaValue::List(_) | ArenaValue::Map(_) => None,
        }
    }

    /// Its kind, as a tree would have it.
    pub(crate) fn kind(self) -> Kind {
        match self {
            ArenaValue::Null => Kind::Null,
            ArenaValue::Boolean(false) => Kind::False,
            ArenaValue::Boolean(true) => Kind::True,
            ArenaValue::Number(_) => Kind::Float,
            ArenaValue::Text(_) => Kind::Text,
            ArenaValue::List(_) => Kind::List,
            ArenaValue::Map(_) => Kind::Map,
        }
    }

    /// The text that it would have in a tree.
    pub(crate) fn text(self) -> &'v str {
        match self {
            ArenaValue::Null => "null",
            ArenaValue::Boolean(_)
            | ArenaValue::Number(_)
            | ArenaValue::Text(_)
            | ArenaValue::List(_)
            | ArenaValue::Map(_) => self.as_text().unwrap_or_default(),
        }
    }

    /// Tells whether nothing stands here: null, or an empty text, list or map.
    pub fn is_blank(self) -> bool {
        match self {
            ArenaValue::Null => true,
            ArenaValue::Text(text) => text.is_empty(),
            ArenaValue::List(items) => items.is_empty(),
            ArenaValue::Map(entries) => entries.is_empty(),
            ArenaValue::Boolean(_) | ArenaValue::Number(_) => false,
        }
    }

    /// The same with a value at a dotted path, with the maps on the way; what is no map on the way is replaced.
    #[must_use]
    pub(crate) fn with(self, path: &'v str, value: ArenaValue<'v>, maker: &mut Maker<'v>) -> Self {
        let (key, rest) = first_key(path);
        let before = self.get(key);
        let made = match rest {
            Some(rest) => before.unwrap_or(ArenaValue::EMPTY).with(rest, value, maker),
            None => value,
        };
        let start = maker.entries.len();
        maker.entries.extend_from_slice(self.entries());
        match before.and_then(|_| maker.entries[start..].iter_mut().find(|(name, _)| is_same_key(name, key)))
        {
            Some((_, value)) => *value = made,
            None => maker.entries.push((key, made)),
        }
        maker.map(start)
    }

    /// The same without the value at a dotted path; the maps on the way stay.
    #[must_use]
    pub(crate) fn without(self, path: &str, maker: &mut Maker<'v>) -> Self {
        self.cut(path, false, maker)
    }

    /// The same without the value at a dotted path, and without the maps on the way that have nothing else.
    #[must_use]
    pub(crate) fn pruned(self, path: &str, maker: &mut Maker<'v>) -> Self {
        self.cut(path, true, maker)
    }

    fn cut(self, path: &str, prunes: bool, maker: &mut Maker<'v>) -> Self {
        if self.at(path).is_none() {
            return self;
        }
        let (key, rest) = first_key(path);
        let left = rest.and_then(|rest| {
            let left = self.get(key)?.cut(rest, prunes, maker);
            (!prunes || !left.entries().is_empty()).then_some(left)
        });
        let entries = self.entries();
        let at = entries.iter().position(|(name, _)| is_same_key(name, key)).unwrap_or(entries.len());
        let start = maker.entries.len();
        maker.entries.extend_from_slice(&entries[..at]);
        maker.entries.extend(left.map(|left| (key_of(entries, at), left)));
        maker.entries.extend_from_slice(entries.get(at + 1..).unwrap_or_default());
        maker.map(start)
    }
}

fn key_of<'v>(entries: &[Entry<'v>], at: usize) -> &'v str {
    entries.get(at).map_or("", |(key, _)| key)
}

/// The memory of conversions, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    memory: Bump,
    /// Buffer for texts whose length is not known before.
    written: RefCell<String>,
    /// The room for how a content is spelled.
    pub(crate) spelled: RefCell<Vec<u8>>,
    /// Lists and maps in the making, kept for the next maker.
    open: RefCell<(Vec<Entry<'static>>, Vec<ArenaValue<'static>>)>,
}

/// Bytes that a pool keeps from one conversion to the next.
const KEPT_BYTES: usize = 1024 * 1024;

impl Pool {
    /// A text of its own.
    pub(crate) fn text(&self, text: &str) -> &str {
        self.memory.alloc_str(text)
    }

    /// Several texts as one.
    pub(crate) fn joined(&self, texts: &[&str], between: &str) -> &str {
        match texts {
            [] => "",
            [one] => self.text(one),
            _ => self.text(&texts.join(between)),
        }
    }

    /// Some places, each with the same.
    pub(crate) fn several<T: Copy>(&self, count: usize, one: T) -> &mut [T] {
        self.memory.alloc_slice_fill_copy(count, one)
    }

    /// Writes a text into the pool; `write` says what becomes of it.
    pub(crate) fn written<T>(&self, write: impl FnOnce(&mut String), done: impl FnOnce(&str) -> T) -> T {
        let mut text = self.written.take();
        text.clear();
        write(&mut text);
        let made = done(&text);
        self.written.replace(text);
        made
    }

    /// Gives all of it back, for the next conversion.
    pub(crate) fn clear(&mut self) {
        self.memory.reset();
        let (entries, items) = self.open.get_mut();
        let open =
            entries.capacity() * size_of::<Entry<'_>>() + items.capacity() * size_of::<ArenaValue<'_>>();
        let texts = self.written.get_mut().capacity() + self.spelled.get_mut().capacity();
        if self.memory.allocated_bytes() + texts + open > KEPT_BYTES {
            *self = Self::default();
        }
    }
}

/// Makes lists and maps in a pool: what is open lies behind what it is part of.
#[derive(Debug)]
pub(crate) struct Maker<'v> {
    pub(crate) pool: &'v Pool,
    /// The entries of the maps that are open.
    pub(crate) entries: Vec<Entry<'v>>,
    /// The items of the lists that are open.
    pub(crate) items: Vec<ArenaValue<'v>>,
}

/// A map that is open.
#[derive(Debug)]
pub(crate) struct Open {
    start: usize,
    /// A bit for each key; two keys with the same may be the same.
    marks: u64,
    may_repeat: bool,
    repeats: bool,
}

/// Keys that are looked through one by one.
const FEW_KEYS: usize = 32;

impl<'v> Maker<'v> {
    pub(crate) fn new(pool: &'v Pool) -> Self {
        let (mut entries, mut items) = pool.open.take();
        entries.reserve(24);
        items.reserve(32);
        Self { pool, entries, items }
    }

    /// Gives the room for what is open back to the pool, for the next one.
    pub(crate) fn done(mut self) {
        self.entries.clear();
        self.items.clear();
        // Nothing is in them, so that only their room is collected.
        let entries = self.entries.into_iter().map(|_| ("", ArenaValue::Null)).collect();
        let items = self.items.into_iter().map(|_| ArenaValue::Null).collect();
        self.pool.open.replace((entries, items));
    }

    /// A list of what was added behind some items.
    pub(crate) fn list(&mut self, start: usize) -> ArenaValue<'v> {
        let made = self.pool.memory.alloc_slice_copy(&self.items[start..]);
        self.items.truncate(start);
        ArenaValue::List(made)
    }

    /// A list of the items of another, and more.
    pub(crate) fn both(&mut self, list: ArenaValue<'v>, more: &[ArenaValue<'v>]) -> ArenaValue<'v> {
        let start = self.items.len();
        add_items(&mut self.items, list);
        self.items.extend_from_slice(more);
        self.list(start)
    }

    /// A list of one.
    pub(crate) fn list_of(&self, one: ArenaValue<'v>) -> ArenaValue<'v> {
        ArenaValue::List(self.pool.memory.alloc_slice_copy(&[one]))
    }

    /// A map of what was added behind some entries.
    pub(crate) fn map(&mut self, start: usize) -> ArenaValue<'v> {
        let made = self.pool.memory.alloc_slice_copy(&self.entries[start..]);
        self.entries.truncate(start);
        ArenaValue::Map(made)
    }

    /// A map of one.
    pub(crate) fn map_of(&self, key: &'v str, value: ArenaValue<'v>) -> ArenaValue<'v> {
        ArenaValue::Map(self.pool.memory.alloc_slice_copy(&[(key, value)]))
    }

    /// Opens a map, and says whether its keys may repeat.
    pub(crate) fn open(&self, may_repeat: bool) -> Open {
        Open { start: self.entries.len(), marks: 0, may_repeat, repeats: false }
    }

    /// Adds an entry to the map that was opened last.
    #[inline(always)]
    pub(crate) fn add(&mut self, map: &mut Open, key: &'v str, value: ArenaValue<'v>) {
        if map.may_repeat {
            self.note(map, key);
        }
        self.entries.push((key, value));
    }

    /// Notes whether a key is in the map that was opened last already.
    fn note(&self, map: &mut Open, key: &str) {
        let mark = mark(key);
        if map.marks & mark != 0 && !map.repeats {
            let before = &self.entries[map.start..];
            map.repeats = before.len() >= FEW_KEYS || before.iter().any(|(name, _)| is_same_key(name, key));
        }
        map.marks |= mark;
    }

    /// The entries of the map that was opened last.
    pub(crate) fn added(&self, map: &Open) -> &[Entry<'v>] {
        &self.entries[map.start..]
    }

    /// Gives up the map that was opened last.
    pub(crate) fn drop(&mut self, map: &Open) {
        self.entries.truncate(map.start);
    }

    /// Closes a map; of what repeats comes a list, or only the last is kept.
    pub(crate) fn close(&mut self, map: &Open, makes_lists: bool) -> ArenaValue<'v> {
        if map.repeats {
            self.join(map.start, makes_lists);
        }
        self.map(map.start)
    }

    /// Puts the values of each key behind some entries together.
    fn join(&mut self, start: usize, makes_lists: bool) {
        let mut groups: Vec<(&'v str, ArenaValue<'v>, Vec<ArenaValue<'v>>)> = Vec::new();
        // Keys are of any author: a hash without a secret could be made to collide.
        let mut places: HashMap<&'v str, usize> = HashMap::new();
        for (key, value) in self.entries.drain(start..) {
            let at = *places.entry(key).or_insert(groups.len());
            let Some((_, first, items)) = groups.get_mut(at) else {
                groups.push((key, value, Vec::new()));
                continue;
            };
            if !makes_lists {
                *first = value;
                continue;
            }
            if items.is_empty() {
                add_items(items, *first);
            }
            add_items(items, value);
        }
        for (key, first, items) in groups {
            let is_list = !items.is_empty();
            let value =
                if is_list { ArenaValue::List(self.pool.memory.alloc_slice_copy(&items)) } else { first };
            self.entries.push((key, value));
        }
    }
}

fn add_items<'v>(items: &mut Vec<ArenaValue<'v>>, value: ArenaValue<'v>) {
    match value {
        ArenaValue::List(more) => items.extend_from_slice(more),
        ArenaValue::Null
        | ArenaValue::Boolean(_)
        | ArenaValue::Number(_)
        | ArenaValue::Text(_)
        | ArenaValue::Map(_) => {
            items.push(value);
        }
    }
}

/// A bit that two keys which are the same have in common.
#[inline]
fn mark(key: &str) -> u64 {
    let bytes = key.as_bytes();
    let (first, last) = (bytes.first().copied(), bytes.last().copied());
    let mixed = first.unwrap_or_default().wrapping_mul(7) ^ last.unwrap_or_default();
    1 << ((usize::from(mixed) ^ bytes.len()) & 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_repeat_are_found_among_few_and_among_many() {
        let names: Vec<String> = (0..3 * FEW_KEYS).map(|at| format!("key-{at}")).collect();
        for (count, makes_lists) in [(3, true), (3, false), (names.len(), true), (names.len(), false)] {
            let pool = Pool::default();
            let mut maker = Maker::new(&pool);
            let mut map = maker.open(true);
            for (at, name) in names[..count].iter().chain(&names[..count]).enumerate() {
                maker.add(&mut map, name, ArenaValue::Boolean(at >= count));
            }
            let map = maker.close(&map, makes_lists);
            assert_eq!(map.entries().len(), count);
            let both =
                maker.both(ArenaValue::List(&[ArenaValue::Boolean(false)]), &[ArenaValue::Boolean(true)]);
            let wanted = if makes_lists { both } else { ArenaValue::Boolean(true) };
            assert!(map.entries().iter().all(|(_, value)| *value == wanted), "{map:?}");
        }
    }

    #[test]
    fn a_value_is_put_and_cut_at_its_path_and_the_rest_stays() {
        let pool = Pool::default();
        let maker = &mut Maker::new(&pool);
        let one = ArenaValue::EMPTY.with("a.b", ArenaValue::Text("x"), maker).with(
            "c",
            ArenaValue::Number("1"),
            maker,
        );
        let two = one.with("a.d", ArenaValue::Null, maker);
        assert_eq!(two.at("a.b"), Some(ArenaValue::Text("x")));
        assert_eq!(two.at("a.d"), Some(ArenaValue::Null));
        assert_eq!(two.without("a.d", maker), one);
        assert_eq!(one.without("a.b", maker).at("a"), Some(ArenaValue::EMPTY));
        assert_eq!(one.pruned("a.b", maker), maker.map_of("c", ArenaValue::Number("1")));
        assert_eq!(one.pruned("a.e", maker), one);
        assert!(maker.entries.is_empty() && maker.items.is_empty(), "nothing is left open");
    }

    #[test]
    fn a_pool_keeps_little_from_one_conversion_to_the_next() {
        let mut pool = Pool::default();
        pool.text(&"x".repeat(100));
        pool.clear();
        assert!(pool.memory.allocated_bytes() > 0, "what is used every time is kept");
        pool.text(&"x".repeat(2 * KEPT_BYTES));
        pool.clear();
        assert_eq!(pool.memory.allocated_bytes(), 0);
        pool.written(|out| out.push_str(&"x".repeat(2 * KEPT_BYTES)), |_| ());
        pool.clear();
        assert_eq!(pool.written.get_mut().capacity(), 0);
    }

    #[test]
    fn the_room_of_a_maker_is_used_by_the_next_one_unless_it_is_too_much() {
        let mut pool = Pool::default();
        let mut maker = Maker::new(&pool);
        maker.entries.extend([("key", ArenaValue::Null); 100]);
        let room = maker.entries.capacity();
        maker.done();
        pool.clear();
        let mut maker = Maker::new(&pool);
        assert_eq!((maker.entries.len(), maker.entries.capacity()), (0, room));
        maker.items.extend(vec![ArenaValue::Null; KEPT_BYTES]);
        maker.done();
        pool.clear();
        assert_eq!(pool.open.get_mut().1.capacity(), 0);
    }
}
