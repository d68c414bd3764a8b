//! Conditions over the fields of a document: which dialect it is, which kind.

use globset::GlobMatcher;

use crate::tree::{Kind, NodeId, Symbol, Tree};

/// Something that holds of a document or does not.
#[derive(Clone, Debug)]
pub enum Condition {
    /// Always.
    Always,
    /// A field is there.
    Present(FieldPath),
    /// A field is there and says `null`.
    Null(FieldPath),
    /// A field is one of some words, in any letters.
    Is(FieldPath, Vec<Box<str>>),
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
                words.iter().any(|word| word.eq_ignore_ascii_case(text))
            }),
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
            Condition::Always | Condition::Present(_) | Condition::Null(_) | Condition::Is(..) => false,
        }
    }
}

impl FieldPath {
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
