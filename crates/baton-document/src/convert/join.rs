//! Several handoffs in one text: those that were converted, and beside them those that were of the dialect already.
//!
//! Invariant: a handoff that was of the dialect already says the same in the text. It stands there as it was written, with
//! its comments, where that can stand beside others; otherwise it is written anew. That is found by reading it again.

use super::place::json;
use super::reread::usual_file;
use super::text::text_of;
use super::{Conversion, normal};
use crate::arena_value::{ArenaValue, Maker, Pool};
use crate::carrier::Look;
use crate::check::{Candidate, Checker, Input, Scratch};
use crate::dialect::{Carrier, Dialect, DialectKind};
use crate::tree::{Syntax, Tree};

/// Several handoffs in one text: a list in JSON, documents in YAML, elements in XML, lines, files in a row.
pub(super) fn joined(handoffs: &[Conversion], carrier: Carrier) -> String {
    if let [one] = handoffs {
        return one.text.clone();
    }
    let texts: Vec<&str> = handoffs.iter().map(|one| one.text.as_str()).collect();
    match carrier {
        Carrier::Text(Syntax::Yaml) => texts.join("---\n"),
        Carrier::Text(Syntax::Json) => {
            // No line ends inside a string of JSON, so that every line can be moved.
            let moved: Vec<_> = texts.iter().map(|text| text.trim_end().replace('\n', "\n  ")).collect();
            format!("[\n  {}\n]\n", moved.join(",\n  "))
        }
        Carrier::Text(Syntax::Xml | Syntax::Toml) | Carrier::FrontMatter | Carrier::Line => texts.concat(),
    }
}

/// Tells whether a text in the usual carrier of a dialect holds so many handoffs.
pub(super) fn holds(checker: &Checker, dialect: &Dialect, text: &str, count: usize) -> bool {
    let mut found = 0;
    let read = checker.visit(as_file(dialect, text), &mut Scratch::default(), &mut |_, _| found += 1);
    read.is_some() && found == count
}

/// A text as a file of a dialect.
fn as_file<'t>(dialect: &'t Dialect, text: &'t str) -> Input<'t> {
    let path = usual_file(dialect);
    let dialect = Some(&*dialect.name);
    Input { path: Some(path), bytes: text.as_bytes(), dialect, look: Look::Whole, is_named: true }
}

/// A handoff that stays in its dialect and stands beside others.
pub(super) struct Stayed<'s, 'v> {
    pub(super) checker: &'v Checker,
    pub(super) dialect: &'v Dialect,
    pub(super) kind: &'v DialectKind,
    /// Its value.
    pub(super) value: ArenaValue<'v>,
    pub(super) tree: &'s Tree<'s>,
    pub(super) candidate: &'s Candidate,
}

impl<'v> Stayed<'_, 'v> {
    /// Its text as it stands in its file.
    pub(super) fn own_text(&self) -> &str {
        self.tree.source().get(self.tree.local_span(self.candidate.whole).range()).unwrap_or_default()
    }

    /// Its text as it stands beside others; nothing where no text says the same there.
    pub(super) fn text(&self, maker: &mut Maker<'v>) -> Option<String> {
        let said = json(self.value);
        let is_same = |text: &String| self.read(text).as_ref() == Some(&said);
        let as_it_stands = self.as_it_stands().into_iter().find(is_same);
        as_it_stands.or_else(|| Some(text_of(self.dialect, self.kind, self.value, maker)).filter(is_same))
    }

    /// The texts that it may stand there with as it was written, each with its line end; the first has the most of it.
    fn as_it_stands(&self) -> Vec<String> {
        let own = self.own_text();
        let mut texts = match (self.dialect.usual_carrier(), self.tree.syntax()) {
            (Carrier::Text(Syntax::Yaml), Syntax::Yaml) => {
                let start = self.tree.local_span(self.candidate.whole).start as usize;
                vec![yaml_document(self.tree.source(), start).to_owned(), own.to_owned()]
            }
            (Carrier::Line, Syntax::Json) if own.contains(['\n', '\r']) => Vec::new(),
            (Carrier::Line, Syntax::Json) => vec![own.to_owned()],
            (Carrier::Text(usual), syntax) if usual == syntax => vec![own.to_owned()],
            (Carrier::Text(_) | Carrier::Line | Carrier::FrontMatter, _) => Vec::new(),
        };
        for text in texts.iter_mut().filter(|text| !text.ends_with('\n')) {
            text.push('\n');
        }
        texts
    }

    /// Reads a text as a file of its own; nothing unless it is one handoff of this kind.
    fn read(&self, text: &str) -> Option<serde_json::Value> {
        let mut found = Vec::new();
        let input = as_file(self.dialect, text);
        let read = self.checker.visit(input, &mut Scratch::default(), &mut |tree, candidate| {
            let kind = &self.checker.dialects().handoffs[candidate.dialect].kinds[candidate.kind];
            let pool = Pool::default();
            let value = json(normal::of(tree, kind, candidate.document, &mut Maker::new(&pool)));
            found.push((std::ptr::eq(kind, self.kind), value));
        });
        let is_one = read.is_some() && found.len() == 1;
        found.pop().filter(|(is_kind, _)| is_one && *is_kind).map(|(_, value)| value)
    }
}

/// The document of a YAML stream around a place, with the comments before and behind it. Its signs open a line wherever
/// they stand: not even a text in quotes may hold such a line.
fn yaml_document(source: &str, place: usize) -> &str {
    let (mut from, mut at) = (0, 0);
    for line in source.split_inclusive('\n') {
        let sign = line.get(..3).filter(|sign| matches!(*sign, "---" | "..."));
        let is_alone =
            line.get(3..).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']));
        if let Some(sign) = sign.filter(|_| is_alone) {
            if at > place {
                return &source[from..at];
            }
            // Something may stand behind the first sign.
            let is_open = sign == "---" && !line[3..].trim().is_empty();
            from = at + if is_open { 3 } else { line.len() };
        }
        at += line.len();
    }
    &source[from..]
}

#[cfg(test)]
mod tests {
    use super::yaml_document;

    #[test]
    fn a_document_of_a_stream_is_found_with_its_comments() {
        let stream = "# one\na: 1 # x\n---\n# two\nb: ---\n...\n--- # three\nc: |+\n  ----\n\n";
        let at = |part: &str| yaml_document(stream, stream.find(part).unwrap_or_default());
        assert_eq!(at("a:"), "# one\na: 1 # x\n");
        assert_eq!(at("b:"), "# two\nb: ---\n");
        assert_eq!(at("c:"), " # three\nc: |+\n  ----\n\n");
        assert_eq!(yaml_document("--- {a: 1}", 4), " {a: 1}");
    }
}
