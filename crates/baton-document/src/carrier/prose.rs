//! Finds blocks inside prose: fenced code, a bare balanced `{…}`, an XML element.
//!
//! Invariant: the bytes looked at are bounded by a small multiple of the text's length.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use super::{Origin, Piece};
use crate::span::offset;
use crate::tree::Syntax;

/// Number of times the text may be looked at in all while bare blocks are tried.
const PASSES_MAX: usize = 4;

/// Adds the blocks of a text from a place on.
pub(super) fn find<'t>(text: &'t str, from: usize, base: u32, roots: &[Box<str>], into: &mut Vec<Piece<'t>>) {
    let budget = text.len().saturating_mul(PASSES_MAX);
    let mut bare = Bare { text, base, roots, budget, reach: budget };
    let mut at = from;
    let mut plain_from = from;
    while at < text.len() {
        let end = line_end(text, at);
        let Some(fence) = Fence::open(&text[at..end]) else {
            at = end;
            continue;
        };
        let taken = bare.take(plain_from..at, into);
        if taken > at {
            // The fence stands in an element, and belongs to it.
            plain_from = taken;
            at = line_end(text, taken);
            continue;
        }
        let (inner, next) = fence.close(text, end);
        fence.take(text, inner, base, into);
        at = next;
        plain_from = next;
    }
    bare.take(plain_from..text.len(), into);
}

fn line_end(text: &str, at: usize) -> usize {
    memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end + 1)
}

struct Fence<'t> {
    /// Number of `>` that stand before the fence.
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
    fn close(&self, text: &str, start: usize) -> (Range<usize>, usize) {
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

    fn take<'a>(&self, text: &'a str, range: Range<usize>, base: u32, into: &mut Vec<Piece<'a>>) {
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

/// Looks for bare blocks.
struct Bare<'f, 't> {
    text: &'t str,
    base: u32,
    roots: &'f [Box<str>],
    /// Number of bytes that may still be looked at.
    budget: usize,
    /// Number of them behind a fence, for the end of an element that starts before it.
    reach: usize,
}

impl<'t> Bare<'_, 't> {
    /// Adds the blocks that start between two fences; says where the last one, or the range, ends.
    fn take(&mut self, range: Range<usize>, into: &mut Vec<Piece<'t>>) -> usize {
        let text = self.text;
        let mut at = range.start;
        while let Some(found) = text.as_bytes().get(at..range.end).and_then(|rest| memchr2(b'{', b'<', rest))
        {
            at += found;
            // In backticks it is talked about.
            let is_code = at > range.start && text.as_bytes()[at - 1] == b'`';
            let taken = match text.as_bytes()[at] {
                _ if is_code => None,
                b'{' => object(&text[at..range.end], &mut self.budget),
                _ => self.element(at, range.end),
            };
            match taken {
                Some((length, syntax)) => {
                    let block = Cow::Borrowed(&text[at..at + length]);
                    let base = self.base + offset(at);
                    into.push(Piece { text: block, base, syntax, origin: Origin::Prose });
                    at += length;
                }
                None => at += 1,
            }
        }
        at.max(range.end)
    }

    /// The length of an XML element that handoffs start with, fences in it included.
    ///
    /// One that never closes goes to the next fence. A start tag that no other tag follows is only talked about.
    fn element(&mut self, at: usize, fence: usize) -> Option<(usize, Syntax)> {
        let rest = &self.text[at..fence];
        let name = self.roots.iter().find(|root| is_tag(rest, "<", root))?;
        let tag_end = memchr(b'>', rest.as_bytes())? + 1;
        if !is_tag_next(&rest[tag_end..]) || self.budget == 0 {
            return None;
        }
        let closed = element_end(rest, name);
        self.budget = self.budget.saturating_sub(closed.unwrap_or(rest.len()));
        let closed = closed.or_else(|| self.behind_fences(at, fence, name));
        Some((closed.unwrap_or_else(|| first_close(rest, name)), Syntax::Xml))
    }

    /// The length of an element that closes behind the next fence.
    fn behind_fences(&mut self, at: usize, fence: usize, name: &str) -> Option<usize> {
        let rest = &self.text[at..];
        if fence == self.text.len() {
            return None;
        }
        self.reach = self.reach.checked_sub(rest.len())?;
        element_end(rest, name)
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

/// Tells whether a tag of a name stands at the start of a text.
fn is_tag(text: &str, open: &str, name: &str) -> bool {
    let after = text.strip_prefix(open).and_then(|text| text.strip_prefix(name));
    after.is_some_and(|after| after.starts_with(['>', ' ', '\n', '\r', '\t', '/']))
}

/// Tells whether what stands behind a start tag shows that the tag is used, and not talked about.
fn is_tag_next(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

/// The length of the element at the start of a text, others of its name inside it included.
///
/// Nothing where it does not close.
fn element_end(text: &str, name: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        at += found;
        let rest = &text[at..];
        if let Some(literal) = literal(rest) {
            at += literal?;
        } else if is_tag(rest, "</", name) {
            at += memchr(b'>', rest.as_bytes())? + 1;
            depth -= 1;
        } else if is_tag(rest, "<", name) {
            let length = memchr(b'>', rest.as_bytes())? + 1;
            let is_used = depth == 0 || (bytes[at - 1] != b'`' && is_tag_next(&rest[length..]));
            depth += usize::from(is_used && !rest[..length].ends_with("/>"));
            at += length;
        } else {
            at += 1;
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The length of a comment or of text in CDATA at the start of a text, where tags are none; nothing where it is open.
fn literal(text: &str) -> Option<Option<usize>> {
    let kinds = [("<!--", "-->"), ("<![CDATA[", "]]>")];
    let (open, close) = kinds.into_iter().find(|(open, _)| text.starts_with(open))?;
    let end = memmem::find(&text.as_bytes()[open.len()..], close.as_bytes());
    Some(end.map(|end| open.len() + end + close.len()))
}

/// The length up to the first end tag of a name, or all of it.
fn first_close(text: &str, name: &str) -> usize {
    let closes = memmem::find(text.as_bytes(), format!("</{name}").as_bytes());
    let end = closes.and_then(|at| text[at..].find('>').map(|end| at + end + 1));
    end.unwrap_or(text.len())
}
