//! Documents put together from what was read: a map with entries that do not stand in it.

use super::{Kind, Limits, Node, NodeId, Tree};
use crate::span::{Span, offset};

/// A value that a document has although it does not stand in it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InjectedValue<'g> {
    /// A scalar, with the place in the file that says it.
    Scalar(Kind, &'g str, Span),
    /// The text of a key.
    Key(NodeId),
    /// A value that stands elsewhere.
    Value(NodeId),
}

impl Tree<'_> {
    /// A map as it was read, with more entries behind its own; its values keep their places.
    ///
    /// Nothing where that would be more nodes than a block may have.
    pub(crate) fn with_given(
        &mut self,
        map: NodeId,
        given: &[(&str, InjectedValue<'_>)],
        limits: &Limits,
    ) -> Option<NodeId> {
        self.read.get_or_insert(offset(self.nodes.len()));
        let size = |tree: &Self, id: NodeId| (tree.node(id).next - id.0) as usize;
        let more: usize = given
            .iter()
            .map(|(_, given)| match given {
                InjectedValue::Scalar(..) | InjectedValue::Key(_) => 2,
                InjectedValue::Value(value) => 1 + size(self, *value),
            })
            .sum();
        if self.nodes.len() + size(self, map) + more > limits.nodes.saturating_mul(2) {
            self.is_cut = true;
            return None;
        }
        let made = self.copy(map);
        for (key, given) in given {
            let span = match given {
                InjectedValue::Scalar(_, _, span) => Span::new(span.start - self.base, span.end - self.base),
                InjectedValue::Key(id) | InjectedValue::Value(id) => {
                    Span::new(self.node(*id).start, self.node(*id).end)
                }
            };
            let name = self.push_decoded(Kind::Text, span, key);
            self.mark_key(name);
            match given {
                InjectedValue::Scalar(kind, text, _) => {
                    self.push_decoded(*kind, span, text);
                }
                InjectedValue::Key(id) => {
                    let copy = Node { is_key: false, next: offset(self.nodes.len()) + 1, ..*self.node(*id) };
                    self.nodes.push(copy);
                }
                InjectedValue::Value(id) => {
                    self.copy(*id);
                }
            }
        }
        self.nodes[made.0 as usize].next = offset(self.nodes.len());
        Some(made)
    }

    /// A copy of a node and what is below it, at the end.
    fn copy(&mut self, id: NodeId) -> NodeId {
        let (start, end) = (id.0, self.node(id).next);
        let made = offset(self.nodes.len());
        for at in start..end {
            let node = self.nodes[at as usize];
            self.nodes.push(Node { next: node.next - start + made, ..node });
        }
        NodeId(made)
    }
}
