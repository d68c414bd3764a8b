//! Writes values as text in the notations of handoffs.

mod json;
mod xml;
mod yaml;

pub use json::json;
pub(crate) use xml::{xml, xml_text};
pub(crate) use yaml::yaml;
