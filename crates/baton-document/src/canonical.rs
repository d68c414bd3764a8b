//! The canonical JSON form of a handoff: what the JSON Schema of its dialect describes.
//!
//! An element becomes a key, a repeated one a list, an attribute `@name`, text beside either `#text`. Where
//! a notation has only text, the shape says what is a number, a boolean or a list.

use crate::arena_value::{ArenaValue, Maker, Pool};
use crate::datum::Datum;
use crate::dialect::{DialectKind, Field, MapShape, Shape};
use crate::handoff::Meaning;
use crate::mixed_content;
use crate::timestamp;
use crate::tree::{Entry, Kind, NodeId, Symbol, Syntax, Tree};

/// Writes a handoff in canonical form; `document` is the map with its fields.
pub(crate) fn canonical(
    tree: &Tree<'_>,
    kind: &DialectKind,
    key: Option<NodeId>,
    document: NodeId,
) -> Datum<'static> {
    let pool = Pool::default();
    let maker = &mut Maker::new(&pool);
    let note = |_: Meaning, _: &Field, _: ArenaValue<'_>| {};
    let writer = Writer { is_whole: true, is_canonical: true, ..Writer::new(tree, kind, maker, note) };
    let inner = { writer }.map(&kind.map, document, true);
    match key {
        Some(key) => Datum::Map(vec![(tree.text(key).to_owned().into(), inner.into_datum())]),
        None => inner.into_datum(),
    }
}

/// A handoff without the key that wraps it.
pub(crate) struct Unwrapped<'t> {
    pub(crate) value: ArenaValue<'t>,
    /// True if all of it is as its dialect usually writes it.
    pub(crate) is_usual: bool,
    /// True if the fields that were noted stand in the order of the dialect.
    pub(crate) is_in_order: bool,
    /// True if attributes stand beside single values, which the value here does not have.
    pub(crate) has_more: bool,
}

/// A handoff without the key that wraps it, with the attributes that stand beside single values and mean nothing.
pub(crate) fn with_attributes<'t>(
    tree: &'t Tree<'_>,
    kind: &'t DialectKind,
    document: NodeId,
    maker: &mut Maker<'t>,
) -> ArenaValue<'t> {
    let note = |_: Meaning, _: &'t Field, _: ArenaValue<'t>| {};
    Writer { is_whole: true, ..Writer::new(tree, kind, maker, note) }.map(&kind.map, document, true)
}

/// The same without the key that wraps it; `note` is told of the fields that mean something, as they come.
pub(crate) fn unwrapped<'t>(
    tree: &'t Tree<'_>,
    kind: &'t DialectKind,
    document: NodeId,
    maker: &mut Maker<'t>,
    note: impl FnMut(Meaning, &'t Field, ArenaValue<'t>),
) -> Unwrapped<'t> {
    let mut writer = Writer::new(tree, kind, maker, note);
    let value = writer.map(&kind.map, document, true);
    let Writer { is_usual, is_in_order, has_more, .. } = writer;
    Unwrapped { value, is_usual, is_in_order, has_more }
}

struct Writer<'w, 't, N> {
    tree: &'t Tree<'t>,
    kind: &'t DialectKind,
    maker: &'w mut Maker<'t>,
    /// Called for each field that has a meaning.
    note: N,
    /// True if no value was met that a dialect would write otherwise: under another name, in other letters.
    is_usual: bool,
    /// True if none that is noted was met behind one that comes after it in the dialect.
    is_in_order: bool,
    /// True if attributes beside single values are written too.
    is_whole: bool,
    /// True if there are any.
    has_more: bool,
    /// True if text and the elements among it are keys of one map, whatever is lost of their order.
    is_canonical: bool,
}

impl<'w, 't, N: FnMut(Meaning, &'t Field, ArenaValue<'t>)> Writer<'w, 't, N> {
    fn new(tree: &'t Tree<'t>, kind: &'t DialectKind, maker: &'w mut Maker<'t>, note: N) -> Self {
        Self {
            tree,
            kind,
            maker,
            note,
            is_usual: true,
            is_in_order: true,
            is_whole: false,
            has_more: false,
            is_canonical: false,
        }
    }

    fn is_xml(&self) -> bool {
        self.tree.syntax() == Syntax::Xml
    }

    /// The map at a node; its fields are noted unless the map means something as a whole.
    fn map(&mut self, shape: &'t MapShape, node: NodeId, is_noted: bool) -> ArenaValue<'t> {
        if self.tree.kind(node) != Kind::Map {
            return self.text_as_map(shape, node);
        }
        let tree = self.tree;
        let mut map = self.maker.open(tree.may_repeat_keys());
        let mut hint = 0;
        for Entry { key, symbol, value, kind: sort } in tree.known_entries(node) {
            let own = shape.position(symbol, hint);
            self.is_in_order &= !is_noted || own.is_none_or(|at| at >= hint);
            hint = own.map_or(hint, |at| at + 1);
            let at = own.or_else(|| shape.position_by_alias(symbol));
            self.is_usual &= own.is_some() || (at.is_none() && shape.values.is_none());
            let kind = self.kind;
            // Most of what is said is text, in a field that stands under its own name.
            if let Some(field) = own.map(|at| &shape.fields[at])
                && sort == Kind::Text
                && matches!(field.shape, Shape::Text(_))
            {
                let text = tree.text(value);
                if let Some(meaning) = field.means.filter(|_| is_noted) {
                    (self.note)(meaning, field, ArenaValue::Text(text));
                }
                self.maker.add(&mut map, &field.key.text, ArenaValue::Text(text));
                continue;
            }
            let is_payload = kind.also_in == Some(symbol) && sort == Kind::Map;
            let made = match at.map(|at| &shape.fields[at]) {
                _ if is_payload => self.map(&kind.map, value, false),
                Some(field) => {
                    let made = self.shaped(&field.shape, value, sort, is_noted && field.means.is_none());
                    if let Some(meaning) = field.means.filter(|_| is_noted) {
                        (self.note)(meaning, field, made);
                    }
                    made
                }
                None => self.plain(value),
            };
            // The name that the dialect has for it lies nearer, and is the same.
            let name = own.map_or_else(|| tree.text(key), |at| &*shape.fields[at].key.text);
            self.maker.add(&mut map, name, made);
        }
        let is_xml = self.is_xml();
        let made = self.maker.close(&map, is_xml);
        let is_field =
            |symbol| shape.position(symbol, 0).or_else(|| shape.position_by_alias(symbol)).is_some();
        // What stands in the handoff itself is looked for key by key.
        let is_top = std::ptr::eq(shape, &raw const self.kind.map);
        let content = if is_top { None } else { self.mixed(node, is_field) };
        match content {
            Some(content) => mixed_content::beside_attributes(made, content, self.maker),
            None => made,
        }
    }

    /// The content of an element in which text stands among elements, which is kept in its order.
    fn mixed(&mut self, node: NodeId, is_field: impl Fn(Symbol) -> bool) -> Option<&'t str> {
        if self.is_canonical || !self.is_xml() {
            return None;
        }
        let content = mixed_content::content(self.tree, node, is_field);
        self.is_usual &= content.is_none();
        content
    }

    /// The value at a node of which nothing is known.
    fn plain(&mut self, node: NodeId) -> ArenaValue<'t> {
        let tree = self.tree;
        if self.is_canonical || !self.is_xml() || tree.kind(node) != Kind::Map {
            return ArenaValue::of(tree, node, self.maker);
        }
        let mut map = self.maker.open(true);
        for (key, value) in tree.entries(node) {
            let made = self.plain(value);
            self.maker.add(&mut map, tree.text(key), made);
        }
        let made = self.maker.close(&map, true);
        match self.mixed(node, |_| false) {
            Some(content) if !made.entries().iter().any(|(key, _)| key.starts_with('@')) => {
                mixed_content::as_value(content, self.maker)
            }
            Some(content) => mixed_content::beside_attributes(made, content, self.maker),
            None => made,
        }
    }

    /// An element with text alone is the `#text` of its map, and an empty one an empty map.
    fn text_as_map(&mut self, shape: &MapShape, node: NodeId) -> ArenaValue<'t> {
        self.is_usual = false;
        let has_text = shape.fields.iter().any(|field| &*field.key.text == "#text");
        let text = self.tree.text(node);
        match (self.is_xml(), has_text, text.is_empty()) {
            (true, true, false) => self.maker.map_of("#text", ArenaValue::Text(text)),
            (true, _, true) => ArenaValue::EMPTY,
            (true, false, false) | (false, ..) => ArenaValue::of(self.tree, node, self.maker),
        }
    }

    /// The value at a node of some sort.
    #[inline]
    fn shaped(&mut self, shape: &'t Shape, node: NodeId, sort: Kind, is_noted: bool) -> ArenaValue<'t> {
        // Most of what is said is text.
        if sort == Kind::Text && matches!(shape, Shape::Text(_)) {
            return ArenaValue::Text(self.tree.text(node));
        }
        self.closely(shape, node, is_noted)
    }

    fn closely(&mut self, shape: &'t Shape, node: NodeId, is_noted: bool) -> ArenaValue<'t> {
        // Attributes beside a single value belong to no field.
        let text =
            if self.is_xml() && shape.is_scalar() { self.tree.text_among_attributes(node) } else { None };
        let tree = self.tree;
        if text.is_some() {
            self.has_more = true;
            if self.is_whole {
                return ArenaValue::of(tree, node, self.maker);
            }
        }
        let node = text.unwrap_or(node);
        match shape {
            Shape::Words(words) => {
                let text = tree.text(node);
                self.is_usual &=
                    tree.kind(node) != Kind::Text || words.iter().any(|word| *word.text == *text);
            }
            Shape::Boolean => {
                let is_read = self.is_xml() && matches!(tree.text(node), "true" | "false");
                self.is_usual &= tree.kind(node) != Kind::Text || is_read;
            }
            Shape::Timestamp => {
                self.is_usual &= tree.kind(node) != Kind::Text
                    || timestamp::timestamp(tree.text(node)) == timestamp::Reading::Right;
            }
            Shape::Any
            | Shape::Text(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Date
            | Shape::List(_)
            | Shape::Map(_)
            | Shape::Depends { .. }
            | Shape::Either(_)
            | Shape::Named(_) => {}
        }
        match shape {
            Shape::Map(map) => self.map(map, node, is_noted),
            Shape::List(item) if self.tree.kind(node) == Kind::List => {
                let start = self.maker.items.len();
                for node in tree.items(node) {
                    let made = self.shaped(&item.shape, node, tree.kind(node), false);
                    self.maker.items.push(made);
                }
                self.maker.list(start)
            }
            Shape::List(item) => {
                let one = self.closely(&item.shape, node, false);
                if self.is_xml() { self.maker.list_of(one) } else { one }
            }
            Shape::Integer(_) | Shape::Number if self.is_xml() => {
                let number = ArenaValue::number(tree.text(node), self.maker.pool);
                number.unwrap_or_else(|| self.plain(node))
            }
            Shape::Boolean if self.is_xml() => match self.tree.text(node) {
                "true" => ArenaValue::Boolean(true),
                "false" => ArenaValue::Boolean(false),
                _ => self.plain(node),
            },
            Shape::Any
            | Shape::Text(_)
            | Shape::Words(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp
            | Shape::Depends { .. }
            | Shape::Either(_)
            | Shape::Named(_) => self.plain(node),
        }
    }
}
