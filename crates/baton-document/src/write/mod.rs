//! Writes values as text in the notations of handoffs.

mod json;
mod toml;
mod xml;
mod yaml;

pub use json::json;
pub(crate) use json::json_line;
pub(crate) use toml::toml;
pub use xml::xml;
pub(crate) use xml::{is_xml_name, xml_text};
pub use yaml::yaml;

use std::borrow::Cow;
use std::ops::Deref;

use crate::datum::Datum;
use crate::plain::Plain;

/// A value that can be written.
pub trait Written: Sized {
    /// A key of a map of it.
    type Key: Deref<Target = str>;

    /// What it is.
    fn view(&self) -> View<'_, Self>;

    /// The text of a scalar.
    fn scalar(&self) -> Option<&str> {
        match self.view() {
            View::Text(text) | View::Number(text) => Some(text),
            View::Boolean(true) => Some("true"),
            View::Boolean(false) => Some("false"),
            View::Null | View::List(_) | View::Map(_) => None,
        }
    }

    /// The entries of a map; none of anything else.
    fn parts(&self) -> &[(Self::Key, Self)] {
        match self.view() {
            View::Map(entries) => entries,
            View::Null | View::Boolean(_) | View::Number(_) | View::Text(_) | View::List(_) => &[],
        }
    }
}

/// What a value is to whoever writes it.
#[derive(Debug)]
pub enum View<'w, V: Written> {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number, as JSON would write it.
    Number(&'w str),
    /// Text.
    Text(&'w str),
    /// A list.
    List(&'w [V]),
    /// A map.
    Map(&'w [(V::Key, V)]),
}

impl<'t> Written for Datum<'t> {
    type Key = Cow<'t, str>;

    #[inline]
    fn view(&self) -> View<'_, Self> {
        match self {
            Datum::Null => View::Null,
            Datum::Boolean(is) => View::Boolean(*is),
            Datum::Number(text) => View::Number(text),
            Datum::Text(text) => View::Text(text),
            Datum::List(items) => View::List(items),
            Datum::Map(entries) => View::Map(entries),
        }
    }
}

impl<'v> Written for Plain<'v> {
    type Key = &'v str;

    #[inline]
    fn view(&self) -> View<'_, Self> {
        match *self {
            Plain::Null => View::Null,
            Plain::Boolean(is) => View::Boolean(is),
            Plain::Number(text) => View::Number(text),
            Plain::Text(text) => View::Text(text),
            Plain::List(items) => View::List(items),
            Plain::Map(entries) => View::Map(entries),
        }
    }
}

/// Whether any byte of a text is of some sort, asked of eight at once: most texts have none.
///
/// `sort` marks the high bits of such bytes in a word, see [`equal`] and [`below`]; letters must not be of the sort.
#[inline]
fn has_any(text: &str, sort: impl Fn(u64) -> u64) -> bool {
    let bytes = text.as_bytes();
    // The last bytes are asked together with some before them, so that none is left over.
    if let Some(last) = bytes.last_chunk::<8>() {
        let (chunks, _) = bytes.as_chunks::<8>();
        let found = chunks.iter().fold(0, |found, chunk| found | sort(u64::from_le_bytes(*chunk)));
        return (found | sort(u64::from_le_bytes(*last))) & HIGH != 0;
    }
    let word = if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
    } else {
        bytes.iter().fold(every(b'a'), |word, byte| word << 8 | u64::from(*byte))
    };
    sort(word) & HIGH != 0
}

/// The high bit of every byte.
const HIGH: u64 = every(0x80);

/// A word of one byte.
const fn every(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Marks bytes of a word below one of ASCII; beside one that is, another may be marked too.
#[inline]
fn below(word: u64, byte: u8) -> u64 {
    word.wrapping_sub(every(byte)) & !word
}

/// Marks bytes of a word that are a byte; beside one that is, another may be marked too.
#[inline]
fn equal(word: u64, byte: u8) -> u64 {
    below(word ^ every(byte), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_found_wherever_it_stands_and_no_other_is() {
        for length in 0..40 {
            for at in 0..length {
                for byte in 0..0x80u8 {
                    let mut text = vec![b'a'; length];
                    text[at] = byte;
                    let text = String::from_utf8(text).expect("it is ASCII");
                    assert_eq!(has_any(&text, |word| below(word, b' ')), byte < b' ', "{text:?}");
                    assert_eq!(has_any(&text, |word| equal(word, b'<')), byte == b'<', "{text:?}");
                }
            }
        }
        for text in ["é", "aé", "aaaé", "aaaaaaaé", "éaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaé"] {
            assert!(has_any(text, |word| word) && has_any(text, |word| equal(word, 0xc3)), "{text}");
            let is_other = |word| below(word, b' ') | equal(word, 0xef);
            assert!(!has_any(text, is_other), "{text}");
        }
    }
}
