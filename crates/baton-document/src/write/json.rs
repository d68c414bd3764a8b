//! Writes a value as JSON for people: two spaces a level, keys in their order, numbers as they were written.

use super::{ValueView, Written};

/// Initial capacity of a text: most handoffs fit into it.
pub(super) const CAPACITY: usize = 4096;

/// A value as JSON, without a line end.
pub fn json(value: &impl Written) -> String {
    let mut out = String::with_capacity(CAPACITY);
    write(value, 0, &mut out);
    out
}

pub(crate) fn write(value: &impl Written, depth: usize, out: &mut String) {
    match value.view() {
        ValueView::Null => out.push_str("null"),
        ValueView::Boolean(is) => out.push_str(if is { "true" } else { "false" }),
        ValueView::Number(text) => out.push_str(text),
        ValueView::Text(text) => string(text, out),
        ValueView::List(items) => {
            let items = items.iter().map(|item| (None, item));
            block(['[', ']'], items, depth, out);
        }
        ValueView::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (Some(&**key), value));
            block(['{', '}'], entries, depth, out);
        }
    }
}

fn block<'b, V: Written + 'b>(
    [open, close]: [char; 2],
    parts: impl Iterator<Item = (Option<&'b str>, &'b V)>,
    depth: usize,
    out: &mut String,
) {
    out.push(open);
    let mut is_empty = true;
    for (key, value) in parts {
        out.push_str(if is_empty { "\n" } else { ",\n" });
        is_empty = false;
        indent(depth + 1, out);
        if let Some(key) = key {
            string(key, out);
            out.push_str(": ");
        }
        write(value, depth + 1, out);
    }
    if !is_empty {
        out.push('\n');
        indent(depth, out);
    }
    out.push(close);
}

/// A value as JSON in one line, as programs write it: no spaces.
pub(crate) fn json_line(value: &impl Written) -> String {
    let mut out = String::with_capacity(CAPACITY);
    write_line(value, &mut out);
    out
}

pub(crate) fn write_line(value: &impl Written, out: &mut String) {
    match value.view() {
        ValueView::Null => out.push_str("null"),
        ValueView::Boolean(is) => out.push_str(if is { "true" } else { "false" }),
        ValueView::Number(text) => out.push_str(text),
        ValueView::Text(text) => {
            out.push('"');
            write_text(text, out);
            out.push('"');
        }
        ValueView::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_line(item, out);
            }
            out.push(']');
        }
        ValueView::Map(entries) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                // Each of these is known when this is compiled, and needs no copying of bytes that are counted first.
                match at {
                    0 => out.push('"'),
                    _ => out.push_str(",\""),
                }
                write_text(key, out);
                // Most values are text, and are written without another turn.
                if let ValueView::Text(text) = value.view() {
                    out.push_str("\":\"");
                    write_text(text, out);
                    out.push('"');
                } else {
                    out.push_str("\":");
                    write_line(value, out);
                }
            }
            out.push('}');
        }
    }
}

/// Text between the quotes of a text, as programs write it; the caller writes the quotes.
#[inline(always)]
fn write_text(text: &str, out: &mut String) {
    if text.bytes().any(needs_escape) {
        return write_escaped(text, out);
    }
    out.push_str(text);
}

#[cold]
fn write_escaped(text: &str, out: &mut String) {
    let written = serde_json::Value::from(text).to_string();
    out.push_str(written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&written));
}

/// Tells whether a byte cannot stand in a string of JSON as it is.
fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || matches!(byte, b'"' | b'\\')
}

/// Two spaces a level.
pub(super) fn indent(depth: usize, out: &mut String) {
    const LEVELS: [&str; 9] = [
        "",
        "  ",
        "    ",
        "      ",
        "        ",
        "          ",
        "            ",
        "              ",
        "                ",
    ];
    let [.., deepest] = LEVELS;
    let mut left = depth;
    while left >= LEVELS.len() {
        out.push_str(deepest);
        left -= LEVELS.len() - 1;
    }
    out.push_str(LEVELS[left]);
}

/// A text in quotes; what no eye sees is escaped.
pub(super) fn string(text: &str, out: &mut String) {
    out.push('"');
    if !text.bytes().any(|byte| needs_escape(byte) || byte >= 0x7f) {
        out.push_str(text);
        return out.push('"');
    }
    escape_each(text, out);
    out.push('"');
}

/// Text between the quotes, with what cannot be there escaped.
#[cold]
fn escape_each(text: &str, out: &mut String) {
    let mut from = 0;
    for (at, c) in text.char_indices() {
        let escape = match c {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\0'..' '
            | '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                out.push_str(&text[from..at]);
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
                from = at + c.len_utf8();
                continue;
            }
            _ => continue,
        };
        out.push_str(&text[from..at]);
        out.push_str(escape);
        from = at + 1;
    }
    out.push_str(&text[from..]);
}
