//! Maps that take over what others say: the key `<<`, behind which an alias stands, or a list of them.
//!
//! No part of YAML 1.2, and understood by so many readers that documents rely on it. What the map says itself counts
//! before what it takes over, and of several maps the first.
//!
//! Invariant: what is copied is within the budget of aliases, and what is refused is said a bounded number of times.

use crate::tree::findings;
use std::collections::HashSet;

use granit_parser::Event;

use super::Builder;
use crate::span::{Span, offset};
use crate::tree::{Kind, Node, NodeId, Tree};

/// Role of the next value.
#[derive(Clone, Copy)]
pub(super) enum Merging {
    /// It is a value.
    No,
    /// It stands behind a `<<`, and is an alias or a list of them, whose maps are taken over.
    Value(Span),
    /// It is one of that list, or so deep inside of one that is none.
    Item(usize),
}

/// The key that takes over what maps say.
pub(super) const MERGE: &str = "<<";

impl<'t> Builder<'_, 't, '_> {
    /// Takes what stands behind `<<`: an alias, or a list of them, each of a map.
    pub(super) fn merge(&mut self, key: Option<Span>, deep: usize, event: &Event<'t>, span: Span) {
        if let Some(open) = self.open.last_mut() {
            open.end = open.end.max(span.end);
        }
        let is_start = matches!(event, Event::SequenceStart(..) | Event::MappingStart(..));
        let is_end = matches!(event, Event::SequenceEnd | Event::MappingEnd);
        match (event, key) {
            (Event::Alias(anchor), _) if deep == 0 => {
                self.merging = if key.is_some() { Merging::No } else { Merging::Item(0) };
                self.merge_alias(*anchor, span);
            }
            (Event::SequenceStart(..), Some(_)) => self.merging = Merging::Item(0),
            (_, Some(key)) => {
                // It is read as if it were a key like any other.
                self.refuse_merge(span);
                self.merging = Merging::No;
                self.tree.push(Kind::Text, key, key);
                self.after_node(key.end);
                self.take(event, span);
            }
            (_, None) if is_end && deep == 0 => self.merging = Merging::No,
            (_, None) => {
                if deep == 0 {
                    self.refuse_merge(span);
                }
                self.merging = Merging::Item(deep + usize::from(is_start) - usize::from(is_end));
            }
        }
    }

    /// Reports a merge of no map, as often as findings are kept.
    fn refuse_merge(&mut self, span: Span) {
        self.findings.push(findings::bad_merge(span.shifted(self.tree.base)));
        if self.findings.len() >= self.limits.syntax_findings {
            self.findings.extend(self.findings.last().map(findings::cut_off));
            self.is_stopped = true;
        }
    }

    fn merge_alias(&mut self, anchor: usize, span: Span) {
        let place = span.shifted(self.tree.base);
        let map = self.anchors.get(&anchor).copied().filter(|id| self.tree.kind(*id) == Kind::Map);
        let Some(map) = map else { return self.refuse_merge(span) };
        self.alias_nodes += (self.tree.node(map).next - map.0) as usize;
        if self.alias_nodes > self.limits.alias_nodes {
            self.findings.push(findings::alias_bomb(place, self.limits.alias_nodes));
            self.is_stopped = true;
            return;
        }
        self.merges.push((self.open.len(), map));
    }

    /// Adds to the map that was just read what others say with a key that it has not; the first that has it counts.
    ///
    /// Like what an alias copies, the entries keep the place where their text stands.
    pub(super) fn take_over(&mut self, into: NodeId) {
        let depth = self.open.len() + 1;
        let first = self.merges.partition_point(|(at, _)| *at < depth);
        if first == self.merges.len() {
            return;
        }
        let tree = &*self.tree;
        // Keys are of any author: a hash without a secret could be made to collide.
        let mut keys: HashSet<&str> = HashSet::new();
        let mut taken = Vec::new();
        let own = entries(tree, into.0 + 1, offset(tree.nodes.len()));
        keys.extend(own.map(|(key, _)| tree.text(NodeId(key))));
        for (_, map) in &self.merges[first..] {
            let theirs = entries(tree, map.0 + 1, tree.node(*map).next);
            taken.extend(theirs.filter(|(key, _)| keys.insert(tree.text(NodeId(*key)))));
        }
        self.merges.truncate(first);
        for (key, end) in taken {
            let moved = offset(self.tree.nodes.len()) - key;
            for at in key as usize..end as usize {
                let node = self.tree.nodes[at];
                self.tree.nodes.push(Node { next: node.next + moved, ..node });
            }
        }
    }
}

/// The entries of a map between two nodes: where each key stands, and where its value ends.
fn entries(tree: &Tree<'_>, from: u32, to: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let key = at;
        // A map that was cut off may end with a key.
        (key + 1 < to).then(|| {
            at = tree.node(NodeId(key + 1)).next;
            (key, at)
        })
    })
}
