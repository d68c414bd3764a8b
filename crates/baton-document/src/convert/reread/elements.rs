//! Values of XML elements when they are read again.

use super::{DEPTH_MAX, Told, Unsure};
use crate::arena_value::{ArenaValue, Entry, Maker, Open};
use crate::datum::is_same_key;
use crate::dialect::{DialectKind, Field, MapShape, Shape};
use crate::mixed_content;
use crate::timestamp::{self, Reading};
use crate::write::{is_as_it_is_read, is_xml_element, is_xml_name};

/// Longest text of an element that is kept in full.
const TEXT_MAX: usize = 64 * 1024;

/// Tells what elements hold when they are read.
pub(super) struct Teller<'t, 'm> {
    pub(super) kind: &'m DialectKind,
    /// The key of the map whose entries count as if they stood at the top.
    pub(super) payload: Option<&'m str>,
    /// The names of elements that wrap handoffs, which are looked for inside of others.
    pub(super) roots: &'m [Box<str>],
    pub(super) maker: &'t mut Maker<'m>,
    pub(super) left: usize,
    /// True if nothing was told that its dialect would write otherwise.
    pub(super) is_usual: bool,
}

/// An element as its reader sees it.
enum Seen<'m> {
    /// Text alone.
    Text(&'m str),
    /// Text with attributes beside it and nothing else.
    Beside(&'m str),
    /// Elements or attributes.
    Map,
}

impl<'m> Teller<'_, 'm> {
    /// Values of the elements of a field; nothing if it has none.
    pub(super) fn under(
        &mut self,
        shape: &'m Shape,
        value: ArenaValue<'m>,
        depth: usize,
    ) -> Told<Option<ArenaValue<'m>>> {
        match (shape, value) {
            (_, ArenaValue::Null) => Ok(None),
            (Shape::List(item), ArenaValue::List(items)) => {
                let start = self.maker.items.len();
                let mut is_same = true;
                for one in items {
                    if matches!(one, ArenaValue::Null | ArenaValue::List(_)) {
                        return Err(Unsure);
                    }
                    self.left = self.left.checked_sub(1).ok_or(Unsure)?;
                    let made = self.shaped(&item.shape, *one, depth)?;
                    is_same &= made.lies_with(*one);
                    self.maker.items.push(made);
                }
                if is_same {
                    self.maker.items.truncate(start);
                    return Ok((!items.is_empty()).then_some(value));
                }
                Ok(Some(self.maker.list(start)))
            }
            (_, ArenaValue::List(_)) => Err(Unsure),
            (
                _,
                ArenaValue::Boolean(_) | ArenaValue::Number(_) | ArenaValue::Text(_) | ArenaValue::Map(_),
            ) => self.shaped(shape, value, depth).map(Some),
        }
    }

    /// The value of an element whose fields are known.
    pub(super) fn map(
        &mut self,
        shape: &'m MapShape,
        value: ArenaValue<'m>,
        depth: usize,
    ) -> Told<ArenaValue<'m>> {
        if let Some(left) = self.left.checked_sub(value.entries().len()).filter(|_| is_as_it_is(shape, value))
        {
            self.left = left;
            return Ok(value);
        }
        match seen(value)? {
            Seen::Beside(_) | Seen::Map => self.entries(Some(shape), value, depth),
            Seen::Text(text) => {
                let made = self.text_as_map(shape, text);
                // What comes back as it was is known by its place.
                let is_same = made.get(TEXT).zip(value.get(TEXT)).is_some_and(|(one, other)| {
                    made.entries().len() == value.entries().len() && one.lies_with(other)
                });
                Ok(if is_same { value } else { made })
            }
        }
    }

    /// The entries of an element: attributes, elements, text.
    fn entries(
        &mut self,
        shape: Option<&'m MapShape>,
        value: ArenaValue<'m>,
        depth: usize,
    ) -> Told<ArenaValue<'m>> {
        if depth > DEPTH_MAX {
            return Err(Unsure);
        }
        let entries = value.entries();
        // Whether a name with a prefix is written depends on what is around it.
        if entries.iter().any(|(key, _)| has_prefix(key)) {
            return Err(Unsure);
        }
        let mut map = self.maker.open(true);
        for (key, value) in entries.iter().filter(|(key, _)| key.starts_with('@')) {
            if let Some(text) = attribute(key, *value) {
                let shape = self.field(shape, key, &mut 0)?;
                let made = self.text_as(shape, sure(text)?);
                self.maker.add(&mut map, key, made);
            }
        }
        let mut hint = 0;
        for (key, value) in entries.iter().filter(|(key, _)| is_xml_element(key)) {
            self.elements(shape, key, *value, depth, (&mut map, &mut hint))?;
        }
        if let Some(text) = value.get(TEXT).and_then(ArenaValue::as_text) {
            let text = trimmed(sure(text)?);
            if !text.is_empty() {
                let shape = self.field(shape, TEXT, &mut 0)?;
                let made = self.text_as(shape, text);
                self.maker.add(&mut map, TEXT, made);
            }
        }
        // Most entries come back as they were, and in the same order.
        let made = self.maker.added(&map);
        let is_same =
            |(one, other): (&Entry<'_>, &Entry<'_>)| std::ptr::eq(one.0, other.0) && one.1.lies_with(other.1);
        if made.len() == entries.len() && made.iter().zip(entries).all(is_same) {
            self.maker.drop(&map);
            return Ok(value);
        }
        Ok(self.maker.close(&map, true))
    }

    /// Adds what a key becomes: an element, or one for each item of a list.
    fn elements(
        &mut self,
        shape: Option<&'m MapShape>,
        key: &'m str,
        value: ArenaValue<'m>,
        depth: usize,
        (map, hint): (&mut Open, &mut usize),
    ) -> Told<()> {
        match value {
            ArenaValue::Null => {}
            ArenaValue::List(items) => {
                for item in items {
                    self.elements(shape, key, *item, depth, (&mut *map, &mut *hint))?;
                }
            }
            ArenaValue::Boolean(_) | ArenaValue::Number(_) | ArenaValue::Text(_) | ArenaValue::Map(_) => {
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
                self.maker.add(map, key, made);
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
        let has_alias = |field: &&Field| field.key.aliases.iter().any(|(alias, _)| **alias == *key);
        let field = shape.fields.iter().find(has_alias);
        self.is_usual &= field.is_none() && shape.values.is_none();
        Ok(field.map(|field| &field.shape))
    }

    fn shaped(&mut self, shape: &'m Shape, value: ArenaValue<'m>, depth: usize) -> Told<ArenaValue<'m>> {
        if let (Shape::Text(_), ArenaValue::Text(text)) = (shape, value) {
            return text_again(text);
        }
        match shape {
            Shape::Map(map) => self.map(map, value, depth),
            Shape::List(item) => {
                let one = self.shaped(&item.shape, value, depth)?;
                Ok(self.maker.list_of(one))
            }
            Shape::Text(_)
            | Shape::Words(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp => match seen(value)? {
                // Attributes beside a single value belong to no field.
                Seen::Text(text) | Seen::Beside(text) => Ok(self.text_as(Some(shape), text)),
                Seen::Map => self.plain(value, depth),
            },
            Shape::Any | Shape::Depends { .. } | Shape::Either(_) | Shape::Named(_) => {
                self.plain(value, depth)
            }
        }
    }

    /// The value of an element of which nothing is known.
    fn plain(&mut self, value: ArenaValue<'m>, depth: usize) -> Told<ArenaValue<'m>> {
        match seen(value)? {
            Seen::Text(text) => Ok(ArenaValue::Text(text)),
            Seen::Beside(_) | Seen::Map => self.entries(None, value, depth),
        }
    }
}

/// The key of text beside attributes or elements.
const TEXT: &str = "#text";

impl<'m> Teller<'_, 'm> {
    /// Value of text alone in a shape.
    fn text_as(&mut self, shape: Option<&Shape>, text: &'m str) -> ArenaValue<'m> {
        let Some(shape) = shape else { return ArenaValue::Text(text) };
        match (shape, text) {
            (Shape::Map(map), _) => return self.text_as_map(map, text),
            (Shape::List(item), _) => {
                let one = self.text_as(Some(&item.shape), text);
                return self.maker.list_of(one);
            }
            (Shape::Integer(_) | Shape::Number, _) => {
                return ArenaValue::number(text, self.maker.pool).unwrap_or(ArenaValue::Text(text));
            }
            (Shape::Boolean, "true") => return ArenaValue::Boolean(true),
            (Shape::Boolean, "false") => return ArenaValue::Boolean(false),
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
        ArenaValue::Text(text)
    }

    /// The same where the fields are known: an element without anything is an empty map.
    fn text_as_map(&mut self, shape: &MapShape, text: &'m str) -> ArenaValue<'m> {
        if text.is_empty() {
            return ArenaValue::EMPTY;
        }
        let field = shape.field(TEXT);
        self.is_usual &= field.is_some_and(|field| matches!(field.shape, Shape::Text(_)));
        match field {
            Some(_) => self.maker.map_of(TEXT, ArenaValue::Text(text)),
            None => ArenaValue::Text(text),
        }
    }
}

/// Tells whether an element with attributes and text alone comes back as it is, which one look tells of most.
fn is_as_it_is(shape: &MapShape, value: ArenaValue<'_>) -> bool {
    let entries = value.entries();
    let mut hint = 0;
    let last = entries.len().saturating_sub(1);
    let is_same = |(at, (key, value)): (usize, &Entry<'_>)| {
        let (Some(position), ArenaValue::Text(text)) = (shape.position_of(key, hint), *value) else {
            return false;
        };
        hint = position + 1;
        let is_in_place = match key.strip_prefix('@') {
            Some(name) => is_xml_name(name) && key.is_ascii(),
            None => at == last && **key == *TEXT,
        };
        let is_usual = match &shape.fields[position].shape {
            Shape::Text(_) => true,
            Shape::Words(words) => words.iter().any(|word| *word.text == *text),
            Shape::Any
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp
            | Shape::List(_)
            | Shape::Map(_)
            | Shape::Depends { .. }
            | Shape::Either(_)
            | Shape::Named(_) => false,
        };
        is_in_place && is_usual && is_bare(text) && sure(text).is_ok()
    };
    !entries.is_empty() && entries.iter().enumerate().all(is_same)
}

/// The text of an attribute, where an entry becomes one.
fn attribute<'m>(key: &str, value: ArenaValue<'m>) -> Option<&'m str> {
    let name = key.strip_prefix('@')?;
    value.as_text().filter(|_| is_xml_name(name))
}

/// Tells whether a name has a prefix; in names this short a loop beats a search.
fn has_prefix(key: &str) -> bool {
    key.bytes().any(|byte| byte == b':')
}

fn seen(value: ArenaValue<'_>) -> Told<Seen<'_>> {
    let text = value.as_text().or_else(|| value.get(TEXT).and_then(ArenaValue::as_text)).unwrap_or_default();
    let text = trimmed(sure(text)?);
    let is_element = |(key, value): &Entry<'_>| is_written(*value) && is_xml_element(key);
    let entries = value.entries();
    if mixed_content::may_hold(value) {
        return Err(Unsure);
    }
    Ok(if entries.iter().any(is_element) {
        // Text among elements is read as it was written.
        if text.is_empty() { Seen::Map } else { return Err(Unsure) }
    } else if entries.iter().any(|(key, _)| has_prefix(key)) {
        return Err(Unsure);
    } else if entries.iter().any(|(key, value)| attribute(key, *value).is_some()) {
        if text.is_empty() { Seen::Map } else { Seen::Beside(text) }
    } else {
        Seen::Text(text)
    })
}

/// Tells whether any element is written for a value.
fn is_written(value: ArenaValue<'_>) -> bool {
    match value {
        ArenaValue::Null => false,
        ArenaValue::List(items) => items.iter().any(|item| is_written(*item)),
        ArenaValue::Boolean(_) | ArenaValue::Number(_) | ArenaValue::Text(_) | ArenaValue::Map(_) => true,
    }
}

/// A text without the space around it.
fn trimmed(text: &str) -> &str {
    if is_bare(text) { text } else { text.trim() }
}

/// Tells whether a text has no space around it; not all that have none are known.
pub(super) fn is_bare(text: &str) -> bool {
    let is_seen = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    is_seen(text.as_bytes().first()) && is_seen(text.as_bytes().last())
}

/// Value of a text after it was written and read.
fn text_again(text: &str) -> Told<ArenaValue<'_>> {
    Ok(ArenaValue::Text(trimmed(sure(text)?)))
}

/// A text that comes back as it is, but for the space around it.
pub(super) fn sure(text: &str) -> Told<&str> {
    let is_sure = text.len() <= TEXT_MAX && is_as_it_is_read(text);
    if is_sure { Ok(text) } else { Err(Unsure) }
}
