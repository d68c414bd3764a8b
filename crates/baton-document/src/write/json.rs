//! Writes a value as JSON for people: two spaces a level, keys in their order, numbers as they were written.

use crate::datum::Datum;

/// A value as JSON, without a line end.
pub fn json(value: &Datum<'_>) -> String {
    let mut out = String::with_capacity(1024);
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

fn indent(depth: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", depth));
}

/// A text in quotes; what no eye sees is escaped.
pub(super) fn string(text: &str, out: &mut String) {
    out.push('"');
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
