//! The canonical JSON form of a handoff: what the JSON Schema of its dialect describes.
//!
//! An element becomes a key, a repeated one a list, an attribute `@name`, text beside either `#text`. Where
//! a notation has only text, the shape says what is a number, a boolean or a list.

use serde_json::{Map, Number, Value};

use crate::dialect::{DialectKind, MapShape, Shape};
use crate::tree::{Kind, NodeId, Syntax, Tree};

/// Writes a handoff in canonical form; `document` is the map with its fields.
pub(crate) fn canonical(tree: &Tree<'_>, kind: &DialectKind, key: Option<NodeId>, document: NodeId) -> Value {
    let writer = Writer { tree };
    let inner = writer.map(&kind.map, document, kind);
    match key {
        Some(key) => Value::Object([(tree.text(key).to_owned(), inner)].into_iter().collect()),
        None => inner,
    }
}

struct Writer<'w> {
    tree: &'w Tree<'w>,
}

impl Writer<'_> {
    fn is_xml(&self) -> bool {
        self.tree.syntax() == Syntax::Xml
    }

    fn map(&self, shape: &MapShape, node: NodeId, kind: &DialectKind) -> Value {
        if self.tree.kind(node) != Kind::Map {
            return self.text_as_map(shape, node);
        }
        let mut map = Map::new();
        for (key, value) in self.tree.entries(node) {
            let symbol = self.tree.symbol(key);
            let name = self.tree.text(key);
            let at = shape.position(symbol, 0).or_else(|| shape.position_by_alias(symbol));
            let is_payload = kind.also_in == Some(symbol) && self.tree.kind(value) == Kind::Map;
            let made = match at.map(|at| &shape.fields[at].shape) {
                _ if is_payload => self.map(&kind.map, value, kind),
                Some(field) => self.shaped(field, value, kind),
                None => self.plain(value),
            };
            self.add(&mut map, name, made);
        }
        Value::Object(map)
    }

    /// Adds an entry; in XML a key that is there already makes or joins a list.
    fn add(&self, map: &mut Map<String, Value>, name: &str, made: Value) {
        match map.get_mut(name) {
            Some(before) if self.is_xml() => {
                let mut items = match before.take() {
                    Value::Array(items) => items,
                    one @ (Value::Null
                    | Value::Bool(_)
                    | Value::Number(_)
                    | Value::String(_)
                    | Value::Object(_)) => vec![one],
                };
                match made {
                    Value::Array(more) => items.extend(more),
                    one @ (Value::Null
                    | Value::Bool(_)
                    | Value::Number(_)
                    | Value::String(_)
                    | Value::Object(_)) => items.push(one),
                }
                *before = Value::Array(items);
            }
            Some(_) | None => {
                map.insert(name.to_owned(), made);
            }
        }
    }

    /// An element with text alone is the `#text` of its map, and an empty one an empty map.
    fn text_as_map(&self, shape: &MapShape, node: NodeId) -> Value {
        let has_text = shape.fields.iter().any(|field| &*field.key.text == "#text");
        let text = self.tree.text(node);
        match (self.is_xml(), has_text, text.is_empty()) {
            (true, true, false) => {
                Value::Object([("#text".to_owned(), Value::String(text.to_owned()))].into_iter().collect())
            }
            (true, _, true) => Value::Object(Map::new()),
            (true, false, false) | (false, ..) => self.plain(node),
        }
    }

    fn shaped(&self, shape: &Shape, node: NodeId, kind: &DialectKind) -> Value {
        // Attributes beside a single value are nobody's.
        let text = if shape.is_scalar() { self.tree.text_among_attributes(node) } else { None };
        let node = text.unwrap_or(node);
        match shape {
            Shape::Map(map) => self.map(map, node, kind),
            Shape::List(item) if self.tree.kind(node) == Kind::List => {
                Value::Array(self.tree.items(node).map(|node| self.shaped(&item.shape, node, kind)).collect())
            }
            Shape::List(item) => {
                let one = self.shaped(&item.shape, node, kind);
                if self.is_xml() { Value::Array(vec![one]) } else { one }
            }
            Shape::Integer(_) | Shape::Number if self.is_xml() => {
                number(self.tree.text(node)).unwrap_or_else(|| self.plain(node))
            }
            Shape::Boolean if self.is_xml() => match self.tree.text(node) {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
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
            | Shape::Either(_) => self.plain(node),
        }
    }

    fn plain(&self, node: NodeId) -> Value {
        let text = || Value::String(self.tree.text(node).to_owned());
        match self.tree.kind(node) {
            Kind::Null | Kind::Broken => Value::Null,
            Kind::False => Value::Bool(false),
            Kind::True => Value::Bool(true),
            Kind::Integer | Kind::Float => number(self.tree.text(node)).unwrap_or_else(text),
            Kind::Text => text(),
            Kind::List => Value::Array(self.tree.items(node).map(|node| self.plain(node)).collect()),
            Kind::Map => {
                let mut map = Map::new();
                for (key, value) in self.tree.entries(node) {
                    self.add(&mut map, self.tree.text(key), self.plain(value));
                }
                Value::Object(map)
            }
        }
    }
}

fn number(text: &str) -> Option<Value> {
    let text = text.strip_prefix('+').unwrap_or(text);
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Value::Number(whole.into()));
    }
    text.parse().ok().and_then(Number::from_f64).map(Value::Number)
}
