//! Dialects as data: what a definition file says, ready to be checked against.
//!
//! The five built-in dialects, the form of dialect files and the form of `baton.toml` are all
//! definition files in `dialects/`, in the form users write their own in.
//!
//! Invariant: nothing here knows a dialect by name except the table of built-in files.

mod condition;
mod expression;
mod form;
mod keys;
mod place;
mod room;
mod schema;
mod shipped;
mod users;

use std::borrow::Cow;
use std::ops::Deref;

pub(crate) use condition::Subject;
pub use condition::{Condition, FieldPath};
pub use expression::Expression;
pub(crate) use form::BODY;
pub use form::compile;
pub use keys::Keys;
pub use place::{Expected, Match, Place};
use room::mark_of;
pub(crate) use room::{Reach, Room};
pub use schema::{Strictness, json_schema, json_schema_of_kind};
pub use shipped::{BUILT_IN, BuiltIn, shipped_text};
pub use users::{DialectFile, Unusable};
pub(crate) use users::{UsersOwn, refused};

use crate::carrier::Origin;
use crate::datum::{Datum, is_same_key};
use crate::finding::{Finding, Level};
use crate::handoff::{Meaning, Part};
use crate::span::{BOM, offset};
use crate::tree::{Block, Limits, Spare, Symbol, Syntax, parse};

/// One dialect, compiled from its definition file.
#[derive(Debug)]
pub struct Dialect {
    /// Its name, the first part of its rules' ids.
    pub name: Box<str>,
    /// What people call it.
    pub title: Box<str>,
    /// What it is for.
    pub about: Box<str>,
    /// How its documents lie in files, the usual way first.
    pub carriers: Vec<Carrier>,
    /// The notations it is written in, the usual one first.
    pub syntaxes: Vec<Syntax>,
    /// Where its files lie.
    pub places: Vec<Place>,
    /// What makes a document without a known place one of this dialect.
    pub recognise: Condition,
    /// The keys or elements that wrap its documents.
    pub roots: Roots,
    /// The fields that a file's path gives where the document does not say them.
    pub captures: Vec<Key>,
    /// Whether its documents may carry what they have no field for, under `x-baton`.
    pub has_extensions: bool,
    forms: Source,
}

/// What wraps the documents of a dialect.
#[derive(Debug, Default)]
pub struct Roots {
    /// The keys or elements, each once.
    pub keys: Vec<Key>,
    /// Whether documents of some kind have none.
    pub is_optional: bool,
}

impl Roots {
    fn add(&mut self, root: Option<Key>) {
        match root {
            Some(root) if self.keys.iter().all(|known| known.text != root.text) => self.keys.push(root),
            Some(_) => {}
            None => self.is_optional = true,
        }
    }
}

/// What the documents of a dialect look like, once one was recognised.
#[derive(Debug)]
pub struct Forms {
    /// Its kinds, in the order in which they are tried.
    pub kinds: Vec<DialectKind>,
    /// Where the handoffs stand in documents that hold many.
    pub entries: Option<Box<Entries>>,
    /// Whether the text behind front matter is a field.
    pub has_body: bool,
    /// Shapes that fields refer to by name.
    pub shapes: Vec<Field>,
}

/// Where the forms of a dialect are.
#[derive(Debug)]
enum Source {
    /// Here.
    Made(Box<Forms>),
    /// Compiled when they are first asked for.
    Shipped(&'static BuiltIn),
}

/// A dialect has the fields of its forms; those of one that ships are compiled here, the first time.
impl Deref for Dialect {
    type Target = Forms;

    #[inline]
    fn deref(&self) -> &Forms {
        match &self.forms {
            Source::Made(forms) => forms,
            Source::Shipped(file) => file.forms(),
        }
    }
}

impl Dialect {
    /// How its documents lie in files when nothing says otherwise.
    pub fn usual_carrier(&self) -> Carrier {
        self.carriers.first().copied().unwrap_or(Carrier::Text(Syntax::Json))
    }

    /// The notation it is written in when nothing says otherwise.
    pub fn usual_syntax(&self) -> Syntax {
        self.syntaxes.first().copied().unwrap_or(Syntax::Json)
    }

    /// Whether its documents may lie in a file in this way.
    #[inline]
    pub fn is_carried(&self, syntax: Syntax, origin: Origin) -> bool {
        self.carriers.iter().any(|carrier| carrier.takes(syntax, origin))
    }

    /// Whether a document has fields that stand elsewhere: in the path, around it, behind it.
    #[inline]
    pub(crate) fn is_given(&self) -> bool {
        self.has_body || self.entries.is_some() || !self.captures.is_empty()
    }
}

/// How a document lies in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Text of a notation: a whole file, or wherever else such text is found.
    Text(Syntax),
    /// The front matter of a Markdown file, and nowhere else.
    FrontMatter,
    /// A line of a JSON Lines file, and nowhere else.
    Line,
}

impl Carrier {
    /// All carriers with their words in dialect files.
    pub const ALL: [(&'static str, Carrier); 6] = [
        ("json", Carrier::Text(Syntax::Json)),
        ("yaml", Carrier::Text(Syntax::Yaml)),
        ("xml", Carrier::Text(Syntax::Xml)),
        ("toml", Carrier::Text(Syntax::Toml)),
        ("front-matter", Carrier::FrontMatter),
        ("json-lines", Carrier::Line),
    ];

    /// The notation of its text.
    pub fn syntax(self) -> Syntax {
        match self {
            Carrier::Text(syntax) => syntax,
            Carrier::FrontMatter => Syntax::Yaml,
            Carrier::Line => Syntax::Json,
        }
    }

    #[inline]
    fn takes(self, syntax: Syntax, origin: Origin) -> bool {
        match self {
            Carrier::Text(own) => own == syntax,
            Carrier::FrontMatter => origin == Origin::FrontMatter,
            Carrier::Line => origin == Origin::Line,
        }
    }
}

/// Where the handoffs stand in a document that holds many.
#[derive(Debug)]
pub struct Entries {
    /// The path of the list or map of handoffs.
    pub at: FieldPath,
    /// The field that the key of each handoff gives, where they stand in a map.
    pub key: Option<Key>,
    /// What stands around them: its fields are also fields of every handoff.
    pub around: DialectKind,
    /// The fields around them that every handoff has too.
    pub shared: Vec<Key>,
}

/// One kind of document of a dialect.
#[derive(Debug)]
pub struct DialectKind {
    /// Its name, the second part of its rules' ids.
    pub name: Box<str>,
    /// What it is for.
    pub about: Box<str>,
    /// The key or element that wraps it.
    pub root: Option<Key>,
    /// What makes a document this kind.
    pub when: Condition,
    /// Its fields.
    pub map: MapShape,
    /// A map whose entries count as if they stood at the top.
    pub also_in: Option<Symbol>,
    /// Whether this is how an agent of the dialect is asked for work; without such a kind, with what the one before
    /// it handed over.
    pub is_request: bool,
    /// Whether elements in another order are worth an info.
    pub is_ordered: bool,
    /// Whether nothing but recognition is asked of it.
    pub is_open: bool,
    /// What its fields can say, and what must be said.
    pub(crate) room: Room,
    /// What it means without saying it; `{path}` in it is the value of that field.
    pub implied: Vec<(Meaning, Box<str>)>,
    /// Complete examples; every field stands in one of them.
    pub examples: Vec<Box<str>>,
    /// The paths at which the examples lie, where that matters.
    pub example_files: Vec<Option<Box<str>>>,
    /// Where fields at the top used to stand, with their positions.
    pub old_paths: Vec<(FieldPath, usize)>,
    /// The slots of fields outside lists, by their dotted path.
    pub(crate) index: Keys,
    /// The words of each enum field, by slot.
    pub words: Vec<Vec<Box<str>>>,
    /// How many slots a document of this kind needs.
    pub slots: usize,
}

impl DialectKind {
    /// The slot of the field at a dotted path.
    #[inline(always)]
    pub(crate) fn slot(&self, path: &str) -> Option<usize> {
        let symbol = self.index.symbol(path);
        (symbol != Symbol::UNKNOWN).then_some(usize::from(symbol.0))
    }

    /// Whether the same key or element wraps it as another kind; only then may one be taken for the other.
    pub(crate) fn has_root_of(&self, other: &DialectKind) -> bool {
        self.root.as_ref().map(|root| root.symbol) == other.root.as_ref().map(|root| root.symbol)
    }
}

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
    /// Whether other keys are nothing to mention.
    pub is_open: bool,
    /// The shape of values under keys not named; for maps whose keys are data.
    pub values: Option<Box<Field>>,
    /// The field that a plain word stands for.
    pub shorthand: Option<usize>,
    /// What each of the fields can be filled with, side by side: most are passed over.
    pub(crate) reach: Vec<Reach>,
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
    /// Whether it must be there.
    pub is_required: bool,
    /// Whether a field that must be there stands below it.
    pub leads_to_required: bool,
    /// Whether `null` is as good as absent.
    pub is_nullable: bool,
    /// Whether it names a file that should exist.
    pub must_exist: bool,
    /// The tokens its text may have.
    pub tokens_max: Option<usize>,
    /// What it is for.
    pub about: Box<str>,
    /// Why it is as it is, for the pages of its rules: of one fault, or of all.
    pub pages: Vec<(Option<Fault>, Box<str>)>,
    /// What it means in the common model.
    pub means: Option<Meaning>,
    /// What else it can hold when nothing is said of what it means, the best first; some are told together.
    pub or_means: Vec<Vec<Meaning>>,
    /// What part it is of an entry that means something as a whole.
    pub part: Option<Part>,
    /// What stands here when a handoff is converted and nothing says it.
    pub preset: Option<Preset>,
    /// Levels other than the usual ones, by what went wrong.
    pub levels: Vec<(Fault, Level)>,
    /// What the value must be.
    pub shape: Shape,
}

/// What stands in a field when nothing says it.
#[derive(Clone, Debug)]
pub enum Preset {
    /// Always the same.
    Always(Datum<'static>),
    /// What goes with the word in another field.
    By {
        /// The dotted path of the field that decides.
        on: Box<str>,
        /// What goes with each word.
        cases: Vec<(Box<str>, Datum<'static>)>,
    },
}

/// What can be wrong with a field; the last part of its rule's id.
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

/// What a value must be.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Anything.
    Any,
    /// Text.
    Text(TextShape),
    /// One of some words.
    Words(Vec<Word>),
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

/// What a text must be.
#[derive(Clone, Debug, Default)]
pub struct TextShape {
    /// The form it must have, with how that is said.
    pub pattern: Option<Pattern>,
    /// Whether it must say something.
    pub is_filled: bool,
    /// What it names.
    pub names: Names,
}

/// A regular expression and how to say it.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The expression.
    pub regex: Expression,
    /// How to say it in a message.
    pub says: Box<str>,
}

/// What a text names in the world.
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
pub struct Word {
    /// The word.
    pub text: Box<str>,
    /// Other words for it.
    pub also: Vec<Box<str>>,
    /// What it means in the common model.
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
    /// Whether its text names a file.
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

    /// Whether it is a single value.
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
    fn maps_mut(&mut self) -> Vec<&mut MapShape> {
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

    /// Whether a value can be wrong in this way.
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
        if symbol == Symbol::UNKNOWN {
            return None;
        }
        if self.fields.get(hint).is_some_and(|field| field.key.symbol == symbol) {
            return Some(hint);
        }
        self.fields.iter().position(|field| field.key.symbol == symbol)
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

/// The dialects in use.
#[derive(Debug)]
pub struct Dialects {
    /// The keys they name.
    pub keys: Cow<'static, Keys>,
    /// The dialects of handoffs, in the order in which they are asked.
    pub handoffs: Vec<Dialect>,
    /// How many of them are users' own, which are asked first.
    pub users: usize,
    /// The forms of Baton's own files.
    pub own: Vec<Dialect>,
}

impl Dialects {
    /// The dialects and forms that ship with Baton.
    pub fn built_in(settings: &Settings) -> Self {
        let made = BUILT_IN.iter().map(|file| (file.is_handoff, file.dialect(settings)));
        let (handoffs, own): (Vec<_>, Vec<_>) = made.partition(|(is_handoff, _)| *is_handoff);
        let plain = |all: Vec<(bool, Dialect)>| all.into_iter().map(|(_, dialect)| dialect).collect();
        let keys = Cow::Borrowed(shipped::keys());
        Self { keys, handoffs: plain(handoffs), users: 0, own: plain(own) }
    }

    /// Finds a dialect by name, Baton's own forms included.
    pub fn find(&self, name: &str) -> Option<&Dialect> {
        self.handoffs.iter().chain(&self.own).find(|dialect| &*dialect.name == name)
    }
}

impl Dialects {
    /// The name that a slip most likely means.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        crate::check::nearest(name, self.handoffs.iter().chain(&self.own).map(|dialect| &*dialect.name))
    }
}

/// Values that places refer to in capitals, such as `RUN_BASE`.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Name and value.
    pub values: Vec<(String, String)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { values: vec![("RUN_BASE".to_owned(), ".runs/{run}".to_owned())] }
    }
}

/// Reads one definition file; what is wrong with it goes to `findings`.
pub fn read(
    text: &str,
    settings: &Settings,
    keys: &mut Keys,
    findings: &mut Vec<Finding>,
) -> Option<Dialect> {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let block = Block { text: &text[start..], base: offset(start), syntax: Syntax::Yaml };
    let tree = parse(block, Keys::none(), &Limits::default(), Spare::default(), findings);
    compile(&tree, settings, keys, findings)
}
