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

/// Whether any byte of a text is of some sort, asked of many at once: most texts have none.
#[inline]
fn has_any(text: &str, is_one: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    // The last bytes are asked together with some before them, so that none is left over.
    if let Some(last) = bytes.last_chunk::<16>() {
        return bytes.as_chunks::<16>().0.iter().any(|some| has_one(some, &is_one)) || has_one(last, &is_one);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        return has_one(first, &is_one) || has_one(last, &is_one);
    }
    bytes.iter().any(|byte| is_one(*byte))
}

#[inline]
fn has_one<const N: usize>(bytes: &[u8; N], is_one: impl Fn(u8) -> bool) -> bool {
    bytes.iter().fold(0, |is, byte| is | u8::from(is_one(*byte))) != 0
}
