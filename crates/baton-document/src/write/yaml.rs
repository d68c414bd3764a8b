//! Writes a value as YAML for people: blocks, two spaces a level, quotes only where a reader might stumble.
//!
//! Careful on purpose: text stands without quotes only if no reader of YAML 1.1 or 1.2 takes it for anything
//! else; all other text is in quotes, where YAML reads what JSON writes.

use super::json::{self, indent};
use super::{ValueView, Written};

/// A value as a YAML document, with its line end.
pub fn yaml(value: &impl Written) -> String {
    let mut out = String::with_capacity(json::CAPACITY);
    write(value, &mut out);
    out
}

/// The same, behind a text.
pub(crate) fn write(value: &impl Written, out: &mut String) {
    match value.view() {
        ValueView::Map(entries) if !entries.is_empty() => map(entries, 0, true, out),
        ValueView::List(items) if !items.is_empty() => list(items, 0, true, out),
        ValueView::Null
        | ValueView::Boolean(_)
        | ValueView::Number(_)
        | ValueView::Text(_)
        | ValueView::List(_)
        | ValueView::Map(_) => {
            single(value, out);
        }
    }
}

/// Entries, each in its line; the first one goes on in the line that is open.
fn map<V: Written>(entries: &[(V::Key, V)], depth: usize, is_open: bool, out: &mut String) {
    for (at, (key, value)) in entries.iter().enumerate() {
        if at > 0 || !is_open {
            indent(depth, out);
        }
        if is_plain_key(key) || is_plain(key) {
            out.push_str(key);
        } else {
            json::string(key, out);
        }
        out.push(':');
        match value.view() {
            ValueView::Map(inner) if !inner.is_empty() => {
                out.push('\n');
                map(inner, depth + 1, false, out);
            }
            ValueView::List(items) if !items.is_empty() => {
                out.push('\n');
                list(items, depth + 1, false, out);
            }
            // What needs no quotes is no block either, and most text is like that.
            ValueView::Text(words) if is_plain(words) => {
                out.push(' ');
                out.push_str(words);
                out.push('\n');
            }
            ValueView::Text(words) if is_block(words) => block(words, depth + 1, out),
            ValueView::Text(words) => {
                out.push(' ');
                json::string(words, out);
                out.push('\n');
            }
            ValueView::Null
            | ValueView::Boolean(_)
            | ValueView::Number(_)
            | ValueView::List(_)
            | ValueView::Map(_) => {
                out.push(' ');
                single(value, out);
            }
        }
    }
}

/// Items, each behind its dash; the first one goes on in the line that is open.
fn list<V: Written>(items: &[V], depth: usize, is_open: bool, out: &mut String) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 || !is_open {
            indent(depth, out);
        }
        out.push_str("- ");
        match item.view() {
            ValueView::Map(inner) if !inner.is_empty() => map(inner, depth + 1, true, out),
            ValueView::List(inner) if !inner.is_empty() => list(inner, depth + 1, true, out),
            ValueView::Null
            | ValueView::Boolean(_)
            | ValueView::Number(_)
            | ValueView::Text(_)
            | ValueView::List(_)
            | ValueView::Map(_) => single(item, out),
        }
    }
}

/// What fits in one line, with its line end.
fn single(value: &impl Written, out: &mut String) {
    match value.view() {
        ValueView::Text(words) => text(words, out),
        ValueView::Null
        | ValueView::Boolean(_)
        | ValueView::Number(_)
        | ValueView::List(_)
        | ValueView::Map(_) => {
            json::write(value, 0, out);
        }
    }
    out.push('\n');
}

fn text(words: &str, out: &mut String) {
    if is_plain(words) { out.push_str(words) } else { json::string(words, out) }
}

/// Several lines that a block shows as they are.
fn is_block(words: &str) -> bool {
    let is_shown = |c: char| {
        c == '\n' || (!c.is_control() && !matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}'))
    };
    let is_line =
        |line: &str| !line.is_empty() && !line.starts_with([' ', '\t']) && !line.ends_with([' ', '\t']);
    memchr::memchr(b'\n', words.as_bytes()).is_some()
        && words.trim_end_matches('\n').contains('\n')
        && !words.ends_with("\n\n")
        && words.trim_end_matches('\n').split('\n').all(is_line)
        && words.chars().all(is_shown)
}

fn block(words: &str, depth: usize, out: &mut String) {
    let (words, sign) = match words.strip_suffix('\n') {
        Some(words) => (words, " |\n"),
        None => (words, " |-\n"),
    };
    out.push_str(sign);
    for line in words.split('\n') {
        indent(depth, out);
        out.push_str(line);
        out.push('\n');
    }
}

/// Characters of plain text beside letters and digits.
const PLAIN: &str = " -_./()+;";

/// Tells whether a byte is a letter or a digit of ASCII, or among these.
fn is_plain_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || PLAIN.as_bytes().contains(&byte)
}

/// Tells whether a key is one of those that most keys are: small letters and lines, and no reserved word.
#[inline]
fn is_plain_key(key: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    key.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
        && key.bytes().all(is_part)
        && !is_reserved(key)
}

/// Tells whether text needs no quotes in any version of YAML.
fn is_plain(words: &str) -> bool {
    let begins = match words.as_bytes() {
        [first, ..] if first.is_ascii() => first.is_ascii_alphabetic(),
        bytes => !bytes.is_empty(),
    };
    begins
        && !words.ends_with(' ')
        && (words.bytes().all(is_plain_byte) || is_plain_beyond_ascii(words))
        && !is_reserved(words)
}

/// Tells whether text is plain but for letters beyond ASCII, of which it has some.
#[cold]
fn is_plain_beyond_ascii(words: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || PLAIN.contains(c);
    !words.is_ascii() && words.starts_with(char::is_alphabetic) && words.chars().all(is_inner)
}

/// Words that some reader takes for a boolean, null or a number.
#[inline]
fn is_reserved(words: &str) -> bool {
    const LONGEST: usize = 5;
    words.len() <= LONGEST && is_reserved_word(words)
}

fn is_reserved_word(words: &str) -> bool {
    const RESERVED: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let may_be = matches!(words.as_bytes(), [first, ..] if b"tfnyo".contains(&first.to_ascii_lowercase()));
    may_be && RESERVED.iter().any(|word| words.eq_ignore_ascii_case(word))
}
