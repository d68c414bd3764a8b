//! The examples of a dialect file, read by that dialect alone.

use crate::carrier::Look;
use crate::check::{Checker, Input, Scratch};
use crate::dialect::{Dialect, DialectFile, DialectKind, example_path};
use crate::finding::{Finding, Level};
use crate::rule::Levels;
use crate::rules::dialect::example;
use crate::span::Span;
use crate::tree::{NodeId, Tree};
use crate::world::NoWorld;

/// The examples of one file that are read.
const EXAMPLES_MAX: usize = 100;

impl Checker {
    /// Reads the examples of a dialect that can be used; what is wrong with them goes to `out`.
    pub(super) fn examples(&self, dialect: &Dialect, tree: &Tree<'_>, text: &str, out: &mut Vec<Finding>) {
        let file = DialectFile { path: "", text };
        let levels = Levels::default();
        let alone = Self::with_dialects(&self.users.settings, levels, self.limits, &[file]);
        if alone.position(&dialect.name).is_none() {
            // The forms of Baton's own files describe no handoffs.
            return;
        }
        let kinds = tree.roots().next().and_then(|root| tree.find(root, "kinds"));
        let mut left = EXAMPLES_MAX;
        for kind in &dialect.kinds {
            let node = kinds.and_then(|kinds| tree.find(kinds, &kind.name));
            let list = node.and_then(|node| tree.find(node, "examples"));
            let nodes = list.into_iter().flat_map(|list| tree.items(list));
            for (at, node) in nodes.enumerate().take(left) {
                let node = tree.find(node, "text").unwrap_or(node);
                alone.example(dialect, kind, at, tree, node, out);
            }
            left = left.saturating_sub(kind.examples.len());
        }
    }

    fn example(
        &self,
        dialect: &Dialect,
        kind: &DialectKind,
        at: usize,
        tree: &Tree<'_>,
        node: NodeId,
        out: &mut Vec<Finding>,
    ) {
        let Some(text) = kind.examples.get(at) else { return };
        let path = example_path(dialect, kind, at);
        let input = Input {
            path: path.as_deref(),
            bytes: text.as_bytes(),
            dialect: Some(&dialect.name),
            look: Look::Prose,
            is_named: true,
        };
        let checked = self.check(input, &NoWorld, &mut Scratch::default());
        if let Some(error) = checked.findings.iter().find(|finding| finding.level == Level::Error) {
            let span =
                error.span.map_or_else(|| tree.first_char(node), |span| in_file(tree, node, text, span));
            out.push(example::finding(span, error));
            return;
        }
        let kinds: Vec<&str> = checked.handoffs.iter().map(|one| &*self.kind_of(one).name).collect();
        if !kinds.contains(&&*kind.name) {
            out.push(example::none(tree.first_char(node), &kind.name, kinds.first().copied()));
        }
    }
}

/// Place of a part of an example in the file: its lines are there, each further to the right.
fn in_file(tree: &Tree<'_>, node: NodeId, text: &str, span: Span) -> Span {
    let whole = tree.span(node);
    let start = (span.start as usize).min(text.len());
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line = text[line_start..].lines().next().unwrap_or_default();
    let number = text[..line_start].matches('\n').count();
    let local = (whole.start - tree.base()) as usize..(whole.end - tree.base()) as usize;
    let source = tree.source().get(local).unwrap_or_default();
    let mut from = 0;
    for _ in 0..number {
        match source[from..].find('\n') {
            Some(at) => from += at + 1,
            None => return tree.first_char(node),
        }
    }
    let found = source[from..].lines().next().and_then(|written| written.find(line));
    let Some(column) = found.filter(|_| !line.is_empty()) else { return tree.first_char(node) };
    let at = whole.start + crate::span::offset(from + column + start - line_start);
    Span::new(at, at + (span.end - span.start).min(crate::span::offset(line.len() + line_start - start)))
}
