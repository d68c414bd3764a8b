//! Writes a value as JSON for people: two spaces a level, keys in their order, numbers as they were written.

use std::borrow::Cow;

use super::{below, equal, has_any};
use crate::datum::Datum;

/// What is set aside for a text: most handoffs fit into it.
pub(super) const CAPACITY: usize = 4096;

/// A value as JSON, without a line end.
pub fn json(value: &Datum<'_>) -> String {
    let mut out = String::with_capacity(CAPACITY);
    write(value, 0, &mut out);
    out
}

pub(super) fn write(value: &Datum<'_>, depth: usize, out: &mut String) {
    match value {
        Datum::Null => out.push_str("null"),
        Datum::Boolean(is) => out.push_str(if *is { "true" } else { "false" }),
        Datum::Number(text) => out.push_str(text),
        Datum::Text(text) => string(text, out),
        Datum::List(items) => {
            let items = items.iter().map(|item| (None, item));
            block(['[', ']'], items, depth, out);
        }
        Datum::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (Some(&**key), value));
            block(['{', '}'], entries, depth, out);
        }
    }
}

fn block<'b>(
    [open, close]: [char; 2],
    parts: impl Iterator<Item = (Option<&'b str>, &'b Datum<'b>)>,
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

/// A value as JSON in one line, as programs write it: no spaces, numbers as a program understands them.
pub(crate) fn json_line(value: &Datum<'_>) -> String {
    let mut out = String::with_capacity(CAPACITY);
    write_line(value, &mut out);
    out
}

fn write_line(value: &Datum<'_>, out: &mut String) {
    match value {
        Datum::Null => out.push_str("null"),
        Datum::Boolean(is) => out.push_str(if *is { "true" } else { "false" }),
        Datum::Number(text) if is_understood(text) => out.push_str(text),
        Datum::Text(text) if !has_any(text, needs_escape) => {
            out.push('"');
            out.push_str(text);
            out.push('"');
        }
        Datum::Number(_) | Datum::Text(_) => out.push_str(&serde_json::Value::from(value).to_string()),
        Datum::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_line(item, out);
            }
            out.push(']');
        }
        Datum::Map(entries) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_line(&Datum::Text(Cow::Borrowed(key)), out);
                out.push(':');
                write_line(value, out);
            }
            out.push('}');
        }
    }
}

/// Whether a number is a whole one that every program writes like this.
fn is_understood(number: &str) -> bool {
    let is_short = matches!(number.len(), 1..18);
    is_short
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && (number.len() == 1 || !number.starts_with('0'))
}

/// Marks bytes that cannot stand in a string of JSON as they are.
#[inline]
fn needs_escape(word: u64) -> u64 {
    below(word, b' ') | equal(word, b'"') | equal(word, b'\\')
}

/// Two spaces a level.
pub(super) fn indent(depth: usize, out: &mut String) {
    const SPACES: &str = "                                ";
    let mut left = depth * 2;
    while left > 0 {
        let some = left.min(SPACES.len());
        out.push_str(&SPACES[..some]);
        left -= some;
    }
}

/// A text in quotes; what no eye sees is escaped.
pub(super) fn string(text: &str, out: &mut String) {
    out.push('"');
    if !has_any(text, |word| needs_escape(word) | equal(word, 0x7f) | word) {
        out.push_str(text);
        return out.push('"');
    }
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
    out.push('"');
}
