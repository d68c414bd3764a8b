//! Canonical spelling of the content of a handoff: two are spelled alike only if they say the same.
//!
//! Fields that differ between any two handoffs are left out: id, time, tokens.
//!
//! Most documents are as their dialect writes them, and are spelled straight from their tree (`Straight`), with what
//! their fields mean noted on the way. The others are first made into what their dialect means.
//!
//! Invariant: a document that is spelled straight is spelled as it would be once it was made a value.

use crate::arena_value::{ArenaValue, Pool};
use crate::datum::Datum;
use crate::dialect::{DialectKind, Field, MapShape, Shape};
use crate::handoff::Meaning;
use crate::timestamp;
use crate::tree::{Entry, Kind, NodeId, Syntax, Tree};
use timestamp::Reading;

/// Meanings that differ between any two handoffs.
const CHANGES: [Meaning; 3] = [Meaning::Id, Meaning::Written, Meaning::Tokens];

/// Bytes that most handoffs have at most when they are spelled.
const USUAL_BYTES: usize = 2_048;

/// Tells whether a field with this meaning is left out.
pub(super) fn changes(meaning: Meaning) -> bool {
    CHANGES.contains(&meaning)
}

/// Spells a document, without the fields at some paths.
pub(super) fn spelled(document: ArenaValue<'_>, skipped: &[&str], pool: &Pool) -> Vec<u8> {
    let mut into = room(pool);
    spell(document, skipped, &mut into);
    into
}

/// Buffer for the spelling, reused by the next one.
fn room(pool: &Pool) -> Vec<u8> {
    let mut room = pool.spelled.take();
    room.clear();
    room.reserve(USUAL_BYTES);
    room
}

fn spell(value: ArenaValue<'_>, skipped: &[&str], into: &mut Vec<u8>) {
    match value {
        ArenaValue::Null => into.push(NULL),
        ArenaValue::Boolean(value) => into.push(boolean(value)),
        ArenaValue::Number(number) => spell_text(NUMBER, number, into),
        ArenaValue::Text(words) => spell_text(TEXT, words, into),
        ArenaValue::List(items) => {
            into.push(b'[');
            items.iter().for_each(|item| spell(*item, &[], into));
            into.push(b']');
        }
        ArenaValue::Map(entries) => {
            into.push(b'{');
            for (key, inner) in entries {
                if skipped.contains(key) {
                    continue;
                }
                let below = skipped.iter().filter_map(|path| path.strip_prefix(*key)?.strip_prefix('.'));
                let below: Vec<&str> = below.collect();
                spell_text(TEXT, key, into);
                spell(*inner, &below, into);
            }
            into.push(b'}');
        }
    }
}

const NULL: u8 = b'0';
const NUMBER: u8 = b'#';
const TEXT: u8 = b't';

fn boolean(value: bool) -> u8 {
    if value { b'y' } else { b'n' }
}

#[inline]
fn spell_text(tag: u8, text: &str, into: &mut Vec<u8>) {
    // Most lengths take a byte, so that what is hashed is hardly longer than what is said.
    match u8::try_from(text.len()) {
        Ok(length @ ..=0xfe) => into.extend_from_slice(&[tag, length]),
        Ok(_) | Err(_) => {
            into.extend_from_slice(&[tag, 0xff]);
            into.extend_from_slice(&(text.len() as u64).to_le_bytes());
        }
    }
    into.extend_from_slice(text.as_bytes());
}

/// A document that is spelled straight from its tree.
pub(super) struct Straight<'t, N, F> {
    tree: &'t Tree<'t>,
    spelled: Vec<u8>,
    /// The fields that mean something, as `note` makes them.
    noted: Vec<F>,
    note: N,
}

/// The document is not as its dialect writes it.
struct Unusual;

impl<'t, N: Fn(Meaning, &'t Field, NodeId) -> F, F> Straight<'t, N, F> {
    /// Reads a document, if all of it is as its dialect writes it: then it is, as a value, what stands in the tree. Gives how
    /// it is spelled, and the fields that mean something in the order of the dialect.
    pub(super) fn read(
        tree: &'t Tree<'t>,
        kind: &'t DialectKind,
        document: NodeId,
        pool: &Pool,
        note: N,
    ) -> Option<(Vec<u8>, Vec<F>)> {
        let is_plain = kind.capacity.is_settled && kind.also_in.is_none();
        if tree.syntax() == Syntax::Xml || tree.may_repeat_keys() || !is_plain {
            return None;
        }
        let (spelled, noted) = (room(pool), Vec::with_capacity(16));
        let mut straight = Self { tree, spelled, noted, note };
        straight.map(&kind.map, document, true).ok()?;
        Some((straight.spelled, straight.noted))
    }

    /// The map at a node; its fields are noted unless the map means something as a whole.
    fn map(&mut self, shape: &'t MapShape, node: NodeId, is_noted: bool) -> Result<(), Unusual> {
        let tree = self.tree;
        if tree.kind(node) != Kind::Map {
            return Err(Unusual);
        }
        self.spelled.push(b'{');
        let mut hint = 0;
        for Entry { key, symbol, value, kind: sort } in tree.known_entries(node) {
            let Some(at) = shape.position(symbol, hint) else {
                let name = tree.text(key);
                let is_known = shape.values.is_some() || shape.position_by_alias(symbol).is_some();
                // A key with dots can look like the path of another.
                if is_known || name.contains('.') {
                    return Err(Unusual);
                }
                spell_text(TEXT, name, &mut self.spelled);
                self.any(value);
                continue;
            };
            if is_noted && at < hint {
                return Err(Unusual);
            }
            hint = at + 1;
            let field = &shape.fields[at];
            let meaning = field.means.filter(|_| is_noted);
            if let Some(meaning) = meaning.filter(|_| !matches!(sort, Kind::Null | Kind::Broken)) {
                self.noted.push((self.note)(meaning, field, value));
                if changes(meaning) {
                    self.look(&field.shape, value, sort)?;
                    continue;
                }
            }
            spell_text(TEXT, &field.key.text, &mut self.spelled);
            self.shaped(&field.shape, value, sort, is_noted && meaning.is_none())?;
        }
        self.spelled.push(b'}');
        Ok(())
    }

    /// Looks whether a value that is not spelled is as its dialect writes it.
    fn look(&mut self, shape: &'t Shape, node: NodeId, sort: Kind) -> Result<(), Unusual> {
        let before = self.spelled.len();
        self.shaped(shape, node, sort, false)?;
        self.spelled.truncate(before);
        Ok(())
    }

    /// The value at a node of some sort.
    #[inline]
    fn shaped(&mut self, shape: &'t Shape, node: NodeId, sort: Kind, is_noted: bool) -> Result<(), Unusual> {
        // Most of what is said is text.
        if sort == Kind::Text && matches!(shape, Shape::Text(_)) {
            spell_text(TEXT, self.tree.text(node), &mut self.spelled);
            return Ok(());
        }
        self.closely(shape, node, sort, is_noted)
    }

    fn closely(&mut self, shape: &'t Shape, node: NodeId, sort: Kind, is_noted: bool) -> Result<(), Unusual> {
        let tree = self.tree;
        let is_text = sort == Kind::Text;
        let is_usual = match shape {
            Shape::Words(words) => !is_text || words.iter().any(|word| *word.text == *tree.text(node)),
            Shape::Boolean => !is_text,
            Shape::Timestamp => !is_text || timestamp::timestamp(tree.text(node)) == Reading::Right,
            Shape::Map(map) => return self.map(map, node, is_noted),
            Shape::List(item) if sort == Kind::List => {
                self.spelled.push(b'[');
                for node in tree.items(node) {
                    self.shaped(&item.shape, node, tree.kind(node), false)?;
                }
                self.spelled.push(b']');
                return Ok(());
            }
            Shape::List(item) => return self.closely(&item.shape, node, sort, false),
            Shape::Any
            | Shape::Text(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Date
            | Shape::Depends { .. }
            | Shape::Either(_)
            | Shape::Named(_) => true,
        };
        if !is_usual {
            return Err(Unusual);
        }
        self.any(node);
        Ok(())
    }

    /// A value of which the dialect says nothing.
    fn any(&mut self, node: NodeId) {
        let tree = self.tree;
        match tree.kind(node) {
            Kind::Null | Kind::Broken => self.spelled.push(NULL),
            Kind::False => self.spelled.push(boolean(false)),
            Kind::True => self.spelled.push(boolean(true)),
            Kind::Integer | Kind::Float => match Datum::number(tree.text(node)) {
                Some(Datum::Number(number)) => spell_text(NUMBER, &number, &mut self.spelled),
                Some(Datum::Null | Datum::Boolean(_) | Datum::Text(_) | Datum::List(_) | Datum::Map(_))
                | None => spell_text(TEXT, tree.text(node), &mut self.spelled),
            },
            Kind::Text => spell_text(TEXT, tree.text(node), &mut self.spelled),
            Kind::List => {
                self.spelled.push(b'[');
                tree.items(node).for_each(|item| self.any(item));
                self.spelled.push(b']');
            }
            Kind::Map => {
                self.spelled.push(b'{');
                for (key, value) in tree.entries(node) {
                    spell_text(TEXT, tree.text(key), &mut self.spelled);
                    self.any(value);
                }
                self.spelled.push(b'}');
            }
        }
    }
}
