//! Writes a value as XML: a key is an element, a list a repeated one, `@name` an attribute, `#text` its text,
//! `#mixed` text among elements as it stands.
//!
//! What XML has no form for (an empty list, a key that is no name or has a prefix that nothing declares) is left out;
//! the one who converts reads the result again and keeps what is gone.

use super::json::{CAPACITY, indent};
use super::{ValueView, Written};
use crate::mixed_content;

/// A value as an element, with its line end.
pub fn xml(name: &str, value: &impl Written) -> String {
    let mut out = String::with_capacity(CAPACITY);
    element(name, value, 0, &mut out);
    out
}

/// A text as it stands in an element.
pub(crate) fn xml_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape(text, false, &mut out);
    out
}

/// A value as an element, so deep inside of others; of a list one for each item.
pub(crate) fn element<V: Written>(name: &str, value: &V, depth: usize, out: &mut String) {
    element_in(None, name, value, depth, out);
}

/// An element and those around it, whose attributes say which prefixes names may have.
struct Scope<'s, V> {
    value: &'s V,
    outer: Option<&'s Scope<'s, V>>,
}

impl<V: Written> Scope<'_, V> {
    /// Tells whether an element or attribute of this name may stand here.
    fn has_room_for(&self, name: &str) -> bool {
        if is_xml_name(name) {
            return true;
        }
        let Some((prefix, local)) = name.split_once(':') else { return false };
        is_xml_name(prefix) && is_xml_name(local) && (prefix == "xml" || self.declares(prefix))
    }

    fn declares(&self, prefix: &str) -> bool {
        let is_it = |key: &str| key.strip_prefix("@xmlns:").is_some_and(|name| name == prefix);
        let mut parts = self.value.parts().iter();
        let is_here =
            parts.any(|(key, value)| is_it(key) && value.scalar().is_some_and(|uri| !uri.is_empty()));
        is_here || self.outer.is_some_and(|outer| outer.declares(prefix))
    }
}

fn element_in<V: Written>(
    outer: Option<&Scope<'_, V>>,
    name: &str,
    value: &V,
    depth: usize,
    out: &mut String,
) {
    let parts = match value.view() {
        ValueView::Null => return,
        ValueView::List(items) => {
            return items.iter().for_each(|item| element_in(outer, name, item, depth, out));
        }
        ValueView::Map(parts) => parts,
        ValueView::Boolean(_) | ValueView::Number(_) | ValueView::Text(_) => {
            if (Scope { value, outer }).has_room_for(name) {
                single(name, value.scalar().unwrap_or_default(), depth, out);
            }
            return;
        }
    };
    let scope = Scope { value, outer };
    if !scope.has_room_for(name) {
        return;
    }
    indent(depth, out);
    out.push('<');
    out.push_str(name);
    let (mut text, mut has_inner, mut is_content) = ("", false, false);
    for (key, value) in parts {
        match key.as_bytes() {
            [b'@', ..] => {
                if let (name, Some(text)) = (&key[1..], value.scalar())
                    && (scope.has_room_for(name) || is_declaration(name, text))
                {
                    out.push(' ');
                    out.push_str(name);
                    out.push_str("=\"");
                    escape(text, true, out);
                    out.push('"');
                }
            }
            b"#text" => {
                let content = value.parts().iter().find(|(key, _)| **key == *mixed_content::KEY);
                is_content = content.is_some();
                text = content.map_or(value, |(_, content)| content).scalar().unwrap_or_default();
            }
            _ if **key == *mixed_content::KEY => {
                (text, is_content) = (value.scalar().unwrap_or_default(), true);
            }
            [b'#', ..] => {}
            _ => has_inner |= !matches!(value.view(), ValueView::Null | ValueView::List([])),
        }
    }
    if text.is_empty() && !has_inner {
        out.push_str("/>\n");
        return;
    }
    out.push('>');
    match is_content && mixed_content::is_content(text) {
        true => out.push_str(text),
        false => escape(text, false, out),
    }
    if has_inner {
        out.push('\n');
        for (key, value) in parts.iter().filter(|(key, _)| is_inner(key)) {
            element_in(Some(&scope), key, value, depth + 1, out);
        }
        indent(depth, out);
    }
    out.push_str("</");
    out.push_str(name);
    out.push_str(">\n");
}

/// An element with text alone.
fn single(name: &str, text: &str, depth: usize, out: &mut String) {
    indent(depth, out);
    out.push('<');
    out.push_str(name);
    if text.is_empty() {
        return out.push_str("/>\n");
    }
    out.push('>');
    escape(text, false, out);
    out.push_str("</");
    out.push_str(name);
    out.push_str(">\n");
}

/// Tells whether an attribute says what a prefix stands for.
fn is_declaration(name: &str, uri: &str) -> bool {
    name.strip_prefix("xmlns:").is_some_and(is_xml_name) && !uri.is_empty()
}

/// Tells whether an element or an attribute may have this name anywhere.
pub(crate) fn is_xml_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let starts_one = |first: &u8| first.is_ascii_alphabetic() || *first == b'_';
    if name.as_bytes().first().is_some_and(starts_one) && name.bytes().all(is_part) {
        return true;
    }
    is_name_beyond_ascii(name)
}

#[cold]
fn is_name_beyond_ascii(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Tells whether an entry with this key becomes an element, if its value does.
pub(crate) fn is_xml_element(key: &str) -> bool {
    is_inner(key) && is_xml_name(key)
}

/// Tells whether a key is neither an attribute nor the text beside them.
fn is_inner(key: &str) -> bool {
    !matches!(key.as_bytes(), [b'@' | b'#', ..])
}

/// Tells whether a text comes back as it is, but for the space around it; not all that do are known.
pub(crate) fn is_as_it_is_read(text: &str) -> bool {
    // Control characters, and the first byte of all characters that XML has no form for.
    !text.bytes().any(|byte| (byte < 0x20 && !matches!(byte, b'\n' | b'\t')) || byte == 0xef)
}

fn escape(text: &str, is_attribute: bool, out: &mut String) {
    // Control characters, signs, and the first byte of what XML has no form for.
    let may_need_it =
        |byte: u8| byte < 0x20 || matches!(byte, b'<' | b'>' | b'&' | 0xef) || (is_attribute && byte == b'"');
    if !text.bytes().any(may_need_it) {
        return out.push_str(text);
    }
    escape_each(text, is_attribute, out);
}

/// The same for a text in which something may need it.
#[cold]
fn escape_each(text: &str, is_attribute: bool, out: &mut String) {
    let mut from = 0;
    for (at, c) in text.char_indices() {
        let escape = match c {
            '<' => "&lt;",
            '>' => "&gt;",
            '&' => "&amp;",
            '"' if is_attribute => "&quot;",
            '\n' if is_attribute => "&#10;",
            '\t' if is_attribute => "&#9;",
            // Readers would turn these into others.
            '\r' => "&#13;",
            // XML has no form for them.
            '\0'..'\t' | '\u{b}' | '\u{c}' | '\u{e}'..' ' | '\u{fffe}' | '\u{ffff}' => "\u{fffd}",
            _ => continue,
        };
        out.push_str(&text[from..at]);
        out.push_str(escape);
        from = at + c.len_utf8();
    }
    out.push_str(&text[from..]);
}
