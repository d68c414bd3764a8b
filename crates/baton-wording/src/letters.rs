//! The letters of one word: where it ends, how it is written without capitals, and how without accents too.
//!
//! Letters of ASCII are found sixty-four bytes at a time and read eight at a time, those of western languages byte by
//! byte, all others as Unicode says.

use super::forms::Tag;
use super::lexicon::{self, Folded, Key, WORD_BYTES_MAX};
use crate::bytes::{self, Block, WIDTH};
use wide::u8x16;

/// A word as it is spelled.
pub(super) struct Spelling {
    /// Offset behind its last byte in the text.
    pub(super) end: usize,
    /// True if all its letters are ASCII.
    pub(super) is_plain: bool,
    /// In small letters.
    pub(super) tag: Tag,
    /// Its key, if the lists have it.
    pub(super) key: Option<Key>,
}

/// Positions of the ASCII letters and digits in a text, from an offset on.
#[derive(Clone, Copy)]
pub(super) struct Lookahead {
    from: usize,
    /// A bit for each of the bytes from there on.
    letters: u64,
}

impl Lookahead {
    /// Those of the bytes from a place on.
    #[inline(always)]
    pub(super) fn at(text: &[u8], from: usize) -> Self {
        Self { from, letters: bytes::bits(&bytes::from(text, from, b' '), are_letters) }
    }

    /// Length of the run of letters at an offset, up to [`WIDTH`].
    #[inline(always)]
    pub(super) fn run(&mut self, text: &[u8], at: usize) -> usize {
        let seen = at - self.from;
        if seen < WIDTH {
            let run = (self.letters >> seen).trailing_ones() as usize;
            if seen + run < WIDTH {
                return run;
            }
        }
        *self = Self::at(text, at);
        self.letters.trailing_ones() as usize
    }
}

/// The bytes that are ASCII letters or figures.
#[inline(always)]
fn are_letters(sixteen: u8x16) -> u8x16 {
    // With this bit, a capital is its small letter, and no mark is a letter.
    let small = sixteen | u8x16::splat(0x20);
    let behind =
        |bytes: u8x16, first: u8, last: u8| bytes::are_at_most(bytes - u8x16::splat(first), last - first);
    behind(small, b'a', b'z') | behind(sixteen, b'0', b'9')
}

/// Reads a word of so many ASCII letters that starts at a place: up to eight, as most have, or up to sixteen where as many
/// bytes follow.
#[inline(always)]
pub(super) fn read_short(bytes: &[u8], start: usize, length: usize) -> Option<Spelling> {
    let rest = bytes.get(start..)?;
    let eight = match rest.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => last_of(bytes, rest.len())?,
    };
    let letters = match length {
        1..=8 => [small(eight, length), 0, 0],
        9..=16 => {
            let more = u64::from_le_bytes(*rest.get(8..)?.first_chunk()?);
            [small(eight, 8), small(more, length - 8), 0]
        }
        _ => return None,
    };
    let (tag, key) = (Tag::of_letters(letters), lexicon::get().key_of_letters(&letters));
    Some(Spelling { end: start + length, is_plain: true, tag, key })
}

/// Reads the word that starts at a place.
pub(super) fn read(text: &str, start: usize, ahead: &mut Lookahead) -> Spelling {
    let bytes = text.as_bytes();
    let length = ahead.run(bytes, start);
    let end = start + length;
    if length > WORD_BYTES_MAX || bytes.get(end).is_some_and(|byte| !byte.is_ascii()) {
        return read_on(text, start, end);
    }
    if let Some(short) = read_short(bytes, start, length) {
        return short;
    }
    let mut letters = [0; WORD_BYTES_MAX];
    let room = &mut letters[..length];
    room.copy_from_slice(&bytes[start..end]);
    room.make_ascii_lowercase();
    let letters = lexicon::letters(&letters);
    let (tag, key) = (Tag::of_letters(letters), lexicon::get().key_of_letters(&letters));
    Spelling { end, is_plain: true, tag, key }
}

/// The last bytes of a text that has at least eight, one to eight of them.
#[cold]
fn last_of(bytes: &[u8], count: usize) -> Option<u64> {
    let eight = u64::from_le_bytes(*bytes.last_chunk()?);
    eight.checked_shr(u32::try_from(64 - 8 * count).ok()?)
}

/// The first one to eight letters of eight bytes, in small letters.
#[inline(always)]
fn small(eight: u64, length: usize) -> u64 {
    // A small letter and a figure have this bit; with it, a capital is its small letter.
    (eight | (0x20 * ONES)) & (u64::MAX >> (64_usize.wrapping_sub(8 * length) % 64))
}

/// Reads a word that is long, or has other letters than ASCII from a place on.
#[inline(never)]
fn read_on(text: &str, start: usize, from: usize) -> Spelling {
    if let Some(Western { length, is_plain, folded, tag }) = read_western(&text[start..]) {
        return Spelling { end: start + length, is_plain, tag, key: lexicon::get().key_of(&folded) };
    }
    let end = end_of_word(text, from);
    let word = &text[start..end];
    let key = lexicon::get().key_of(&folded_by_letters(word));
    Spelling { end, is_plain: word.is_ascii(), tag: Tag::of_word(word), key }
}

/// A word that has no other letters than those of western languages.
struct Western {
    length: usize,
    is_plain: bool,
    /// In small letters without accents; empty if it is too long for the lists.
    folded: Folded,
    /// In small letters.
    tag: Tag,
}

/// Reads the word that a text starts with, if each of its letters is one of western languages, in two bytes at most.
fn read_western(text: &str) -> Option<Western> {
    let rest = text.as_bytes();
    // Room for all that a word of the lists may have, and one letter more.
    let mut plain_letters = Buffer::<{ WORD_BYTES_MAX + 2 }>::default();
    let mut small_letters = Buffer::<{ WORD_BYTES_MAX + 2 }>::default();
    let mut at = 0;
    let mut is_plain = true;
    while let Some(byte) = rest.get(at) {
        match (*byte, rest.get(at + 1)) {
            (byte, _) if byte.is_ascii_alphanumeric() => {
                let small = byte.to_ascii_lowercase();
                plain_letters.push(small);
                small_letters.push(small);
                at += 1;
                continue;
            }
            (byte, _) if byte.is_ascii() => break,
            // U+00C0 to U+00FF but for the signs × and ÷; the capitals stand 32 before their small letters.
            (0xc3, Some(second)) if !matches!(second, 0x97 | 0xb7) => {
                let second = if *second < 0x9f { second + 0x20 } else { *second };
                let (first, more) = plain(char::from(second + 0x40));
                plain_letters.push(first);
                more.into_iter().for_each(|more| plain_letters.push(more));
                small_letters.push(0xc3);
                small_letters.push(second);
            }
            // Œ and œ.
            (0xc5, Some(0x92 | 0x93)) => {
                plain_letters.push(b'o');
                plain_letters.push(b'e');
                small_letters.push(0xc5);
                small_letters.push(0x93);
            }
            _ => {
                let letter = text[at..].chars().next()?;
                if letter.is_alphanumeric() || is_accent(letter) {
                    return None;
                }
                break;
            }
        }
        is_plain = false;
        at += 2;
    }
    let (folded, tag) = (Folded::of(plain_letters.filled()), Tag::of_small(small_letters.filled()));
    Some(Western { length: at, is_plain, folded, tag })
}

/// The first bytes of something, with a length that may be more than they are.
struct Buffer<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Default for Buffer<N> {
    fn default() -> Self {
        Self { bytes: [0; N], length: 0 }
    }
}

impl<const N: usize> Buffer<N> {
    #[inline]
    fn push(&mut self, byte: u8) {
        if let Some(room) = self.bytes.get_mut(self.length) {
            *room = byte;
            self.length += 1;
        }
    }

    #[inline]
    fn filled(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Properties of a text that one pass over its bytes tells, without reading a word.
pub(super) struct Glance {
    /// Number of bytes that are ASCII, but no letter or digit.
    pub(super) marks: usize,
    /// True if it has a byte that names of programs have and few other texts: `_`, `{` or a hyphen.
    pub(super) may_have_identifier: bool,
    /// Its first bytes, and blanks behind them, which need not be fetched again.
    first: Block,
}

impl Glance {
    pub(super) fn of(text: &[u8]) -> Self {
        let first = bytes::from(text, 0, b' ');
        let mut glance = Self { marks: 0, may_have_identifier: false, first };
        glance.look(&first);
        let mut at = WIDTH;
        while at < text.len() {
            glance.look(&bytes::from(text, at, b' '));
            at += WIDTH;
        }
        // The blanks behind the text are none of its marks.
        glance.marks -= at - text.len();
        glance
    }

    #[inline(always)]
    fn look(&mut self, block: &Block) {
        let unmarked = bytes::bits(block, |some| are_letters(some) | bytes::are_not_ascii(some));
        self.marks += unmarked.count_zeros() as usize;
        let is_named = |some| bytes::are(some, b'_') | bytes::are(some, b'{') | bytes::are(some, b'-');
        self.may_have_identifier |= bytes::has(block, is_named);
    }
}

/// Starts of the runs of ASCII letters and digits in a text.
pub(super) fn starts(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut is_behind = false;
    (0..text.len()).step_by(WIDTH).flat_map(move |from| {
        let letters = bytes::bits(&bytes::from(text, from, b' '), are_letters);
        let mut starts = letters & !(letters << 1 | u64::from(is_behind));
        is_behind = letters >> (WIDTH - 1) != 0;
        std::iter::from_fn(move || {
            let at = from + starts.trailing_zeros() as usize;
            let is_one = starts != 0;
            starts &= starts.wrapping_sub(1);
            is_one.then_some(at)
        })
    })
}

/// The words of a text that can be seen without reading it: small ASCII letters, four to sixteen of them, behind a blank
/// and before a blank, or a mark and a blank.
pub(super) struct PlainWords<'t> {
    text: &'t [u8],
    /// The place from which on bytes are looked at, and from which on the next ones.
    from: usize,
    next: usize,
    /// Positions of small letters and starts of words, a bit for each byte.
    small: u64,
    starts: u64,
}

impl<'t> PlainWords<'t> {
    const LETTERS: std::ops::RangeInclusive<usize> = 4..=16;

    pub(super) fn of(text: &'t [u8]) -> Self {
        Self::behind(text, &bytes::from(text, 0, b' '))
    }

    /// Those of a text that was glanced at.
    pub(super) fn seen(text: &'t [u8], glance: &Glance) -> Self {
        Self::behind(text, &glance.first)
    }

    #[inline(always)]
    fn behind(text: &'t [u8], first: &Block) -> Self {
        let mut words = Self { text, from: 0, next: 0, small: 0, starts: 0 };
        words.look(first);
        words
    }

    /// Looks at the next bytes.
    #[inline(always)]
    fn look(&mut self, block: &Block) {
        let from = self.next;
        let blanks = bytes::bits(block, |some| bytes::are(some, b' '));
        let is_start = from.checked_sub(1).is_none_or(|before| self.text[before] == b' ');
        let small = bytes::bits(block, |some| bytes::are_at_most(some - u8x16::splat(b'a'), b'z' - b'a'));
        self.starts = small & (blanks << 1 | u64::from(is_start));
        // A word that may go on behind these bytes is looked at with the next ones, unless it fills them all.
        let whole = WIDTH - small.leading_ones() as usize;
        self.next = from + if whole == 0 { WIDTH } else { whole };
        self.starts &= u64::MAX.checked_shr(small.leading_ones()).unwrap_or_default();
        (self.from, self.small) = (from, small);
    }

    /// A word at a place, of at most sixteen letters.
    #[inline]
    fn word(&self, start: usize, length: usize) -> Folded {
        let rest = &self.text[start..];
        let sixteen = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut sixteen = [0; 16];
            sixteen[..rest.len()].copy_from_slice(rest);
            sixteen
        });
        let letters = u128::from_le_bytes(sixteen) & (u128::MAX >> (128 - 8 * length));
        #[expect(clippy::cast_possible_truncation, reason = "the low half, and then the high one")]
        Folded::new([letters as u64, (letters >> 64) as u64, 0], length)
    }
}

impl Iterator for PlainWords<'_> {
    type Item = Folded;

    #[inline(always)]
    fn next(&mut self) -> Option<Folded> {
        loop {
            if self.starts == 0 {
                if self.next >= self.text.len() {
                    return None;
                }
                self.look(&bytes::from(self.text, self.next, b' '));
                continue;
            }
            let before = self.starts.trailing_zeros() as usize;
            let length = (self.small >> before).trailing_ones() as usize;
            self.starts &= self.starts - 1;
            let start = self.from + before;
            let is_whole = match &self.text[start + length..] {
                [] | [b' ', ..] => true,
                [b'.' | b',' | b';' | b':' | b'!' | b'?', rest @ ..] => matches!(rest, [] | [b' ', ..]),
                _ => false,
            };
            if is_whole && Self::LETTERS.contains(&length) {
                return Some(self.word(start, length));
            }
        }
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// A word in small letters without accents; none if it is too long for the lists.
pub(super) fn folded(word: &str) -> Folded {
    read_western(word).map_or_else(|| folded_by_letters(word), |western| western.folded)
}

/// The same, as Unicode has the letters.
fn folded_by_letters(text: &str) -> Folded {
    let mut bytes = [0; WORD_BYTES_MAX];
    let mut length = 0;
    for letter in text.chars().flat_map(char::to_lowercase).filter(|letter| !is_accent(*letter)) {
        let (first, second) = plain(letter);
        for byte in [Some(first), second].into_iter().flatten() {
            let Some(room) = bytes.get_mut(length) else { return Folded::of(b"") };
            *room = byte;
            length += 1;
        }
    }
    Folded::of(&bytes[..length])
}

/// End of a word that has other letters than ASCII from an offset on.
fn end_of_word(text: &str, from: usize) -> usize {
    let is_part = |letter: char| letter.is_alphanumeric() || is_accent(letter);
    let length = text[from..].find(|letter: char| !is_part(letter));
    length.map_or(text.len(), |length| from + length)
}

/// A letter without its accent; one of another script is a letter that no list has.
fn plain(letter: char) -> (u8, Option<u8>) {
    let single = |letter| (letter, None);
    match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => single(b'a'),
        'ç' => single(b'c'),
        'è' | 'é' | 'ê' | 'ë' => single(b'e'),
        'ì' | 'í' | 'î' | 'ï' => single(b'i'),
        'ñ' => single(b'n'),
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => single(b'o'),
        'ù' | 'ú' | 'û' | 'ü' => single(b'u'),
        'ÿ' => single(b'y'),
        'œ' => (b'o', Some(b'e')),
        'æ' => (b'a', Some(b'e')),
        letter if letter.is_ascii() => single(letter as u8),
        _ => single(b'?'),
    }
}

/// An accent that stands after its letter.
fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::super::text::{Word, words};
    use super::*;

    fn folded(text: &str) -> Vec<String> {
        let read = |word: Word<'_>| {
            let folded = folded_by_letters(word.text);
            assert_eq!(super::folded(word.text).bytes(), folded.bytes(), "{}", word.text);
            let mut ahead = Lookahead::at(text.as_bytes(), 0);
            let Spelling { end, tag, key, .. } = read(text, word.start, &mut ahead);
            assert_eq!((end, tag), (word.end(), Tag::of_word(word.text)), "{}", word.text);
            assert_eq!(key, lexicon::get().key_of(&folded), "{}", word.text);
            let bytes = folded.bytes();
            str::from_utf8(&bytes).expect("plain letters").trim_end_matches('\0').to_owned()
        };
        words(text).map(read).collect()
    }

    #[test]
    fn words_are_read_without_case_accents_and_punctuation() {
        assert_eq!(folded("C'est FAIT, Élodie !"), ["c", "est", "fait", "elodie"]);
        assert_eq!(folded("C’est d'œil"), ["c", "est", "d", "oeil"]);
        assert_eq!(folded("termine\u{301}"), ["termine"], "an accent of its own is no word of its own");
        assert_eq!(folded("日本 ok"), ["??", "ok"]);
        assert_eq!(folded("anticonstitutionnellement-ok"), ["", "ok"]);
        assert!(folded(" …✅ ").is_empty());
        assert_eq!(folded("OVERflow2 Zz09azAZ@[`{/:"), ["overflow2", "zz09azaz"]);
        assert_eq!(
            folded("abcdefghijklmnopqrstuvwx abcdefghijklmnopqrstuvwxy"),
            ["abcdefghijklmnopqrstuvwx", ""]
        );
    }

    #[test]
    fn plain_words_are_found_wherever_they_stand() {
        let is_plain = |word: &str| {
            (4..=16).contains(&word.len()) && word.bytes().all(|letter| letter.is_ascii_lowercase())
        };
        let text = "some of these, not Those: tested twice (never)? é accentué x/path under_score naïve \
                    sixteenlettersxx seventeenlettersx done. fin last! end;no";
        for before in 0..2 * WIDTH {
            let text = format!("{}{text}", " ".repeat(before));
            let ends = |word: &str| word.trim_end_matches(['.', ',', ';', ':', '!', '?']).to_owned();
            let expected: Vec<String> = text.split(' ').map(ends).filter(|word| is_plain(word)).collect();
            let found = PlainWords::of(text.as_bytes()).map(|word| {
                let bytes = word.bytes();
                str::from_utf8(&bytes).expect("plain letters").trim_end_matches('\0').to_owned()
            });
            assert_eq!(found.collect::<Vec<_>>(), expected, "behind {before} blanks");
        }
        assert_eq!(PlainWords::of("a".repeat(200).as_bytes()).count(), 0);
        assert_eq!(PlainWords::of(b"").count(), 0);
    }

    #[test]
    fn starts_are_found_in_any_block() {
        let text = "some x/path é3a under_score (never)? ";
        for before in 0..WIDTH + 2 {
            let text = format!("{}{text}{text}", "a".repeat(before));
            let bytes = text.as_bytes();
            let is_letter = |at: usize| bytes[at].is_ascii_alphanumeric();
            let is_start = |at: &usize| is_letter(*at) && (*at == 0 || !is_letter(*at - 1));
            let expected: Vec<usize> = (0..bytes.len()).filter(is_start).collect();
            assert_eq!(starts(bytes).collect::<Vec<_>>(), expected, "behind {before} letters");
        }
        assert_eq!(starts(b"").count(), 0);
    }

    #[test]
    fn a_glance_counts_marks_and_sees_what_names_of_programs_have() {
        for (text, marks, may_have_identifier) in
            [("", 0, false), ("a b, c.", 4, false), ("é è", 1, false), ("a_b", 1, true), ("x-y {z}", 4, true)]
        {
            for before in [0, WIDTH - 1, WIDTH] {
                let glance = Glance::of(format!("{}{text}", "a".repeat(before)).as_bytes());
                assert_eq!(
                    (glance.marks, glance.may_have_identifier),
                    (marks, may_have_identifier),
                    "{text}"
                );
            }
        }
    }
}
