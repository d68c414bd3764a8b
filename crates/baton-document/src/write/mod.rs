//! Writes values as text in the notations of handoffs.

mod json;
mod toml;
mod xml;
mod yaml;

pub use json::json;
pub(crate) use json::json_line;
pub(crate) use toml::toml;
pub(crate) use xml::{is_xml_name, xml, xml_text};
pub(crate) use yaml::yaml;

/// Whether any byte of a text is of some sort, asked of many at once: most texts have none.
fn has_any(text: &str, is_one: impl Fn(u8) -> bool) -> bool {
    const AT_ONCE: usize = 16;
    let of = |bytes: &[u8; AT_ONCE]| bytes.iter().fold(0, |is, byte| is | u8::from(is_one(*byte))) != 0;
    let (chunks, rest) = text.as_bytes().as_chunks();
    chunks.iter().any(of) || rest.iter().any(|byte| is_one(*byte))
}
