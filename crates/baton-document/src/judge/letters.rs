//! The letters of one word: where it ends, how it is written without capitals, and how without accents too.
//!
//! Letters of ASCII are read eight at a time, those of western languages byte by byte, all others as Unicode says.

use super::lexicon::{Folded, WORD_BYTES_MAX, low_bytes};
use super::texts::Tag;

/// A word as it is spelled.
pub(super) struct Spelled {
    /// Where in the text it ends.
    pub(super) end: usize,
    /// Whether all its letters are ASCII.
    pub(super) is_plain: bool,
    /// In small letters without accents; empty if it is too long for the lists.
    pub(super) folded: Folded,
    /// In small letters.
    pub(super) tag: Tag,
}

/// Reads the word that starts at a place.
#[inline(always)]
pub(super) fn read(text: &str, start: usize) -> Spelled {
    let bytes = text.as_bytes();
    let (first, mut length) = letters_of(bytes, start);
    let mut letters = [first, 0, 0];
    if length == 8 {
        let (second, count) = letters_of(bytes, start + length);
        length += count;
        letters[1] = second;
        if length == 16 {
            let (third, count) = letters_of(bytes, start + length);
            length += count;
            letters[2] = third;
        }
    }
    let end = start + length;
    if bytes.get(end).is_some_and(|byte| length == WORD_BYTES_MAX || !byte.is_ascii()) {
        return read_on(text, start, end);
    }
    let (folded, tag) = (Folded::new(letters, length), Tag::of_letters(letters));
    Spelled { end, is_plain: true, folded, tag }
}

/// Reads a word that is long, or has other letters than ASCII from a place on.
#[inline(never)]
fn read_on(text: &str, start: usize, from: usize) -> Spelled {
    if let Some(read) = read_western(text, start) {
        return read;
    }
    let end = end_of_word(text, from);
    let word = &text[start..end];
    Spelled { end, is_plain: word.is_ascii(), folded: folded(word), tag: Tag::of_word(word) }
}

/// Reads a word that has no other letters than those of western languages, each in two bytes at most.
fn read_western(text: &str, start: usize) -> Option<Spelled> {
    let rest = &text.as_bytes()[start..];
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
                let letter = text[start + at..].chars().next()?;
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
    Some(Spelled { end: start + at, is_plain, folded, tag })
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

/// How many bytes of a text are ASCII, but no letter or figure.
pub(super) fn marks(text: &str) -> usize {
    let (eights, rest) = text.as_bytes().as_chunks();
    let of = |eight: u64| (others_of(eight) & !eight & HIGH).count_ones() as usize;
    let rest = rest.iter().filter(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric()).count();
    eights.iter().map(|eight| of(u64::from_le_bytes(*eight))).sum::<usize>() + rest
}

const HIGH: u64 = 0x8080_8080_8080_8080;
const ONES: u64 = 0x0101_0101_0101_0101;

/// The high bit of each of eight bytes that is no ASCII letter or digit.
#[inline]
fn others_of(eight: u64) -> u64 {
    let reaches = |bytes: u64, byte: u8| (bytes & !HIGH) + (0x80 - u64::from(byte)) * ONES;
    // With this bit, a capital is its small letter, and no mark is a letter.
    let small = eight | (0x20 * ONES);
    let is_letter = reaches(small, b'a') & !reaches(small, b'z' + 1);
    let is_figure = reaches(eight, b'0') & !reaches(eight, b'9' + 1);
    (!(is_letter | is_figure) | eight) & HIGH
}

/// Up to eight ASCII letters and digits from a place on, in small letters, and how many they are.
#[inline(always)]
fn letters_of(bytes: &[u8], at: usize) -> (u64, usize) {
    let eight = match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(eight) => u64::from_le_bytes(*eight),
        None => last_of(&bytes[at.min(bytes.len())..]),
    };
    let count = (others_of(eight).trailing_zeros() / 8) as usize;
    // A small letter and a figure have this bit; with it, a capital is its small letter.
    ((eight | (0x20 * ONES)) & low_bytes(count), count)
}

/// The last bytes of a text, fewer than eight.
#[cold]
fn last_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

/// A word in small letters without accents; none if it is too long for the lists.
fn folded(text: &str) -> Folded {
    let mut bytes = [0; WORD_BYTES_MAX];
    if text.is_ascii() {
        let Some(room) = bytes.get_mut(..text.len()) else { return Folded::of(b"") };
        room.copy_from_slice(text.as_bytes());
        room.make_ascii_lowercase();
        return Folded::of(room);
    }
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

/// Where the word ends that has other letters than ASCII from a place on.
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
        let text_of = |folded: &Folded| {
            let bytes = folded.bytes();
            str::from_utf8(&bytes).expect("plain letters").trim_end_matches('\0').to_owned()
        };
        let read = |word: Word<'_>| {
            let Spelled { end, folded, tag, .. } = read(text, word.start);
            assert_eq!(tag, Tag::of_word(word.text), "{}", word.text);
            assert_eq!((end, text_of(&folded)), (word.end(), text_of(&super::folded(word.text))));
            text_of(&folded)
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
}
