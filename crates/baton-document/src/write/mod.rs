//! Writes values as text in the notations of handoffs.

pub(crate) mod json;
mod toml;
pub(crate) mod xml;
pub(crate) mod yaml;

pub use json::json;
pub(crate) use json::json_line;
pub(crate) use toml::toml;
pub use xml::xml;
pub(crate) use xml::{is_as_it_is_read, is_xml_element, is_xml_name, xml_text};
pub use yaml::yaml;

use std::borrow::Cow;
use std::ops::Deref;

use wide::u8x16;

use crate::bytes::are_at_most;
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

/// Whether any byte of a text is of some sort, asked of sixteen at once: most texts have none.
///
/// `sort` marks the high bits of such bytes; `a` must not be of the sort.
#[inline]
fn has_any(text: &str, sort: impl Fn(u8x16) -> u8x16) -> bool {
    let bytes = text.as_bytes();
    // The last bytes are asked together with some before them, so that none is left over.
    if let Some(last) = bytes.last_chunk::<16>() {
        let (chunks, _) = bytes.as_chunks::<16>();
        let marked = chunks.iter().fold(sort(u8x16::new(*last)), |all, chunk| all | sort(u8x16::new(*chunk)));
        return marked.to_bitmask() != 0;
    }
    sort(u8x16::new(padded(bytes))).to_bitmask() != 0
}

/// Fewer than sixteen bytes as sixteen: some of them twice, and `a` where that is not enough.
#[inline]
fn padded(bytes: &[u8]) -> [u8; 16] {
    let [first, last] = if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        [u64::from_le_bytes(*first), u64::from_le_bytes(*last)]
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let word = u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last));
        [word, word]
    } else {
        let word =
            bytes.iter().fold(u64::from_le_bytes([b'a'; 8]), |word, byte| word << 8 | u64::from(*byte));
        [word, word]
    };
    let mut padded = [0; 16];
    padded[..8].copy_from_slice(&first.to_le_bytes());
    padded[8..].copy_from_slice(&last.to_le_bytes());
    padded
}

/// The bytes from one to another.
#[inline]
fn are_within(bytes: u8x16, from: u8, to: u8) -> u8x16 {
    are_at_most(bytes - u8x16::splat(from), to - from)
}

/// The letters of ASCII.
#[inline]
fn are_letters(bytes: u8x16) -> u8x16 {
    are_within(bytes | u8x16::splat(0x20), b'a', b'z')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::are;

    #[test]
    fn a_byte_is_found_wherever_it_stands_and_no_other_is() {
        for length in 0..40 {
            for at in 0..length {
                for byte in 0..0x80u8 {
                    let mut text = vec![b'a'; length];
                    text[at] = byte;
                    let text = String::from_utf8(text).expect("it is ASCII");
                    assert_eq!(has_any(&text, |bytes| are_at_most(bytes, 0x1f)), byte < b' ', "{text:?}");
                    assert_eq!(has_any(&text, |bytes| are(bytes, b'<')), byte == b'<', "{text:?}");
                    let is_other = has_any(&text, |bytes| !are_letters(bytes));
                    assert_eq!(is_other, !byte.is_ascii_alphabetic(), "{text:?}");
                }
            }
        }
        for text in ["é", "aé", "aaaé", "aaaaaaaé", "éaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaé"] {
            assert!(has_any(text, |bytes| bytes) && has_any(text, |bytes| are(bytes, 0xc3)), "{text}");
            let is_other = |bytes| are_at_most(bytes, 0x1f) | are(bytes, 0xef);
            assert!(!has_any(text, is_other), "{text}");
        }
    }
}
