//! Private keys whose lines have something before them – a quote, a table, a time – or of which the last line or the
//! first is missing.
//!
//! Invariant: a line is read once in either direction, and no more lines than a key has.

use std::borrow::Cow;
use std::ops::Range;

use crate::scan::colour;

/// Start of the first and the last line of a key, and their common part.
const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const IS: &str = "PRIVATE KEY";
const DASHES: &str = "-----";
/// The start of the line before the private lines of a file of PuTTY.
const PUTTY: &str = "Private-Lines:";
/// The lines of the longest key, and the longest line in it with what stands before it.
const LINES_MAX: usize = 600;
const LINE_MAX: usize = 1024;
/// The shortest line of base 64 that is taken for a part of a key by itself, and where only its end tells that it is one.
const BODY_MIN: usize = 16;
const BODY_SURE: usize = 40;

/// Tells whether a line begins a private key, and does not end it.
pub(super) fn begins(line: &str) -> bool {
    marks(line, BEGIN).last().is_some_and(|begin| marks(&line[begin..], END).next().is_none())
}

/// End of a line a private key.
pub(super) fn ends(line: &str) -> Option<usize> {
    let start = marks(line, END).next()?;
    Some(start + mark_end(&line[start..]))
}

/// Starts of the marks of private keys in a line.
fn marks<'l>(line: &'l str, mark: &'l str) -> impl Iterator<Item = usize> + 'l {
    line.match_indices(mark).map(|(at, _)| at).filter(|at| {
        let label = &line[at + mark.len()..];
        let label = label.split(DASHES).next().unwrap_or_default();
        label.contains(IS) && label.len() <= 40
    })
}

/// The length of the mark that a text starts with.
fn mark_end(text: &str) -> usize {
    let label = text.find(IS).map_or(0, |at| at + IS.len());
    text[label..].find(DASHES).map_or(text.len(), |at| label + at + DASHES.len())
}

/// Lines of base 64 that a line of the file of PuTTY says to follow.
pub(super) fn putty_lines(line: &str) -> Option<usize> {
    let at = line.find(PUTTY)? + PUTTY.len();
    let number = line[at..].trim_start();
    let length = number.bytes().take_while(u8::is_ascii_digit).count();
    number[..length].parse().ok().filter(|count| (1..=LINES_MAX).contains(count))
}

/// A line without what sets the colour of a terminal.
pub(super) fn plain(line: &str) -> Cow<'_, str> {
    if memchr::memchr(0x1b, line.as_bytes()).is_none() {
        return Cow::Borrowed(line);
    }
    let (mut into, mut rest) = (String::with_capacity(line.len()), line);
    while let Some(at) = memchr::memchr(0x1b, rest.as_bytes()) {
        into.push_str(&rest[..at]);
        let length = colour(&rest.as_bytes()[at..]);
        if length.is_none() {
            into.push_str(&rest[at..=at]);
        }
        rest = &rest[at + length.unwrap_or(1)..];
    }
    into.push_str(rest);
    Cow::Owned(into)
}

/// The base 64 that a line ends with, if it is one of a key; what stands before it is not looked at.
pub(super) fn body(line: &str) -> Option<Range<usize>> {
    let line = &line[..line.floor_char_boundary(LINE_MAX)];
    let mut rest = line.trim_end();
    for end in ["\\r", "\\n"] {
        rest = rest.trim_end_matches(['"', '\'', '`', ',', '+', '\\', ' ']);
        rest = rest.strip_suffix(end).unwrap_or(rest);
    }
    let run = run_at_end(rest.as_bytes());
    // An escape of a line end before it.
    let start = match rest.as_bytes() {
        bytes if run.start > 0 && bytes[run.start - 1] == b'\\' => run.start + 1,
        _ => run.start,
    };
    let is_apart = rest[..start.min(run.end)]
        .chars()
        .next_back()
        .is_none_or(|c| !c.is_alphanumeric() || start > run.start);
    (run.end > start && is_apart).then_some(start..run.end)
}

fn run_at_end(bytes: &[u8]) -> Range<usize> {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    bytes.len() - bytes.iter().rev().take_while(is_part).count()..bytes.len()
}

/// Tells whether base 64 at the end of a line is long enough for a part of a key, and no word.
pub(super) fn is_body(base_64: &str, least: usize) -> bool {
    let has = |is: fn(u8) -> bool| base_64.bytes().any(is);
    base_64.len() >= least && has(|byte| byte.is_ascii_uppercase()) && has(|byte| byte.is_ascii_lowercase())
}

/// Tells whether a line is the last of a key: shorter than the others, and nothing but base 64.
pub(super) fn is_last(line: &str) -> bool {
    let line = line.trim();
    // The sign of a diff is no part of it.
    let line = line.strip_prefix('+').unwrap_or(line);
    let has = |is: fn(u8) -> bool| line.bytes().any(is);
    // A word in small letters is none.
    let is_no_word = line.ends_with('=')
        || (has(|byte| byte.is_ascii_uppercase()) && has(|byte| !byte.is_ascii_uppercase()));
    is_no_word && run_at_end(line.as_bytes()).len() == line.len() && line.len().is_multiple_of(4)
}

/// Tells whether a line stands between the first line of a key and its base 64.
pub(super) fn is_header(line: &str) -> bool {
    let names = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:", "Charset:", "Subject:"];
    let line = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '>' | '|' | '#' | '*' | '"'));
    line.is_empty() || names.iter().any(|name| line.contains(name))
}

/// End of the private key that a text starts with; nothing where there is none behind its first line.
pub(super) fn end(text: &str) -> Option<usize> {
    let is_begin = text.lines().next().and_then(|line| marks(line, BEGIN).next()) == Some(0);
    let mut at = Some(mark_end(text)).filter(|_| is_begin)?;
    let mut end = None;
    let mut last_start = None;
    let first = text[at..].find('\n').map(|line| at + line + 1)?;
    at = first;
    for line in text[first..].split_inclusive('\n').take(LINES_MAX) {
        if let Some(place) = ends(line) {
            return end.map(|_| at + place);
        }
        let body = body(line);
        let has_same_start =
            |range: &Range<usize>| last_start == Some(range.start) && is_last(&line[range.clone()]);
        match body.filter(|range| is_body(&line[range.clone()], BODY_MIN) || has_same_start(range)) {
            Some(range) => {
                last_start = Some(range.start);
                end = Some(at + range.end);
            }
            None if is_header(line) => {}
            None => break,
        }
        at += line.len();
    }
    end
}

/// Start of the private key that ends at a place of a text, of which the first line is missing.
pub(super) fn start(text: &str, last: usize) -> Option<usize> {
    let mut start = None;
    // The last line of the key may have something before its mark.
    let mut at = text[..last].rfind('\n')? + 1;
    for line in text[..at].split_inclusive('\n').rev().take(LINES_MAX) {
        at -= line.len();
        let least = if start.is_none() { 1 } else { BODY_SURE };
        match body(line).filter(|range| is_body(&line[range.clone()], least) || is_last(line)) {
            Some(range) => {
                start = Some((at + range.start, range.len() >= BODY_SURE || start.is_some_and(|(_, is)| is)));
            }
            None => break,
        }
    }
    start.filter(|(_, is_sure)| *is_sure).map(|(start, _)| start)
}

/// Tells whether something stands before the lines of a key that is more than signs.
pub(super) fn is_prefixed(key: &str) -> bool {
    key.lines().skip(1).filter(|line| !is_header(line)).any(|line| {
        let start = body(line).map(|range| range.start).or_else(|| line.find(END));
        start.is_some_and(|start| line[..start].contains(|c: char| c.is_alphanumeric()))
    })
}

/// A key in one line, without what stands before its lines.
pub(super) fn joined(key: &str) -> String {
    let mut into = String::with_capacity(key.len());
    for line in key.lines() {
        let mark = marks(line, BEGIN).chain(marks(line, END)).next();
        if let Some(mark) = mark {
            let text = &line[mark..mark + mark_end(&line[mark..])];
            into.extend(text.chars().filter(|c| !c.is_whitespace()));
        } else if !is_header(line)
            && let Some(range) = body(line)
        {
            into.push_str(&line[range]);
        }
    }
    into
}
