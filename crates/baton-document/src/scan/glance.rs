//! The glance that every handoff gets: one pass that says where a closer look is worth it.
//!
//! A text is worth a look where a long run of letters and digits stands, as in every token, or one of some words. A
//! token is known by its length and not by its form, so that the glance costs the same however many forms there are.
//! Most handoffs have neither, and then nothing is allocated.
//!
//! The pass takes eight bytes at a time. A run of `RUN_MIN` has eight of them that start at a multiple of eight, and six
//! more on one side. A word of `WORD_MIN` has four bytes that start at a multiple of four, whose number is looked up.

use std::ops::Range;
use std::sync::LazyLock;

/// The bytes of the shortest run that is looked at: the shortest token is an AWS access key with 20.
const RUN_MIN: usize = 20;
/// The bytes of the shortest word.
const WORD_MIN: usize = 7;
/// How far before a run the word may stand that makes a secret of it.
const BEFORE: usize = 64;
/// How far behind a word something may stand that belongs to it.
const AFTER: usize = 16;

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
    "https://",
    "http://",
    "postgres",
    "mysql://",
    "mongodb",
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
    "sqlserver",
];

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
    /// Where secrets may be, in order; they may overlap.
    pub(crate) secrets: Vec<Range<usize>>,
    /// Where words of instructions start, in order.
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
        let mut pass = Pass { bytes, words: &WORDS, glance: Glance::default(), run_end: 0 };
        let mut lows = [ALL, ALL];
        let mut seen = 0;
        let mut at = 0;
        let (whole, rest) = bytes.as_chunks::<8>();
        for chunk in whole {
            let eight = u64::from_le_bytes(*chunk);
            seen |= eight;
            lows = pass.eight(eight, at, lows);
            at += 8;
        }
        let mut last = [b' '; 8];
        last[..rest.len()].copy_from_slice(rest);
        let eight = u64::from_le_bytes(last);
        lows = pass.eight(eight, at, lows);
        pass.eight(u64::from_le_bytes([b' '; 8]), at + 8, lows);
        let mut glance = pass.glance;
        glance.is_international = (seen | eight) & ALL != 0;
        glance
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte.
const ALL: u64 = ONES * 0x80;
/// The highest bits of the six bytes that come first, and last.
const FIRST_SIX: u64 = ALL >> 16;
const LAST_SIX: u64 = ALL << 16;

/// Marks the bytes that no token has: all below `-`, and all that are not ASCII.
#[inline]
fn low(eight: u64) -> u64 {
    // Adding to seven bits never carries into the next byte.
    (!((eight & (ONES * 0x7f)) + ONES * (0x80 - 0x2d)) | eight) & ALL
}

/// What tokens are made of.
static TOKEN: [bool; 256] = {
    let mut token = [false; 256];
    let mut at = 0_u8;
    while at < 128 {
        token[at as usize] = at.is_ascii_alphanumeric() || matches!(at, b'_' | b'-');
        at += 1;
    }
    token
};

struct Pass<'t> {
    bytes: &'t [u8],
    words: &'t Words,
    glance: Glance,
    /// Where the last run that was looked at ended.
    run_end: usize,
}

impl Pass<'_> {
    /// Takes the eight bytes at a place; `before` are the marks of the sixteen before them.
    #[inline]
    fn eight(&mut self, eight: u64, at: usize, [older, old]: [u64; 2]) -> [u64; 2] {
        let new = low(eight);
        if old == 0 && (new & FIRST_SIX == 0 || older & LAST_SIX == 0) {
            self.run(at - 8);
        }
        let (first, second) = (Words::mixed(low_half(eight)), Words::mixed(high_half(eight)));
        if self.words.table[Words::slot(first)] | self.words.table[Words::slot(second)] != 0 {
            self.words(first, at);
            self.words(second, at + 4);
        }
        [old, new]
    }

    /// Notes the run around a place, if it is long and no plain word.
    #[cold]
    fn run(&mut self, at: usize) {
        if at < self.run_end {
            return;
        }
        let is_token = |byte: &&u8| TOKEN[usize::from(**byte)];
        let end = at + self.bytes[at..].iter().take_while(is_token).count();
        if end < at + 8 {
            // Signs that are no letters are among the eight, as in a path; a run has eight without any.
            return;
        }
        let start = at - self.bytes[self.run_end..at].iter().rev().take_while(is_token).count();
        self.run_end = end;
        let run = &self.bytes[start..end];
        let is_mixed = || {
            run.iter().any(u8::is_ascii_digit)
                || run.iter().filter(|byte| byte.is_ascii_uppercase()).count() >= 4
        };
        if run.len() >= RUN_MIN && is_mixed() {
            self.glance.secrets.push(start.saturating_sub(BEFORE)..end);
        }
    }

    /// Notes the words that have the four bytes at a place.
    #[cold]
    fn words(&mut self, four: u32, at: usize) {
        if self.words.table[Words::slot(four)] == 0 {
            return;
        }
        for (word, offset) in self.words.with(four) {
            let Some(start) = at.checked_sub(offset) else { continue };
            let end = start + word.text.len();
            let is_there = self
                .bytes
                .get(start..end)
                .is_some_and(|bytes| bytes.eq_ignore_ascii_case(word.text.as_bytes()));
            if !is_there {
                continue;
            }
            match word.near {
                Near::Secret => {
                    let end = (end + AFTER).min(self.bytes.len());
                    self.glance.secrets.push(start.saturating_sub(BEFORE)..end);
                }
                Near::Instruction => self.glance.instructions.push(start),
            }
        }
    }
}

fn low_half(eight: u64) -> u32 {
    let [a, b, c, d, ..] = eight.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

fn high_half(eight: u64) -> u32 {
    low_half(eight >> 32)
}

#[derive(Clone, Copy, Debug)]
enum Near {
    Secret,
    Instruction,
}

#[derive(Clone, Copy, Debug)]
struct Word {
    text: &'static str,
    near: Near,
}

/// The words, by any four bytes of theirs that a pass may meet first.
struct Words {
    /// Whether a slot has any.
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
    let near = |near| move |text: &&'static str| Word { text, near };
    let secrets = NEAR_SECRETS.iter().map(near(Near::Secret));
    Words::new(secrets.chain(NEAR_INSTRUCTIONS.iter().map(near(Near::Instruction))))
});

impl Words {
    fn new(words: impl Iterator<Item = Word>) -> Self {
        let mut table = Box::new([0; SLOTS]);
        let mut entries = Vec::new();
        for word in words {
            debug_assert!(word.text.len() >= WORD_MIN, "{word:?} may be missed");
            for (offset, four) in word.text.as_bytes().windows(4).take(4).enumerate() {
                let four = Self::mixed(u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
                table[Self::slot(four)] = 1;
                entries.push((four, word, offset));
            }
        }
        entries.sort_by_key(|(four, _, _)| *four);
        let mut firsts = Box::new([0; SLOTS]);
        for (at, (four, _, _)) in entries.iter().enumerate().rev() {
            firsts[Self::slot(*four)] = u16::try_from(at).expect("the words are few");
        }
        Self { table, firsts, entries }
    }

    /// Four bytes as a number that is spread over all bits, the same for both cases of a letter.
    #[inline]
    fn mixed(four: u32) -> u32 {
        (four | 0x2020_2020).wrapping_mul(0x9e37_79b1)
    }

    #[inline]
    fn slot(mixed: u32) -> usize {
        (mixed >> (32 - SLOT_BITS)) as usize
    }

    fn with(&self, mixed: u32) -> impl Iterator<Item = (Word, usize)> + use<'_> {
        let slot = Self::slot(mixed);
        let near = self.entries[usize::from(self.firsts[slot])..].iter();
        let near = near.take_while(move |(four, _, _)| Self::slot(*four) == slot);
        near.filter(move |(four, _, _)| *four == mixed).map(|(_, word, offset)| (*word, *offset))
    }
}
