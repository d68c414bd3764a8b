//! Methods by which the reader of each notation builds a tree; offsets are relative to the block.

use super::{Kind, Node, NodeId, Symbol, Tree};
use crate::span::{Span, offset};

impl Tree<'_> {
    /// Forgets what was read so far.
    #[cold]
    pub(super) fn begin_again(&mut self) {
        self.nodes.clear();
        self.decoded.clear();
        self.suspects.clear();
    }

    /// Adds a scalar whose text is a part of the source.
    #[inline]
    pub(super) fn push(&mut self, kind: Kind, span: Span, text: Span) -> NodeId {
        let id = offset(self.nodes.len());
        self.nodes.push(Node {
            kind,
            is_decoded: false,
            is_key: false,
            symbol: Symbol::UNKNOWN,
            start: span.start,
            end: span.end,
            text_start: text.start,
            text_end: text.end,
            next: id + 1,
        });
        NodeId(id)
    }

    /// Adds a key of a map whose text is a part of the source.
    #[inline]
    pub(super) fn push_key(&mut self, map: NodeId, marks: &mut u64, span: Span, text: Span) {
        let id = offset(self.nodes.len());
        let bytes = &self.source.as_bytes()[text.range()];
        let symbol = self.keys.symbol_of(bytes);
        self.nodes.push(Node {
            kind: Kind::Text,
            is_decoded: false,
            is_key: true,
            symbol,
            start: span.start,
            end: span.end,
            text_start: text.start,
            text_end: text.end,
            next: id + 1,
        });
        self.note(map, mark(symbol, || bytes), marks);
    }

    /// Adds a scalar whose text differs from the source.
    pub(super) fn push_decoded(&mut self, kind: Kind, span: Span, text: &str) -> NodeId {
        self.push_decoded_parts(kind, span, [text])
    }

    /// Adds a scalar whose text is put together from parts.
    pub(super) fn push_decoded_parts<const N: usize>(
        &mut self,
        kind: Kind,
        span: Span,
        parts: [&str; N],
    ) -> NodeId {
        let start = offset(self.decoded.len());
        parts.iter().for_each(|part| self.decoded.push_str(part));
        let id = self.push(kind, span, Span::new(start, offset(self.decoded.len())));
        self.nodes[id.0 as usize].is_decoded = true;
        id
    }

    /// Makes a node a key.
    #[inline]
    pub(super) fn mark_key(&mut self, id: NodeId) {
        let node = &mut self.nodes[id.0 as usize];
        let bytes = if node.is_decoded { self.decoded.as_bytes() } else { self.source.as_bytes() };
        let symbol = self.keys.symbol_of(&bytes[node.text_start as usize..node.text_end as usize]);
        node.is_key = true;
        node.symbol = symbol;
    }

    /// Remembers a key of a map; one that may stand there already makes the map a suspect.
    #[inline]
    pub(super) fn note_key(&mut self, map: NodeId, key: NodeId, marks: &mut u64) {
        let mark = mark(self.symbol(key), || self.text(key).as_bytes());
        self.note(map, mark, marks);
    }

    #[inline]
    fn note(&mut self, map: NodeId, mark: u64, marks: &mut u64) {
        if *marks & mark != 0 && self.suspects.last() != Some(&map) {
            self.suspects.push(map);
        }
        *marks |= mark;
    }

    /// Opens a list or map.
    #[inline]
    pub(super) fn open(&mut self, kind: Kind, start: u32) -> NodeId {
        self.push(kind, Span::at(start), Span::default())
    }

    /// Closes a list or map: what was added since belongs to it.
    #[inline]
    pub(super) fn close(&mut self, id: NodeId, end: u32) {
        let next = offset(self.nodes.len());
        let node = &mut self.nodes[id.0 as usize];
        node.end = end;
        node.next = next;
    }

    /// Adds a value that could not be read.
    pub(super) fn push_broken(&mut self, span: Span) -> NodeId {
        self.push(Kind::Broken, span, span)
    }
}

/// A bit that is the same for the same key, and mostly another for another one.
#[inline]
fn mark<'k>(symbol: Symbol, text: impl FnOnce() -> &'k [u8]) -> u64 {
    if symbol != Symbol::UNKNOWN {
        return symbol.bit();
    }
    let text = text();
    1 << ((text.len() * 31 + usize::from(text.first().copied().unwrap_or_default())) & 63)
}
