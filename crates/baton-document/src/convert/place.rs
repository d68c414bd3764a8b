//! Values that are set in handoffs that stay in their dialect: every other byte of the file stays as it is.
//!
//! Invariant: a text that was changed is read again, and what it says then is what it said before with the one field
//! changed; where no edit does that, the field has no place.

use super::normal;
use super::put::{Before, Put};
use super::set::{self, SetError};
use crate::arena_value::{ArenaValue, Maker, Pool};
use crate::check::{Candidate, Checker, Input, Scratch};
use crate::dialect::{DialectKind, MapShape};
use crate::edits::{element_end, line_end};
use crate::finding::Edit;
use crate::span::{Span, offset};
use crate::tree::{Kind, NodeId, Syntax, Tree};
use crate::write;

/// A file with values set in its handoffs of a dialect.
#[derive(Debug, Default)]
pub(super) struct Changed {
    /// Its text; nothing where nothing is changed.
    pub(super) text: Option<String>,
    /// Values that were set, each with the position of its handoff among those of the dialect.
    pub(super) puts: Vec<(usize, Put)>,
}

/// Sets values in the handoffs of a dialect in a file: in each, or only where nothing is said.
pub(super) fn changed(
    checker: &Checker,
    input: Input<'_>,
    target: usize,
    (set, fills_only): (&[(String, String)], bool),
    scratch: &mut Scratch,
) -> Result<Changed, SetError> {
    let mut changed = Changed::default();
    for (at, (path, _)) in set.iter().enumerate() {
        // Those of one list are set at once.
        if set[..at].iter().any(|(before, _)| before == path) {
            continue;
        }
        let mut editor = Editor {
            checker,
            target,
            set,
            path,
            fills_only,
            edits: Vec::new(),
            wanted: Vec::new(),
            puts: Vec::new(),
        };
        let now = changed.text.as_deref().map_or(input.bytes, str::as_bytes);
        let mut refused = Ok(());
        let read = checker.visit(Input { bytes: now, ..input }, scratch, &mut |tree, candidate| {
            if candidate.dialect == target && refused.is_ok() {
                refused = editor.edit(tree, candidate);
            }
        });
        refused?;
        let Editor { mut edits, wanted, puts, .. } = editor;
        changed.puts.extend(puts);
        let Some(read) = read.filter(|_| !edits.is_empty()) else { continue };
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
        let mut next = read.to_owned();
        for edit in &edits {
            next.replace_range(edit.span.range(), &edit.text);
        }
        if said(checker, Input { bytes: next.as_bytes(), ..input }, target, scratch) != Some(wanted) {
            return Err(SetError::NoPlace(path.clone()));
        }
        changed.text = Some(next);
    }
    Ok(changed)
}

/// Reads the handoffs of a dialect in a text, independent of the order of their keys.
fn said(
    checker: &Checker,
    input: Input<'_>,
    target: usize,
    scratch: &mut Scratch,
) -> Option<Vec<serde_json::Value>> {
    let mut all = Vec::new();
    let mut say = |tree: &Tree<'_>, candidate: &Candidate| {
        if candidate.dialect == target {
            let kind = &checker.dialects().handoffs[target].kinds[candidate.kind];
            let pool = Pool::default();
            all.push(json(normal::of(tree, kind, candidate.document, &mut Maker::new(&pool))));
        }
    };
    checker.visit(input, scratch, &mut say)?;
    Some(all)
}

/// A value that can be compared whatever the order of its keys.
pub(super) fn json(value: ArenaValue<'_>) -> serde_json::Value {
    serde_json::Value::from(&value.into_datum())
}

struct Editor<'e> {
    checker: &'e Checker,
    target: usize,
    set: &'e [(String, String)],
    path: &'e str,
    /// True if a handoff that says something there keeps it.
    fills_only: bool,
    edits: Vec<Edit>,
    /// Expected facts of each handoff.
    wanted: Vec<serde_json::Value>,
    /// Values that were set, each with the position of its handoff.
    puts: Vec<(usize, Put)>,
}

impl Editor<'_> {
    fn edit(&mut self, tree: &Tree<'_>, candidate: &Candidate) -> Result<(), SetError> {
        let dialect = &self.checker.dialects().handoffs[self.target];
        let kind = &dialect.kinds[candidate.kind];
        let pool = Pool::default();
        let maker = &mut Maker::new(&pool);
        let document = normal::of(tree, kind, candidate.document, maker);
        let values = set::values(dialect, kind, self.set, maker)?;
        let value = values.iter().find(|(path, _)| *path == self.path).map(|(_, value)| *value);
        let put = value.and_then(|value| Put::of(document, self.path, value, self.fills_only));
        let is_new = put.as_ref().is_some_and(|put| put.before != Before::Same);
        self.puts.extend(put.map(|put| (self.wanted.len(), put)));
        let Some(value) = value.filter(|_| is_new) else {
            self.wanted.push(json(document));
            return Ok(());
        };
        let edit = place(tree, candidate.document, kind, self.path, value, maker);
        self.edits.push(edit.ok_or_else(|| SetError::NoPlace(self.path.to_owned()))?);
        self.wanted.push(json(document.with(maker.pool.text(self.path), value, maker)));
        Ok(())
    }
}

/// The edit that gives a field a value: in the place of the one it has, or as a new entry.
fn place<'v>(
    tree: &Tree<'_>,
    document: NodeId,
    kind: &'v DialectKind,
    path: &'v str,
    value: ArenaValue<'v>,
    maker: &mut Maker<'v>,
) -> Option<Edit> {
    let (mut map, mut shape, mut rest) = (document, &kind.map, path);
    loop {
        let (key, below) = rest.split_once('.').map_or((rest, None), |(key, below)| (key, Some(below)));
        let entry = tree.entries(map).find(|(name, _)| tree.text(*name) == key);
        match (entry, below) {
            (Some((name, node)), None) => return replaced(tree, name, node, value),
            (Some((_, node)), Some(below)) => {
                let field = shape.fields.iter().find(|field| &*field.key.text == key)?;
                (map, shape, rest) = (node, field.shape.maps().first().copied()?, below);
            }
            (None, below) => {
                let value = match below {
                    Some(below) => ArenaValue::EMPTY.with(below, value, maker),
                    None => value,
                };
                return added(tree, map, shape, key, value);
            }
        }
    }
}

/// The edit that puts a value in the place of another one.
fn replaced(tree: &Tree<'_>, key: NodeId, node: NodeId, value: ArenaValue<'_>) -> Option<Edit> {
    let node = tree.text_among_attributes(node).unwrap_or(node);
    let span = tree.span(node);
    let source = &tree.source()[tree.local_span(node).range()];
    let is_single = !matches!(tree.kind(node), Kind::Map | Kind::List);
    // A sign within a text is part of it.
    let is_commented = match tree.syntax() {
        Syntax::Json => false,
        Syntax::Xml => source.contains("<!"),
        Syntax::Yaml | Syntax::Toml => !is_single && source.contains('#'),
    };
    match tree.syntax() {
        Syntax::Xml => {
            let text = value.as_text().filter(|_| is_single && !is_commented)?;
            Some(Edit { span, text: write::xml_text(text) })
        }
        // Behind its key on one line; what was written over several lines might not be taken there for its value.
        Syntax::Yaml if source.contains('\n') && !is_commented => {
            let start = tree.span(key).end;
            let between =
                tree.source().get(tree.local_span(key).end as usize..tree.local_span(node).start as usize)?;
            // A block has its sign there; whatever else stands there would be lost.
            let is_sign = |c: char| matches!(c, '|' | '>' | '+' | '-' | '0'..='9');
            let gap = between.trim_start().strip_prefix(':');
            let is_plain = gap.is_some_and(|gap| gap.trim().chars().all(is_sign));
            let text = format!(": {}", in_line(Syntax::Yaml, value));
            is_plain.then(|| Edit { span: Span::new(start, span.end), text })
        }
        Syntax::Json | Syntax::Yaml | Syntax::Toml => {
            let is_quoted = source.starts_with(['"', '\'']);
            let text = if is_quoted { write::json_line(&value) } else { in_line(tree.syntax(), value) };
            (!is_commented).then_some(Edit { span, text })
        }
    }
}

/// The edit that adds an entry to a map: before the first that its dialect has behind it, or as the last.
fn added(tree: &Tree<'_>, map: NodeId, shape: &MapShape, key: &str, value: ArenaValue<'_>) -> Option<Edit> {
    let position = |name: &str| shape.fields.iter().position(|field| &*field.key.text == name);
    let own = position(key)?;
    let is_behind = |name: NodeId| position(tree.text(name)).is_some_and(|at| at > own);
    let entries: Vec<(NodeId, NodeId)> =
        tree.entries(map).filter(|(name, _)| !tree.text(*name).starts_with(['@', '#'])).collect();
    let next = entries.iter().find(|(name, _)| is_behind(*name));
    let (source, base) = (tree.source(), tree.base());
    let (first, _) = next.or(entries.last())?;
    let start = tree.local_span(*first).start as usize;
    let line = source[..start].rfind('\n').map_or(0, |end| end + 1);
    let is_xml = tree.syntax() == Syntax::Xml;
    let start = if is_xml { start.checked_sub(1)? } else { start };
    let before = &source[line..start];
    let end_of_line = line_end(source, start);
    let is_flow = tree.syntax() == Syntax::Json || source[tree.local_span(map).range()].starts_with('{');
    // An entry that opens its line has the new one on a line of its own.
    let blanks: String = before.chars().map(|c| if c == '-' { ' ' } else { c }).collect();
    let apart = if blanks.trim().is_empty() { format!("{end_of_line}{blanks}") } else { " ".to_owned() };
    let entry = match tree.syntax() {
        Syntax::Json => format!("{}: {}", write::json_line(&ArenaValue::Text(key)), write::json_line(&value)),
        Syntax::Yaml if is_flow => format!("{key}: {}", write::json_line(&value)),
        Syntax::Yaml => format!("{key}: {}", in_line(Syntax::Yaml, value)),
        Syntax::Toml => format!("{key} = {}", in_line(Syntax::Toml, value)),
        Syntax::Xml => {
            let element = write::xml(key, &value);
            let step = if blanks.trim().is_empty() { &*blanks } else { "" };
            element.trim_end().replace('\n', &format!("{end_of_line}{step}"))
        }
    };
    let comma = if is_flow { "," } else { "" };
    let (at, text) = match next {
        Some(_) => (start, format!("{entry}{comma}{apart}")),
        None => {
            let (name, last) = entries.last()?;
            let end = match tree.syntax() {
                Syntax::Xml => element_end(tree, *name, *last)?,
                Syntax::Json | Syntax::Yaml | Syntax::Toml => tree.local_span(*last).end as usize,
            };
            let is_lined = !is_flow && !is_xml;
            let end =
                if is_lined { source[end..].find('\n').map_or(source.len(), |at| end + at) } else { end };
            let end = if is_lined && source[..end].ends_with('\r') { end - 1 } else { end };
            (end, format!("{comma}{apart}{entry}"))
        }
    };
    Some(Edit { span: Span::at(offset(at)).shifted(base), text })
}

/// A value on one line, as its notation writes it.
fn in_line(syntax: Syntax, value: ArenaValue<'_>) -> String {
    match value {
        ArenaValue::Text(text) if syntax == Syntax::Yaml && is_plain(text) => text.to_owned(),
        ArenaValue::Null
        | ArenaValue::Boolean(_)
        | ArenaValue::Number(_)
        | ArenaValue::Text(_)
        | ArenaValue::List(_)
        | ArenaValue::Map(_) => write::json_line(&value),
    }
}

/// Tells whether a text needs no quotes in any version of YAML.
fn is_plain(text: &str) -> bool {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'));
    let folded = text.to_ascii_lowercase();
    is_word && !matches!(folded.as_str(), "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n")
}
