//! Finds blocks inside prose: fenced code, a bare balanced `{…}`, an XML element.
//!
//! Invariant: the bytes looked at are bounded by a small multiple of the text's length.

use std::borrow::Cow;

use super::{Origin, Piece};
use crate::span::offset;
use crate::tree::Syntax;

/// How often the text may be looked at in all while bare blocks are tried.
const PASSES_MAX: usize = 4;

/// Adds the blocks of a text from a place on.
pub(super) fn find<'t>(text: &'t str, from: usize, base: u32, roots: &[Box<str>], into: &mut Vec<Piece<'t>>) {
    let mut at = from;
    let mut plain_from = from;
    let mut budget = text.len().saturating_mul(PASSES_MAX);
    while at < text.len() {
        let end = line_end(text, at);
        match Fence::open(&text[at..end]) {
            Some(fence) => {
                bare(text, plain_from..at, base, roots, &mut budget, into);
                let (inner, next) = fence.close(text, end);
                fence.take(text, inner, base, into);
                at = next;
                plain_from = next;
            }
            None => at = end,
        }
    }
    bare(text, plain_from..text.len(), base, roots, &mut budget, into);
}

fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end + 1)
}

struct Fence<'t> {
    /// How many `>` stand before the fence.
    quotes: usize,
    mark: u8,
    length: usize,
    language: &'t str,
}

impl<'t> Fence<'t> {
    fn open(line: &'t str) -> Option<Self> {
        let (quotes, rest) = strip_quotes(line);
        let rest = rest.trim_start_matches([' ', '\t', '-', '*']);
        let mark = *rest.as_bytes().first()?;
        if !matches!(mark, b'`' | b'~') {
            return None;
        }
        let length = rest.bytes().take_while(|byte| *byte == mark).count();
        let language = rest[length..].trim();
        let is_fence = length >= 3 && !(mark == b'`' && language.contains('`'));
        is_fence.then(|| Self {
            quotes,
            mark,
            length,
            language: language.split([' ', '{', ',']).next().unwrap_or(""),
        })
    }

    /// Finds the end of the block that starts at an offset; gives its range and where to go on.
    fn close(&self, text: &str, start: usize) -> (std::ops::Range<usize>, usize) {
        let mut at = start;
        while at < text.len() {
            let end = line_end(text, at);
            let (_, rest) = strip_quotes(&text[at..end]);
            let rest = rest.trim();
            let length = rest.bytes().take_while(|byte| *byte == self.mark).count();
            if length >= self.length && length == rest.len() {
                return (start..at, end);
            }
            at = end;
        }
        (start..text.len(), text.len())
    }

    fn take<'a>(&self, text: &'a str, range: std::ops::Range<usize>, base: u32, into: &mut Vec<Piece<'a>>) {
        let inner = &text[range.clone()];
        let block = if self.quotes == 0 { Cow::Borrowed(inner) } else { Cow::Owned(without_quotes(inner)) };
        let first = block.trim_start().chars().next();
        let syntax = match self.language.to_ascii_lowercase().as_str() {
            "json" | "jsonc" | "json5" => Syntax::Json,
            "yaml" | "yml" => Syntax::Yaml,
            "xml" => Syntax::Xml,
            "jsonl" | "ndjson" => return self.take_lines(&block, range.start, text, base, into),
            "" | "text" | "txt" => match first {
                Some('{' | '[') => Syntax::Json,
                Some('<') => Syntax::Xml,
                Some(_) => Syntax::Yaml,
                None => return,
            },
            _ => return,
        };
        into.push(Piece { text: block, base: base + offset(range.start), syntax, origin: Origin::Prose });
    }

    fn take_lines<'a>(&self, block: &str, start: usize, text: &'a str, base: u32, into: &mut Vec<Piece<'a>>) {
        let mut at = start;
        for line in block.split_inclusive('\n') {
            if !line.trim().is_empty() && self.quotes == 0 {
                let text = Cow::Borrowed(&text[at..at + line.trim_end().len()]);
                into.push(Piece {
                    text,
                    base: base + offset(at),
                    syntax: Syntax::Json,
                    origin: Origin::Prose,
                });
            }
            at += line.len();
        }
    }
}

/// Takes the quote marks off the start of a line.
fn strip_quotes(line: &str) -> (usize, &str) {
    let mut rest = line;
    let mut quotes = 0;
    while let Some(inner) = rest.trim_start_matches(' ').strip_prefix('>') {
        quotes += 1;
        rest = inner;
    }
    (quotes, rest)
}

/// A copy of the same length with the quote marks blanked.
fn without_quotes(text: &str) -> String {
    let blank = |line: &str| {
        let (_, rest) = strip_quotes(line);
        format!("{}{rest}", " ".repeat(line.len() - rest.len()))
    };
    text.split_inclusive('\n').map(blank).collect()
}

/// Adds bare blocks between two fences.
fn bare<'t>(
    text: &'t str,
    range: std::ops::Range<usize>,
    base: u32,
    roots: &[Box<str>],
    budget: &mut usize,
    into: &mut Vec<Piece<'t>>,
) {
    let end = range.end;
    let mut at = range.start;
    while let Some(found) = memchr::memchr2(b'{', b'<', &text.as_bytes()[at..end]) {
        at += found;
        let rest = &text[at..end];
        // In backticks it is talked about.
        let is_code = at > range.start && text.as_bytes()[at - 1] == b'`';
        let taken = match rest.as_bytes()[0] {
            _ if is_code => None,
            b'{' => object(rest, budget),
            _ => element(rest, roots, budget),
        };
        match taken {
            Some((length, syntax)) => {
                let block = Cow::Borrowed(&rest[..length]);
                into.push(Piece { text: block, base: base + offset(at), syntax, origin: Origin::Prose });
                at += length;
            }
            None => at += 1,
        }
    }
}

/// The length of a bare JSON object at the start of a text; one that never closes goes to the end.
fn object(text: &str, budget: &mut usize) -> Option<(usize, Syntax)> {
    let inner = text[1..].trim_start();
    if !inner.starts_with('"') {
        return None;
    }
    let mut depth = 0usize;
    let mut in_string = false;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        if *budget == 0 {
            return None;
        }
        *budget -= 1;
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => depth += 1,
            b'}' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return Some((at + 1, Syntax::Json));
                }
            }
            _ => {}
        }
    }
    Some((text.len(), Syntax::Json))
}

/// The length of an XML element that handoffs start with; one that never closes goes to the end.
///
/// A start tag that no other tag follows is only talked about.
fn element(text: &str, roots: &[Box<str>], budget: &mut usize) -> Option<(usize, Syntax)> {
    let is_root = |root: &str| {
        let after = text[1..].strip_prefix(root);
        after.is_some_and(|after| after.starts_with(['>', ' ', '\n', '\r', '\t', '/']))
    };
    let name = roots.iter().find(|root| is_root(root))?;
    let tag_end = memchr::memchr(b'>', text.as_bytes())? + 1;
    if !text[tag_end..].trim_start().starts_with('<') {
        return None;
    }
    let close = format!("</{name}");
    *budget = budget.checked_sub(text.len())?;
    let length = memchr::memmem::find(text.as_bytes(), close.as_bytes())
        .and_then(|at| text[at..].find('>').map(|end| at + end + 1))
        .unwrap_or(text.len());
    Some((length, Syntax::Xml))
}
