//! Finds the handoffs in a tree: which dialect, which kind, where.

use super::Checker;
use crate::carrier::Origin;
use crate::dialect::{Dialect, DialectKind, Key, Read};
use crate::tree::{Kind, NodeId, Symbols, Tree};

/// Depth to which handoffs are searched in a document that is none itself.
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
    /// The map with its fields, those included that stand elsewhere.
    pub(crate) document: NodeId,
    /// The map as it was read.
    pub(crate) as_read: NodeId,
    /// The node whose span is the handoff's.
    pub(crate) whole: NodeId,
    /// The map around the key that wraps it, for the first handoff in it: other keys there belong to no handoff.
    pub(crate) holder: Option<NodeId>,
    /// True if the key that should wrap it is missing.
    pub(crate) is_rootless: bool,
    /// The map that its entry stands in, of dialects with many handoffs in one document.
    pub(crate) around: Option<NodeId>,
    /// The key of its entry.
    pub(crate) name: Option<NodeId>,
    /// True if an entry of the same document came before it, so that what stands around them was judged.
    pub(crate) is_later: bool,
}

impl Candidate {
    /// A map that is a handoff as it stands.
    fn plain(dialect: usize, kind: usize, map: NodeId) -> Self {
        Self {
            dialect,
            kind,
            key: None,
            document: map,
            as_read: map,
            whole: map,
            holder: None,
            is_rootless: false,
            around: None,
            name: None,
            is_later: false,
        }
    }
}

/// Handoffs found in a tree.
#[derive(Debug, Default)]
pub(crate) struct FoundHandoffs {
    /// The handoffs.
    pub(crate) candidates: Vec<Candidate>,
    /// The documents that hold many of them, each with its dialect.
    pub(crate) around: Vec<(usize, NodeId)>,
}

impl FoundHandoffs {
    pub(crate) fn clear(&mut self) {
        self.candidates.clear();
        self.around.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.candidates.is_empty() && self.around.is_empty()
    }
}

/// Origin of a tree, and the purpose of reading it.
#[derive(Clone, Copy)]
pub(crate) struct Source<'s> {
    pub(crate) origin: Origin,
    pub(crate) path: Option<&'s str>,
    /// The one dialect that is asked.
    pub(crate) forced: Option<usize>,
}

/// Adds the handoffs at and below a node.
pub(crate) fn find(
    checker: &Checker,
    tree: &Tree<'_>,
    node: NodeId,
    source: Source<'_>,
    into: &mut FoundHandoffs,
) {
    if source.forced.is_some() || !is_own(checker, tree, node, source.path) {
        Finder { checker, tree, source, into }.below(node, 0);
    }
}

/// Tells whether a document is a file of Baton itself: a dialect file is full of names of fields, and no handoff.
pub(crate) fn is_own(checker: &Checker, tree: &Tree<'_>, node: NodeId, path: Option<&str>) -> bool {
    let is_own =
        |form: &Dialect| form.syntaxes.contains(&tree.syntax()) && form.recognise.holds(tree, node, path);
    checker.dialects.own.iter().any(is_own)
}

/// Adds a document that is read as one of a dialect whatever it looks like.
pub(crate) fn forced(
    checker: &Checker,
    tree: &Tree<'_>,
    root: NodeId,
    dialect: usize,
    path: Option<&str>,
    into: &mut FoundHandoffs,
) {
    if tree.kind(root) != Kind::Map {
        return;
    }
    let of = &checker.dialects.handoffs[dialect];
    if of.entries.is_some() {
        return entries(checker, tree, root, dialect, into);
    }
    let wrapped = tree.entries(root).find(|(key, _)| of.kinds.iter().any(|kind| is_root(tree, kind, *key)));
    let (key, document) = wrapped.map_or((None, root), |(key, value)| (Some(key), value));
    let kind = kind_of(of, tree, key, &Read::new(tree, document), path).unwrap_or(of.kinds.len() - 1);
    let is_rootless = of.kinds[kind].root.is_some() && key.is_none();
    let holder = key.map(|_| root);
    let plain = Candidate::plain(dialect, kind, document);
    into.candidates.push(Candidate { key, whole: root, holder, is_rootless, ..plain });
}

/// The dialect that a document without a key around it is of, other than the one that it is read as.
pub(crate) fn other<'c>(
    checker: &'c Checker,
    tree: &Tree<'_>,
    candidate: &Candidate,
    path: Option<&str>,
) -> Option<&'c Dialect> {
    let document = Read::new(tree, candidate.document);
    let others = checker.dialects.handoffs.iter().enumerate().filter(|(at, _)| *at != candidate.dialect);
    let mut others = others.map(|(_, dialect)| dialect).filter(|dialect| dialect.roots.is_optional);
    others.find(|dialect| dialect.recognise.holds_of(&document, path))
}

/// The handoffs that are the entries of a document.
fn entries(checker: &Checker, tree: &Tree<'_>, around: NodeId, dialect: usize, into: &mut FoundHandoffs) {
    let of = &checker.dialects.handoffs[dialect];
    let Some(entries) = &of.entries else { return };
    into.around.push((dialect, around));
    let before = into.candidates.len();
    // A list on the way stands for each of its items.
    let mut at: Vec<NodeId> = vec![around];
    for symbol in &entries.at.symbols {
        let each = at.iter().flat_map(|node| {
            let items = tree.items(*node).chain((tree.kind(*node) == Kind::Map).then_some(*node));
            items.filter_map(|map| tree.find_symbol(map, *symbol))
        });
        at = each.collect();
    }
    for node in at {
        let items = tree.items(node).map(|item| (None, item));
        let named = tree.entries(node).map(|(key, value)| (Some(key), value));
        let is_named = entries.key.is_some();
        for (name, item) in items.chain(named.filter(|_| is_named)) {
            if into.candidates.len() > checker.limits.handoffs {
                return;
            }
            if tree.kind(item) == Kind::Map {
                let plain = Candidate::plain(dialect, of.kinds.len() - 1, item);
                let is_later = into.candidates.len() > before;
                into.candidates.push(Candidate { around: Some(around), name, is_later, ..plain });
            }
        }
    }
}

struct Finder<'f> {
    checker: &'f Checker,
    tree: &'f Tree<'f>,
    source: Source<'f>,
    into: &'f mut FoundHandoffs,
}

impl Finder<'_> {
    fn below(&mut self, node: NodeId, depth: usize) {
        // One more than are read, so that it can be said that there are more.
        if self.into.candidates.len() > self.checker.limits.handoffs || depth > DEPTH_MAX {
            return;
        }
        match self.tree.kind(node) {
            Kind::List => {
                for item in self.tree.items(node) {
                    self.below(item, depth + 1);
                }
            }
            Kind::Map => {
                let document = Read::new(self.tree, node);
                if !self.wrapped(node, document.keys()) && !self.plain(node, &document) {
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
    fn wrapped(&mut self, map: NodeId, keys: Symbols) -> bool {
        if !keys.may_meet(self.checker.root_symbols) {
            return false;
        }
        let before = self.into.candidates.len();
        for (key, value) in self.tree.entries(map) {
            if !self.checker.roots.contains(&self.tree.symbol(key)) {
                continue;
            }
            let count = self.tree.entries(map).nth(1).map_or(1, |_| 2);
            let whole = if count == 1 { map } else { value };
            for value in self.each(value) {
                let document = Read::new(self.tree, value);
                if let Some((dialect, kind)) = self.recognised(Some(key), &document) {
                    let holder = (self.into.candidates.len() == before).then_some(map);
                    let plain = Candidate::plain(dialect, kind, value);
                    self.into.candidates.push(Candidate { key: Some(key), whole, holder, ..plain });
                }
            }
        }
        self.into.candidates.len() > before
    }

    /// The value itself, or the items where it is a list.
    fn each(&self, value: NodeId) -> Vec<NodeId> {
        if self.tree.kind(value) == Kind::List { self.tree.items(value).collect() } else { vec![value] }
    }

    /// A map that is a handoff as it stands.
    fn plain(&mut self, map: NodeId, document: &Read<'_>) -> bool {
        let found = self.recognised(None, document);
        if let Some((dialect, kind)) = found {
            if self.checker.dialects.handoffs[dialect].entries.is_some() {
                entries(self.checker, self.tree, map, dialect, self.into);
            } else {
                self.into.candidates.push(Candidate::plain(dialect, kind, map));
            }
        }
        found.is_some()
    }

    fn recognised(&self, key: Option<NodeId>, document: &Read<'_>) -> Option<(usize, usize)> {
        let dialects = &self.checker.dialects.handoffs;
        let Source { origin, path, forced } = self.source;
        let syntax = self.tree.syntax();
        (0..dialects.len())
            .filter(|at| forced.is_none_or(|forced| forced == *at))
            .filter(|at| dialects[*at].is_carried(syntax, origin))
            .filter(|at| {
                let roots = &dialects[*at].roots;
                match key {
                    Some(key) => roots.keys.iter().any(|root| is_key(self.tree, root, key)),
                    None => roots.is_optional,
                }
            })
            .find(|at| dialects[*at].recognise.holds_of(document, path))
            .and_then(|at| Some((at, kind_or_entries(&dialects[at], self.tree, key, document, path)?)))
    }
}

fn is_root(tree: &Tree<'_>, kind: &DialectKind, key: NodeId) -> bool {
    kind.root.as_ref().is_some_and(|root| is_key(tree, root, key))
}

fn is_key(tree: &Tree<'_>, known: &Key, key: NodeId) -> bool {
    let symbol = tree.symbol(key);
    known.symbol == symbol || known.aliases.iter().any(|(_, alias)| *alias == symbol)
}

/// The kind of a document; one of entries has none itself.
fn kind_or_entries(
    dialect: &Dialect,
    tree: &Tree<'_>,
    key: Option<NodeId>,
    document: &Read<'_>,
    path: Option<&str>,
) -> Option<usize> {
    if dialect.entries.is_some() { Some(0) } else { kind_of(dialect, tree, key, document, path) }
}

/// The first kind whose root and condition fit.
pub(crate) fn kind_of(
    dialect: &Dialect,
    tree: &Tree<'_>,
    key: Option<NodeId>,
    document: &Read<'_>,
    path: Option<&str>,
) -> Option<usize> {
    dialect.kinds.iter().position(|kind| {
        let fits = match key {
            Some(key) => is_root(tree, kind, key),
            None => true,
        };
        fits && kind.when.holds_of(document, path)
    })
}
