//! Requirements on a field of a document: its shape, and all that goes with it.

use super::capacity::mark_of;
use super::{Expression, FieldPath, Reach};
use crate::datum::{Datum, is_same_key};
use crate::finding::Level;
use crate::handoff::{Meaning, Part};
use crate::tree::Symbol;

/// A key with its other names.
#[derive(Clone, Debug)]
pub struct Key {
    /// The key as the dialect writes it.
    pub text: Box<str>,
    /// Its symbol.
    pub symbol: Symbol,
    /// Other names it goes by.
    pub aliases: Vec<(Box<str>, Symbol)>,
}

/// The position of a field in the slots of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldId(pub(crate) u16);

impl FieldId {
    /// The id of fields inside lists, which have no slot.
    pub(crate) const NONE: FieldId = FieldId(u16::MAX);
}

/// The fields of a map.
#[derive(Clone, Debug, Default)]
pub struct MapShape {
    /// The fields in the dialect's order.
    pub fields: Vec<Field>,
    /// True if other keys are nothing to mention.
    pub is_open: bool,
    /// The shape of values under keys not named; for maps whose keys are data.
    pub values: Option<Box<Field>>,
    /// The field that a plain word stands for.
    pub shorthand: Option<usize>,
    /// Capacity of each field, side by side: most are passed over.
    pub(crate) reach: Vec<Reach>,
    /// A bit for each field of which it is known that nothing is missing without it, and for each that it has not.
    pub(crate) spared: u64,
}

/// One field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its key.
    pub key: Key,
    /// Its dotted path from the top of the kind, for rule ids and messages.
    pub path: Box<str>,
    /// Its slot.
    pub id: FieldId,
    /// True if it must be there.
    pub is_required: bool,
    /// True if a field that must be there stands below it.
    pub leads_to_required: bool,
    /// True if `null` is as good as absent.
    pub is_nullable: bool,
    /// True if it names a file that should exist.
    pub must_exist: bool,
    /// The tokens its text may have.
    pub tokens_max: Option<usize>,
    /// Its purpose.
    pub about: Box<str>,
    /// Why it is as it is, for the pages of its rules: of one fault, or of all.
    pub pages: Vec<(Option<Fault>, Box<str>)>,
    /// Its meaning in the common model.
    pub means: Option<Meaning>,
    /// Other meanings that it can hold when its own has no value, the best first; some are joined.
    pub or_means: Vec<Vec<Meaning>>,
    /// Its part of an entry that has a meaning as a whole.
    pub part: Option<Part>,
    /// Its value in a conversion without a source for it.
    pub preset: Option<Preset>,
    /// Levels other than the usual ones, by what went wrong.
    pub levels: Vec<(Fault, Level)>,
    /// Shape of its value.
    pub shape: Shape,
}

/// Content of a field when nothing says it.
#[derive(Clone, Debug)]
pub enum Preset {
    /// Always the same.
    Always(Datum<'static>),
    /// The value that goes with the word in another field.
    By {
        /// The dotted path of the field that decides.
        on: Box<str>,
        /// The value for each word.
        cases: Vec<(Box<str>, Datum<'static>)>,
    },
}

/// Fault of a field; the last part of its rule's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A required field is not there.
    Missing,
    /// The value is of another type.
    Type,
    /// The value is none of the words.
    Enum,
    /// The value has another form.
    Pattern,
    /// The value names a file that is not there.
    Exists,
    /// The text is too long.
    Tokens,
}

impl Fault {
    /// All faults, in the order of their pages.
    pub const ALL: [Fault; 6] =
        [Fault::Missing, Fault::Type, Fault::Enum, Fault::Pattern, Fault::Exists, Fault::Tokens];

    /// The last part of the rule's id.
    pub fn suffix(self) -> &'static str {
        match self {
            Fault::Missing => "missing",
            Fault::Type => "type",
            Fault::Enum => "enum",
            Fault::Pattern => "pattern",
            Fault::Exists => "exists",
            Fault::Tokens => "tokens",
        }
    }

    /// The level where the dialect says nothing.
    pub fn level(self) -> Level {
        match self {
            Fault::Missing | Fault::Type | Fault::Enum | Fault::Pattern => Level::Error,
            Fault::Exists | Fault::Tokens => Level::Warning,
        }
    }
}

/// Shape of a value.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Anything.
    Any,
    /// Text.
    Text(TextShape),
    /// One of some words.
    Words(Vec<EnumWord>),
    /// A whole number, perhaps one in particular.
    Integer(Option<i64>),
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A calendar date.
    Date,
    /// A point in time.
    Timestamp,
    /// A list.
    List(Box<Field>),
    /// A map.
    Map(MapShape),
    /// A map whose fields depend on the word in another field beside it.
    Depends {
        /// The field that decides.
        on: FieldPath,
        /// The fields for each word.
        cases: Vec<(Box<str>, MapShape)>,
    },
    /// One of several shapes, told apart by the type of the value.
    Either(Vec<Shape>),
    /// A shape of the dialect that has a name, by position; it may hold itself.
    Named(usize),
}

/// Requirements on a text.
#[derive(Clone, Debug, Default)]
pub struct TextShape {
    /// The form it must have, with how that is said.
    pub pattern: Option<Pattern>,
    /// True if it must say something.
    pub is_filled: bool,
    /// Kind of thing that it names.
    pub names: Names,
}

/// A regular expression and how to say it.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The expression.
    pub regex: Expression,
    /// Its description in a message.
    pub says: Box<str>,
}

/// Kind of thing outside the document that a text names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// Nothing in particular.
    #[default]
    Nothing,
    /// A path below the root.
    Path,
    /// A `path:line` below the root.
    Location,
}

/// One word of an enum.
#[derive(Clone, Debug)]
pub struct EnumWord {
    /// The word.
    pub text: Box<str>,
    /// Other words for it.
    pub also: Vec<Box<str>>,
    /// Its meaning in the common model.
    pub means: Option<Box<str>>,
}

impl Field {
    /// The rule id of a fault of this field.
    pub fn rule_id(&self, dialect: &str, kind: &str, fault: Fault) -> String {
        format!("{dialect}/{kind}/{}-{}", self.path, fault.suffix())
    }

    /// The level of a fault of this field.
    pub fn level(&self, fault: Fault) -> Level {
        let own = self.levels.iter().find(|(of, _)| *of == fault);
        own.map_or(fault.level(), |(_, level)| *level)
    }

    /// Why it is as it is, where the dialect says so.
    pub fn page(&self, fault: Fault) -> Option<&str> {
        let of = |wanted: Option<Fault>| self.pages.iter().find(|(of, _)| *of == wanted);
        of(Some(fault)).or_else(|| of(None)).map(|(_, page)| &**page)
    }

    /// The faults this field can have.
    pub fn faults(&self) -> impl Iterator<Item = Fault> + '_ {
        Fault::ALL.into_iter().filter(|fault| match fault {
            Fault::Missing => self.is_required,
            Fault::Type | Fault::Enum | Fault::Pattern => self.shape.can_have(*fault),
            // A path without a file is none of its faults then, but one that leads out of the project is.
            Fault::Exists => self.must_exist || self.shape.names_file(),
            Fault::Tokens => self.tokens_max.is_some(),
        })
    }
}

impl Shape {
    /// Tells whether its text names a file.
    fn names_file(&self) -> bool {
        match self {
            Shape::Text(text) => text.names != Names::Nothing,
            Shape::Either(shapes) => shapes.iter().any(Shape::names_file),
            Shape::Any
            | Shape::Words(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp
            | Shape::List(_)
            | Shape::Map(_)
            | Shape::Depends { .. }
            | Shape::Named(_) => false,
        }
    }

    /// Tells whether it is a single value.
    pub fn is_scalar(&self) -> bool {
        match self {
            Shape::Text(_)
            | Shape::Words(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp => true,
            Shape::Any
            | Shape::List(_)
            | Shape::Map(_)
            | Shape::Depends { .. }
            | Shape::Either(_)
            | Shape::Named(_) => false,
        }
    }

    /// The map it is.
    pub fn as_map(&self) -> Option<&MapShape> {
        if let Shape::Map(map) = self { Some(map) } else { None }
    }

    /// The fields it has in a document: its own, or those that the word in another field chooses.
    pub(crate) fn fields_by<'w>(&self, word_at: impl FnOnce(&str) -> Option<&'w str>) -> Option<&MapShape> {
        if let Shape::Map(map) = self {
            return Some(map);
        }
        let Shape::Depends { on, cases } = self else { return None };
        let word = word_at(&on.text)?;
        cases.iter().find(|(case, _)| **case == *word).map(|(_, map)| map)
    }

    /// The maps it has: its own, those of its cases, those of its items.
    pub fn maps(&self) -> Vec<&MapShape> {
        match self {
            Shape::Map(map) => vec![map],
            Shape::List(item) => item.shape.maps(),
            Shape::Depends { cases, .. } => cases.iter().map(|(_, map)| map).collect(),
            Shape::Either(shapes) => shapes.iter().flat_map(Shape::maps).collect(),
            Shape::Any
            | Shape::Text(_)
            | Shape::Words(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp
            | Shape::Named(_) => Vec::new(),
        }
    }

    /// The same maps, to be changed.
    pub(super) fn maps_mut(&mut self) -> Vec<&mut MapShape> {
        match self {
            Shape::Map(map) => vec![map],
            Shape::List(item) => item.shape.maps_mut(),
            Shape::Depends { cases, .. } => cases.iter_mut().map(|(_, map)| map).collect(),
            Shape::Either(shapes) => shapes.iter_mut().flat_map(Shape::maps_mut).collect(),
            Shape::Any
            | Shape::Text(_)
            | Shape::Words(_)
            | Shape::Integer(_)
            | Shape::Number
            | Shape::Boolean
            | Shape::Date
            | Shape::Timestamp
            | Shape::Named(_) => Vec::new(),
        }
    }

    /// Tells whether a value can be wrong in this way.
    fn can_have(&self, fault: Fault) -> bool {
        match (fault, self) {
            (Fault::Missing | Fault::Exists | Fault::Tokens, _) | (_, Shape::Any | Shape::Named(_)) => false,
            (Fault::Type, _) => true,
            (Fault::Enum, Shape::Words(_) | Shape::Integer(Some(_))) => true,
            (Fault::Pattern, Shape::Date | Shape::Timestamp) => true,
            (Fault::Pattern, Shape::Text(text)) => text.pattern.is_some() || text.is_filled,
            (_, Shape::Either(shapes)) => shapes.iter().any(|shape| shape.can_have(fault)),
            (Fault::Enum | Fault::Pattern, _) => false,
        }
    }
}

impl MapShape {
    /// Finds a field by its symbol, trying first where the last one was found plus one.
    #[inline]
    pub(crate) fn position(&self, symbol: Symbol, hint: usize) -> Option<usize> {
        self.find(symbol, hint).map(|(at, _)| at)
    }

    /// The same, with the field.
    #[inline]
    pub(crate) fn find(&self, symbol: Symbol, hint: usize) -> Option<(usize, &Field)> {
        if symbol == Symbol::UNKNOWN {
            return None;
        }
        if let Some(field) = self.fields.get(hint).filter(|field| field.key.symbol == symbol) {
            return Some((hint, field));
        }
        self.fields.iter().enumerate().find(|(_, field)| field.key.symbol == symbol)
    }

    /// Finds a field by its key, trying first those from where the last one was found.
    pub(crate) fn position_of(&self, key: &str, hint: usize) -> Option<usize> {
        // Shapes that have a name are noted nowhere.
        if self.reach.len() != self.fields.len() {
            return self.fields.iter().position(|field| is_same_key(&field.key.text, key));
        }
        let is = |at: usize| is_same_key(&self.fields[at].key.text, key);
        if hint < self.fields.len() && is(hint) {
            return Some(hint);
        }
        // Fields are far apart, and their marks are not.
        let mark = mark_of(key);
        let within = |from: usize, reach: &[Reach]| {
            let mut marked = reach.iter().enumerate().filter(|(_, reach)| reach.mark == mark);
            marked.find(|(at, _)| is(from + at)).map(|(at, _)| from + at)
        };
        let (before, behind) = self.reach.split_at(hint.min(self.reach.len()));
        within(before.len(), behind).or_else(|| within(0, before))
    }

    /// Finds a field by its key.
    pub(crate) fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| is_same_key(&field.key.text, key))
    }

    /// Finds a field by another name it goes by.
    pub(crate) fn position_by_alias(&self, symbol: Symbol) -> Option<usize> {
        if symbol == Symbol::UNKNOWN {
            return None;
        }
        self.fields.iter().position(|field| field.key.aliases.iter().any(|(_, alias)| *alias == symbol))
    }
}
