//! The prefilter that every handoff gets: one pass that says where a closer look is worth it.
//!
//! A text is worth a look where a long run of letters and digits stands, as in every token, or one of some words. A
//! token is known by its length and not by its form, so that the prefilter costs the same however many forms there are.
//! Most handoffs have neither, and then nothing is allocated.
//!
//! The pass takes sixty-four bytes at a time, with a bit for each that a token may have; ones that stand together are
//! found by shifting. Words are found by four of their bytes. What is too short for either is known by a sign that is
//! rare: an address with a password by its `@`, and `pwd` by two of its letters.
//!
//! Invariant: what is noted is a small part of the text, however much of it is suspect.

use std::ops::Range;

use wide::bytemuck::cast;
use wide::{i16x8, u8x16};

use super::joined::is_split_at;
use super::quad_index::{NONE, QuadIndex, TABLE, slots};
use super::words::{self, LETTERS, Near, SuspectWord};
use crate::bytes::{self, WIDTH};

/// The bytes of the shortest run that is looked at: the shortest token is an AWS access key with 20.
const RUN_MIN: usize = 20;
/// Bytes before a run in which a word may stand that makes a secret of it.
const BEFORE: usize = 64;
/// Bytes after a word in which its value may start.
const AFTER: usize = 16;

/// Bytes between two words of instructions that are noted: those between are examined with the first.
pub(crate) const APART: usize = 120;

/// Bytes before its `@` in which an address may start: a name of 64 characters, a password of 128, and signs between.
const ADDRESS_MAX: usize = (64 + 128) * 4 + 5;
/// Two letters or signs of `pwd`, `pw:`, `pw=` and `mdp`, of which one pair stands at an even place: words too short for
/// the table. They are compared without the bit that tells small letters from large ones.
const PAIRS: [i16; 6] = [
    i16::from_le_bytes(*b"PW"),
    i16::from_le_bytes(*b"WD"),
    i16::from_le_bytes([b'W', b':' & LETTERS]),
    i16::from_le_bytes([b'W', b'=' & LETTERS]),
    i16::from_le_bytes(*b"MD"),
    i16::from_le_bytes(*b"DP"),
];
/// Letters that patterns without case take for ASCII: the long s, and the sign of Kelvin.
const LONG_S: [u8; 2] = *b"\xc5\xbf";
const KELVIN: [u8; 3] = *b"\xe2\x84\xaa";

/// Result of the prefilter.
#[derive(Debug, Default)]
pub(crate) struct Prefilter {
    /// Ranges in which secrets may be, in order, none meeting another.
    pub(crate) secrets: Vec<Range<usize>>,
    /// Offsets of words of instructions, in order, those of a kind `APART` from each other.
    pub(crate) instructions: Vec<usize>,
    /// True if there is anything but ASCII.
    pub(crate) is_international: bool,
    /// True if there may be letters that look like those of ASCII.
    pub(crate) may_look_alike: bool,
    /// True if a line end may split a secret.
    pub(super) is_split: bool,
}

impl Prefilter {
    /// Tells whether nothing asks for a closer look.
    pub(crate) fn is_clean(&self) -> bool {
        self.secrets.is_empty() && self.instructions.is_empty() && !self.is_international
    }

    /// Goes over a text.
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let words = &TABLE;
        let mut pass =
            Pass { bytes, words, prefilter: Prefilter::default(), run_end: 0, together: Together::default() };
        let (whole, rest) = bytes.as_chunks();
        let mut all = u8x16::ZERO;
        let mut pairs = i16x8::ZERO;
        for (count, block) in whole.iter().enumerate() {
            all |= pass.block(block, count * WIDTH, &mut pairs);
        }
        if !rest.is_empty() {
            let mut last = [b' '; WIDTH];
            last[..rest.len()].copy_from_slice(rest);
            all |= pass.block(&last, whole.len() * WIDTH, &mut pairs);
        }
        let mut prefilter = pass.prefilter;
        prefilter.is_international = bytes::are_not_ascii(all).to_bitmask() != 0;
        if prefilter.is_international {
            prefilter.other_letters(bytes);
        }
        if pairs.to_bitmask() != 0 {
            prefilter.assigned(bytes);
        }
        if let Some(first) = memchr::memchr(b'@', bytes) {
            prefilter.addresses(bytes, first);
        }
        prefilter
    }

    /// Notes letters that are none of ASCII but are taken or read for one: no word of the table has them.
    #[cold]
    fn other_letters(&mut self, bytes: &[u8]) {
        // The first byte of the one and the second of the other: neither is met often.
        let all = memchr::memchr2_iter(LONG_S[0], KELVIN[1], bytes).filter(|at| {
            bytes[*at..].starts_with(&LONG_S) || bytes[at.saturating_sub(1)..].starts_with(&KELVIN)
        });
        let mut more: Vec<usize> = Vec::new();
        let mut note = |all: &mut dyn Iterator<Item = usize>| {
            let mut last = None;
            for at in all {
                if last.is_none_or(|last| at > last + APART) {
                    more.push(at);
                    last = Some(at);
                }
            }
        };
        note(&mut { all });
        self.may_look_alike = has_alike(bytes);
        if self.may_look_alike {
            note_alike(bytes, &mut note);
        }
        if !more.is_empty() {
            self.instructions.append(&mut more);
            self.instructions.sort_unstable();
        }
    }

    /// Notes each `pwd`, `pw` and `mdp` that something is assigned to.
    #[cold]
    fn assigned(&mut self, bytes: &[u8]) {
        let word = |at: usize| {
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric();
            let start = at.checked_sub(1)?;
            let names: &[&[u8]] =
                if bytes[at].eq_ignore_ascii_case(&b'w') { &[b"pwd", b"pw"] } else { &[b"mdp"] };
            let starts = |name: &&&[u8]| {
                let end = start + name.len();
                let is_whole =
                    name.len() == 3 && **name == b"pwd" || !bytes[..start].last().is_some_and(is_name);
                bytes.get(start..end).is_some_and(|own| own.eq_ignore_ascii_case(name))
                    && bytes.get(end).is_some_and(|next| words::is_assigned(*next))
                    && is_whole
            };
            names.iter().find(starts).map(|name| start..start + name.len())
        };
        let all: Vec<Range<usize>> = memchr::memchr2_iter(b'w', b'W', bytes).filter_map(word).collect();
        self.more_secrets(all.into_iter(), bytes.len());
        let all: Vec<Range<usize>> = memchr::memchr2_iter(b'd', b'D', bytes).filter_map(word).collect();
        self.more_secrets(all.into_iter(), bytes.len());
    }

    /// Notes the addresses with a password: what stands between `://` and an `@` has a colon.
    #[cold]
    fn addresses(&mut self, bytes: &[u8], first: usize) {
        let address = |at: usize| {
            let before = &bytes[at.saturating_sub(ADDRESS_MAX)..at];
            let is_end = |byte: &u8| matches!(byte, b' ' | b'\n' | b'"' | b'<' | b'@');
            let start = before.iter().rposition(is_end).map_or(0, |end| end + 1);
            let slashes = memchr::memmem::rfind(&before[start..], b"://")? + start;
            memchr::memchr(b':', &before[slashes + 3..])?;
            Some(at - (before.len() - slashes)..at)
        };
        let all = memchr::memchr_iter(b'@', &bytes[first..]).filter_map(|at| address(first + at));
        self.more_secrets(all, bytes.len());
    }

    /// Notes more places where secrets may be.
    fn more_secrets(&mut self, all: impl Iterator<Item = Range<usize>>, length: usize) {
        let mut more = Self::default();
        for one in all {
            more.secret(one.start.saturating_sub(BEFORE)..(one.end + AFTER).min(length));
        }
        if !more.secrets.is_empty() {
            more.secrets.append(&mut self.secrets);
            more.secrets.sort_unstable_by_key(|range| range.start);
            more.secrets.into_iter().for_each(|range| self.secret(range));
        }
    }

    /// Notes a place where a secret may be, together with those noted before that it meets.
    fn secret(&mut self, mut range: Range<usize>) {
        while let Some(last) = self.secrets.pop_if(|last| range.start <= last.end) {
            range = range.start.min(last.start)..range.end.max(last.end);
        }
        self.secrets.push(range);
    }
}

/// Tells whether some bytes may be the first of letters that look like those of ASCII: of Greek, of Cyrillic, wide ones, and
/// those of mathematics.
fn has_alike(text: &[u8]) -> bool {
    let are_leads = |bytes: u8x16| {
        bytes::are_at_most(bytes - u8x16::splat(0xce), 0xd4 - 0xce)
            | bytes::are_at_most(bytes - u8x16::splat(0xef), 0xf0 - 0xef)
    };
    (0..text.len()).step_by(WIDTH).any(|at| bytes::bits(&bytes::from(text, at, b' '), are_leads) != 0)
}

/// Hands on where such letters stand: those of Greek and Cyrillic only among letters of ASCII.
#[cold]
fn note_alike(bytes: &[u8], note: &mut dyn FnMut(&mut dyn Iterator<Item = usize>)) {
    let is_letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphabetic);
    let is_among = |at: &usize| is_letter(at.checked_sub(1)) || is_letter(Some(at + 2));
    note(&mut memchr::memchr3_iter(0xce, 0xd0, 0xd1, bytes).filter(is_among));
    note(&mut memchr::memchr3_iter(0xcf, 0xd2, 0xd4, bytes).filter(is_among));
    let is_form = |at: &usize| matches!(bytes[*at..], [0xef, 0xbc | 0xbd, ..] | [0xf0, 0x9d, ..]);
    note(&mut memchr::memchr2_iter(0xef, 0xf0, bytes).filter(is_form));
}

/// The bytes that a token may have: those from `%` on that are ASCII.
#[inline]
fn may_be_of_tokens(bytes: u8x16) -> u8x16 {
    bytes::are_at_most(bytes - u8x16::splat(b'%'), 0x7f - b'%')
}

/// The bytes that may split a secret by themselves: line ends, and what starts a colour of a terminal.
#[inline]
fn may_split(bytes: u8x16) -> u8x16 {
    bytes::are_at_most(bytes - u8x16::splat(b'\n'), 0x1b - b'\n')
}

/// The bytes that make more of a run than a plain word: digits and large letters, and some signs between them.
#[inline]
fn may_be_no_word(bytes: u8x16) -> u8x16 {
    bytes::are_at_most(bytes - u8x16::splat(b'0'), b'Z' - b'0')
}

/// Which bytes have some of their kind before them, together with the block before: the last of 1, 2, 4 and 8.
#[derive(Clone, Copy, Default)]
struct Together([u64; 4]);

impl Together {
    /// Takes the bits of the next block; gives those of the bytes that are the last of `RUN_MIN` or more.
    #[inline]
    fn next(&mut self, one: u64) -> u64 {
        let [old_one, old_two, old_four, old_eight] = self.0;
        // The bits of a block, moved so far on that those of the block before come in.
        let moved = |bits: u64, old: u64, by: u32| bits << by | old >> (u64::BITS - by);
        let two = one & moved(one, old_one, 1);
        let four = two & moved(two, old_two, 2);
        let eight = four & moved(four, old_four, 4);
        let sixteen = eight & moved(eight, old_eight, 8);
        self.0 = [one, two, four, eight];
        sixteen & moved(four, old_four, 16)
    }
}

/// Weight of each byte that tokens are made of; others have none.
static WEIGHTS: [u8; 256] = {
    let mut weights = [0; 256];
    let mut at = 0_u8;
    while at < 128 {
        weights[at as usize] = match at {
            b'0'..=b'9' => LETTER + 64,
            b'A'..=b'Z' => LETTER + 16,
            b'a'..=b'z' | b'_' | b'-' => LETTER,
            b'.' | b'~' | b'+' | b'/' | b'=' | b'%' => SIGN,
            _ => 0,
        };
        at += 1;
    }
    weights
};

/// Weight of a sign that only some tokens have, and of a letter.
const SIGN: u8 = 1;
const LETTER: u8 = 2;
/// Weight of a digit, or of four capitals together, beyond a letter: a run with that is no plain word.
const MIXED: usize = 64;
/// The bytes of a run with signs in it, as in base 64, from which on its letters and digits tell it from a path.
const LOOSE_MIN: usize = 32;
/// Bytes before a run in which the word `token` may end that makes a secret of it.
const NAME: usize = 24;

/// Tells whether a run with signs in it is more than a path: it has large letters, and digits or many of them.
fn is_mixed(run: &[u8]) -> bool {
    let count = |is: fn(u8x16) -> u8x16| -> u32 {
        let starts = (0..run.len()).step_by(WIDTH);
        starts.map(|start| bytes::bits(&bytes::from(run, start, b' '), is).count_ones()).sum()
    };
    let large = count(|bytes| bytes::are_at_most(bytes - u8x16::splat(b'A'), b'Z' - b'A'));
    let digits = || count(|bytes| bytes::are_at_most(bytes - u8x16::splat(b'0'), b'9' - b'0'));
    large >= 2 && large + digits() * 4 >= 8
}

/// Tells whether a text has the word `token`, which a secret with signs in it may be assigned to.
fn has_token(text: &[u8]) -> bool {
    memchr::memchr2_iter(b'k', b'K', text).any(|at| {
        let word = at.checked_sub(2).and_then(|start| text.get(start..start + 5));
        word.is_some_and(|word| word.eq_ignore_ascii_case(b"token"))
    })
}

struct Pass<'t> {
    bytes: &'t [u8],
    words: &'t QuadIndex,
    prefilter: Prefilter,
    /// End of the last run that was examined.
    run_end: usize,
    together: Together,
}

impl Pass<'_> {
    /// Goes over the block at a place, and notes in `pairs` where the shortest words may be; gives which bits some of its bytes have.
    #[inline(always)]
    fn block(&mut self, block: &[u8; WIDTH], at: usize, pairs: &mut i16x8) -> u8x16 {
        let table = &self.words.table;
        let (mut all, mut ones, mut line_ends) = (u8x16::ZERO, 0, 0_u64);
        for (count, sixteen) in block.as_chunks().0.iter().enumerate() {
            let sixteen = u8x16::new(*sixteen);
            if slots(sixteen).iter().fold(0, |some, slot| some | table[usize::from(*slot)]) != NONE {
                self.words(sixteen, at + count * 16);
            }
            let twos: i16x8 = cast(sixteen & u8x16::splat(LETTERS));
            *pairs |= PAIRS.iter().fold(i16x8::ZERO, |some, pair| some | twos.simd_eq(i16x8::splat(*pair)));
            ones |= u64::from(may_be_of_tokens(sixteen).to_bitmask()) << (count * 16);
            line_ends |= u64::from(may_split(sixteen).to_bitmask()) << (count * 16);
            all |= sixteen;
        }
        if line_ends != 0 && !self.prefilter.is_split {
            self.lines(line_ends, at);
        }
        let ends = self.together.next(ones);
        if ends != 0 {
            self.runs(ends, at);
        }
        all
    }

    /// Notes whether one of the line ends and colours at a place may split a secret.
    fn lines(&mut self, mut ends: u64, at: usize) {
        while ends != 0 {
            self.prefilter.is_split |= is_split_at(self.bytes, at + ends.trailing_zeros() as usize);
            ends &= ends - 1;
        }
    }

    /// Notes the runs at a place, given which of its bytes are the last of so many that may be one.
    #[cold]
    fn runs(&mut self, mut ends: u64, at: usize) {
        while ends != 0 {
            let first = ends.trailing_zeros();
            let behind = first + (ends >> first).trailing_ones();
            self.run(at + first as usize + 1 - RUN_MIN, at + behind as usize);
            ends &= u64::MAX.checked_shl(behind).unwrap_or_default();
        }
    }

    /// Notes the runs between two places, if they are long and no plain words; they may go on behind the second.
    fn run(&mut self, start: usize, end: usize) {
        let mut start = start.max(self.run_end);
        let length = end.saturating_sub(start);
        if (RUN_MIN..=WIDTH).contains(&length) {
            let others = bytes::bits(&bytes::from(self.bytes, start, b' '), may_be_no_word);
            // Only one that ends with its block may go on.
            let own = if end.is_multiple_of(WIDTH) { u64::MAX } else { u64::MAX >> (WIDTH - length) };
            if others & own == 0 {
                return;
            }
        }
        while start + RUN_MIN <= end {
            // What is in no token is among them: a run can only start behind the last.
            if let Some(other) = (start..start + RUN_MIN).rfind(|at| self.weight(*at) == 0) {
                start = other + 1;
                continue;
            }
            self.run_end = start + (start..).take_while(|at| self.weight(*at) > 0).count();
            let named = &self.bytes[start.saturating_sub(NAME)..self.run_end];
            let run = &self.bytes[start..self.run_end];
            if has_token(named) || (run.len() > LOOSE_MIN && is_mixed(run)) {
                self.suspect(start, self.run_end);
            } else {
                self.pieces(start, self.run_end);
            }
            start = self.run_end;
        }
    }

    /// Notes what stands between the signs of a run, as in a path, if it is a run by itself.
    fn pieces(&mut self, mut start: usize, end: usize) {
        while start + RUN_MIN <= end {
            if let Some(sign) = (start..start + RUN_MIN).rfind(|at| self.weight(*at) == SIGN) {
                start = sign + 1;
                continue;
            }
            let length = (start..end).take_while(|at| self.weight(*at) > SIGN).count();
            let weights: usize = (start..start + length).map(|at| usize::from(self.weight(at))).sum();
            if weights >= length * usize::from(LETTER) + MIXED {
                self.suspect(start, start + length);
            }
            start += length;
        }
    }

    fn weight(&self, at: usize) -> u8 {
        self.bytes.get(at).map_or(0, |byte| WEIGHTS[usize::from(*byte)])
    }

    /// Notes the words that have four of the sixteen bytes at a place.
    #[cold]
    fn words(&mut self, sixteen: u8x16, at: usize) {
        let quads: [u32; 4] = cast(sixteen & u8x16::splat(LETTERS));
        for (count, (slot, four)) in slots(sixteen).iter().zip(quads).enumerate() {
            let held = self.words.table[usize::from(*slot)];
            if held != NONE {
                let (words, bytes) = (self.words, self.bytes);
                words.each_with(held, four, bytes, at + count * 4, |word, start| self.word(word, start));
            }
        }
    }

    /// Notes a word that may start at a place, if it does.
    #[cold]
    fn word(&mut self, word: &SuspectWord, start: usize) {
        let Some(end) = word.end(self.bytes, start) else { return };
        match word.near {
            Near::Secret => self.suspect(start, (end + AFTER).min(self.bytes.len())),
            Near::Instruction => {
                if self.prefilter.instructions.last().is_none_or(|last| start > last + APART) {
                    self.prefilter.instructions.push(start);
                }
            }
        }
    }

    /// Notes that a secret may be there.
    fn suspect(&mut self, start: usize, end: usize) {
        self.prefilter.secret(start.saturating_sub(BEFORE)..end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_seen_wherever_it_stands_and_however_long_it_is() {
        for before in 0..150 {
            for length in [RUN_MIN - 1, RUN_MIN, RUN_MIN + 1, 63, 64, 65, 130] {
                for around in [" ", "/", "a/"] {
                    let text = format!("{}{} ", around.repeat(before), &"a1".repeat(length)[..length]);
                    let start = around.len() * before;
                    let noted = Prefilter::of(&text).secrets;
                    let is_seen =
                        noted.iter().any(|range| range.start <= start && start + length <= range.end);
                    assert_eq!(
                        is_seen,
                        length >= RUN_MIN,
                        "{length} behind {before} times {around:?}: {noted:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_word_is_seen_wherever_it_stands_and_in_any_letters() {
        for word in words::examples().into_iter().flat_map(|word| [word.to_uppercase(), word]) {
            for before in 0..70 {
                let prefilter = Prefilter::of(&format!("{}{word} and so on", "\u{e9}x ".repeat(before)));
                assert!(
                    !prefilter.secrets.is_empty() || !prefilter.instructions.is_empty(),
                    "{before} before {word:?}"
                );
            }
        }
    }
}
