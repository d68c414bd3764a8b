//! The glance that every handoff gets: one pass that says where a closer look is worth it.
//!
//! A text is worth a look where a long run of letters and digits stands, as in every token, or one of some words. A
//! token is known by its length and not by its form, so that the glance costs the same however many forms there are.
//! Most handoffs have neither, and then nothing is allocated.
//!
//! The pass takes sixty-four bytes at a time, with a bit for each that a token may have; ones that stand together are
//! found by shifting. A word of `WORD_MIN` has four bytes that start at a multiple of four, whose number is looked up.
//!
//! Invariant: what is noted is a small part of the text, however much of it is suspect.

use std::ops::Range;
use std::sync::LazyLock;

use wide::bytemuck::cast;
use wide::{i16x8, u8x16, u32x4};

use crate::bytes::{self, WIDTH};

/// The bytes of the shortest run that is looked at: the shortest token is an AWS access key with 20.
const RUN_MIN: usize = 20;
/// The bytes of the shortest word.
const WORD_MIN: usize = 7;
/// How far before a run the word may stand that makes a secret of it.
const BEFORE: usize = 64;
/// How far behind a word something may stand that belongs to it.
const AFTER: usize = 16;

/// How far behind a word of instructions the next one is noted: what is between is looked at with the first.
pub(crate) const APART: usize = 120;

/// Parts of words near which a secret may be too short to be a run, in any letters.
///
/// Here and below, those parts were chosen whose first seven characters are rare in other words.
const NEAR_SECRETS: &[&str] = &[
    "assword",
    "passwd:",
    "passwd=",
    "passwd\"",
    "passwd ",
    "passwd>",
    "ssphrase",
    "secret:",
    "secret=",
    "secret\"",
    "secret>",
    "secret'",
    "secret ",
    "secret_",
    "secretkey",
    "secret-key",
    "api_key",
    "api-key",
    "apikey:",
    "apikey=",
    "apikey\"",
    "apikey>",
    "ess_key",
    "cesskey",
    "ate_key",
    "redentia",
    "-begin ",
    "orizatio",
];

/// Starts of addresses, which have a password only where a user is named, with an `@`.
const ADDRESSES: &[&str] = &[
    "https://",
    "http://",
    "mysql://",
    "redis://",
    "rediss://",
    "amqp://",
    "amqps://",
    "ldap://",
    "ldaps://",
    "sftp://",
    "smtp://",
    "smtps://",
    "mssql://",
    "postgres://",
    "postgresql://",
    "mongodb://",
    "mongodb+srv://",
    "sqlserver://",
];
/// How far behind the start of an address its `@` is looked for.
const USER_MAX: usize = 256;

/// Parts of words of text that may instruct whoever reads it, in any letters.
const NEAR_INSTRUCTIONS: &[&str] = &[
    "instruc",
    "directiv",
    "guidelin",
    "consign",
    "disregard",
    "everyth",
    "prompt ",
    "prompt.",
    "prompts",
    "prompt,",
    "prompt:",
    "prompt\"",
    "prompt\n",
    "prompt<",
    "prompt!",
    "ou are now",
    "now on y",
    "now on, y",
    "t tell t",
    "t tell a",
    "t tell y",
    "t tell h",
    "t telling",
    "t inform",
    "r inform",
    "r tell t",
    "reveal ",
    "<|im_start",
    "<|im_end|",
    "<|im_sep|",
    "<|system",
    "<|user|>",
    "<|assist",
    "<|endof",
    "<|eot_id",
    "<|start_h",
    "<|end_he",
    "<|begin_",
    "<|end_of_",
    "[inst] ",
    "[/inst]",
    "<<sys>>",
    "<</sys>>",
    "\nhuman:",
    " human:",
    "nhuman:",
    "\nassistant:",
    " assistant:",
    "nassistant:",
    "tool_cal",
    "tool_use",
    "tool_res",
    "ion_call",
    "<invoke",
    "eady ap",
    "eady be",
    "eady au",
    "eady va",
    "eady co",
    "eady ac",
    "eady si",
    "s gate ",
    "e gate ",
    "skip th",
    "bypass ",
    "tents of",
    "tent of ",
    "nt varia",
    "dentials",
    "contenu d",
    "ntenant",
    "rmais u",
    "rmais e",
    "rmais l",
    "dis rien",
    "dis pas ",
    "dites pas",
    "dites rien",
    "dites sur",
    "dis surto",
    "parle pas",
    "parlez pas",
    "n parler",
    "le dire ",
    "approuv",
    "j\u{e0} valid",
    "j\u{e0} autoris",
    "j\u{e0} confirm",
    "j\u{e0} accept",
];

/// What the glance saw.
#[derive(Debug, Default)]
pub(crate) struct Glance {
    /// Where secrets may be, in the order of their ends.
    pub(crate) secrets: Vec<Range<usize>>,
    /// Where words of instructions start, in order, `APART` from each other.
    pub(crate) instructions: Vec<usize>,
    /// Whether there is anything but ASCII.
    pub(crate) is_international: bool,
}

impl Glance {
    /// Whether nothing asks for a closer look.
    pub(crate) fn is_clean(&self) -> bool {
        self.secrets.is_empty() && self.instructions.is_empty() && !self.is_international
    }

    /// Goes over a text.
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let words = &*WORDS;
        let mut pass =
            Pass { bytes, words, glance: Glance::default(), run_end: 0, together: Together::default() };
        let (whole, rest) = bytes.as_chunks();
        let mut all = u8x16::ZERO;
        for (count, block) in whole.iter().enumerate() {
            all |= pass.block(block, count * WIDTH);
        }
        if !rest.is_empty() {
            let mut last = [b' '; WIDTH];
            last[..rest.len()].copy_from_slice(rest);
            all |= pass.block(&last, whole.len() * WIDTH);
        }
        pass.glance.is_international = bytes::are_not_ascii(all).to_bitmask() != 0;
        pass.glance
    }
}

/// What is left of letters in either case.
const LETTERS: u8 = 0xdf;

/// The bytes that a token may have: those from `-` on that are ASCII.
#[inline]
fn may_be_of_tokens(bytes: u8x16) -> u8x16 {
    bytes::are_at_most(bytes - u8x16::splat(b'-'), 0x7f - b'-')
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

/// What tokens are made of, each byte with its weight; others have none.
static WEIGHTS: [u8; 256] = {
    let mut weights = [0; 256];
    let mut at = 0_u8;
    while at < 128 {
        weights[at as usize] = match at {
            b'0'..=b'9' => 1 + MIXED,
            b'A'..=b'Z' => 1 + MIXED / 4,
            b'a'..=b'z' | b'_' | b'-' => 1,
            _ => 0,
        };
        at += 1;
    }
    weights
};

/// What a digit weighs, or four large letters together, beyond the one of every byte: a run with that is no plain word.
const MIXED: u8 = 64;

struct Pass<'t> {
    bytes: &'t [u8],
    words: &'t Words,
    glance: Glance,
    /// Where the last run that was looked at ended.
    run_end: usize,
    together: Together,
}

impl Pass<'_> {
    /// Goes over the block at a place; gives which bits some of its bytes have.
    #[inline(always)]
    fn block(&mut self, block: &[u8; WIDTH], at: usize) -> u8x16 {
        let table = &*self.words.table;
        let (mut all, mut ones) = (u8x16::ZERO, 0);
        for (count, sixteen) in block.as_chunks().0.iter().enumerate() {
            let sixteen = u8x16::new(*sixteen);
            let slots = slots(sixteen);
            if slots.iter().fold(0, |some, slot| some | table[*slot as usize % SLOTS as usize]) != 0 {
                self.words(sixteen, at + count * 16);
            }
            ones |= u64::from(may_be_of_tokens(sixteen).to_bitmask()) << (count * 16);
            all |= sixteen;
        }
        let ends = self.together.next(ones);
        if ends != 0 {
            self.runs(ends, at);
        }
        all
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

    /// Notes the runs between two places, if they are long and no plain words; one may go on behind the second.
    fn run(&mut self, start: usize, end: usize) {
        let weight =
            |at: usize| self.bytes.get(at).map_or(0, |byte| usize::from(WEIGHTS[usize::from(*byte)]));
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
            // Signs that are no letters are among them, as in a path: a run can only start behind the last.
            if let Some(sign) = (start..start + RUN_MIN).rfind(|at| weight(*at) == 0) {
                start = sign + 1;
                continue;
            }
            let length = (start..).take_while(|at| weight(*at) > 0).count();
            let weights: usize = (start..start + length).map(weight).sum();
            self.run_end = start + length;
            if weights >= length + usize::from(MIXED) {
                self.suspect(start, start + length);
            }
            start = self.run_end;
        }
    }

    /// Notes the words that have four of the sixteen bytes at a place.
    #[cold]
    fn words(&mut self, sixteen: u8x16, at: usize) {
        let fours: [u32; 4] = cast(sixteen & u8x16::splat(LETTERS));
        for (count, (slot, four)) in slots(sixteen).iter().zip(&fours).enumerate() {
            if self.words.table[*slot as usize % SLOTS as usize] != 0 {
                self.words_with(*four, *slot as usize, at + count * 4);
            }
        }
    }

    fn words_with(&mut self, four: u32, slot: usize, at: usize) {
        for (_, word, offset) in self.words.of(slot).iter().filter(|(other, _, _)| *other == four) {
            let Some(start) = at.checked_sub(*offset) else { continue };
            let rest = self.bytes.get(start..).unwrap_or_default();
            // Most that fall into the slot of a word differ from it at once.
            let may_be = rest.first_chunk().is_none_or(|eight| word.may_start(u64::from_le_bytes(*eight)));
            let is_there = may_be
                && rest
                    .get(..word.text.len())
                    .is_some_and(|bytes| bytes.eq_ignore_ascii_case(word.text.as_bytes()));
            if !is_there {
                continue;
            }
            match word.near {
                Near::Secret => {
                    let end = (start + word.text.len() + AFTER).min(self.bytes.len());
                    self.suspect(start, end);
                }
                Near::Address => {
                    let is_end =
                        |byte: &&u8| matches!(byte, b'@' | b'/' | b' ' | b'\n' | b'"' | b'\'' | b'<');
                    let rest = &rest[word.text.len()..];
                    let end = rest.iter().take(USER_MAX).find(is_end);
                    if end.is_none_or(|byte| *byte == b'@') {
                        let end = (start + word.text.len() + AFTER).min(self.bytes.len());
                        self.suspect(start, end);
                    }
                }
                Near::Instruction => {
                    if self.glance.instructions.last().is_none_or(|last| start > last + APART) {
                        self.glance.instructions.push(start);
                    }
                }
            }
        }
    }

    /// Notes that a secret may be there, together with what was noted just before it.
    fn suspect(&mut self, start: usize, end: usize) {
        let start = start.saturating_sub(BEFORE);
        match self.glance.secrets.last_mut() {
            Some(last) if start <= last.end => {
                last.start = last.start.min(start);
                last.end = last.end.max(end);
            }
            Some(_) | None => self.glance.secrets.push(start..end),
        }
    }
}

/// The slots of each four of sixteen bytes, whose letters are taken in no case.
#[inline]
fn slots(sixteen: u8x16) -> [u32; 4] {
    // Tried on prose: with these the fours of other words fall into the slots of words as seldom as they can.
    const MIX: [i16; 8] = [2_667, -26_871, 2_667, -26_871, 2_667, -26_871, 2_667, -26_871];
    const SHIFT: u32 = 10;
    let twos: i16x8 = cast(sixteen & u8x16::splat(LETTERS));
    let mixed: u32x4 = cast(twos.dot(i16x8::new(MIX)));
    ((mixed >> SHIFT) & u32x4::splat(SLOTS - 1)).to_array()
}

#[derive(Clone, Copy, Debug)]
enum Near {
    Secret,
    Address,
    Instruction,
}

#[derive(Clone, Copy, Debug)]
struct Word {
    text: &'static str,
    near: Near,
    /// Its first bytes, seven or eight, with letters in no case, and what is left of others for that.
    start: u64,
    mask: u64,
}

impl Word {
    fn new(text: &'static str, near: Near) -> Self {
        let mut start = [0; 8];
        let mut mask = [0; 8];
        for (at, byte) in text.bytes().take(8).enumerate() {
            start[at] = byte;
            mask[at] = 0xff;
        }
        let mask = u64::from_le_bytes(mask.map(|byte: u8| byte & LETTERS));
        Self { text, near, start: u64::from_le_bytes(start) & mask, mask }
    }

    fn may_start(&self, eight: u64) -> bool {
        eight & self.mask == self.start
    }
}

/// The words, by any four bytes of theirs that a pass may meet first.
struct Words {
    /// How many each slot has.
    table: Box<[u8; SLOTS as usize]>,
    /// The first entry of each slot.
    firsts: Box<[u16; SLOTS as usize]>,
    /// The words with their four bytes and how far these are from the start, in the order of the slots.
    entries: Vec<(u32, Word, usize)>,
}

/// So many slots that other words seldom fall into one, and that the table stays near the processor.
const SLOTS: u32 = 1 << 15;

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let near = |near| move |text: &&'static str| Word::new(text, near);
    let secrets = NEAR_SECRETS.iter().map(near(Near::Secret));
    let addresses = ADDRESSES.iter().map(near(Near::Address));
    Words::new(secrets.chain(addresses).chain(NEAR_INSTRUCTIONS.iter().map(near(Near::Instruction))))
});

impl Words {
    fn new(words: impl Iterator<Item = Word>) -> Self {
        let mut table = Box::new([0; SLOTS as usize]);
        let mut entries = Vec::new();
        for word in words {
            debug_assert!(word.text.len() >= WORD_MIN, "{word:?} may be missed");
            for (offset, four) in word.text.as_bytes().windows(4).take(4).enumerate() {
                let mut sixteen = [0; 16];
                sixteen[..4].copy_from_slice(four);
                let sixteen = u8x16::new(sixteen);
                let [slot, ..] = slots(sixteen);
                let [four, ..]: [u32; 4] = cast(sixteen & u8x16::splat(LETTERS));
                table[slot as usize] += 1;
                entries.push((slot, (four, word, offset)));
            }
        }
        entries.sort_by_key(|(slot, _)| *slot);
        let mut firsts = Box::new([0; SLOTS as usize]);
        for (at, (slot, _)) in entries.iter().enumerate().rev() {
            firsts[*slot as usize] = u16::try_from(at).expect("the words are few");
        }
        Self { table, firsts, entries: entries.into_iter().map(|(_, entry)| entry).collect() }
    }

    fn of(&self, slot: usize) -> &[(u32, Word, usize)] {
        let first = usize::from(self.firsts[slot]);
        &self.entries[first..first + usize::from(self.table[slot])]
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
                    let noted = Glance::of(&text).secrets;
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
        let texts = NEAR_SECRETS.iter().chain(NEAR_INSTRUCTIONS).map(|word| word.to_string());
        for word in texts.flat_map(|word| [word.to_ascii_uppercase(), word]) {
            for before in 0..70 {
                let glance = Glance::of(&format!("{}{word} and so on", "\u{e9}x ".repeat(before)));
                assert!(
                    !glance.secrets.is_empty() || !glance.instructions.is_empty(),
                    "{before} before {word:?}"
                );
            }
        }
    }
}
