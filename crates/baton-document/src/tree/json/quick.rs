//! Reads JSON in which nothing is wrong, as fast as it can, and gives up at the first doubt.
//!
//! The text is taken sixty-four bytes at a time: what of it stands in quotes is known from the quotes alone, and a bit
//! is kept for each quote and for each byte outside quotes that is no space. The reader goes from one to the next and
//! sees nothing between them.
//!
//! Invariant: what is read here is what [`super::forgiving`] would read without a finding.

use super::super::{Kind, Limits, NodeId, Tree};
use super::{number, unescaped};
use crate::bytes::{self, WIDTH};
use crate::span::{Span, offset};

/// Reads one value and nothing else; says false where something may be wrong, with the tree in any state.
pub(super) fn read(tree: &mut Tree<'_>, limits: &Limits) -> bool {
    let bytes = tree.source.as_bytes();
    let (marks, depth) = (Marks::of(bytes), limits.depth);
    // No value may follow so many nodes: the last one of a tree is a value.
    let nodes_max = limits.nodes.saturating_add(1);
    let mut reader = Reader { bytes, marks, depth, nodes_max, scalar_max: limits.scalar_bytes, tree };
    // So that a text which is too long goes beyond its block.
    limits.scalar_bytes >= WIDTH && reader.all().is_some()
}

/// The quotes of a text, and what stands outside quotes and is no space, block by block.
struct Marks<'s> {
    /// Those of the block that were not asked for yet.
    bits: u64,
    /// Start of the block.
    start: usize,
    /// Text after the block.
    rest: &'s [u8],
    /// All ones where the block ended in a text in quotes.
    is_in_text: u64,
    /// True if the block ended in a backslash that makes something of the first byte of the next.
    is_escaped: u64,
    /// The last backslash so far.
    slash: usize,
    /// True if a control character stands where none may.
    is_wrong: bool,
}

impl<'s> Marks<'s> {
    fn of(text: &'s [u8]) -> Self {
        // The first block comes behind one that starts before the text.
        let start = 0_usize.wrapping_sub(WIDTH);
        Self { bits: 0, start, rest: text, is_in_text: 0, is_escaped: 0, slash: 0, is_wrong: false }
    }

    /// Place of the first mark of the block that was not asked for yet.
    #[inline(always)]
    fn first(&self) -> usize {
        self.start + self.bits.trailing_zeros() as usize
    }

    /// Asks for that mark.
    #[inline(always)]
    fn take(&mut self) -> usize {
        let at = self.first();
        self.bits &= self.bits - 1;
        at
    }

    /// Goes on to the next block.
    #[inline(never)]
    fn go_on(&mut self) {
        match self.rest.split_first_chunk() {
            Some((chunk, rest)) => {
                self.rest = rest;
                self.block(bytes::block(chunk));
            }
            None => self.last(),
        }
    }

    /// Goes on to what is left of the text.
    #[cold]
    #[inline(never)]
    fn last(&mut self) {
        let rest = std::mem::take(&mut self.rest);
        self.block(bytes::last(rest, b' '));
    }

    /// Looks at the next block.
    #[inline(always)]
    fn block(&mut self, block: bytes::Block) {
        self.start = self.start.wrapping_add(WIDTH);
        let are = |byte| bytes::bits(&block, |some| bytes::are(some, byte));
        let mut quotes = are(b'"');
        if self.is_escaped != 0 || bytes::has(&block, |some| bytes::are(some, b'\\')) {
            quotes &= !self.escaped(are(b'\\'));
        }
        let outside = !self.in_text(quotes);
        let controls = bytes::bits(&block, |some| bytes::are_at_most(some, 0x1f));
        // What stands between values most often, in one look.
        let blanks = bytes::bits(&block, |some| bytes::are(some, b' ') | bytes::are(some, b'\n'));
        let mut space = blanks & outside;
        // Most blocks have no control character but the line breaks between values, and are not asked for more.
        let others = controls & !space;
        if others != 0 {
            space |= others & outside;
            self.is_wrong |= others & !((are(b'\t') | are(b'\r')) & outside) != 0;
        }
        self.bits = (outside ^ space) | quotes;
    }

    /// The bytes of a block that stand behind a backslash which is not itself behind one.
    #[cold]
    fn escaped(&mut self, slashes: u64) -> u64 {
        let mut escaped = self.is_escaped;
        self.is_escaped = 0;
        let mut rest = slashes & !escaped;
        while rest != 0 {
            let slash = rest & rest.wrapping_neg();
            self.slash = self.start + slash.trailing_zeros() as usize;
            let behind = slash << 1;
            self.is_escaped = u64::from(behind == 0);
            escaped |= behind;
            rest &= !(slash | behind);
        }
        escaped
    }

    /// The bytes of a block from each quote that opens a text to the one that closes it, which is not among them.
    #[inline]
    fn in_text(&mut self, quotes: u64) -> u64 {
        // Each bit tells whether the number of quotes up to it is odd.
        let mut odd = quotes;
        for by in [1, 2, 4, 8, 16, 32] {
            odd ^= odd << by;
        }
        odd ^= self.is_in_text;
        self.is_in_text = 0_u64.wrapping_sub(odd >> (WIDTH - 1));
        odd
    }
}

struct Reader<'r, 's> {
    bytes: &'s [u8],
    marks: Marks<'s>,
    /// Number of further maps and lists that may nest.
    depth: usize,
    nodes_max: usize,
    /// The bytes of one scalar.
    scalar_max: usize,
    tree: &'r mut Tree<'s>,
}

/// Each gives nothing where something may be wrong.
impl Reader<'_, '_> {
    /// Place of the next mark.
    #[inline(always)]
    fn mark(&mut self) -> Option<usize> {
        while self.marks.bits == 0 {
            self.go_on()?;
        }
        Some(self.marks.take())
    }

    /// The next mark and its byte.
    #[inline(always)]
    fn next(&mut self) -> Option<(usize, u8)> {
        let at = self.mark()?;
        Some((at, *self.bytes.get(at)?))
    }

    /// Goes on to the next block, if there is one. So many bytes have few values: here is time to count them.
    #[inline]
    fn go_on(&mut self) -> Option<()> {
        if self.marks.rest.is_empty() || self.tree.nodes.len() > self.nodes_max {
            return None;
        }
        self.marks.go_on();
        Some(())
    }

    fn all(&mut self) -> Option<()> {
        let (at, byte) = self.next()?;
        match byte {
            b'{' => self.map(at)?,
            b'[' => self.list(at)?,
            _ => return None,
        }
        let is_within = self.tree.nodes.len() <= self.nodes_max;
        (self.mark().is_none() && is_within && !self.marks.is_wrong).then_some(())
    }

    fn map(&mut self, start: usize) -> Option<()> {
        let map = self.open(Kind::Map, start)?;
        let mut seen = 0;
        let (mut at, mut byte) = self.next()?;
        if byte != b'}' {
            loop {
                if byte != b'"' {
                    return None;
                }
                let (whole, inner) = self.text(at)?;
                let (_, b':') = self.next()? else { return None };
                if self.has_slash(at) && self.is_slashed(inner) {
                    return None;
                }
                self.tree.push_key(map, &mut seen, whole, inner);
                let (first, kind) = self.next()?;
                self.value(first, kind)?;
                (at, byte) = self.next()?;
                match byte {
                    b',' => (at, byte) = self.next()?,
                    b'}' => break,
                    _ => return None,
                }
            }
        }
        self.close(map, at)
    }

    fn list(&mut self, start: usize) -> Option<()> {
        let list = self.open(Kind::List, start)?;
        let (mut at, mut byte) = self.next()?;
        if byte != b']' {
            loop {
                self.value(at, byte)?;
                (at, byte) = self.next()?;
                match byte {
                    b',' => (at, byte) = self.next()?,
                    b']' => break,
                    _ => return None,
                }
            }
        }
        self.close(list, at)
    }

    #[inline]
    fn open(&mut self, kind: Kind, start: usize) -> Option<NodeId> {
        self.depth = self.depth.checked_sub(1)?;
        Some(self.tree.open(kind, offset(start)))
    }

    #[inline]
    fn close(&mut self, id: NodeId, at: usize) -> Option<()> {
        self.depth += 1;
        self.tree.close(id, offset(at + 1));
        Some(())
    }

    #[inline(always)]
    fn value(&mut self, at: usize, first: u8) -> Option<()> {
        match first {
            b'"' => {
                let (whole, inner) = self.text(at)?;
                if self.has_slash(at) {
                    return self.text_with_slashes(whole, inner);
                }
                self.tree.push(Kind::Text, whole, inner);
                Some(())
            }
            b'{' => self.map(at),
            b'[' => self.list(at),
            _ => self.word(at),
        }
    }

    /// A text in quotes from the first of them on: all of it, and what is in it.
    #[inline(always)]
    fn text(&mut self, start: usize) -> Option<(Span, Span)> {
        if self.marks.bits == 0 {
            self.go_far(start)?;
        }
        let end = self.marks.take();
        Some((Span::new(offset(start), offset(end + 1)), Span::new(offset(start + 1), offset(end))))
    }

    /// Goes on to the block in which a text ends that started at a place in one before it; it may be too long.
    #[inline(never)]
    fn go_far(&mut self, start: usize) -> Option<()> {
        self.go_on()?;
        while self.marks.bits == 0 {
            self.go_on()?;
        }
        let length = self.marks.first() - (start + 1);
        (length <= self.scalar_max).then_some(())
    }

    /// Tells whether the text that started at a place may have a backslash in it.
    #[inline]
    fn has_slash(&self, start: usize) -> bool {
        self.marks.slash > start
    }

    /// Tells whether there is a backslash in a text.
    #[cold]
    #[inline(never)]
    fn is_slashed(&self, text: Span) -> bool {
        self.bytes.get(text.range()).is_none_or(|text| text.contains(&b'\\'))
    }

    #[cold]
    fn text_with_slashes(&mut self, whole: Span, inner: Span) -> Option<()> {
        let raw = self.tree.source.get(inner.range())?;
        if !raw.contains('\\') {
            self.tree.push(Kind::Text, whole, inner);
            return Some(());
        }
        let mut is_right = true;
        let text = unescaped(raw, |_| is_right = false);
        self.tree.push_decoded(Kind::Text, whole, &text);
        is_right.then_some(())
    }

    /// A number, or one of the three words.
    #[inline(never)]
    fn word(&mut self, start: usize) -> Option<()> {
        let rest = &self.bytes[start..];
        let (kind, length) = match rest {
            [b't', b'r', b'u', b'e', ..] => (Kind::True, 4),
            [b'f', b'a', b'l', b's', b'e', ..] => (Kind::False, 5),
            [b'n', b'u', b'l', b'l', ..] => (Kind::Null, 4),
            _ => number(rest)?,
        };
        let span = Span::new(offset(start), offset(start + length));
        self.tree.push(kind, span, span);
        // Each of its bytes has a mark.
        let end = start + length - self.marks.start;
        if end < WIDTH {
            self.marks.bits &= u64::MAX << end;
        } else {
            for _ in 1..length {
                self.mark()?;
            }
        }
        Some(())
    }
}
