//! How a redaction is written so that what stands around it can still be read.
//!
//! JSON strings, XML text, quoted and block scalars of YAML take the mark as it is. A plain scalar of YAML may not
//! start with a bracket, and inside `[…]` and `{…}` may have none: there the mark is quoted or goes without. A section of
//! XML that ends or starts inside a secret still does so behind its mark.

use super::Secret;
use crate::scan::{SECTION_END, SECTION_START};
use crate::span::Span;
use crate::tree::{Kind, Syntax, Tree};

/// The places of a YAML text where brackets mean something.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// The plain scalars, by where they start.
    plain: Vec<Span>,
    /// The outermost flow lists and maps, by where they start.
    flows: Vec<Span>,
}

impl Places {
    /// Finds them in a tree; there are none but in YAML.
    pub(crate) fn of(tree: &Tree<'_>, text: &str, base: u32) -> Self {
        let mut places = Self::default();
        if tree.syntax() != Syntax::Yaml {
            return places;
        }
        let bytes = text.as_bytes();
        for (node, _) in tree.roots().flat_map(|root| tree.subtree(root)) {
            let Span { start, end } = tree.span(node);
            // What was put into the tree from elsewhere stands elsewhere.
            if start < base || (end - base) as usize > text.len() {
                continue;
            }
            let span = Span::new(start - base, end - base);
            let first = bytes.get(span.start as usize);
            match tree.kind(node) {
                Kind::List | Kind::Map => {
                    if matches!(first, Some(b'[' | b'{')) {
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
                    if !matches!(first, Some(b'"' | b'\'')) && !tree.is_block(node) {
                        places.plain.push(span);
                    }
                }
            }
        }
        // Copies that aliases made stand where the first one does.
        places.plain.sort_unstable();
        places.flows.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut end = 0;
        places.flows.retain(|span| {
            let is_outer = span.start >= end;
            end = end.max(span.end);
            is_outer
        });
        places
    }

    fn around(spans: &[Span], at: u32) -> Option<Span> {
        let next = spans.partition_point(|span| span.start <= at);
        next.checked_sub(1).map(|last| spans[last]).filter(|span| at < span.end)
    }
}

/// What is written in place of a secret; `text` is that of the places, and `base` is where it starts in the file.
pub(crate) fn redaction(secret: &Secret, places: &Places, text: &str, base: u32) -> String {
    let mark = secret.mark();
    let (start, end) = (secret.span.start - base, secret.span.end - base);
    let Some(plain) = Places::around(&places.plain, start) else {
        let written = text.get(start as usize..end as usize).unwrap_or_default();
        return mark + left_of_sections(written);
    };
    if plain.start == start && plain.end <= end {
        format!("\"{mark}\"")
    } else if plain.start == start || Places::around(&places.flows, start).is_some() {
        mark.trim_matches(['[', ']']).to_owned()
    } else {
        mark
    }
}

/// What must still stand behind the redaction of a secret in which a section of XML ends or starts.
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
