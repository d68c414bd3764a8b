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
