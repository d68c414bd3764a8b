//! Writes a value as YAML for people: blocks, two spaces a level, quotes only where a reader might stumble.
//!
//! Careful on purpose: text stands without quotes only if no reader of YAML 1.1 or 1.2 takes it for anything
//! else; all other text is in quotes, where YAML reads what JSON writes.

use wide::u8x16;

use super::json::{self, indent};
use super::{View, Written, are_letters, are_within, has_any};
use crate::bytes::are;

/// A value as a YAML document, with its line end.
pub fn yaml(value: &impl Written) -> String {
    let mut out = String::with_capacity(json::CAPACITY);
    write(value, &mut out);
    out
}

/// The same, behind a text.
pub(crate) fn write(value: &impl Written, out: &mut String) {
    match value.view() {
        View::Map(entries) if !entries.is_empty() => map(entries, 0, true, out),
        View::List(items) if !items.is_empty() => list(items, 0, true, out),
        View::Null | View::Boolean(_) | View::Number(_) | View::Text(_) | View::List(_) | View::Map(_) => {
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
            View::Map(inner) if !inner.is_empty() => {
                out.push('\n');
                map(inner, depth + 1, false, out);
            }
            View::List(items) if !items.is_empty() => {
                out.push('\n');
                list(items, depth + 1, false, out);
            }
            // What needs no quotes is no block either, and most text is like that.
            View::Text(words) if is_plain(words) => {
                out.push(' ');
                out.push_str(words);
                out.push('\n');
            }
            View::Text(words) if is_block(words) => block(words, depth + 1, out),
            View::Text(words) => {
                out.push(' ');
                json::string(words, out);
                out.push('\n');
            }
            View::Null | View::Boolean(_) | View::Number(_) | View::List(_) | View::Map(_) => {
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
            View::Map(inner) if !inner.is_empty() => map(inner, depth + 1, true, out),
            View::List(inner) if !inner.is_empty() => list(inner, depth + 1, true, out),
            View::Null
            | View::Boolean(_)
            | View::Number(_)
            | View::Text(_)
            | View::List(_)
            | View::Map(_) => single(item, out),
        }
    }
}

/// What fits in one line, with its line end.
fn single(value: &impl Written, out: &mut String) {
    match value.view() {
        View::Text(words) => text(words, out),
        View::Null | View::Boolean(_) | View::Number(_) | View::List(_) | View::Map(_) => {
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

/// What may stand in text without quotes beside letters and digits.
const PLAIN: &str = " -_./()+;";

/// The bytes that are not among these.
#[inline]
fn are_not_plain(bytes: u8x16) -> u8x16 {
    // From `-` to `9` all of them are.
    let ranges = are_letters(bytes) | are_within(bytes, b'-', b'9') | are_within(bytes, b'(', b')');
    let signs = are(bytes, b' ') | are(bytes, b'_') | are(bytes, b'+') | are(bytes, b';');
    !(ranges | signs)
}

/// Whether a key is one of those that most keys are: small letters and lines, and no reserved word.
#[inline]
fn is_plain_key(key: &str) -> bool {
    let is_other = |bytes: u8x16| !(are_within(bytes, b'a', b'z') | are(bytes, b'_'));
    key.as_bytes().first().is_some_and(u8::is_ascii_lowercase) && !has_any(key, is_other) && !is_reserved(key)
}

/// Whether text needs no quotes, whoever reads it.
fn is_plain(words: &str) -> bool {
    let begins = match words.as_bytes() {
        [first, ..] if first.is_ascii() => first.is_ascii_alphabetic(),
        bytes => !bytes.is_empty(),
    };
    begins
        && !words.ends_with(' ')
        && (!has_any(words, are_not_plain) || is_plain_beyond_ascii(words))
        && !is_reserved(words)
}

/// Whether text is plain but for letters beyond ASCII, of which it has some.
#[cold]
fn is_plain_beyond_ascii(words: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || PLAIN.contains(c);
    has_any(words, |bytes| bytes) && words.starts_with(char::is_alphabetic) && words.chars().all(is_inner)
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
