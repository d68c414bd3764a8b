//! Finds the handoffs in a tree: which dialect, which kind, where.

use super::Checker;
use crate::dialect::{Dialect, DialectKind};
use crate::tree::{Kind, NodeId, Tree};

/// How deep in a document that is none itself handoffs are looked for.
const DEPTH_MAX: usize = 3;

/// A part of a tree that is a handoff.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The dialect, by position.
    pub(crate) dialect: usize,
    /// The kind, by position.
    pub(crate) kind: usize,
    /// The key or element that wraps it.
    pub(crate) key: Option<NodeId>,
    /// The map with its fields.
    pub(crate) document: NodeId,
    /// The node whose span is the handoff's.
    pub(crate) whole: NodeId,
    /// The map around the key that wraps it, for the first handoff in it: other keys there are nobody's.
    pub(crate) holder: Option<NodeId>,
    /// Whether the key that should wrap it is missing.
    pub(crate) is_rootless: bool,
}

/// Adds the handoffs at and below a node.
pub(crate) fn find(
    checker: &Checker,
    tree: &Tree<'_>,
    node: NodeId,
    forced: Option<usize>,
    path: Option<&str>,
    into: &mut Vec<Candidate>,
) {
    // A dialect file is full of names of fields, and no handoff.
    let is_own =
        |form: &Dialect| form.syntaxes.contains(&tree.syntax()) && form.recognise.holds(tree, node, path);
    if forced.is_some() || !checker.dialects.own.iter().any(is_own) {
        Finder { checker, tree, forced, path, into }.below(node, 0);
    }
}

/// A document that is read as one of a dialect whatever it looks like.
pub(crate) fn forced(
    checker: &Checker,
    tree: &Tree<'_>,
    root: NodeId,
    dialect: usize,
    path: Option<&str>,
) -> Option<Candidate> {
    if tree.kind(root) != Kind::Map {
        return None;
    }
    let of = &checker.dialects.handoffs[dialect];
    let wrapped = tree.entries(root).find(|(key, _)| of.kinds.iter().any(|kind| is_root(tree, kind, *key)));
    let (key, document) = wrapped.map_or((None, root), |(key, value)| (Some(key), value));
    let kind = kind_of(of, tree, key, document, path).unwrap_or(of.kinds.len() - 1);
    let is_rootless = of.kinds[kind].root.is_some() && key.is_none();
    let holder = key.map(|_| root);
    Some(Candidate { dialect, kind, key, document, whole: root, holder, is_rootless })
}

struct Finder<'f> {
    checker: &'f Checker,
    tree: &'f Tree<'f>,
    forced: Option<usize>,
    path: Option<&'f str>,
    into: &'f mut Vec<Candidate>,
}

impl Finder<'_> {
    fn below(&mut self, node: NodeId, depth: usize) {
        // One more than are read, so that it can be said that there are more.
        if self.into.len() > self.checker.limits.handoffs || depth > DEPTH_MAX {
            return;
        }
        match self.tree.kind(node) {
            Kind::List => {
                for item in self.tree.items(node) {
                    self.below(item, depth + 1);
                }
            }
            Kind::Map => {
                if !self.wrapped(node) && !self.plain(node) {
                    for (_, value) in self.tree.entries(node) {
                        self.below(value, depth + 1);
                    }
                }
            }
            Kind::Null
            | Kind::False
            | Kind::True
            | Kind::Integer
            | Kind::Float
            | Kind::Text
            | Kind::Broken => {}
        }
    }

    /// Entries under a key that wraps handoffs.
    fn wrapped(&mut self, map: NodeId) -> bool {
        let before = self.into.len();
        for (key, value) in self.tree.entries(map) {
            if !self.checker.roots.contains(&self.tree.symbol(key)) {
                continue;
            }
            let count = self.tree.entries(map).nth(1).map_or(1, |_| 2);
            let whole = if count == 1 { map } else { value };
            for value in self.each(value) {
                if let Some((dialect, kind)) = self.recognised(Some(key), value) {
                    let (document, key) = (value, Some(key));
                    let holder = (self.into.len() == before).then_some(map);
                    let is_rootless = false;
                    self.into.push(Candidate { dialect, kind, key, document, whole, holder, is_rootless });
                }
            }
        }
        self.into.len() > before
    }

    /// The value itself, or the items where it is a list.
    fn each(&self, value: NodeId) -> Vec<NodeId> {
        if self.tree.kind(value) == Kind::List { self.tree.items(value).collect() } else { vec![value] }
    }

    /// A map that is a handoff as it stands.
    fn plain(&mut self, map: NodeId) -> bool {
        let found = self.recognised(None, map);
        if let Some((dialect, kind)) = found {
            let whole = map;
            let (key, document, holder, is_rootless) = (None, map, None, false);
            self.into.push(Candidate { dialect, kind, key, document, whole, holder, is_rootless });
        }
        found.is_some()
    }

    fn recognised(&self, key: Option<NodeId>, document: NodeId) -> Option<(usize, usize)> {
        let dialects = &self.checker.dialects.handoffs;
        let syntax = self.tree.syntax();
        (0..dialects.len())
            .filter(|at| self.forced.is_none_or(|forced| forced == *at))
            .filter(|at| dialects[*at].syntaxes.contains(&syntax))
            .filter(|at| {
                let has_root = |kind: &DialectKind| match key {
                    Some(key) => is_root(self.tree, kind, key),
                    None => kind.root.is_none(),
                };
                dialects[*at].kinds.iter().any(has_root)
            })
            .find(|at| dialects[*at].recognise.holds(self.tree, document, self.path))
            .and_then(|at| Some((at, kind_of(&dialects[at], self.tree, key, document, self.path)?)))
    }
}

fn is_root(tree: &Tree<'_>, kind: &DialectKind, key: NodeId) -> bool {
    let symbol = tree.symbol(key);
    kind.root
        .as_ref()
        .is_some_and(|root| root.symbol == symbol || root.aliases.iter().any(|(_, alias)| *alias == symbol))
}

/// The first kind whose root and condition fit.
pub(crate) fn kind_of(
    dialect: &Dialect,
    tree: &Tree<'_>,
    key: Option<NodeId>,
    document: NodeId,
    path: Option<&str>,
) -> Option<usize> {
    dialect.kinds.iter().position(|kind| {
        let fits = match key {
            Some(key) => is_root(tree, kind, key),
            None => true,
        };
        fits && kind.when.holds(tree, document, path)
    })
}
