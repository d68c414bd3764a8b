//! The view of a rule: one handoff, its fields by name, the files around it, and a place to report.

use super::{Handoff, Levels, Rule};
use crate::dialect::{Dialect, DialectKind};
use crate::edits;
use crate::finding::{Edit, Finding, Level};
use crate::span::Span;
use crate::tree::{Kind, NodeId, Syntax, Tree, boolean_word};
use crate::world::World;

/// Nodes of one field of a kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slot {
    /// Its key; none for one that stands for a whole map.
    pub(crate) key: Option<NodeId>,
    /// Its value.
    pub(crate) value: Option<NodeId>,
    /// Which word of its enum it is.
    pub(crate) word: Option<u16>,
}

/// One handoff as a rule sees it.
pub struct Case<'c> {
    pub(crate) tree: &'c Tree<'c>,
    pub(crate) dialect: &'c Dialect,
    pub(crate) kind: &'c DialectKind,
    pub(crate) document: NodeId,
    pub(crate) key: Option<NodeId>,
    pub(crate) slots: &'c [Slot],
    pub(crate) path: Option<&'c str>,
    pub(crate) world: &'c dyn World,
    pub(crate) levels: &'c Levels,
    pub(crate) out: &'c mut Vec<Finding>,
    pub(crate) handoff: usize,
    /// The handoffs of the same file that were read before this one.
    pub(crate) earlier: &'c [Handoff],
    /// Notes of rules for the handoffs after it.
    pub(crate) notes: &'c mut Vec<(&'static str, String)>,
    /// The first finding of this handoff in `out`.
    pub(crate) mark: usize,
}

/// The paths that rules ask for stand in their code: written out there, most of the search for one is done when Baton is
/// built. That is why what takes a path is inlined.
impl<'c> Case<'c> {
    /// The name of the kind.
    pub fn kind(&self) -> &str {
        &self.kind.name
    }

    /// The path of the file from the root, where it has one.
    pub fn path(&self) -> Option<&'c str> {
        self.path
    }

    /// The files around the document.
    pub fn world(&self) -> &'c dyn World {
        self.world
    }

    /// The tree the document stands in.
    pub fn tree(&self) -> &'c Tree<'c> {
        self.tree
    }

    /// The map that is the handoff.
    pub fn document(&self) -> NodeId {
        self.document
    }

    /// Place of a finding about the handoff as a whole.
    pub fn head(&self) -> Span {
        let node = self.key.or_else(|| self.tree.entries(self.document).next().map(|(key, _)| key));
        match node {
            Some(node) => self.tree.span(node),
            None => Span::at(self.tree.span(self.document).start),
        }
    }

    #[inline(always)]
    fn slot(&self, path: &str) -> Slot {
        let id = self.kind.slot(path);
        debug_assert!(id.is_some() || self.kind.is_open, "{} has no field {path}", self.kind.name);
        id.map(|id| self.slots[id]).unwrap_or_default()
    }

    /// The value of a field, if it is there and can be read.
    #[inline(always)]
    pub fn value(&self, path: &str) -> Option<Value<'c>> {
        let node = self.slot(path).value?;
        (self.tree.kind(node) != Kind::Broken).then_some(Value { tree: self.tree, node })
    }

    /// Tells whether a field is there at all, readable or not.
    #[inline(always)]
    pub fn is_present(&self, path: &str) -> bool {
        self.slot(path).value.is_some()
    }

    /// Place of a field's key, or the handoff where there is none.
    pub fn key_span(&self, path: &str) -> Span {
        self.slot(path).key.map_or_else(|| self.head(), |key| self.tree.span(key))
    }

    /// The text of a field.
    #[inline(always)]
    pub fn text(&self, path: &str) -> Option<&'c str> {
        self.value(path).and_then(|value| value.text())
    }

    /// The word of an enum field, in the dialect's own letters.
    #[inline(always)]
    pub fn word(&self, path: &str) -> Option<&'c str> {
        let id = self.kind.slot(path)?;
        let at = usize::from(self.slots[id].word?);
        self.kind.words[id].get(at).map(|word| &**word)
    }

    /// Tells whether an enum field is a word.
    #[inline(always)]
    pub fn is(&self, path: &str, word: &str) -> bool {
        self.word(path) == Some(word)
    }

    /// The handoffs of the same file that were read before this one.
    pub fn earlier(&self) -> &'c [Handoff] {
        self.earlier
    }

    /// Tells whether this handoff has an error already.
    pub fn has_error(&self) -> bool {
        self.out[self.mark..].iter().any(|finding| finding.level == Level::Error)
    }

    /// Tells whether the file has so many findings that another is only counted.
    pub fn is_full(&self) -> bool {
        self.levels.is_full(self.out)
    }

    /// Tells whether a rule is on: one whose judgement costs something asks first.
    pub fn is_on(&self, rule: &Rule) -> bool {
        self.levels.level(rule.id, rule.level).is_some()
    }

    /// Starts a finding of a rule.
    pub fn finding(&self, rule: &Rule, message: impl Into<String>) -> Finding {
        Finding::new(rule.id, message)
    }

    /// Reports a finding at its rule's level.
    pub fn report(&mut self, rule: &Rule, mut finding: Finding) {
        finding.handoff = Some(self.handoff);
        self.levels.push(finding, rule.level, self.out);
    }
}

/// A value that a rule looks at.
#[derive(Clone, Copy)]
pub struct Value<'c> {
    tree: &'c Tree<'c>,
    node: NodeId,
}

impl<'c> Value<'c> {
    /// Makes a value of a node.
    pub fn new(tree: &'c Tree<'c>, node: NodeId) -> Self {
        Self { tree, node }
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.tree.kind(self.node)
    }

    /// Its place.
    pub fn span(&self) -> Span {
        self.tree.span(self.node)
    }

    /// Its text, if it is a scalar that says something.
    pub fn text(&self) -> Option<&'c str> {
        match self.kind() {
            Kind::Text | Kind::Integer | Kind::Float | Kind::True | Kind::False => {
                Some(self.tree.text(self.node))
            }
            Kind::Null | Kind::List | Kind::Map | Kind::Broken => None,
        }
    }

    /// Its truth, if it is a boolean or a word for one.
    pub fn truth(&self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            Kind::Text => boolean_word(self.tree.text(self.node)),
            Kind::Null | Kind::Integer | Kind::Float | Kind::List | Kind::Map | Kind::Broken => None,
        }
    }

    /// Its number, if it is one.
    pub fn number(&self) -> Option<f64> {
        let is_number = match self.kind() {
            Kind::Integer | Kind::Float => true,
            Kind::Text => self.tree.syntax() == Syntax::Xml,
            Kind::Null | Kind::True | Kind::False | Kind::List | Kind::Map | Kind::Broken => false,
        };
        is_number
            .then(|| self.tree.text(self.node).parse().ok())
            .flatten()
            .filter(|number: &f64| number.is_finite())
    }

    /// The edits that put something else in its place; none where that could mean something else.
    pub(crate) fn replaced(&self, with: &str) -> Vec<Edit> {
        edits::replaced(self.tree, self.node, with)
    }

    /// The value under a key.
    pub fn at(&self, key: &str) -> Option<Value<'c>> {
        self.tree.find(self.node, key).map(|node| Value { tree: self.tree, node })
    }

    /// Its items: those of a list, or all values under one key of an XML element.
    pub fn items(&self) -> impl Iterator<Item = Value<'c>> + use<'c> {
        let tree = self.tree;
        tree.items(self.node).map(move |node| Value { tree, node })
    }

    /// All values under a key, however often it stands there.
    pub fn all(&self, key: &'static str) -> impl Iterator<Item = Value<'c>> + use<'c> {
        let tree = self.tree;
        let same = move |(name, _): &(NodeId, NodeId)| tree.text(*name) == key;
        tree.entries(self.node).filter(same).map(move |(_, node)| Value { tree, node })
    }

    /// Its entries, if it is a map.
    pub fn entries(&self) -> impl Iterator<Item = (&'c str, Value<'c>)> + use<'c> {
        let tree = self.tree;
        tree.entries(self.node).map(move |(key, node)| (tree.text(key), Value { tree, node }))
    }

    /// Tells whether it is empty text, an empty list or an empty map.
    pub fn is_empty(&self) -> bool {
        match self.kind() {
            Kind::Null => true,
            Kind::Text => self.tree.is_blank(self.node),
            Kind::List => self.items().next().is_none(),
            Kind::Map => self.entries().next().is_none(),
            Kind::True | Kind::False | Kind::Integer | Kind::Float | Kind::Broken => false,
        }
    }
}
