//! Merges the bytes of a piece into tokens by rank, and counts them.
//!
//! The pair of neighbours whose bytes are the token of lowest rank becomes one part, the leftmost
//! first, until no pair is a token.
//!
//! Invariant: both ways of merging give the same count, and the time for a piece of n bytes grows
//! with n log n.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::table::{NO_RANK, TABLE};

/// The longest piece that is merged by looking at all its parts in turn: for so few that is faster
/// than a heap.
const SHORT_LEN_MAX: usize = 64;

/// Counts the tokens of pieces, one after the other in the same memory.
#[derive(Default)]
pub(super) struct Merger {
    parts: Vec<PiecePart>,
}

/// A part of a short piece: where it starts, and the rank that it and the next part make together.
struct PiecePart {
    start: usize,
    rank: u32,
}

impl Merger {
    /// Counts the tokens of a piece.
    pub(super) fn count(&mut self, piece: &[u8]) -> usize {
        // A piece that is itself a token is one, even where merging would not arrive at it.
        if TABLE.rank(piece) != NO_RANK {
            1
        } else if piece.len() <= SHORT_LEN_MAX {
            self.count_short(piece)
        } else {
            count_long(piece)
        }
    }

    fn count_short(&mut self, piece: &[u8]) -> usize {
        let parts = &mut self.parts;
        parts.clear();
        parts.extend((0..piece.len()).map(|start| PiecePart { start, rank: pair_rank(piece, start) }));

        while let Some((at, best)) = parts.iter().enumerate().min_by_key(|(_, part)| part.rank)
            && best.rank != NO_RANK
        {
            // The part after the last one starts where the piece ends.
            let start_of = |at: usize| parts.get(at).map_or(piece.len(), |part| part.start);
            let (start, end) = (best.start, start_of(at + 2));
            let rank = if end < piece.len() { TABLE.rank(&piece[start..start_of(at + 3)]) } else { NO_RANK };
            parts[at].rank = rank;
            if let Some(before) = at.checked_sub(1) {
                parts[before].rank = TABLE.rank(&piece[parts[before].start..end]);
            }
            parts.remove(at + 1);
        }
        parts.len()
    }
}

/// Finds the rank of the two bytes that start here.
fn pair_rank(piece: &[u8], start: usize) -> u32 {
    match piece.get(start..start + 2) {
        Some(pair) => TABLE.rank(pair),
        None => NO_RANK,
    }
}

/// A part of a long piece, kept at the offset where it starts.
#[derive(Clone)]
struct Link {
    /// Start of the part before; of the first part, its own start.
    before: usize,
    /// End of the part, and the next one starts.
    end: usize,
    /// The rank that it and the next part make together.
    rank: u32,
}

fn count_long(piece: &[u8]) -> usize {
    let mut links: Vec<Link> = (0..piece.len())
        .map(|start| Link { before: start.saturating_sub(1), end: start + 1, rank: pair_rank(piece, start) })
        .collect();
    let mut merges: BinaryHeap<Reverse<Merge>> = links
        .iter()
        .enumerate()
        .filter(|(_, link)| link.rank != NO_RANK)
        .map(|(start, link)| Reverse(Merge::new(link.rank, start)))
        .collect();

    let mut count = piece.len();
    while let Some(Reverse(merge)) = merges.pop() {
        let (rank, start) = merge.parts();
        // A pair that has changed since then has another rank: a rank is one string of bytes.
        if links[start].rank != rank {
            continue;
        }
        let middle = links[start].end;
        let end = links[middle].end;
        links[start].end = end;
        links[middle].rank = NO_RANK;
        if let Some(next) = links.get_mut(end) {
            next.before = start;
        }
        count -= 1;

        let before = links[start].before;
        let pairs = [(before < start).then_some(before), Some(start)];
        for left in pairs.into_iter().flatten() {
            let rank = match links.get(links[left].end) {
                Some(right) => TABLE.rank(&piece[left..right.end]),
                None => NO_RANK,
            };
            links[left].rank = rank;
            if rank != NO_RANK {
                merges.push(Reverse(Merge::new(rank, left)));
            }
        }
    }
    count
}

/// A pair to merge: its rank in the high bits and its start in the low ones, so that the order of
/// the numbers is the order of merging.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Merge(u64);

impl Merge {
    /// Bits that the three bytes of a rank leave of the number: room for a piece of a terabyte.
    const START_BITS: u32 = 40;

    fn new(rank: u32, start: usize) -> Self {
        Self(u64::from(rank) << Self::START_BITS | start as u64)
    }

    fn parts(self) -> (u32, usize) {
        let start = self.0 & ((1 << Self::START_BITS) - 1);
        ((self.0 >> Self::START_BITS) as u32, usize::try_from(start).expect("it was a usize"))
    }
}
