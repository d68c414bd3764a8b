//! Redactions, written so that the text around them can still be read.
//!
//! JSON strings, XML text, quoted and block scalars of YAML take the mark as it is. A plain scalar of YAML may not
//! start with a bracket, and inside `[…]` and `{…}` may have none: there the mark is quoted or goes without. What JSON has
//! outside of a string becomes one. A name – of an element or attribute of XML, of an anchor or a tag of YAML – has the
//! mark in the letters of names. A section of XML that ends or starts inside a secret still does so behind its mark.

use super::Secret;
use crate::scan::{SECTION_END, SECTION_START};
use crate::span::Span;
use crate::tree::{Kind, Syntax, Tree};

/// The places of a text where a mark is more than text.
#[derive(Debug, Default)]
pub(crate) struct Places {
    syntax: Option<Syntax>,
    /// The scalars and keys, by where they start, each with how it is written.
    scalars: Vec<(Span, Quoting)>,
    /// The outermost flow lists and maps of YAML, by where they start.
    flows: Vec<Span>,
}

/// Bytes before a secret in which its surroundings are searched.
const BEFORE: usize = 1024;

/// Form in which a scalar or a key is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Quoting {
    /// Without quotes.
    Plain,
    /// So that nothing in it is more than text.
    Quoted,
    /// As a name of XML.
    Name,
}

impl Places {
    /// Finds them in a tree.
    pub(crate) fn of(tree: &Tree<'_>, text: &str, base: u32) -> Self {
        let syntax = tree.syntax();
        let mut places = Self { syntax: Some(syntax), ..Self::default() };
        let bytes = text.as_bytes();
        for (node, is_key) in tree.roots().flat_map(|root| tree.subtree(root)) {
            let Span { start, end } = tree.span(node);
            // What was put into the tree from elsewhere stands elsewhere.
            if start < base || (end - base) as usize > text.len() {
                continue;
            }
            let span = Span::new(start - base, end - base);
            let first = bytes.get(span.start as usize);
            match tree.kind(node) {
                Kind::List | Kind::Map => {
                    if syntax == Syntax::Yaml && matches!(first, Some(b'[' | b'{')) {
                        places.flows.push(span);
                    }
                }
                Kind::Text
                | Kind::Integer
                | Kind::Float
                | Kind::Null
                | Kind::True
                | Kind::False
                | Kind::Broken => {
                    let is_quoted = matches!(first, Some(b'"' | b'\'')) || tree.is_block(node);
                    let style = match syntax {
                        Syntax::Xml if is_key => Quoting::Name,
                        Syntax::Xml | Syntax::Toml => Quoting::Quoted,
                        Syntax::Json | Syntax::Yaml if is_quoted => Quoting::Quoted,
                        Syntax::Json | Syntax::Yaml => Quoting::Plain,
                    };
                    places.scalars.push((span, style));
                }
            }
        }
        // Copies that aliases made stand where the first one does.
        places.scalars.sort_unstable();
        places.flows.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut end = 0;
        places.flows.retain(|span| {
            let is_outer = span.start >= end;
            end = end.max(span.end);
            is_outer
        });
        places
    }

    fn is_in_flow(&self, at: u32) -> bool {
        let next = self.flows.partition_point(|span| span.start <= at);
        next.checked_sub(1).is_some_and(|last| at < self.flows[last].end)
    }

    /// The scalar or key that a place is in.
    fn around(&self, at: u32) -> Option<(Span, Quoting)> {
        let next = self.scalars.partition_point(|(span, _)| span.start <= at);
        next.checked_sub(1).map(|last| self.scalars[last]).filter(|(span, _)| at < span.end)
    }
}

/// Replacement for a secret; `text` is that of the places, and `base` its start in the file.
pub(crate) fn redaction(secret: &Secret, places: &Places, text: &str, base: u32) -> String {
    let mark = secret.mark();
    let (start, end) = (secret.span.start - base, secret.span.end - base);
    let from = text.floor_char_boundary((start as usize).saturating_sub(BEFORE));
    let before = text.get(from..start as usize).unwrap_or_default();
    let name = || mark.trim_matches(['[', ']']).replace(':', "-");
    match (places.syntax, places.around(start)) {
        (Some(Syntax::Json), None | Some((_, Quoting::Plain))) => {
            let is_end = |c: char| c.is_whitespace() || matches!(c, ',' | ':' | '[' | ']' | '{' | '}' | '/');
            let is_whole = before.chars().next_back().is_none_or(is_end)
                && text.get(end as usize..).and_then(|behind| behind.chars().next()).is_none_or(is_end);
            if is_whole { format!("\"{mark}\"") } else { name() }
        }
        (Some(Syntax::Yaml), _) if is_in_property(before, from, places.around(start)) => name(),
        (Some(Syntax::Yaml), Some((plain, Quoting::Plain))) => {
            if plain.start == start && plain.end <= end {
                format!("\"{mark}\"")
            } else if plain.start == start || places.is_in_flow(start) {
                mark.trim_matches(['[', ']']).to_owned()
            } else {
                mark
            }
        }
        (Some(Syntax::Xml), Some((_, Quoting::Name))) => name(),
        (Some(Syntax::Xml), _) if is_in_closing_tag(before) => name(),
        (Some(Syntax::Json | Syntax::Yaml | Syntax::Xml | Syntax::Toml) | None, _) => {
            let written = text.get(start as usize..end as usize).unwrap_or_default();
            mark + left_of_sections(written)
        }
    }
}

/// Tells whether a text of YAML ends inside the name of an anchor, an alias or a tag, given where its last part starts and the
/// scalar that goes on there.
fn is_in_property(before: &str, from: usize, around: Option<(Span, Quoting)>) -> bool {
    let start = before.rfind([' ', '\t', '\n', '[', '{', ',']).map_or(0, |at| at + 1);
    // An alias of nothing is read as a scalar that starts with its sign; in any other scalar there is only text.
    let may_be =
        around.is_none_or(|(span, style)| style == Quoting::Plain && span.start as usize == from + start);
    let is_comment = || before.rsplit('\n').next().is_some_and(|line| line.contains('#'));
    may_be && before[start..].starts_with(['&', '*', '!']) && !is_comment()
}

/// Tells whether a text of XML ends inside the name of a tag that closes something.
fn is_in_closing_tag(before: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    before.trim_end_matches(is_name).ends_with("</")
}

/// Markup to keep behind the redaction of a secret in which a section of XML ends or starts.
fn left_of_sections(written: &str) -> &'static str {
    let first = |mark: &str| written.find(mark).unwrap_or(written.len());
    let starts_inside = first(SECTION_END) < first(SECTION_START);
    let ends_inside = written.rfind(SECTION_START) > written.rfind(SECTION_END);
    match (starts_inside, ends_inside) {
        (true, false) => SECTION_END,
        (false, true) => SECTION_START,
        (true, true) | (false, false) => "",
    }
}
