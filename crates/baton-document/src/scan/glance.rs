//! The glance that every handoff gets: one pass that says where a closer look is worth it.
//!
//! A text is worth a look where a long run of letters and digits stands, as in every token, or one of some words. A
//! token is known by its length and not by its form, so that the glance costs the same however many forms there are.
//! Most handoffs have neither, and then nothing is allocated.
//!
//! The pass takes sixteen bytes at a time. A run of `RUN_MIN` has eight of them that start at a multiple of eight, and
//! `BESIDE` more on both sides together, as far as the eight before and behind go. A word of `WORD_MIN` has four bytes
//! that start at a multiple of four, whose number is looked up.
//!
//! Invariant: what is noted is a small part of the text, however much of it is suspect.

use std::ops::Range;
use std::sync::LazyLock;

/// The bytes of the shortest run that is looked at: the shortest token is an AWS access key with 20.
const RUN_MIN: u32 = 20;
/// The bytes of a run beside eight of it: with two before, eight follow, and the other way round.
const BESIDE: u32 = 10;
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
        let glance = Glance { is_international: !text.is_ascii(), ..Glance::default() };
        let mut pass = Pass { bytes, words: &WORDS, glance, run_end: 0 };
        let (whole, rest) = bytes.as_chunks::<16>();
        let blocks = if pass.glance.is_international { Pass::blocks::<false> } else { Pass::blocks::<true> };
        let before = blocks(&mut pass, whole, 0, [0, 0]);
        // What is left, and a block of spaces behind it, at which every run ends.
        let mut last = [b' '; 32];
        last[..rest.len()].copy_from_slice(rest);
        blocks(&mut pass, last.as_chunks().0, whole.len() * 16, before);
        pass.glance
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte.
const ALL: u64 = ONES * 0x80;
/// What is left of letters in either case.
const LETTERS: u64 = ONES * 0xdf;
/// What lifts the bytes of tokens, from `-` on, to the highest bit.
const LIFT: u64 = ONES * (0x80 - 0x2d);

/// Marks the bytes of eight that a token may have: those from `-` on that are ASCII.
#[inline]
fn marks<const IS_ASCII: bool>(eight: u64) -> u64 {
    // Adding to seven bits never carries into the next byte.
    if IS_ASCII { (eight + LIFT) & ALL } else { ((eight & !ALL) + LIFT) & !eight & ALL }
}

/// Whether eight bytes that are all marked have enough of their kind beside them, given the marks before and behind.
#[inline]
fn is_wide(before: u64, behind: u64) -> bool {
    let (before, behind) = (before ^ ALL, behind ^ ALL);
    // Where it ends on both sides its length is known.
    let least = if before != 0 && behind != 0 { RUN_MIN - 8 } else { BESIDE };
    before.leading_zeros() + behind.trailing_zeros() >= least * u8::BITS
}

/// Whether there is a digit or a large letter among some bytes; the last few may count as one.
fn may_be_mixed(bytes: &[u8]) -> bool {
    let (eights, rest) = bytes.as_chunks();
    let is_mixed = |eight: &[u8; 8]| {
        let eight = u64::from_le_bytes(*eight);
        // The highest bit says of each byte whether it is `0` or above, and below `[`.
        let plain = eight & !ALL;
        (plain + ONES * (0x80 - 0x30)) & !(plain + ONES * (0x80 - 0x5b)) & ALL != 0
    };
    !rest.is_empty() || eights.iter().any(is_mixed)
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
}

impl Pass<'_> {
    /// Goes over the blocks from a place on; takes the marks of the sixteen bytes before, and gives those at the end.
    fn blocks<const IS_ASCII: bool>(
        &mut self,
        blocks: &[[u8; 16]],
        mut at: usize,
        [mut older, mut old]: [u64; 2],
    ) -> [u64; 2] {
        let table = &*self.words.table;
        for block in blocks {
            let (first, second) = halves(block);
            if may_have_words(table, first) | may_have_words(table, second) != 0 {
                self.words([first, second], at);
            }
            let (new, newer) = (marks::<IS_ASCII>(first), marks::<IS_ASCII>(second));
            if old == ALL && is_wide(older, new) {
                self.run(at - 8);
            }
            if new == ALL && is_wide(old, newer) {
                self.run(at);
            }
            [older, old] = [new, newer];
            at += 16;
        }
        [older, old]
    }

    /// Notes the run around a place, if it is long and no plain word.
    #[cold]
    fn run(&mut self, at: usize) {
        let near = &self.bytes[at.saturating_sub(8)..(at + 16).min(self.bytes.len())];
        if at < self.run_end || !may_be_mixed(near) {
            return;
        }
        let weight = |byte: u8| usize::from(WEIGHTS[usize::from(byte)]);
        let (mut start, mut end, mut weights) = (at, at, 0);
        while end < self.bytes.len() && weight(self.bytes[end]) > 0 {
            weights += weight(self.bytes[end]);
            end += 1;
        }
        if end < at + 8 {
            // Signs that are no letters are among the eight, as in a path; a run has eight without any.
            return;
        }
        while start > self.run_end && weight(self.bytes[start - 1]) > 0 {
            start -= 1;
            weights += weight(self.bytes[start]);
        }
        self.run_end = end;
        let length = end - start;
        if length >= RUN_MIN as usize && weights >= length + usize::from(MIXED) {
            self.suspect(start, end);
        }
    }

    /// Notes the words that have four of the sixteen bytes at a place.
    #[cold]
    fn words(&mut self, eights: [u64; 2], mut at: usize) {
        for eight in eights {
            let eight = eight & LETTERS;
            for four in [low_half(eight), high_half(eight)] {
                if self.words.table[Words::slot(four)] != 0 {
                    self.words_with(four, at);
                }
                at += 4;
            }
        }
    }

    fn words_with(&mut self, four: u32, at: usize) {
        for (_, word, offset) in self.words.with(four).iter().filter(|(other, _, _)| *other == four) {
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

#[inline]
fn halves(block: &[u8; 16]) -> (u64, u64) {
    let ([low, high], _) = block.as_chunks::<8>() else { return (0, 0) };
    (u64::from_le_bytes(*low), u64::from_le_bytes(*high))
}

const fn low_half(eight: u64) -> u32 {
    let [a, b, c, d, ..] = eight.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

const fn high_half(eight: u64) -> u32 {
    low_half(eight >> 32)
}

/// Something but nothing if four of eight bytes may be those of a word.
#[inline]
fn may_have_words(table: &[u8; SLOTS], eight: u64) -> u8 {
    let eight = eight & LETTERS;
    table[Words::slot(low_half(eight))] | table[Words::slot(high_half(eight))]
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
        let mask = u64::from_le_bytes(mask) & LETTERS;
        Self { text, near, start: u64::from_le_bytes(start) & mask, mask }
    }

    fn may_start(&self, eight: u64) -> bool {
        eight & self.mask == self.start
    }
}

/// The words, by any four bytes of theirs that a pass may meet first.
struct Words {
    /// How many each slot has.
    table: Box<[u8; SLOTS]>,
    /// The first entry of each slot.
    firsts: Box<[u16; SLOTS]>,
    /// The words with their four bytes and how far these are from the start, in the order of the slots.
    entries: Vec<(u32, Word, usize)>,
}

/// So many slots that other words seldom fall into one, and that the table stays near the processor.
const SLOT_BITS: u32 = 15;
const SLOTS: usize = 1 << SLOT_BITS;

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let near = |near| move |text: &&'static str| Word::new(text, near);
    let secrets = NEAR_SECRETS.iter().map(near(Near::Secret));
    let addresses = ADDRESSES.iter().map(near(Near::Address));
    Words::new(secrets.chain(addresses).chain(NEAR_INSTRUCTIONS.iter().map(near(Near::Instruction))))
});

impl Words {
    fn new(words: impl Iterator<Item = Word>) -> Self {
        let mut table = Box::new([0; SLOTS]);
        let mut entries = Vec::new();
        for word in words {
            debug_assert!(word.text.len() >= WORD_MIN, "{word:?} may be missed");
            for (offset, four) in word.text.as_bytes().windows(4).take(4).enumerate() {
                let four = u32::from_le_bytes([four[0], four[1], four[2], four[3]]) & low_half(LETTERS);
                table[Self::slot(four)] += 1;
                entries.push((four, word, offset));
            }
        }
        entries.sort_by_key(|(four, _, _)| Self::slot(*four));
        let mut firsts = Box::new([0; SLOTS]);
        for (at, (four, _, _)) in entries.iter().enumerate().rev() {
            firsts[Self::slot(*four)] = u16::try_from(at).expect("the words are few");
        }
        Self { table, firsts, entries }
    }

    /// The slot of four bytes whose letters are in no case.
    #[inline]
    fn slot(four: u32) -> usize {
        (four.wrapping_mul(0x9e37_79b1) >> (32 - SLOT_BITS)) as usize
    }

    fn with(&self, four: u32) -> &[(u32, Word, usize)] {
        let slot = Self::slot(four);
        let first = usize::from(self.firsts[slot]);
        &self.entries[first..first + usize::from(self.table[slot])]
    }
}
