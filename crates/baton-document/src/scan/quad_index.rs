//! The table by which the prefilter meets its words.
//!
//! A text of seven bytes has four that start at a multiple of four, wherever it stands; the number of these four is
//! looked up. The compiler makes the table, so that no start of the program has to.
//!
//! Invariant: whatever a word of `words.rs` is written like, any four of its first seven bytes are in the table.

use wide::bytemuck::cast;
use wide::{i16x8, u8x16, u32x4};

use super::words::{LETTERS, SuspectWord, WORDS};

/// The bytes of which four are met wherever they stand.
const WHOLE: usize = 7;
/// So many slots that other words seldom fall into one, and that a slot is two bytes.
const SLOTS: usize = 1 << 16;

/// The words, by any four bytes of theirs that a pass may meet first.
pub(super) struct QuadIndex {
    /// The list of the four of each slot that has one; none where there is none.
    pub(super) table: [u8; SLOTS],
    /// The first entry of each list.
    lists: [u16; LISTS],
    /// The quads with their words; the first stands for none.
    entries: [Entry; ENTRIES],
    /// Number of entries, the one for none included.
    count: u16,
}

/// Four bytes of a word.
#[derive(Clone, Copy, Debug)]
struct Entry {
    four: u32,
    /// Bytes from the start of the word; one before it is -1.
    offset: i8,
    /// The first byte of the word.
    first: u8,
    /// The word, by its row.
    row: u8,
    /// The next entry of the list.
    next: u16,
}

/// All words, by their quads.
pub(super) static TABLE: QuadIndex = QuadIndex::new();

/// A slot without any four.
pub(super) const NONE: u8 = 0;
/// A slot with quads of more than one list.
const MANY: u8 = 0xff;
/// The lists that entries are spread over, the one of none included.
const LISTS: usize = MANY as usize;
/// Room for all entries.
const ENTRIES: usize = 1_300;
/// The ways to write a blank that matter to quads.
const BLANKS: &[&[u8]] = &[b" ", b"\n", b"\\n"];

impl QuadIndex {
    const fn new() -> Self {
        let none = Entry { four: 0, offset: 0, first: 0, row: 0, next: 0 };
        let mut words = Self { table: [NONE; SLOTS], lists: [0; LISTS], entries: [none; ENTRIES], count: 1 };
        let mut row = 0;
        while (row as usize) < WORDS.len() {
            let word = &WORDS[row as usize];
            let mut start = 0;
            while start < word.starts.len() {
                words.written(row, &[word.starts[start]], 0);
                start += 1;
            }
            if word.starts.is_empty() {
                words.written(row, &[], 0);
            }
            row += 1;
        }
        words
    }

    /// Enters a word of which some bytes are written, in every way to go on that matters to its quads.
    const fn written(&mut self, row: u8, whole: &[u8], taken: usize) {
        let word = &WORDS[row as usize];
        let text = word.text.as_bytes();
        if let Some(whole) = whole.first_chunk() {
            self.enter(row, whole);
        } else if taken < text.len() && text[taken] == b' ' {
            let mut way = 0;
            while way < BLANKS.len() {
                self.longer(row, whole, BLANKS[way], taken + 1);
                way += 1;
            }
        } else if taken < text.len() {
            self.longer(row, whole, &[text[taken]], taken + 1);
        } else {
            assert!(taken == text.len() && !word.ends.is_empty(), "a word is too short to be met");
            let mut end = 0;
            while end < word.ends.len() {
                self.longer(row, whole, &[word.ends[end]], taken + 1);
                end += 1;
            }
        }
    }

    /// Goes on with a word when some bytes more are written.
    const fn longer(&mut self, row: u8, whole: &[u8], more: &[u8], taken: usize) {
        let mut longer = [0; WHOLE + 1];
        let (first, last) = longer.split_at_mut(whole.len());
        first.copy_from_slice(whole);
        let (own, _) = last.split_at_mut(more.len());
        own.copy_from_slice(more);
        self.written(row, longer.split_at(whole.len() + more.len()).0, taken);
    }

    /// Enters the quads of a word that is written.
    const fn enter(&mut self, row: u8, whole: &[u8; WHOLE]) {
        let word = &WORDS[row as usize];
        let first = word.text.as_bytes()[0];
        let before = if word.starts.is_empty() { 0 } else { 1 };
        let mut rest = whole.as_slice();
        let mut offset = -before;
        while let Some(four) = rest.first_chunk() {
            self.entry(Entry { four: folded(*four), offset, first, row, next: 0 });
            rest = rest.split_at(1).1;
            offset += 1;
        }
    }

    /// Puts an entry at the head of its list, unless it is there.
    const fn entry(&mut self, entry: Entry) {
        let list = list(entry.four);
        let head = self.lists[list as usize];
        let mut at = head;
        while at != 0 {
            let other = &self.entries[at as usize];
            if other.four == entry.four && other.offset == entry.offset && other.row == entry.row {
                return;
            }
            at = other.next;
        }
        self.entries[self.count as usize] = Entry { next: head, ..entry };
        self.lists[list as usize] = self.count;
        self.count += 1;
        let held = &mut self.table[slot(entry.four) as usize];
        *held = if *held == NONE || *held == list { list } else { MANY };
    }

    /// Calls for the words that may have the four bytes at a place, with where each starts, given what their slot has.
    #[inline]
    pub(super) fn each_with(
        &self,
        held: u8,
        four: u32,
        bytes: &[u8],
        at: usize,
        mut call: impl FnMut(&'static SuspectWord, usize),
    ) {
        let list = if held == MANY { list(four) } else { held };
        let mut next = self.lists.get(usize::from(list)).copied().unwrap_or_default();
        while let Some(entry) = self.entries.get(usize::from(next)).filter(|_| next != 0) {
            next = entry.next;
            if entry.four != four {
                continue;
            }
            let Some(start) = at.checked_sub_signed(isize::from(entry.offset)) else { continue };
            // Most that have four bytes of a word differ from it at once.
            if bytes.get(start).is_some_and(|byte| (byte ^ entry.first) & LETTERS == 0)
                && let Some(word) = WORDS.get(usize::from(entry.row))
            {
                call(word, start);
            }
        }
    }
}

/// Four bytes as one number, with letters in no case.
const fn folded(four: [u8; 4]) -> u32 {
    u32::from_le_bytes(four) & u32::from_le_bytes([LETTERS; 4])
}

/// The list of four bytes, which has little to do with their slot.
const fn list(four: u32) -> u8 {
    four.wrapping_mul(0x9e37_79b1).to_be_bytes()[0] % (MANY - 1) + 1
}

// Tried on prose: with these the quads of other words fall into the slots of words as seldom as they can.
const MIX: [i16; 2] = [26_163, -25_025];
const SHIFT: u32 = 10;

/// The slot of four bytes whose letters are taken in no case.
const fn slot(four: u32) -> u16 {
    let [a, b, c, d] = four.to_le_bytes();
    let (first, second) = (i16::from_le_bytes([a, b]) as i32, i16::from_le_bytes([c, d]) as i32);
    let mixed = first * MIX[0] as i32 + second * MIX[1] as i32;
    let [low, high, ..] = (mixed.cast_unsigned() >> SHIFT).to_le_bytes();
    u16::from_le_bytes([low, high])
}

/// The slots of each four of sixteen bytes, whose letters are taken in no case.
#[inline]
pub(super) fn slots(sixteen: u8x16) -> [u16; 4] {
    const MIXES: [i16; 8] = [MIX[0], MIX[1], MIX[0], MIX[1], MIX[0], MIX[1], MIX[0], MIX[1]];
    let twos: i16x8 = cast(sixteen & u8x16::splat(LETTERS));
    let mixed: u32x4 = cast(twos.dot(i16x8::new(MIXES)));
    let [first, _, second, _, third, _, fourth, _]: [u16; 8] = cast(mixed >> SHIFT);
    [first, second, third, fourth]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_fours_share_a_slot() {
        let taken = TABLE.table.iter().filter(|held| **held != NONE).count();
        assert!(taken < 1_000, "{} in {taken}", TABLE.count);
    }

    #[test]
    fn one_four_has_the_slot_that_it_has_among_sixteen_bytes() {
        for four in TABLE.entries.iter().map(|entry| entry.four).chain([0, u32::MAX]) {
            let four = four & u32::from_le_bytes([LETTERS; 4]);
            assert_eq!(slots(cast([four; 4])), [slot(four); 4], "{four:x}");
        }
    }
}
