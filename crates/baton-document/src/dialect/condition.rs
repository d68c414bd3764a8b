//! Conditions over the fields of a document: which dialect it is, which kind.

use globset::GlobMatcher;
use regex::Regex;

use crate::tree::{Kind, NodeId, Symbol, Syntax, Tree};

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
    Matches(FieldPath, Regex),
    /// A field is a number from one bound on, below another.
    Within {
        /// The field.
        field: FieldPath,
        /// The smallest number.
        from: Option<f64>,
        /// What it must be smaller than.
        below: Option<f64>,
    },
    /// The file's path matches a glob.
    File {
        /// The glob.
        glob: GlobMatcher,
        /// How every path that it matches ends, which tells most others apart without a search.
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

impl Condition {
    /// Says whether it holds of the document at a node.
    pub fn holds(&self, tree: &Tree<'_>, document: NodeId, path: Option<&str>) -> bool {
        match self {
            Condition::Always => true,
            Condition::Present(field) => field.find(tree, document).is_some(),
            Condition::Null(field) => {
                field.find(tree, document).is_some_and(|value| tree.kind(value) == Kind::Null)
            }
            Condition::Is(field, words) => field.find(tree, document).is_some_and(|value| {
                let text = tree.text(value);
                let is_word = words.iter().any(|word| word.eq_ignore_ascii_case(text));
                is_word || (tree.kind(value) != Kind::Text && is_number(tree, value, words))
            }),
            Condition::Matches(field, regex) => field
                .find(tree, document)
                .is_some_and(|value| tree.kind(value) == Kind::Text && regex.is_match(tree.text(value))),
            Condition::Within { field, from, below } => {
                let number = field.find(tree, document).and_then(|value| number(tree, value));
                number.is_some_and(|number| {
                    from.is_none_or(|from| number >= from) && below.is_none_or(|below| number < below)
                })
            }
            Condition::File { glob, end } => {
                path.is_some_and(|path| path.ends_with(&**end) && glob.is_match(path))
            }
            Condition::All(all) => all.iter().all(|one| one.holds(tree, document, path)),
            Condition::Any(any) => any.iter().any(|one| one.holds(tree, document, path)),
            Condition::Not(inner) => !inner.holds(tree, document, path),
            Condition::AtLeast(count, of) => {
                of.iter().filter(|one| one.holds(tree, document, path)).take(*count).count() >= *count
            }
        }
    }
}

impl Condition {
    /// Whether it asks for the name of the file.
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

/// Whether a value is one of some numbers, however they are written: 2 is 2.0.
#[cold]
fn is_number(tree: &Tree<'_>, value: NodeId, words: &[Box<str>]) -> bool {
    number(tree, value).is_some_and(|number| words.iter().any(|word| word.parse() == Ok(number)))
}

fn number(tree: &Tree<'_>, value: NodeId) -> Option<f64> {
    let is_number = match tree.kind(value) {
        Kind::Integer | Kind::Float => true,
        // In XML all values are text.
        Kind::Text => tree.syntax() == Syntax::Xml,
        Kind::Null | Kind::False | Kind::True | Kind::List | Kind::Map | Kind::Broken => false,
    };
    is_number.then(|| tree.text(value).parse().ok()).flatten()
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
