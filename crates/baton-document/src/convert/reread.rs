//! A document as it would be read again, where the way it is written cannot say everything.
//!
//! XML has only text: what a list, a number or an empty map becomes there is told without writing the text
//! and reading it. Where that is not sure – a character or a name that a reader may see otherwise, more than
//! a usual handoff holds – the text is written and read. In tests both are done and must agree.

use std::borrow::Cow;

use super::facts::payload_key;
use super::{normal, text_of};
use crate::carrier::Look;
use crate::check::timestamp::{self, Reading};
use crate::check::{Checker, Input, Scratch};
use crate::datum::{Datum, Entries, is_same_key};
use crate::dialect::{Carrier, Dialect, DialectKind, MapShape, Shape};
use crate::tree::Syntax;
use crate::write::is_xml_name;

/// A document as it would be read again; nothing where it would be the same.
pub(super) fn as_written<'m>(
    checker: &'m Checker,
    dialect: &Dialect,
    kind: &'m DialectKind,
    made: &'m Datum<'_>,
) -> Option<Datum<'m>> {
    let path = match dialect.usual_carrier() {
        Carrier::Text(Syntax::Json | Syntax::Yaml) | Carrier::Line if dialect.entries.is_none() => {
            return None;
        }
        Carrier::Text(Syntax::Json) => "a.json",
        Carrier::Text(Syntax::Yaml) => "a.yaml",
        Carrier::Text(Syntax::Xml) => "a.xml",
        Carrier::Text(Syntax::Toml) => "a.toml",
        Carrier::FrontMatter => "a.md",
        Carrier::Line => "a.jsonl",
    };
    let told = told(checker, dialect, kind, made);
    debug_assert!(told.is_none() || told == read(checker, dialect, kind, made, path), "{made:?}");
    told.or_else(|| read(checker, dialect, kind, made, path))
}

/// Writes a document and reads it again.
fn read(
    checker: &Checker,
    dialect: &Dialect,
    kind: &DialectKind,
    made: &Datum<'_>,
    path: &str,
) -> Option<Datum<'static>> {
    let text = text_of(dialect, kind, made.clone());
    let dialect = Some(&*dialect.name);
    let input =
        Input { path: Some(path), bytes: text.as_bytes(), dialect, look: Look::Whole, is_named: true };
    let mut read = None;
    checker.visit(input, &mut Scratch::default(), &mut |tree, candidate| {
        let value = normal::of(tree, kind, candidate.document);
        read = Some(value.into_owned());
    });
    read
}

/// Tells what would be read of a document in XML; nothing where that is not sure.
fn told<'m>(
    checker: &'m Checker,
    dialect: &Dialect,
    kind: &'m DialectKind,
    made: &'m Datum<'_>,
) -> Option<Datum<'m>> {
    let is_xml = dialect.usual_carrier() == Carrier::Text(Syntax::Xml) && !dialect.is_given();
    // Without an element around it there is no telling which part of the text is the handoff.
    if !is_xml || dialect.kinds.iter().any(|kind| kind.root.is_none()) {
        return None;
    }
    let payload = payload_key(kind);
    let roots = checker.root_names();
    let mut teller = Teller { kind, payload, roots, left: ELEMENTS_MAX, is_usual: true };
    let value = teller.map(&kind.map, made, 0).ok()?;
    Some(normal::again(kind, value, teller.is_usual))
}

/// How many elements and attributes are told; more are read.
const ELEMENTS_MAX: usize = 4096;

/// How deep elements are told.
const DEPTH_MAX: usize = 32;

/// How long a text is told.
const TEXT_MAX: usize = 64 * 1024;

/// Only reading tells.
struct Unsure;

type Told<T> = Result<T, Unsure>;

struct Teller<'m> {
    kind: &'m DialectKind,
    /// The key of the map whose entries count as if they stood at the top.
    payload: Option<&'m str>,
    /// The names of elements that wrap handoffs, which are looked for inside of others.
    roots: &'m [Box<str>],
    left: usize,
    /// Whether nothing was told that its dialect would write otherwise.
    is_usual: bool,
}

/// What an element is to its reader.
enum Seen<'m> {
    /// Text alone.
    Text(&'m str),
    /// Text with attributes beside it and nothing else.
    Beside(&'m str),
    /// Elements or attributes.
    Map,
}

impl<'m> Teller<'m> {
    /// The value of an element whose fields are known.
    fn map(&mut self, shape: &'m MapShape, value: &'m Datum<'_>, depth: usize) -> Told<Datum<'m>> {
        match seen(value)? {
            Seen::Beside(_) | Seen::Map => self.entries(Some(shape), value, depth),
            Seen::Text(text) => Ok(self.text_as_map(shape, text)),
        }
    }

    /// The entries of an element: attributes, elements, text.
    fn entries(
        &mut self,
        shape: Option<&'m MapShape>,
        value: &'m Datum<'_>,
        depth: usize,
    ) -> Told<Datum<'m>> {
        if depth > DEPTH_MAX {
            return Err(Unsure);
        }
        let entries = value.entries();
        let mut map = Entries::with_capacity(entries.len());
        for (key, value) in entries.iter().filter(|(key, _)| key.starts_with('@')) {
            if let Some(text) = attribute(key, value) {
                let shape = self.field(shape, key, &mut 0)?;
                let made = self.text_as(shape, sure(text)?);
                map.add(key, made, true);
            }
        }
        let mut hint = 0;
        for (key, value) in entries.iter().filter(|(key, _)| is_element_name(key)) {
            self.elements(shape, key, value, depth, (&mut map, &mut hint))?;
        }
        if let Some(text) = value.get(TEXT).and_then(Datum::as_text) {
            let text = sure(text)?.trim();
            if !text.is_empty() {
                let shape = self.field(shape, TEXT, &mut 0)?;
                let made = self.text_as(shape, text);
                map.add(TEXT, made, true);
            }
        }
        Ok(map.into_map())
    }

    /// Adds what a key becomes: an element, or one for each item of a list.
    fn elements(
        &mut self,
        shape: Option<&'m MapShape>,
        key: &'m str,
        value: &'m Datum<'_>,
        depth: usize,
        (map, hint): (&mut Entries<'m>, &mut usize),
    ) -> Told<()> {
        match value {
            Datum::Null => {}
            Datum::List(items) => {
                for item in items {
                    self.elements(shape, key, item, depth, (&mut *map, &mut *hint))?;
                }
            }
            Datum::Boolean(_) | Datum::Number(_) | Datum::Text(_) | Datum::Map(_) => {
                if self.roots.iter().any(|root| is_same_key(root, key)) {
                    return Err(Unsure);
                }
                let is_payload = self.payload == Some(key);
                let made = match self.field(shape, key, hint)? {
                    _ if is_payload && !matches!(seen(value)?, Seen::Text(_)) => {
                        self.map(&self.kind.map, value, depth + 1)?
                    }
                    Some(shape) => self.shaped(shape, value, depth + 1)?,
                    None => self.plain(value, depth + 1)?,
                };
                map.add(key, made, true);
            }
        }
        Ok(())
    }

    /// The shape of a field by its name or another one it goes by, looked for where the last one was; counts what is told.
    fn field(&mut self, shape: Option<&'m MapShape>, key: &str, hint: &mut usize) -> Told<Option<&'m Shape>> {
        self.left = self.left.checked_sub(1).ok_or(Unsure)?;
        if !key.is_ascii() {
            return Err(Unsure);
        }
        let Some(shape) = shape else { return Ok(None) };
        if let Some(at) = shape.position_of(key, *hint) {
            *hint = at;
            return Ok(Some(&shape.fields[at].shape));
        }
        let has_alias =
            |field: &&crate::dialect::Field| field.key.aliases.iter().any(|(alias, _)| **alias == *key);
        let field = shape.fields.iter().find(has_alias);
        self.is_usual &= field.is_none() && shape.values.is_none();
        Ok(field.map(|field| &field.shape))
    }

    fn shaped(&mut self, shape: &'m Shape, value: &'m Datum<'_>, depth: usize) -> Told<Datum<'m>> {
        match shape {
            Shape::Map(map) => self.map(map, value, depth),
            Shape::List(item) => Ok(Datum::List(vec![self.shaped(&item.shape, value, depth)?])),
            Shape::Text(_)
            | Shape::Words(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp => match seen(value)? {
                // Attributes beside a single value are nobody's.
                Seen::Text(text) | Seen::Beside(text) => Ok(self.text_as(Some(shape), text)),
                Seen::Map => self.plain(value, depth),
            },
            Shape::Any | Shape::Depends { .. } | Shape::Either(_) | Shape::Named(_) => {
                self.plain(value, depth)
            }
        }
    }

    /// The value of an element of which nothing is known.
    fn plain(&mut self, value: &'m Datum<'_>, depth: usize) -> Told<Datum<'m>> {
        match seen(value)? {
            Seen::Text(text) => Ok(Datum::text(text)),
            Seen::Beside(_) | Seen::Map => self.entries(None, value, depth),
        }
    }
}

/// The key of text beside attributes or elements.
const TEXT: &str = "#text";

impl<'m> Teller<'m> {
    /// What text alone is in a shape.
    fn text_as(&mut self, shape: Option<&Shape>, text: &'m str) -> Datum<'m> {
        let Some(shape) = shape else { return Datum::text(text) };
        match (shape, text) {
            (Shape::Map(map), _) => return self.text_as_map(map, text),
            (Shape::List(item), _) => return Datum::List(vec![self.text_as(Some(&item.shape), text)]),
            (Shape::Integer(_) | Shape::Number, _) => {
                return Datum::number(text).unwrap_or_else(|| Datum::text(text));
            }
            (Shape::Boolean, "true") => return Datum::Boolean(true),
            (Shape::Boolean, "false") => return Datum::Boolean(false),
            (Shape::Boolean, _) => self.is_usual = false,
            (Shape::Words(words), _) => self.is_usual &= words.iter().any(|word| *word.text == *text),
            (Shape::Timestamp, _) => self.is_usual &= timestamp::timestamp(text) == Reading::Right,
            (
                Shape::Any
                | Shape::Text(_)
                | Shape::Date
                | Shape::Depends { .. }
                | Shape::Either(_)
                | Shape::Named(_),
                _,
            ) => {}
        }
        Datum::text(text)
    }

    /// The same where the fields are known: an element without anything is an empty map.
    fn text_as_map(&mut self, shape: &MapShape, text: &'m str) -> Datum<'m> {
        self.is_usual &= text.is_empty();
        match text {
            "" => Datum::Map(Vec::new()),
            _ if shape.field(TEXT).is_some() => Datum::Map(vec![(Cow::Borrowed(TEXT), Datum::text(text))]),
            _ => Datum::text(text),
        }
    }
}

/// Whether an entry becomes an element.
fn is_element_name(key: &str) -> bool {
    !key.starts_with(['@', '#']) && is_xml_name(key)
}

/// The text of an attribute, where an entry becomes one.
fn attribute<'m>(key: &str, value: &'m Datum<'_>) -> Option<&'m str> {
    let name = key.strip_prefix('@')?;
    value.as_text().filter(|_| is_xml_name(name))
}

fn seen<'m>(value: &'m Datum<'_>) -> Told<Seen<'m>> {
    let text = value.as_text().or_else(|| value.get(TEXT).and_then(Datum::as_text)).unwrap_or_default();
    let text = sure(text)?.trim();
    let is_element = |(key, value): &(Cow<'_, str>, Datum<'_>)| is_written(value) && is_element_name(key);
    let entries = value.entries();
    Ok(if entries.iter().any(is_element) {
        Seen::Map
    } else if entries.iter().any(|(key, value)| attribute(key, value).is_some()) {
        if text.is_empty() { Seen::Map } else { Seen::Beside(text) }
    } else {
        Seen::Text(text)
    })
}

/// Whether any element is written for a value.
fn is_written(value: &Datum<'_>) -> bool {
    match value {
        Datum::Null => false,
        Datum::List(items) => items.iter().any(is_written),
        Datum::Boolean(_) | Datum::Number(_) | Datum::Text(_) | Datum::Map(_) => true,
    }
}

/// A text that comes back as it is, but for the space around it.
fn sure(text: &str) -> Told<&str> {
    // Control characters, and the first byte of all characters that XML has no form for.
    let is_odd = |byte: u8| (byte < b' ' && byte != b'\n' && byte != b'\t') || byte == 0xef;
    let is_sure = text.len() <= TEXT_MAX && !text.bytes().fold(false, |is, byte| is | is_odd(byte));
    if is_sure { Ok(text) } else { Err(Unsure) }
}
