//! Conditions over the fields of a document: which dialect it is, which kind.

use std::sync::OnceLock;

use globset::{Glob, GlobMatcher};

use super::Expression;
use crate::arena_value::ArenaValue;
use crate::tree::{Kind, NodeId, Symbol, Symbols, Syntax, Tree};

/// Something that holds of a document or does not.
#[derive(Clone, Debug)]
pub enum Condition {
    /// Always.
    Always,
    /// A field is there.
    Present(FieldPath),
    /// A field is there and says `null`.
    Null(FieldPath),
    /// A field is one of some words, in any letters, or one of some numbers.
    Is(FieldPath, Vec<Box<str>>),
    /// A field is text of a form.
    Matches(FieldPath, Expression),
    /// A field is a number from one bound on, below another.
    Within {
        /// The field.
        field: FieldPath,
        /// The smallest number.
        from: Option<f64>,
        /// Exclusive upper bound.
        below: Option<f64>,
    },
    /// The file's path matches a glob.
    File {
        /// The glob.
        glob: Glob,
        /// Its matcher, compiled at the first use.
        matcher: OnceLock<GlobMatcher>,
        /// End of every path that matches, which rules most others out without a search.
        end: Box<str>,
    },
    /// All of them hold.
    All(Vec<Condition>),
    /// Any of them holds.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// At least so many of them hold.
    AtLeast(usize, Vec<Condition>),
}

/// A dotted path of keys.
#[derive(Clone, Debug)]
pub struct FieldPath {
    /// As it is written.
    pub text: Box<str>,
    /// Its keys.
    pub symbols: Vec<Symbol>,
}

/// A document that conditions are asked of: in a tree, or by itself.
pub(crate) trait Subject {
    type Value: Copy;

    /// The value at a path.
    fn find(&self, field: &FieldPath) -> Option<Self::Value>;

    /// Kind of a value.
    fn kind(&self, value: Self::Value) -> Kind;

    /// The text of a scalar; empty for lists and maps.
    fn text(&self, value: Self::Value) -> &str;

    /// Tells whether numbers are text, as all values are in XML.
    fn has_only_text(&self) -> bool;

    fn number(&self, value: Self::Value) -> Option<f64> {
        let is_number = match self.kind(value) {
            Kind::Integer | Kind::Float => true,
            Kind::Text => self.has_only_text(),
            Kind::Null | Kind::False | Kind::True | Kind::List | Kind::Map | Kind::Broken => false,
        };
        is_number.then(|| self.text(value).parse().ok()).flatten()
    }
}

/// A document in a tree.
pub(crate) struct Read<'r> {
    tree: &'r Tree<'r>,
    document: NodeId,
    /// Its keys: most conditions ask for others.
    keys: Symbols,
}

impl<'r> Read<'r> {
    #[inline]
    pub(crate) fn new(tree: &'r Tree<'r>, document: NodeId) -> Self {
        Self { tree, document, keys: tree.symbols(document) }
    }

    /// Its keys, as far as dialects name them.
    #[inline]
    pub(crate) fn keys(&self) -> Symbols {
        self.keys
    }
}

impl Subject for Read<'_> {
    type Value = NodeId;

    #[inline]
    fn find(&self, field: &FieldPath) -> Option<NodeId> {
        match field.symbols.first() {
            Some(first) if !self.keys.may_have(*first) => None,
            Some(_) | None => field.find(self.tree, self.document),
        }
    }

    #[inline]
    fn kind(&self, value: NodeId) -> Kind {
        self.tree.kind(value)
    }

    #[inline]
    fn text(&self, value: NodeId) -> &str {
        self.tree.text(value)
    }

    fn has_only_text(&self) -> bool {
        self.tree.syntax() == Syntax::Xml
    }
}

impl<'v> Subject for ArenaValue<'v> {
    type Value = ArenaValue<'v>;

    fn find(&self, field: &FieldPath) -> Option<Self::Value> {
        self.at(&field.text)
    }

    fn kind(&self, value: Self::Value) -> Kind {
        ArenaValue::kind(value)
    }

    fn text(&self, value: Self::Value) -> &str {
        ArenaValue::text(value)
    }

    fn has_only_text(&self) -> bool {
        false
    }
}

impl Condition {
    /// Says whether it holds of the document at a node.
    pub fn holds(&self, tree: &Tree<'_>, document: NodeId, path: Option<&str>) -> bool {
        self.holds_of(&Read::new(tree, document), path)
    }

    /// Says whether it holds of a document by itself, which lies in no file.
    pub(crate) fn holds_of_plain(&self, document: ArenaValue<'_>) -> bool {
        self.holds_of(&document, None)
    }

    /// Says whether it holds of a document that lies in a file or in none.
    pub(crate) fn holds_of<S: Subject>(&self, document: &S, path: Option<&str>) -> bool {
        match self {
            Condition::Always => true,
            Condition::Present(field) => document.find(field).is_some(),
            Condition::Null(field) => {
                document.find(field).is_some_and(|value| document.kind(value) == Kind::Null)
            }
            Condition::Is(field, words) => document.find(field).is_some_and(|value| {
                let text = document.text(value);
                let is_word = words.iter().any(|word| word.eq_ignore_ascii_case(text));
                is_word || (document.kind(value) != Kind::Text && is_number(document, value, words))
            }),
            Condition::Matches(field, expression) => document.find(field).is_some_and(|value| {
                document.kind(value) == Kind::Text && expression.is_match(document.text(value))
            }),
            Condition::Within { field, from, below } => {
                let number = document.find(field).and_then(|value| document.number(value));
                number.is_some_and(|number| {
                    from.is_none_or(|from| number >= from) && below.is_none_or(|below| number < below)
                })
            }
            Condition::File { glob, matcher, end } => path.is_some_and(|path| {
                path.ends_with(&**end) && matcher.get_or_init(|| glob.compile_matcher()).is_match(path)
            }),
            Condition::All(all) => all.iter().all(|one| one.holds_among(document, path)),
            Condition::Any(any) => any.iter().any(|one| one.holds_among(document, path)),
            Condition::Not(inner) => !inner.holds_of(document, path),
            Condition::AtLeast(count, of) => {
                of.iter().filter(|one| one.holds_among(document, path)).take(*count).count() >= *count
            }
        }
    }

    /// The same for one of several, most of which only ask whether a field is there.
    #[inline(always)]
    fn holds_among<S: Subject>(&self, document: &S, path: Option<&str>) -> bool {
        if let Condition::Present(field) = self {
            return document.find(field).is_some();
        }
        self.holds_of(document, path)
    }
}

impl Condition {
    /// Tells whether it asks for the name of the file.
    pub fn needs_file(&self) -> bool {
        match self {
            Condition::File { .. } => true,
            Condition::All(of) | Condition::Any(of) | Condition::AtLeast(_, of) => {
                of.iter().any(Self::needs_file)
            }
            Condition::Not(inner) => inner.needs_file(),
            Condition::Always
            | Condition::Present(_)
            | Condition::Null(_)
            | Condition::Is(..)
            | Condition::Matches(..)
            | Condition::Within { .. } => false,
        }
    }
}

impl Condition {
    /// The fields of which each is enough for it to hold, by being there.
    pub(super) fn enough(&self) -> Vec<&FieldPath> {
        match self {
            Condition::Present(field) => vec![field],
            Condition::Any(any) => any.iter().flat_map(Self::enough).collect(),
            Condition::Always
            | Condition::Null(_)
            | Condition::Is(..)
            | Condition::Matches(..)
            | Condition::Within { .. }
            | Condition::File { .. }
            | Condition::All(_)
            | Condition::Not(_)
            | Condition::AtLeast(..) => Vec::new(),
        }
    }
}

/// Tells whether a value is one of some numbers, however they are written: 2 is 2.0.
#[cold]
fn is_number<S: Subject>(document: &S, value: S::Value, words: &[Box<str>]) -> bool {
    document.number(value).is_some_and(|number| words.iter().any(|word| word.parse() == Ok(number)))
}

impl FieldPath {
    /// Finds the last key of this path and its value.
    pub(crate) fn find_entry(&self, tree: &Tree<'_>, document: NodeId) -> Option<(NodeId, NodeId)> {
        let mut at = (document, document);
        for symbol in &self.symbols {
            at = tree.entries(at.1).find(|(key, _)| tree.symbol(*key) == *symbol)?;
        }
        Some(at)
    }

    /// Finds the value at this path.
    pub fn find(&self, tree: &Tree<'_>, document: NodeId) -> Option<NodeId> {
        let mut at = document;
        for symbol in &self.symbols {
            at = tree.find_symbol(at, *symbol)?;
        }
        // What an element says is its text, whatever attributes stand beside it.
        Some(tree.text_among_attributes(at).unwrap_or(at))
    }
}
