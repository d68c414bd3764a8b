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

use crate::arena_value::ArenaValue;
use crate::datum::Datum;

/// A value that can be written.
pub trait Written: Sized {
    /// A key of a map of it.
    type Key: Deref<Target = str>;

    /// Its kind.
    fn view(&self) -> ValueView<'_, Self>;

    /// The text of a scalar.
    fn scalar(&self) -> Option<&str> {
        match self.view() {
            ValueView::Text(text) | ValueView::Number(text) => Some(text),
            ValueView::Boolean(true) => Some("true"),
            ValueView::Boolean(false) => Some("false"),
            ValueView::Null | ValueView::List(_) | ValueView::Map(_) => None,
        }
    }

    /// The entries of a map; none of anything else.
    fn parts(&self) -> &[(Self::Key, Self)] {
        match self.view() {
            ValueView::Map(entries) => entries,
            ValueView::Null
            | ValueView::Boolean(_)
            | ValueView::Number(_)
            | ValueView::Text(_)
            | ValueView::List(_) => &[],
        }
    }
}

/// A value as its writer sees it.
#[derive(Debug)]
pub enum ValueView<'w, V: Written> {
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
    fn view(&self) -> ValueView<'_, Self> {
        match self {
            Datum::Null => ValueView::Null,
            Datum::Boolean(is) => ValueView::Boolean(*is),
            Datum::Number(text) => ValueView::Number(text),
            Datum::Text(text) => ValueView::Text(text),
            Datum::List(items) => ValueView::List(items),
            Datum::Map(entries) => ValueView::Map(entries),
        }
    }
}

impl<'v> Written for ArenaValue<'v> {
    type Key = &'v str;

    #[inline]
    fn view(&self) -> ValueView<'_, Self> {
        match *self {
            ArenaValue::Null => ValueView::Null,
            ArenaValue::Boolean(is) => ValueView::Boolean(is),
            ArenaValue::Number(text) => ValueView::Number(text),
            ArenaValue::Text(text) => ValueView::Text(text),
            ArenaValue::List(items) => ValueView::List(items),
            ArenaValue::Map(entries) => ValueView::Map(entries),
        }
    }
}
