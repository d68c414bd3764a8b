//! Reads TOML, so that `baton.toml` is checked by the same shapes as everything else.

mod bound;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};

use self::bound::bounded;
use super::{Kind, Limits, Tree};
use crate::finding::Finding;
use crate::span::{Span, offset};
use crate::tree::findings;

/// Reads the table of the source; what could not be read is left out, with a finding.
pub(super) fn read(tree: &mut Tree<'_>, limits: &Limits, findings: &mut Vec<Finding>) {
    let bounded = bounded(tree.source, limits.nodes);
    if let Some(excess) = bounded.excess {
        findings.push(findings::too_many_nodes(excess.shifted(tree.base), limits.nodes));
        tree.is_cut = true;
    }
    let (table, errors) = DeTable::parse_recoverable(&bounded.text);
    for error in errors.iter().take(limits.syntax_findings) {
        let span = error.span().unwrap_or(0..0);
        let span = Span::new(offset(span.start), offset(span.end)).shifted(tree.base);
        findings.push(findings::toml_syntax(error.message(), span));
    }
    let mut reader = Reader { tree, limits, findings };
    let end = offset(bounded.text.len());
    reader.table(table.get_ref(), Span::new(0, end), 0);
}

struct Reader<'r, 's> {
    tree: &'r mut Tree<'s>,
    limits: &'r Limits,
    findings: &'r mut Vec<Finding>,
}

impl Reader<'_, '_> {
    fn table(&mut self, table: &DeTable<'_>, span: Span, depth: usize) {
        let id = self.tree.open(Kind::Map, span.start);
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let name = self.tree.push_decoded(Kind::Text, range(key), key.get_ref());
            self.tree.mark_key(name);
            self.value(value, depth + 1);
        }
        self.tree.close(id, span.end);
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>, depth: usize) {
        let span = range(value);
        if depth >= self.limits.depth {
            self.findings.push(findings::too_deep(span.shifted(self.tree.base), self.limits.depth));
            self.tree.push_broken(span);
            return;
        }
        let is_scalar = !matches!(value.get_ref(), DeValue::Array(_) | DeValue::Table(_));
        if is_scalar && span.range().len() > self.limits.scalar_bytes {
            self.findings
                .push(findings::large_scalar(span.shifted(self.tree.base), self.limits.scalar_bytes));
            self.tree.push_broken(span);
            return;
        }
        match value.get_ref() {
            DeValue::String(text) => self.text(span, text),
            DeValue::Integer(number) => match decimal(number.as_str(), number.radix()) {
                Some(decimal) => self.decoded(Kind::Integer, span, &decimal),
                None => self.plain(Kind::Text, span),
            },
            // What is not finite is no number in any other notation.
            DeValue::Float(number) if number.as_str().ends_with(char::is_alphabetic) => {
                self.plain(Kind::Text, span);
            }
            DeValue::Float(number) => self.decoded(Kind::Float, span, number.as_str()),
            DeValue::Boolean(true) => self.plain(Kind::True, span),
            DeValue::Boolean(false) => self.plain(Kind::False, span),
            DeValue::Datetime(_) => self.plain(Kind::Text, span),
            DeValue::Array(items) => {
                let id = self.tree.open(Kind::List, span.start);
                for item in items.iter() {
                    self.value(item, depth + 1);
                }
                self.tree.close(id, span.end);
            }
            DeValue::Table(table) => self.table(table, span, depth),
        }
    }

    /// A text, with the line ends that other notations read.
    fn text(&mut self, span: Span, text: &str) {
        let raw = &self.tree.source[span.range()];
        if raw.contains('\r') && !raw.contains("\\r") {
            self.decoded(Kind::Text, span, &text.replace("\r\n", "\n"));
        } else {
            self.decoded(Kind::Text, span, text);
        }
    }

    fn plain(&mut self, kind: Kind, span: Span) {
        self.tree.push(kind, span, span);
    }

    fn decoded(&mut self, kind: Kind, span: Span, text: &str) {
        self.tree.push_decoded(kind, span, text);
    }
}

/// A whole number in the digits that every notation has; nothing above the largest integer.
fn decimal(number: &str, radix: u32) -> Option<String> {
    match radix {
        10 => Some(number.to_owned()),
        _ => super::decimal(number, radix),
    }
}

fn range<T>(spanned: &Spanned<T>) -> Span {
    let range = spanned.span();
    Span::new(offset(range.start), offset(range.end))
}
