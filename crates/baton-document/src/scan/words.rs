//! The words that the glance knows, and the table by which it meets them.
//!
//! A text of seven bytes has four that start at a multiple of four, wherever it stands; the number of these four is
//! looked up. A shorter word takes what may stand before or behind it to its seven. In a word a blank stands for a
//! space, a line end, or an escaped one.
//!
//! Whether every pattern of `data/` has a word here is not left to care: the tests of `secrets/formats.rs` and of
//! `rules/document/instruction.rs` make texts for each of them and look for them behind the glance.
//!
//! Invariant: a word that is met is there, letter by letter, with what must stand before and behind it.

use std::sync::LazyLock;

use wide::bytemuck::cast;
use wide::{i16x8, u8x16, u32x4};

/// What is left of letters in either case, in ASCII and in the letters of French.
pub(super) const LETTERS: u8 = 0xdf;
/// The bytes of which four are met wherever they stand.
const WHOLE: usize = 7;
/// So many slots that other words seldom fall into one, and that a slot is two bytes.
const SLOTS: usize = 1 << 16;

/// What a word is a sign of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Near {
    /// A secret that may be too short to be a run.
    Secret,
    /// Text that instructs whoever reads it.
    Instruction,
}

/// A word or a part of one, in any letters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    /// What one byte before it may be, where the word is too short without.
    starts: &'static [u8],
    pub(super) text: &'static str,
    /// What one byte behind it may be, where the word is too short without.
    ends: &'static [u8],
    /// Any of these stands before it, if there are some; a blank is a gap of any width.
    behind: &'static [&'static str],
    /// Any of these follows, if there are some.
    then: &'static [&'static str],
    pub(super) near: Near,
}

/// What stands between words: blanks, the escape of one, and the first bytes of those that are not ASCII.
const GAP: &[u8] = b" \n\t\r\\\xc2\xe2\xe3";
/// What stands between a name and the sign that assigns something to it, and the sign.
const ASSIGNED: &[u8] = b" \n\t\r\\\"'`:=>";
/// What stands before a word at the start of a text, a line or a value.
const START: &[u8] = b" \n\t\"'`(>:=nrt;|&$";
/// Any byte behind a letter or a sign of ASCII, once for both cases.
const ANY: &[u8] = &{
    let mut any = [0; 32 + 32 + 21];
    let mut at = 0_u8;
    while (at as usize) < any.len() {
        any[at as usize] = match at {
            0..32 => at,
            32..64 => at + 0x20,
            _ => at - 64 + 0xc0,
        };
        at += 1;
    }
    any
};

/// Whether a byte behind a name may belong to an assignment.
pub(super) fn is_assigned(byte: u8) -> bool {
    ASSIGNED.contains(&byte)
}

const fn secret(text: &'static str) -> Word {
    Word { starts: b"", text, ends: b"", behind: &[], then: &[], near: Near::Secret }
}

const fn told(text: &'static str) -> Word {
    Word { near: Near::Instruction, ..secret(text) }
}

impl Word {
    const fn from(self, starts: &'static [u8]) -> Self {
        Self { starts, ..self }
    }

    const fn to(self, ends: &'static [u8]) -> Self {
        Self { ends, ..self }
    }

    const fn behind(self, behind: &'static [&'static str]) -> Self {
        Self { behind, ..self }
    }

    const fn then(self, then: &'static [&'static str]) -> Self {
        Self { then, ..self }
    }
}

/// All words. Those were chosen whose fours are rare in other words.
const WORDS: &[Word] = &[
    secret("assword"),
    secret("passwd").to(ASSIGNED),
    secret("ssphrase"),
    secret("mot de ").then(&["passe"]),
    secret("mot_de_").then(&["passe"]),
    secret("mot-de-").then(&["passe"]),
    secret("secret").to(b" \n\t\r\\\"'`:=>_-ka"),
    secret("api_key"),
    secret("api-key"),
    secret("api key"),
    secret("apikey").to(ASSIGNED),
    secret("cess_key"),
    secret("cesskey"),
    secret("vate_key"),
    secret("cess_tok"),
    secret("uth_tok"),
    secret("redentia"),
    secret("-begin "),
    secret("ate-line"),
    secret("orizatio"),
    secret("bearer").to(b" \t\\"),
    secret("basic").from(START).to(b" \t\\"),
    secret("curl ").from(START).to(b"-h\"'$\\"),
    told("ignore").to(GAP),
    told("ignorez"),
    told("forget").to(GAP),
    told("disregard"),
    told("verride"),
    told("oublie").to(GAP),
    told("oubliez"),
    told("compte").to(GAP),
    told("instruc"),
    told("consign"),
    told("prompt").to(ANY),
    told("message").behind(&["system "]),
    told("invite").to(GAP),
    told("you ar").from(START).then(&["e now "]),
    told("re now").to(GAP).behind(&["you a"]),
    told("m now on"),
    told("t tell").to(GAP),
    told("r tell").to(GAP),
    told("t tellin"),
    told("t inform"),
    told("r inform"),
    told("<|im_start"),
    told("<|im_end|"),
    told("<|im_sep|"),
    told("<|system"),
    told("<|user|>"),
    told("<|assist"),
    told("<|endof"),
    told("<|eot_id"),
    told("<|start_h"),
    told("<|end_he"),
    told("<|begin_"),
    told("<|end_of_"),
    told("[inst]").to(ANY),
    told("[/inst]"),
    told("<<sys>>"),
    told("<</sys>>"),
    told("human:").to(GAP),
    told("assistant:"),
    told("tool_cal"),
    told("tool_use"),
    told("tool_res"),
    told("ion_call"),
    told("invoke").to(GAP),
    told("already").then(&[" ap", " au", " va", " co", " ac", " si", " gr", " gi", " pa", " been"]),
    told("approved").behind(&["gate ", "as ", "already ", "been ", "pre-"]),
    told("skip th"),
    told("bypass").to(GAP),
    told("contents").then(&[" of "]),
    told("content").then(&[" of "]),
    told("contenu"),
    told("variabl").behind(&["environment "]),
    told("redentials"),
    told("ntenant"),
    told("d\u{e9}sormais"),
    told("d\u{e9}j\u{e0}").to(GAP).then(&[
        " tout",
        " \u{e9}t\u{e9}",
        " app",
        " val",
        " aut",
        " con",
        " acc",
        " fra",
        " don",
    ]),
    told("surtout"),
    told("jamais").to(GAP),
    told("dis pas"),
    told("dis rien"),
    told("dites pas"),
    told("dites rien"),
    told("parle pas"),
    told("parle rien"),
    told("parlez pas"),
    told("parlez rien"),
    told("le dire"),
    told("en parler"),
];

/// The words, by any four bytes of theirs that a pass may meet first.
pub(super) struct Words {
    /// The list of the four of each slot that has one; none where there is none.
    pub(super) table: Box<[u8; SLOTS]>,
    /// Where each list starts among the entries.
    lists: [u16; LISTS + 1],
    /// The fours with their words, by their lists.
    entries: Vec<Entry>,
}

/// Four bytes of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    list: u8,
    four: u32,
    /// How far behind the start of the word they stand; one before it is -1.
    offset: i8,
    /// The first byte of the word.
    first: u8,
    /// The word, by its row.
    row: u16,
}

/// All words, by their fours.
pub(super) static TABLE: LazyLock<Words> = LazyLock::new(Words::new);

/// A slot without any four.
pub(super) const NONE: u8 = 0;
/// A slot with fours of more than one list.
const MANY: u8 = 0xff;
/// The lists that entries are spread over, the one of none included.
const LISTS: usize = MANY as usize;

impl Words {
    fn new() -> Self {
        let mut entries = Vec::with_capacity(1024);
        for (row, word) in (0..).zip(WORDS) {
            let first = word.text.bytes().next().unwrap_or_default();
            let before = if word.starts.is_empty() { 0 } else { -1 };
            for whole in word.wholes() {
                let fours = (before..).zip(whole.windows(4).take(4).map(folded));
                entries.extend(fours.map(|(offset, four)| Entry {
                    list: list(four),
                    four,
                    offset,
                    first,
                    row,
                }));
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let mut table = Box::new([NONE; SLOTS]);
        for Entry { list, four, .. } in &entries {
            let [slot, ..] = slots(cast([*four, 0, 0, 0]));
            let held = &mut table[usize::from(slot)];
            *held = if [NONE, *list].contains(held) { *list } else { MANY };
        }
        let first = |list: usize| entries.partition_point(|entry| usize::from(entry.list) < list);
        let lists = std::array::from_fn(|list| u16::try_from(first(list)).unwrap_or(u16::MAX));
        Self { table, lists, entries }
    }

    /// The words that may have the four bytes at a place, and where each starts, given what their slot has.
    pub(super) fn with<'t>(
        &'t self,
        held: u8,
        four: u32,
        bytes: &'t [u8],
        at: usize,
    ) -> impl Iterator<Item = (&'static Word, usize)> + use<'t> {
        let list = usize::from(if held == MANY { list(four) } else { held });
        let range = usize::from(self.lists[list])..usize::from(self.lists[list + 1]);
        let own = self.entries.get(range).unwrap_or_default().iter().filter(move |entry| entry.four == four);
        own.filter_map(move |entry| {
            let start = at.checked_sub_signed(isize::from(entry.offset))?;
            // Most that have four bytes of a word differ from it at once.
            let may_be = bytes.get(start).is_some_and(|byte| (byte ^ entry.first) & LETTERS == 0);
            may_be.then(|| WORDS.get(usize::from(entry.row)).map(|word| (word, start))).flatten()
        })
    }
}

impl Word {
    /// Seven bytes or more that the word may be written with, in every way that matters to its fours.
    fn wholes(&self) -> Vec<Vec<u8>> {
        let mut all: Vec<Vec<u8>> = vec![Vec::new()];
        let add = |all: Vec<Vec<u8>>, ways: &[&[u8]]| -> Vec<Vec<u8>> {
            all.iter().flat_map(|text| ways.iter().map(move |way| [text, *way].concat())).collect()
        };
        let bytes = |bytes: &'static [u8]| -> Vec<&'static [u8]> { bytes.chunks(1).collect() };
        if !self.starts.is_empty() {
            all = add(all, &bytes(self.starts));
        }
        for part in self.text.as_bytes().chunks(1) {
            all = if part == b" " { add(all, &[b" ", b"\n", b"\\n"]) } else { add(all, &[part]) };
        }
        if !self.ends.is_empty() {
            all = add(all, &bytes(self.ends));
        }
        debug_assert!(all.iter().all(|text| text.len() >= WHOLE), "{self:?} may be missed");
        all
    }

    /// Where the word ends that may start at a place.
    pub(super) fn end(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let end = start + after(bytes.get(start..)?, self.text)?;
        let is_behind =
            self.behind.is_empty() || self.behind.iter().any(|text| is_before(&bytes[..start], text));
        let is_then =
            self.then.is_empty() || self.then.iter().any(|text| after(&bytes[end..], text).is_some());
        (is_behind && is_then).then_some(end)
    }
}

/// How long a text is that some bytes start with, if they do; a blank of it is a gap of any width.
fn after(bytes: &[u8], text: &str) -> Option<usize> {
    let mut at = 0;
    for byte in text.bytes() {
        let rest = bytes.get(at..)?;
        at += match byte {
            b' ' => gap(rest)?,
            _ => usize::from(is_same(*rest.first()?, byte).then_some(1_u8)?),
        };
    }
    Some(at)
}

/// Whether bytes end with a text; a blank of it is a gap of any width.
fn is_before(bytes: &[u8], text: &str) -> bool {
    let mut end = bytes.len();
    for byte in text.bytes().rev() {
        let rest = &bytes[..end];
        let length = match (byte, rest.last()) {
            (b' ', _) => gap_before(rest),
            (_, Some(last)) => is_same(*last, byte).then_some(1),
            (_, None) => None,
        };
        let Some(length) = length else { return false };
        end -= length;
    }
    true
}

fn is_same(one: u8, other: u8) -> bool {
    one.eq_ignore_ascii_case(&other) || (!one.is_ascii() && (one ^ other) & LETTERS == 0)
}

/// The blanks that bytes start with, written or escaped; none if there are none.
fn gap(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    loop {
        rest = match rest {
            [b' ' | b'\n' | b'\t' | b'\r' | 0x0b | 0x0c, rest @ ..]
            | [b'\\', b'n' | b't' | b'r' | b'\n', rest @ ..]
            | [0xc2, 0xa0, rest @ ..]
            | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, rest @ ..]
            | [0xe3, 0x80, 0x80, rest @ ..] => rest,
            _ => break,
        };
    }
    (rest.len() < bytes.len()).then_some(bytes.len() - rest.len())
}

fn gap_before(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    loop {
        rest = match rest {
            [rest @ .., b' ' | b'\n' | b'\t' | b'\r' | 0x0b | 0x0c]
            | [rest @ .., b'\\', b'n' | b't' | b'r']
            | [rest @ .., 0xc2, 0xa0]
            | [rest @ .., 0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf]
            | [rest @ .., 0xe3, 0x80, 0x80] => rest,
            _ => break,
        };
    }
    (rest.len() < bytes.len()).then_some(bytes.len() - rest.len())
}

/// Four bytes as one number, with letters in no case.
fn folded(four: &[u8]) -> u32 {
    let mut bytes = [0; 4];
    bytes.iter_mut().zip(four).for_each(|(into, byte)| *into = byte & LETTERS);
    u32::from_le_bytes(bytes)
}

/// The list of four bytes, which has little to do with their slot.
fn list(four: u32) -> u8 {
    four.wrapping_mul(0x9e37_79b1).to_be_bytes()[0] % (MANY - 1) + 1
}

/// The slots of each four of sixteen bytes, whose letters are taken in no case.
#[inline]
pub(super) fn slots(sixteen: u8x16) -> [u16; 4] {
    // Tried on prose: with these the fours of other words fall into the slots of words as seldom as they can.
    const MIX: [i16; 8] = [5_151, -17_541, 5_151, -17_541, 5_151, -17_541, 5_151, -17_541];
    const SHIFT: u32 = 10;
    let twos: i16x8 = cast(sixteen & u8x16::splat(LETTERS));
    let mixed: u32x4 = cast(twos.dot(i16x8::new(MIX)));
    let [first, _, second, _, third, _, fourth, _]: [u16; 8] = cast(mixed >> SHIFT);
    [first, second, third, fourth]
}

/// A text with every word of the table, as it may be met.
#[cfg(test)]
pub(super) fn examples() -> Vec<String> {
    let one = |word: &Word| {
        let end =
            |ends: &[u8]| ends.first().map(|byte| char::from(*byte)).filter(char::is_ascii).unwrap_or(' ');
        let start = if word.starts.is_empty() { String::new() } else { end(word.starts).to_string() };
        let behind = word.behind.first().copied().unwrap_or_default();
        let then = word.then.first().copied().unwrap_or_default();
        let last =
            if word.ends.is_empty() || !then.is_empty() { String::new() } else { end(word.ends).to_string() };
        format!("{behind}{start}{}{last}{then} ", word.text)
    };
    WORDS.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_a_word_is_compared_over_any_gap() {
        assert_eq!(after(b"e  \\n Now x", "e now "), Some(10));
        assert_eq!(after("D\u{c9}J\u{c0}".as_bytes(), "d\u{e9}j\u{e0}"), Some(6));
        assert!(
            is_before(b"the You\\n\tA", "you a")
                && !is_before(b"you", "r you")
                && !is_before(b"youa", "you a")
        );
        assert!(after(b"al", "already").is_none() && after(b"", "a").is_none());
    }

    #[test]
    fn few_fours_share_a_slot() {
        let words = &*TABLE;
        let taken = words.table.iter().filter(|held| **held != 0).count();
        assert!(words.entries.len() < 1_100 && taken < 900, "{} in {taken}", words.entries.len());
    }
}
