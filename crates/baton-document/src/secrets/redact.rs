//! How a redaction is written so that what stands around it can still be read.
//!
//! JSON strings, XML text, quoted and block scalars of YAML take the mark as it is. A plain scalar of YAML may not
//! start with a bracket, and inside `[…]` and `{…}` may have none: there the mark is quoted or goes without.

use super::Secret;
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
                    let before = text[..span.start as usize].trim_end_matches([' ', '\t']).as_bytes().last();
                    let is_block = matches!(before, Some(b'|' | b'>'))
                        || matches!(first, Some(b'|' | b'>' | b'\n' | b'\r'));
                    if !matches!(first, Some(b'"' | b'\'')) && !is_block {
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

/// What is written in place of a secret; `base` is where the text of the places starts in the file.
pub(crate) fn redaction(secret: &Secret, places: &Places, base: u32) -> String {
    let mark = secret.mark();
    let (start, end) = (secret.span.start - base, secret.span.end - base);
    let Some(plain) = Places::around(&places.plain, start) else { return mark };
    if plain.start == start && plain.end <= end {
        format!("\"{mark}\"")
    } else if plain.start == start || Places::around(&places.flows, start).is_some() {
        mark.trim_matches(['[', ']']).to_owned()
    } else {
        mark
    }
}
