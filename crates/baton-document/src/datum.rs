//! A value of a document by itself, away from its text: what conversion reads, moves and writes.
//!
//! Numbers stay as they were written, so that none loses a digit on the way.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::tree::{Kind, NodeId, Syntax, Tree};

/// A value; maps keep the order of their keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum<'t> {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number, as JSON would write it.
    Number(Cow<'t, str>),
    /// Text.
    Text(Cow<'t, str>),
    /// A list.
    List(Vec<Datum<'t>>),
    /// A map.
    Map(Vec<(Cow<'t, str>, Datum<'t>)>),
}

/// Digits before the point that surely make no number beyond all that can be read.
const DIGITS_MAX: usize = 300;

impl<'t> Datum<'t> {
    /// Text.
    pub fn text(text: impl Into<Cow<'t, str>>) -> Self {
        Datum::Text(text.into())
    }

    /// The value of a node as it stands; in XML repeated elements become a list.
    pub fn of(tree: &'t Tree<'_>, node: NodeId) -> Self {
        let text = || tree.text(node);
        match tree.kind(node) {
            Kind::Null | Kind::Broken => Datum::Null,
            Kind::False => Datum::Boolean(false),
            Kind::True => Datum::Boolean(true),
            Kind::Integer | Kind::Float => Self::number(text()).unwrap_or_else(|| Datum::text(text())),
            Kind::Text => Datum::text(text()),
            Kind::List => Datum::List(tree.items(node).map(|item| Self::of(tree, item)).collect()),
            Kind::Map => {
                let mut map = Entries::with_capacity(tree.entries(node).count());
                for (key, value) in tree.entries(node) {
                    let made = Self::of(tree, value);
                    map.add(tree.text(key), made, tree.syntax() == Syntax::Xml);
                }
                map.into_map()
            }
        }
    }

    /// A number; text that JSON would not take is written as JSON would, if that is possible.
    pub fn number(text: &'t str) -> Option<Self> {
        let text = text.strip_prefix('+').unwrap_or(text);
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_whole = |text: &str| is_digits(text) && (text.len() == 1 || !text.starts_with('0'));
        // Most need no more than a look.
        let is_plain = digits.split_once('.').map_or_else(
            || is_whole(digits),
            |(whole, fraction)| is_whole(whole) && is_digits(fraction) && whole.len() <= DIGITS_MAX,
        );
        if is_plain {
            return Some(Datum::Number(text.into()));
        }
        if is_digits(digits) {
            // Zeros in front say nothing, and JSON has none.
            let sign = &text[..text.len() - digits.len()];
            let digits = digits.trim_start_matches('0');
            return Some(Datum::Number(
                format!("{sign}{}", if digits.is_empty() { "0" } else { digits }).into(),
            ));
        }
        let number: f64 = text.parse().ok()?;
        let is_json = serde_json::from_str::<serde_json::Number>(text).is_ok();
        let written = if is_json { Some(text.into()) } else { None };
        let written = written.or_else(|| serde_json::Number::from_f64(number).map(|n| n.to_string().into()));
        written.map(Datum::Number)
    }

    /// The same value, with its text its own.
    pub fn into_owned(self) -> Datum<'static> {
        let own = |text: Cow<'t, str>| Cow::Owned(text.into_owned());
        match self {
            Datum::Null => Datum::Null,
            Datum::Boolean(value) => Datum::Boolean(value),
            Datum::Number(text) => Datum::Number(own(text)),
            Datum::Text(text) => Datum::Text(own(text)),
            Datum::List(items) => Datum::List(items.into_iter().map(Datum::into_owned).collect()),
            Datum::Map(entries) => {
                Datum::Map(entries.into_iter().map(|(key, value)| (own(key), value.into_owned())).collect())
            }
        }
    }

    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&Datum<'t>> {
        self.entries().iter().find(|(name, _)| is_same_key(name, key)).map(|(_, value)| value)
    }

    /// The value at a dotted path.
    pub fn at(&self, path: &str) -> Option<&Datum<'t>> {
        let (mut value, mut rest) = (self, Some(path));
        while let Some(path) = rest {
            let (key, more) = first_key(path);
            (value, rest) = (value.get(key)?, more);
        }
        Some(value)
    }

    /// The text of the scalar at a dotted path.
    pub fn word_at(&self, path: &str) -> Option<&str> {
        self.at(path).and_then(Datum::as_text)
    }

    /// The entries of a map; none of anything else.
    pub fn entries(&self) -> &[(Cow<'t, str>, Datum<'t>)] {
        match self {
            Datum::Map(entries) => entries,
            Datum::Null | Datum::Boolean(_) | Datum::Number(_) | Datum::Text(_) | Datum::List(_) => &[],
        }
    }

    /// The text of a scalar.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Datum::Text(text) | Datum::Number(text) => Some(text),
            Datum::Boolean(true) => Some("true"),
            Datum::Boolean(false) => Some("false"),
            Datum::Null | Datum::List(_) | Datum::Map(_) => None,
        }
    }

    /// Tells whether nothing stands here: null, or an empty text, list or map.
    pub fn is_blank(&self) -> bool {
        match self {
            Datum::Null => true,
            Datum::Text(text) => text.is_empty(),
            Datum::List(items) => items.is_empty(),
            Datum::Map(entries) => entries.is_empty(),
            Datum::Boolean(_) | Datum::Number(_) => false,
        }
    }

    /// Puts a value at a dotted path, making the maps on the way; what is no map on the way is replaced.
    pub fn put(&mut self, path: impl Into<Cow<'t, str>>, value: Datum<'t>) {
        match path.into() {
            Cow::Borrowed(path) => self.put_under(path, Cow::Borrowed, value),
            Cow::Owned(path) => self.put_under(&path, |key| Cow::Owned(key.to_owned()), value),
        }
    }

    fn put_under<'p>(&mut self, path: &'p str, key: impl Fn(&'p str) -> Cow<'t, str>, value: Datum<'t>) {
        let (mut place, mut rest) = (self, Some(path));
        while let Some(path) = rest {
            let (first, more) = first_key(path);
            (place, rest) = (place.place(first, &key), more);
        }
        *place = value;
    }

    /// The place under a key, in a map that is made if need be.
    fn place<'p>(&mut self, name: &'p str, key: impl Fn(&'p str) -> Cow<'t, str>) -> &mut Datum<'t> {
        if !matches!(self, Datum::Map(_)) {
            *self = Datum::Map(Vec::with_capacity(4));
        }
        let Datum::Map(entries) = self else { return self };
        let at = entries.iter().position(|(other, _)| is_same_key(other, name)).unwrap_or_else(|| {
            entries.push((key(name), Datum::Null));
            entries.len() - 1
        });
        &mut entries[at].1
    }

    /// Takes the value at a dotted path away; the maps on the way stay.
    pub fn remove(&mut self, path: &str) -> Option<Datum<'t>> {
        let Datum::Map(entries) = self else { return None };
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let at = entries.iter().position(|(name, _)| name == first)?;
        match rest {
            None => Some(entries.remove(at).1),
            Some(rest) => entries[at].1.remove(rest),
        }
    }

    /// Takes the value at a dotted path away, and the maps on the way that have nothing else.
    pub fn take(&mut self, path: &str) -> Option<Datum<'t>> {
        let taken = self.remove(path)?;
        let mut path = path;
        while let Some((around, _)) = path.rsplit_once('.') {
            path = around;
            if self.at(path).is_some_and(|map| map.entries().is_empty()) {
                self.remove(path);
            }
        }
        Some(taken)
    }
}

/// A map as it grows.
#[derive(Debug, Default)]
pub(crate) struct Entries<'t> {
    entries: Vec<(Cow<'t, str>, Datum<'t>)>,
    /// Position of each key, once there are so many that a search would take long.
    places: HashMap<&'t str, usize>,
}

/// Keys that are looked through one by one.
const FEW_KEYS: usize = 32;

impl<'t> Entries<'t> {
    /// One with room for so many.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { entries: Vec::with_capacity(count), places: HashMap::new() }
    }

    /// Adds an entry; where keys may repeat, one that is there already makes or joins a list.
    pub(crate) fn add(&mut self, key: &'t str, made: Datum<'t>, repeats: bool) {
        let Some(at) = self.place(key) else {
            if !self.places.is_empty() {
                self.places.insert(key, self.entries.len());
            }
            return self.entries.push((Cow::Borrowed(key), made));
        };
        let before = &mut self.entries[at].1;
        if !repeats {
            *before = made;
            return;
        }
        // A list grows in its place, so that many items are joined in the time that they take.
        if !matches!(before, Datum::List(_)) {
            *before = Datum::List(vec![std::mem::replace(before, Datum::Null)]);
        }
        if let Datum::List(items) = before {
            match made {
                Datum::List(more) => items.extend(more),
                one @ (Datum::Null
                | Datum::Boolean(_)
                | Datum::Number(_)
                | Datum::Text(_)
                | Datum::Map(_)) => items.push(one),
            }
        }
    }

    /// The map.
    pub(crate) fn into_map(self) -> Datum<'t> {
        Datum::Map(self.entries)
    }

    fn place(&mut self, key: &str) -> Option<usize> {
        if self.entries.len() < FEW_KEYS {
            return self.entries.iter().position(|(name, _)| is_same_key(name, key));
        }
        if self.places.is_empty() {
            let keys = self.entries.iter().enumerate();
            self.places = keys
                .filter_map(|(at, (key, _))| match key {
                    Cow::Borrowed(key) => Some((*key, at)),
                    Cow::Owned(_) => None,
                })
                .collect();
        }
        self.places.get(key).copied()
    }
}

/// Tells whether two keys are the same: most are short, and told from both ends.
#[inline]
pub(crate) fn is_same_key(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    match one.len() {
        8.. => {
            let ends = |key: &[u8]| (key.first_chunk::<8>().copied(), key.last_chunk::<8>().copied());
            ends(one) == ends(other) && (one.len() <= 16 || one == other)
        }
        4.. => {
            let ends = |key: &[u8]| (key.first_chunk::<4>().copied(), key.last_chunk::<4>().copied());
            ends(one) == ends(other)
        }
        _ => one == other,
    }
}

/// The first key of a dotted path, and the path behind it.
#[inline]
pub(crate) fn first_key(path: &str) -> (&str, Option<&str>) {
    // Keys are short: a plain search is over before a clever one has begun.
    match path.bytes().position(|byte| byte == b'.') {
        Some(at) => (&path[..at], Some(&path[at + 1..])),
        None => (path, None),
    }
}

impl From<&Datum<'_>> for serde_json::Value {
    fn from(datum: &Datum<'_>) -> Self {
        match datum {
            Datum::Null => Self::Null,
            Datum::Boolean(value) => Self::Bool(*value),
            // A number too long for JSON in memory stays the text it is.
            Datum::Number(text) => {
                serde_json::from_str(text).unwrap_or_else(|_| Self::String(text.to_string()))
            }
            Datum::Text(text) => Self::String(text.to_string()),
            Datum::List(items) => Self::Array(items.iter().map(Into::into).collect()),
            Datum::Map(entries) => {
                Self::Object(entries.iter().map(|(key, value)| (key.to_string(), value.into())).collect())
            }
        }
    }
}

impl From<&serde_json::Value> for Datum<'static> {
    fn from(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Datum::Null,
            serde_json::Value::Bool(value) => Datum::Boolean(*value),
            serde_json::Value::Number(number) => Datum::Number(number.to_string().into()),
            serde_json::Value::String(text) => Datum::Text(text.clone().into()),
            serde_json::Value::Array(items) => Datum::List(items.iter().map(Into::into).collect()),
            serde_json::Value::Object(map) => {
                Datum::Map(map.iter().map(|(key, value)| (key.clone().into(), value.into())).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stays_as_it_is_written_where_json_would_write_it_so() {
        let number = |text: &str| match Datum::number(text) {
            Some(Datum::Number(text)) => Some(text.into_owned()),
            _ => None,
        };
        for same in ["0", "-7", "91.5", "-0.250", "1e3", "12345678901234567890123", "0.1e-7"] {
            assert_eq!(number(same).as_deref(), Some(same));
        }
        for (written, json) in
            [("+1", "1"), ("+1.50", "1.50"), ("007", "7"), ("01.5", "1.5"), (".5", "0.5"), ("5.", "5.0")]
        {
            assert_eq!(number(written).as_deref(), Some(json));
        }
        let long = "9".repeat(400);
        assert_eq!(number(&long).as_deref(), Some(&*long));
        for none in ["", "-", ".", "1.x", "1e999", &format!("{long}.5")] {
            assert_eq!(number(none), None, "{none}");
        }
    }

    #[test]
    fn keys_that_repeat_are_found_among_few_and_among_many() {
        let names: Vec<String> = (0..3 * FEW_KEYS).map(|at| format!("key-{at}")).collect();
        for repeats in [true, false] {
            let mut map = Entries::default();
            for name in names.iter().chain(&names) {
                map.add(name, Datum::Boolean(true), repeats);
            }
            let map = map.into_map();
            assert_eq!(map.entries().len(), names.len());
            let twice = Datum::List(vec![Datum::Boolean(true); 2]);
            let expected = if repeats { twice } else { Datum::Boolean(true) };
            assert!(map.entries().iter().all(|(_, value)| *value == expected));
        }
    }
}
