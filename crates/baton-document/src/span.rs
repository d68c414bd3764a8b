//! Places in a file: byte spans, and the lines and columns people read.
//!
//! Invariant: a span is a half-open range of byte offsets into the original file, on character boundaries.

use serde::Serialize;

/// A half-open range of byte offsets into a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset just past the last byte.
    pub end: u32,
}

impl Span {
    /// Makes a span from two offsets.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Makes an empty span at an offset.
    pub fn at(offset: u32) -> Self {
        Self { start: offset, end: offset }
    }

    /// Moves a span by the offset of the block it was measured in.
    #[must_use]
    pub fn shifted(self, base: u32) -> Self {
        Self { start: self.start + base, end: self.end + base }
    }

    /// Gives the range for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A place as people and scripts read it: line and column from 1, columns in Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The byte offset, from 0.
    pub offset: u32,
}

/// The two ends of a span as places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PlacedSpan {
    /// Its start.
    pub start: LineColumn,
    /// Just past where it ends.
    pub end: LineColumn,
}

/// Turns offsets into places; made once per file, and only when there is something to say.
#[derive(Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<u32>,
    /// The characters before each block, so that a column far out on a long line is not counted from its start.
    before: Vec<u32>,
}

/// The bytes of one block.
const BLOCK: usize = 4096;

/// The byte order mark, which is no column of its own.
pub(crate) const BOM: &str = "\u{feff}";

impl<'t> LineIndex<'t> {
    /// Finds the lines of a text.
    pub fn new(text: &'t str) -> Self {
        let mut starts = vec![if text.starts_with(BOM) { 3 } else { 0 }];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| offset(at + 1)));
        let mut count = 0;
        let mut before = vec![0];
        for block in text.as_bytes().chunks(BLOCK) {
            count += characters(block);
            before.push(count);
        }
        Self { text, starts, before }
    }

    /// The characters that start before an offset.
    fn characters_before(&self, at: u32) -> u32 {
        let block = at as usize / BLOCK;
        self.before[block] + characters(&self.text.as_bytes()[block * BLOCK..at as usize])
    }

    /// Gives the place of an offset.
    pub fn place(&self, at: u32) -> LineColumn {
        let at = at.min(offset(self.text.len()));
        let line = self.starts.partition_point(|start| *start <= at).max(1);
        let start = self.starts[line - 1].min(at);
        let column = self.characters_before(at) - self.characters_before(start) + 1;
        LineColumn { line: offset(line), column, offset: at }
    }

    /// Gives both ends of a span as places.
    pub fn placed(&self, span: Span) -> PlacedSpan {
        PlacedSpan { start: self.place(span.start), end: self.place(span.end) }
    }

    /// Gives the offset at which a line ends, its line end excluded.
    pub fn end_of(&self, line: usize) -> u32 {
        let next = self.starts.get(line).map_or(self.text.len(), |next| *next as usize - 1);
        let is_return = next > 0 && self.starts.len() > line && self.text.as_bytes()[next - 1] == b'\r';
        offset(next - usize::from(is_return))
    }

    /// Gives the offset of a line and column, for readers that count in those.
    pub fn offset_of(&self, line: usize, column: usize) -> u32 {
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(offset(self.text.len()));
        let rest = &self.text[start as usize..];
        let skipped: usize = rest.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
        start + offset(skipped)
    }
}

/// The characters that start in some bytes of a text.
fn characters(bytes: &[u8]) -> u32 {
    offset(bytes.iter().filter(|byte| (**byte & 0xc0) != 0x80).count())
}

/// Narrows a position in a file to an offset.
///
/// Files are at most `u32::MAX` bytes long: the size limit is checked before anything is read.
#[expect(clippy::cast_possible_truncation, reason = "the limit on a file's size is far below 4 GiB")]
pub(crate) fn offset(at: usize) -> u32 {
    debug_assert!(u32::try_from(at).is_ok(), "a file is below 4 GiB");
    at as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_offsets_count_bytes() {
        let index = LineIndex::new("é: 1\nab: ü2\n");
        assert_eq!(index.place(4), LineColumn { line: 1, column: 4, offset: 4 });
        assert_eq!(index.place(12), LineColumn { line: 2, column: 6, offset: 12 });
        assert_eq!(index.offset_of(2, 6), 12);
    }

    #[test]
    fn a_column_far_out_is_the_same_as_counted() {
        let text = format!("x\n{}", "aé中😀".repeat(5000));
        let index = LineIndex::new(&text);
        for (column, (at, _)) in text[2..].char_indices().enumerate().step_by(97) {
            assert_eq!(index.place(offset(at + 2)).column, offset(column + 1));
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_column() {
        // proves A-11
        let index = LineIndex::new("\u{feff}a: 1\r\nb: 2\r\n");
        assert_eq!(index.place(3), LineColumn { line: 1, column: 1, offset: 3 });
        assert_eq!(index.place(9), LineColumn { line: 2, column: 1, offset: 9 });
        assert_eq!(index.place(0).line, 1);
    }
}
