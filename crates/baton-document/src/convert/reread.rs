//! A document as it would be read again, where the way it is written cannot say everything.
//!
//! XML has only text: what a list, a number or an empty map becomes there is told without writing the text
//! and reading it. Where that is not sure – a character or a name that a reader may see otherwise, more than
//! a usual handoff holds – the text is written and read. In tests both are done and must agree.

mod elements;

use super::facts::payload_key;
use super::normal;
use super::text::text_of;
use crate::arena_value::{ArenaValue, Maker, Pool};
use crate::carrier::Look;
use crate::check::{Checker, Input, Scratch};
use crate::datum::is_same_key;
use crate::dialect::{Carrier, Dialect, DialectKind, Field, Reach, Shape};
use crate::tree::Syntax;
use elements::{Teller, is_bare, sure};

/// A document as it would be read again.
pub(super) fn as_written<'v>(
    checker: &'v Checker,
    dialect: &'v Dialect,
    kind: &'v DialectKind,
    made: ArenaValue<'v>,
    maker: &mut Maker<'v>,
) -> ArenaValue<'v> {
    if is_read_as_it_is(dialect) {
        return made;
    }
    let path = usual_file(dialect);
    let told = told(checker, dialect, kind, made, maker);
    debug_assert!(told.is_none() || told == read(checker, dialect, kind, (made, path), maker), "{made:?}");
    told.or_else(|| read(checker, dialect, kind, (made, path), maker)).unwrap_or(made)
}

/// The name of a file that is read as the usual carrier of a dialect.
pub(super) fn usual_file(dialect: &Dialect) -> &'static str {
    match dialect.usual_carrier() {
        Carrier::Text(Syntax::Json) => "a.json",
        Carrier::Text(Syntax::Yaml) => "a.yaml",
        Carrier::Text(Syntax::Xml) => "a.xml",
        Carrier::Text(Syntax::Toml) => "a.toml",
        Carrier::FrontMatter => "a.md",
        Carrier::Line => "a.jsonl",
    }
}

/// Tells whether a document is read as it was written.
fn is_read_as_it_is(dialect: &Dialect) -> bool {
    match dialect.usual_carrier() {
        Carrier::Text(Syntax::Json | Syntax::Yaml) | Carrier::Line => dialect.entries.is_none(),
        Carrier::Text(Syntax::Xml | Syntax::Toml) | Carrier::FrontMatter => false,
    }
}

/// Tells whether what would be read of a document can be told.
fn is_told(dialect: &Dialect) -> bool {
    let is_xml = dialect.usual_carrier() == Carrier::Text(Syntax::Xml) && !dialect.is_given();
    // Without an element around it there is no telling which part of the text is the handoff.
    is_xml && dialect.kinds.iter().all(|kind| kind.root.is_some())
}

/// Writes a document and reads it again, under a path.
fn read<'v>(
    checker: &Checker,
    dialect: &'v Dialect,
    kind: &'v DialectKind,
    (made, path): (ArenaValue<'v>, &str),
    maker: &mut Maker<'v>,
) -> Option<ArenaValue<'v>> {
    let text = text_of(dialect, kind, made, maker);
    let dialect = Some(&*dialect.name);
    let input =
        Input { path: Some(path), bytes: text.as_bytes(), dialect, look: Look::Whole, is_named: true };
    let mut read = None;
    checker.visit(input, &mut Scratch::default(), &mut |tree, candidate| {
        let pool = Pool::default();
        let value = normal::of(tree, kind, candidate.document, &mut Maker::new(&pool));
        read = Some(ArenaValue::copied(value, maker));
    });
    read
}

/// Tells what would be read of a document in XML; nothing where that is not sure.
fn told<'v>(
    checker: &'v Checker,
    dialect: &Dialect,
    kind: &'v DialectKind,
    made: ArenaValue<'v>,
    maker: &mut Maker<'v>,
) -> Option<ArenaValue<'v>> {
    if !is_told(dialect) {
        return None;
    }
    let payload = payload_key(kind);
    let roots = checker.root_names();
    let (entries, items) = (maker.entries.len(), maker.items.len());
    let mut teller = Teller { kind, payload, roots, maker, left: ELEMENTS_MAX, is_usual: true };
    let told = teller.map(&kind.map, made, 0);
    let is_usual = teller.is_usual;
    // What was not told to its end is open still.
    maker.entries.truncate(entries);
    maker.items.truncate(items);
    Some(normal::again(kind, told.ok()?, is_usual, maker))
}

/// Number of elements and attributes that are told; more are read.
const ELEMENTS_MAX: usize = 4096;

/// Depth to which elements are followed.
const DEPTH_MAX: usize = 32;

/// Only reading tells.
pub(super) struct Unsure;

pub(super) type Told<T> = Result<T, Unsure>;

/// How a field of a document will be read again.
pub(super) enum Again<'m> {
    /// As they are.
    AsItIs,
    /// As elements of XML.
    Elements { kind: &'m DialectKind, payload: Option<&'m str>, roots: &'m [Box<str>], left: usize },
}

impl<'m> Again<'m> {
    /// How documents of a kind are read again; nothing where that must be tried.
    pub(super) fn of(checker: &'m Checker, dialect: &Dialect, kind: &'m DialectKind) -> Option<Self> {
        if is_read_as_it_is(dialect) {
            return Some(Again::AsItIs);
        }
        is_told(dialect).then(|| Again::Elements {
            kind,
            payload: payload_key(kind),
            roots: checker.root_names(),
            left: ELEMENTS_MAX,
        })
    }

    /// Counts the element of a field, whatever is in it.
    pub(super) fn element(&mut self, (reach, field): (&Reach, &Field), depth: usize) -> Told<()> {
        let Again::Elements { roots, left, .. } = self else { return Ok(()) };
        let key = &*field.key.text;
        if !reach.is_element || depth > DEPTH_MAX || roots.iter().any(|root| is_same_key(root, key)) {
            return Err(Unsure);
        }
        *left = left.checked_sub(1).ok_or(Unsure)?;
        Ok(())
    }

    /// Tells whether the value of a field will be read as it is, which one look tells of most.
    #[inline]
    pub(super) fn is_as_it_is(
        &mut self,
        (reach, field): (&Reach, &Field),
        value: ArenaValue<'_>,
        depth: usize,
    ) -> Told<bool> {
        let is = match (&*self, &field.shape, value) {
            (_, _, ArenaValue::Null) => false,
            (Again::AsItIs, ..) => true,
            (Again::Elements { .. }, Shape::Text(_), ArenaValue::Text(text)) => {
                is_bare(text) && sure(text).is_ok()
            }
            (Again::Elements { .. }, ..) => false,
        };
        if is {
            self.element((reach, field), depth)?;
        }
        Ok(is)
    }

    /// The value of a field as it will be read; nothing where none will be.
    pub(super) fn value(
        &mut self,
        (reach, field): (&Reach, &'m Field),
        value: ArenaValue<'m>,
        depth: usize,
        maker: &mut Maker<'m>,
    ) -> Told<Option<ArenaValue<'m>>> {
        self.element((reach, field), depth)?;
        match (self, &field.shape, value) {
            (_, _, ArenaValue::Null) => Ok(None),
            (Again::AsItIs, ..) => Ok(Some(value)),
            (Again::Elements { kind, payload, roots, left }, ..) => {
                let (entries, items) = (maker.entries.len(), maker.items.len());
                let mut teller =
                    Teller { kind, payload: *payload, roots, maker, left: *left, is_usual: true };
                let told = teller.under(&field.shape, value, depth + 1);
                let is_usual = teller.is_usual;
                *left = teller.left;
                // What was not told to its end is open still.
                maker.entries.truncate(entries);
                maker.items.truncate(items);
                told.and_then(|told| if is_usual { Ok(told) } else { Err(Unsure) })
            }
        }
    }
}
