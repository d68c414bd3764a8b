//! Carriers: where in a file the handoffs are.
//!
//! A whole JSON, YAML, XML or TOML file, Markdown front matter, JSON Lines, and blocks inside prose. A block
//! whose lines carry a quote mark is a copy of the same length with the marks blanked.
//!
//! Invariant: every block is as long as its place in the file, so spans always point into the original.

mod prose;

use std::borrow::Cow;

use crate::span::{BOM, Span, offset};
use crate::tree::Syntax;

/// Place where a block was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is the whole file.
    Whole,
    /// It is a line of a JSON Lines file.
    Line,
    /// It is the front matter of a Markdown file.
    FrontMatter,
    /// It stands inside prose.
    Prose,
}

/// A piece of a file that may be a handoff.
#[derive(Clone, Debug)]
pub struct Piece<'t> {
    /// Its text, as long as its place.
    pub text: Cow<'t, str>,
    /// Start in the file.
    pub base: u32,
    /// Its notation.
    pub syntax: Syntax,
    /// Place where it was found.
    pub origin: Origin,
}

/// The pieces of a file, one after the other.
pub type Pieces<'t> = Box<dyn Iterator<Item = Piece<'t>> + 't>;

/// Which pieces of a file are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Whole JSON, YAML and XML files only, as when walking a directory.
    Whole,
    /// Prose too, as when a file is named.
    Prose,
}

/// The one piece of a file that its name says is JSON, YAML, XML or TOML as a whole.
pub fn whole<'t>(path: Option<&str>, text: &'t str) -> Option<Piece<'t>> {
    let extension = extension(path?);
    let names = [
        ("json", Syntax::Json),
        ("yaml", Syntax::Yaml),
        ("yml", Syntax::Yaml),
        ("xml", Syntax::Xml),
        ("toml", Syntax::Toml),
    ];
    let (_, syntax) = names.into_iter().find(|(name, _)| extension.eq_ignore_ascii_case(name))?;
    let start = start_of(text);
    Some(Piece { text: Cow::Borrowed(&text[start..]), base: offset(start), syntax, origin: Origin::Whole })
}

/// Finds the pieces of any other file; `roots` are element names that handoffs start with.
///
/// `is_handoff` says whether a text is one as a whole. It is asked only where blocks stand in what may be such a text,
/// or where what looks like front matter may be the first document of a stream.
pub fn pieces<'t>(
    path: Option<&str>,
    text: &'t str,
    look: Look,
    roots: &[Box<str>],
    is_handoff: impl FnOnce(&Piece<'t>) -> bool,
) -> Pieces<'t> {
    let start = start_of(text);
    let body = &text[start..];
    let extension = path.map_or("", extension);
    let is_one_of = |names: &[&str]| names.iter().any(|name| extension.eq_ignore_ascii_case(name));
    if is_one_of(&["jsonl", "ndjson"]) {
        // One value over many lines is meant as one.
        let first = body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
        let is_spread = matches!(first, "{" | "[" | "[{");
        if is_spread {
            let text = Cow::Borrowed(body);
            let piece = Piece { text, base: offset(start), syntax: Syntax::Json, origin: Origin::Whole };
            return Box::new(std::iter::once(piece));
        }
        lines(body, start)
    } else if look == Look::Whole {
        Box::new(std::iter::empty())
    } else if is_one_of(&["md", "markdown", "mdx"]) {
        Box::new(in_prose(body, start, roots).into_iter())
    } else {
        sniffed(body, start, roots, is_handoff)
    }
}

/// Start of a text behind its byte order mark.
fn start_of(text: &str) -> usize {
    if text.starts_with(BOM) { BOM.len() } else { 0 }
}

/// Text after the last dot of a file's name.
fn extension(path: &str) -> &str {
    // Endings are short: a loop beats a search.
    let bytes = path.as_bytes();
    let dot = bytes.iter().rposition(|byte| matches!(byte, b'.' | b'/')).filter(|at| bytes[*at] == b'.');
    dot.map_or("", |at| &path[at + 1..])
}

/// Each line of JSON Lines is a piece of its own.
fn lines(text: &str, start: usize) -> Pieces<'_> {
    let mut at = start;
    Box::new(text.split_inclusive('\n').filter_map(move |line| {
        let base = offset(at);
        at += line.len();
        let text = line.trim_end();
        let is_filled = !text.trim_start().is_empty();
        is_filled.then_some(Piece {
            text: Cow::Borrowed(text),
            base,
            syntax: Syntax::Json,
            origin: Origin::Line,
        })
    }))
}

/// A text of which only its content tells what it is.
fn sniffed<'t>(
    text: &'t str,
    start: usize,
    roots: &[Box<str>],
    is_handoff: impl FnOnce(&Piece<'t>) -> bool,
) -> Pieces<'t> {
    let piece =
        |syntax| Piece { text: Cow::Borrowed(text), base: offset(start), syntax, origin: Origin::Whole };
    let whole = |syntax| -> Pieces<'t> { Box::new(std::iter::once(piece(syntax))) };
    let trimmed = text.trim();
    let is_all = |open: char, close: char| trimmed.starts_with(open) && trimmed.ends_with(close);
    if is_all('{', '}') || is_all('[', ']') {
        let is_lines = trimmed.lines().filter(|line| !line.trim().is_empty()).all(|line| {
            let line = line.trim();
            line.starts_with('{') && line.ends_with('}')
        });
        return if is_lines && trimmed.lines().count() > 1 {
            lines(text, start)
        } else {
            whole(Syntax::Json)
        };
    }
    if trimmed.starts_with("<?xml") {
        return whole(Syntax::Xml);
    }
    // Agents write text around and between elements, so each is looked for before all is taken as one.
    let found = in_prose(text, start, roots);
    let is_whole = || match front_matter(text) {
        None => is_all_yaml(text) && is_handoff(&piece(Syntax::Yaml)),
        // Documents of a stream stand apart as front matter and its body do: the second one tells.
        Some(first) => {
            let behind = first.end as usize + text[first.end as usize..].find('\n').map_or(0, |end| end + 1);
            let second = Piece {
                text: Cow::Borrowed(&text[behind..]),
                base: offset(start + behind),
                ..piece(Syntax::Yaml)
            };
            behind > first.end as usize && is_all_yaml(&second.text) && is_handoff(&second)
        }
    };
    if !found.is_empty() && is_whole() {
        // Blocks in the text of a handoff are part of it.
        whole(Syntax::Yaml)
    } else if !found.is_empty() {
        Box::new(found.into_iter())
    } else if is_all('<', '>') {
        whole(Syntax::Xml)
    } else if looks_like_yaml(trimmed) {
        whole(Syntax::Yaml)
    } else {
        Box::new(std::iter::empty())
    }
}

/// A first line such as `key: value` or `key:`.
fn looks_like_yaml(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !is_between_entries(line.trim_start()));
    lines.next().is_some_and(is_entry)
}

/// Tells whether every line that is not indented is one of a YAML document; the blocks in its texts are.
fn is_all_yaml(text: &str) -> bool {
    let is_part = |line: &str| {
        let is_indented = line.starts_with([' ', '\t']);
        let is_item_or_end = line.starts_with("- ") || matches!(line.trim_end(), "-" | "..." | "}" | "]");
        is_indented || is_between_entries(line) || is_item_or_end || is_entry(line)
    };
    looks_like_yaml(text.trim_start()) && text.lines().all(is_part)
}

/// A blank line, a comment, or one between two documents.
fn is_between_entries(line: &str) -> bool {
    let line = line.trim_end();
    let is_directive = line.starts_with("%YAML ") || line.starts_with("%TAG ");
    line.is_empty() || line.starts_with('#') || line == "---" || line.starts_with("--- #") || is_directive
}

/// A line such as `key: value` or `key:`.
fn is_entry(line: &str) -> bool {
    line.split_once(':').is_some_and(|(key, rest)| {
        !key.is_empty()
            && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '"' | '\''))
            && (rest.is_empty() || rest.starts_with([' ', '\r']))
    })
}

fn in_prose<'t>(text: &'t str, start: usize, roots: &[Box<str>]) -> Vec<Piece<'t>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    if let Some(span) = front_matter(text) {
        let inner = &text[span.range()];
        let base = offset(start) + span.start;
        pieces.push(Piece {
            text: Cow::Borrowed(inner),
            base,
            syntax: Syntax::Yaml,
            origin: Origin::FrontMatter,
        });
        from = span.end as usize;
    }
    prose::find(text, from, offset(start), roots, &mut pieces);
    pieces
}

/// Text behind the front matter that ends at an offset, without the blank lines around it.
pub(crate) fn body(text: &str, front_matter_end: usize) -> Option<Span> {
    let closing = text.get(front_matter_end..)?.split_inclusive('\n').next()?;
    let start = front_matter_end + closing.len();
    let rest = &text[start..];
    let filled = rest.trim_start();
    let start = start + rest.len() - filled.len();
    let length = filled.trim_end().len();
    (length > 0).then(|| Span::new(offset(start), offset(start + length)))
}

/// The lines between `---` on the first line and the next `---`.
pub(crate) fn front_matter(text: &str) -> Option<Span> {
    let first = text.split_inclusive('\n').next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut at = first.len();
    for line in text[at..].split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return Some(Span::new(offset(first.len()), offset(at)));
        }
        at += line.len();
    }
    None
}
