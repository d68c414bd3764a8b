//! Dialects as data: what a definition file says, ready to be checked against.
//!
//! The five built-in dialects, the form of dialect files and the form of `baton.toml` are all
//! definition files in `dialects/`, in the form users write their own in.
//!
//! Invariant: nothing here knows a dialect by name except the table of built-in files.

mod capacity;
mod condition;
mod describe;
mod example;
mod expression;
mod field;
pub(crate) mod findings;
mod form;
mod place;
mod schema;
mod shipped;
mod users;

use std::borrow::Cow;
use std::ops::Deref;

pub use crate::tree::Keys;
pub(crate) use capacity::{Capacity, Reach};
pub use condition::{Condition, FieldPath};
pub(crate) use condition::{Read, Subject};
pub(crate) use describe::{describe, type_words};
pub(crate) use example::example_path;
pub use expression::Expression;
pub use field::{EnumWord, Fault, Field, FieldId, Key, MapShape, Names, Pattern, Preset, Shape, TextShape};
pub(crate) use form::BODY;
pub(crate) use form::DefaultValue;
pub(crate) use form::{Compiled, compile};
pub use place::{Expected, Match, Place};
pub use schema::{Strictness, json_schema, json_schema_of_kind};
pub use shipped::{BUILT_IN, BuiltIn, shipped_text};
pub use users::{DialectFile, Unusable};
pub(crate) use users::{UsersOwn, refused};

use crate::carrier::Origin;
use crate::finding::Finding;
use crate::handoff::Meaning;
use crate::span::{BOM, offset};
use crate::tree::{Block, Limits, Spare, Symbol, Syntax, parse};

/// One dialect, compiled from its definition file.
#[derive(Debug)]
pub struct Dialect {
    /// Its name, the first part of its rules' ids.
    pub name: Box<str>,
    /// Its name for people.
    pub title: Box<str>,
    /// Its purpose.
    pub about: Box<str>,
    /// Carriers of its documents, the usual one first.
    pub carriers: Vec<Carrier>,
    /// The notations it is written in, the usual one first.
    pub syntaxes: Vec<Syntax>,
    /// Places of its files.
    pub places: Vec<Place>,
    /// Condition by which a document without a known place is one of this dialect.
    pub recognise: Condition,
    /// The keys or elements that wrap its documents.
    pub roots: Roots,
    /// The fields that a file's path gives where the document does not say them.
    pub captures: Vec<Key>,
    /// True if its documents may carry what they have no field for, under `x-baton`.
    pub has_extensions: bool,
    forms: Source,
}

/// Keys or elements around the documents of a dialect.
#[derive(Debug, Default)]
pub struct Roots {
    /// The keys or elements, each once.
    pub keys: Vec<Key>,
    /// True if documents of some kind have none.
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

/// Forms of the documents of a dialect, once one was recognised.
#[derive(Debug)]
pub struct Forms {
    /// Its kinds, in the order in which they are tried.
    pub kinds: Vec<DialectKind>,
    /// Place of the handoffs in documents that hold many.
    pub entries: Option<Box<Entries>>,
    /// True if the text behind front matter is a field.
    pub has_body: bool,
    /// Shapes that fields refer to by name.
    pub shapes: Vec<Field>,
}

/// Source of the forms of a dialect.
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
    /// Usual carrier of its documents.
    pub fn usual_carrier(&self) -> Carrier {
        self.carriers.first().copied().unwrap_or(Carrier::Text(Syntax::Json))
    }

    /// The notation it is written in when nothing says otherwise.
    pub fn usual_syntax(&self) -> Syntax {
        self.syntaxes.first().copied().unwrap_or(Syntax::Json)
    }

    /// The field that is the key of each of several handoffs in one document, where they have one.
    pub(crate) fn entry_key(&self) -> Option<&str> {
        self.entries.as_ref()?.key.as_ref().map(|key| &*key.text)
    }

    /// Tells whether its documents may lie in a file in this way.
    #[inline]
    pub fn is_carried(&self, syntax: Syntax, origin: Origin) -> bool {
        self.carriers.iter().any(|carrier| carrier.takes(syntax, origin))
    }

    /// Tells whether a document has fields that stand elsewhere: in the path, around it, behind it.
    #[inline]
    pub(crate) fn is_given(&self) -> bool {
        self.has_body || self.entries.is_some() || !self.captures.is_empty()
    }
}

/// Carrier of a document in a file.
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

/// Place of the handoffs in a document that holds many.
#[derive(Debug)]
pub struct Entries {
    /// The path of the list or map of handoffs.
    pub at: FieldPath,
    /// The field that the key of each handoff gives, where they stand in a map.
    pub key: Option<Key>,
    /// Kind of the document around them: its fields are also fields of every handoff.
    pub around: DialectKind,
    /// The fields around them that every handoff has too.
    pub shared: Vec<Key>,
}

/// One kind of document of a dialect.
#[derive(Debug)]
pub struct DialectKind {
    /// Its name, the second part of its rules' ids.
    pub name: Box<str>,
    /// Its purpose.
    pub about: Box<str>,
    /// The key or element that wraps it.
    pub root: Option<Key>,
    /// Condition by which a document is of this kind.
    pub when: Condition,
    /// Its fields.
    pub map: MapShape,
    /// A map whose entries count as if they stood at the top.
    pub also_in: Option<Symbol>,
    /// True if this is how an agent of the dialect is asked for work; without such a kind, with what the one before
    /// it handed over.
    pub is_request: bool,
    /// True if elements in another order are worth an info.
    pub is_ordered: bool,
    /// True if nothing but recognition is asked of it.
    pub is_open: bool,
    /// Meanings that its fields can hold, and those that it requires.
    pub(crate) capacity: Capacity,
    /// Meanings that it implies; `{path}` in one is the value of that field.
    pub implied: Vec<(Meaning, Box<str>)>,
    /// Complete examples; every field stands in one of them.
    pub examples: Vec<Box<str>>,
    /// The paths at which the examples lie, where that matters.
    pub example_files: Vec<Option<Box<str>>>,
    /// Old places of fields at the top, with their positions.
    pub old_paths: Vec<(FieldPath, usize)>,
    /// The slots of fields outside lists, by their dotted path.
    pub(crate) index: Keys,
    /// The words of each enum field, by slot.
    pub words: Vec<Vec<Box<str>>>,
    /// Number of slots that a document of this kind needs.
    pub slots: usize,
}

impl DialectKind {
    /// The slot of the field at a dotted path.
    #[inline(always)]
    pub(crate) fn slot(&self, path: &str) -> Option<usize> {
        let symbol = self.index.symbol(path);
        (symbol != Symbol::UNKNOWN).then_some(usize::from(symbol.0))
    }

    /// Tells whether the same key or element wraps it as another kind; only then may one be taken for the other.
    pub(crate) fn has_root_of(&self, other: &DialectKind) -> bool {
        self.root.as_ref().map(|root| root.symbol) == other.root.as_ref().map(|root| root.symbol)
    }
}

/// The dialects in use.
#[derive(Debug)]
pub struct Dialects {
    /// The keys they name.
    pub keys: Cow<'static, Keys>,
    /// The dialects of handoffs, in the order in which they are asked.
    pub handoffs: Vec<Dialect>,
    /// Number of users' own, which are asked first.
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
        crate::spelling::nearest(name, self.handoffs.iter().chain(&self.own).map(|dialect| &*dialect.name))
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
pub(crate) fn read(
    text: &str,
    settings: &Settings,
    keys: &mut Keys,
    findings: &mut Vec<Finding>,
) -> Option<Compiled> {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let block = Block { text: &text[start..], base: offset(start), syntax: Syntax::Yaml };
    let tree = parse(block, Keys::none(), &Limits::default(), Spare::default(), findings);
    compile(&tree, settings, keys, findings)
}
