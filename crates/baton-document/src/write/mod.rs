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
