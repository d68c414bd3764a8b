//! The edits of a fix, written in the notation and the style of what stands around them.
//!
//! Invariant: no edits rather than edits that might mean something else: where a value is escaped, folded, tagged or
//! copied by an alias, nothing here is sure what it stands for.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use crate::finding::{Edit, Finding};
use crate::span::{Span, offset};
use crate::tree::{Kind, NodeId, Syntax, Tree};

/// Form in which the map or list around a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// One entry on each line.
    Block,
    /// In brackets, as JSON always is.
    Flow,
    /// On lines that carry quote marks, so that a new line would have to carry them too.
    Quoted,
}

/// Replaces the text of a scalar, in the quotes that it has.
pub(crate) fn rewritten(tree: &Tree<'_>, value: NodeId, text: &str) -> Vec<Edit> {
    match quotes(tree, value) {
        Some(quotes) => vec![Edit { span: tree.span(value), text: format!("{quotes}{text}{quotes}") }],
        None => Vec::new(),
    }
}

/// Replaces a scalar with what is no text, such as `true` or a number.
pub(crate) fn replaced(tree: &Tree<'_>, value: NodeId, with: &str) -> Vec<Edit> {
    match quotes(tree, value).filter(|_| !tree.is_block(value)) {
        Some(_) => vec![Edit { span: tree.span(value), text: with.to_owned() }],
        None => Vec::new(),
    }
}

/// Gives a key another name; in XML at both ends of the element.
pub(crate) fn renamed(tree: &Tree<'_>, key: NodeId, value: NodeId, name: &str) -> Vec<Edit> {
    let span = tree.span(key);
    if tree.syntax() != Syntax::Xml {
        return rewritten(tree, key, name);
    }
    let edit = |span: Span, name: &str| Edit { span, text: name.to_owned() };
    match (tree.text(key).strip_prefix('@'), name.strip_prefix('@')) {
        (Some(_), Some(name)) => vec![edit(span, name)],
        (None, None) if !name.starts_with('#') && !tree.text(key).starts_with('#') => {
            match closing(tree, key, value) {
                Some(Closing::Tag(end)) => vec![edit(span, name), edit(end.shifted(tree.base()), name)],
                Some(Closing::Slash(_)) => vec![edit(span, name)],
                None => Vec::new(),
            }
        }
        (Some(_) | None, Some(_) | None) => Vec::new(),
    }
}

/// Makes the map that a plain value stands for, with that value under one key; `key` is the value itself in a list.
pub(crate) fn expanded(tree: &Tree<'_>, key: NodeId, value: NodeId, name: &str, style: Style) -> Vec<Edit> {
    let (source, at) = (tree.source(), tree.local_span(value));
    let raw = &source[at.range()];
    // What is written inside a block is a part of its text.
    if raw.contains('\n') || raw.is_empty() || tree.is_block(value) {
        return Vec::new();
    }
    let around = |open: &str| {
        vec![
            Edit { span: Span::at(tree.span(value).start), text: open.to_owned() },
            Edit { span: Span::at(tree.span(value).end), text: "}".to_owned() },
        ]
    };
    match tree.syntax() {
        Syntax::Xml | Syntax::Toml => Vec::new(),
        Syntax::Json => around(&format!("{{\"{name}\": ")),
        Syntax::Yaml => {
            let inside = |text: String| vec![Edit { span: Span::at(tree.span(value).start), text }];
            let Some(between) = before_value(tree, key, value) else { return Vec::new() };
            match (style, between) {
                (Style::Block, Between::Line(gap)) => {
                    let Some(indent) = indent_below(source, tree.local_span(key).start as usize) else {
                        return Vec::new();
                    };
                    let end = line_end(source, at.start as usize);
                    vec![Edit { span: gap.shifted(tree.base()), text: format!("{end}{indent}{name}: ") }]
                }
                (Style::Block | Style::Quoted, Between::Lines) => inside(format!("{name}: ")),
                (Style::Flow, _) => {
                    let is_quoted = source[tree.local_span(key).range()].starts_with('"') && key != value;
                    let name = if is_quoted { format!("\"{name}\"") } else { name.to_owned() };
                    around(&format!("{{{name}: "))
                }
                (Style::Quoted, Between::Line(_)) if is_plain_in_flow(raw) => around(&format!("{{{name}: ")),
                (Style::Quoted, Between::Line(_)) => Vec::new(),
            }
        }
    }
}

/// Moves an element before another one, on lines of its own; comments stay with what they stand beside.
pub(crate) fn moved(tree: &Tree<'_>, key: NodeId, value: NodeId, before: NodeId, style: Style) -> Vec<Edit> {
    let source = tree.source();
    let lines = || {
        let start = tree.local_span(key).start.checked_sub(1)?;
        let from = own_line(source, start as usize)?;
        let end = element_end(tree, key, value)?;
        let to = end + source[end..].find('\n')? + 1;
        let target = own_line(source, tree.local_span(before).start.checked_sub(1)? as usize)?;
        source[end..to].trim().is_empty().then_some((from, to, target))
    };
    let Some((from, to, target)) = lines().filter(|_| style != Style::Quoted && tree.syntax() == Syntax::Xml)
    else {
        return Vec::new();
    };
    let base = tree.base();
    vec![
        Edit { span: Span::at(offset(target)).shifted(base), text: source[from..to].to_owned() },
        Edit { span: Span::new(offset(from), offset(to)).shifted(base), text: String::new() },
    ]
}

/// The places of a YAML text that aliases copy, found when they are first asked for.
#[derive(Debug, Default)]
pub(crate) struct Shared(OnceCell<Vec<Span>>);

impl Shared {
    fn of(&self, tree: &Tree<'_>) -> &[Span] {
        self.0.get_or_init(|| {
            let has_aliases = tree.source().contains('&') && tree.source().contains('*');
            if !has_aliases {
                return Vec::new();
            }
            let mut seen = FxHashSet::default();
            let nodes = tree.roots().flat_map(|root| tree.subtree(root)).map(|(node, _)| tree.span(node));
            nodes.filter(|span| span.start < span.end && !seen.insert(*span)).collect()
        })
    }
}

/// Leaves to a person what would change more than it shows: text that an alias copies, and values with a tag.
pub(crate) fn doubt(tree: &Tree<'_>, shared: &Shared, findings: &mut [Finding]) {
    if tree.syntax() != Syntax::Yaml {
        return;
    }
    for fix in findings.iter_mut().filter_map(|finding| finding.fix.as_mut()).filter(|fix| fix.safe) {
        let is_inside =
            |edit: &Edit, around: &Span| around.start <= edit.span.start && edit.span.end <= around.end;
        let is_shared = |edit: &Edit| shared.of(tree).iter().any(|around| is_inside(edit, around));
        let is_doubtful = fix.edits.iter().any(|edit| is_shared(edit) || is_tagged(tree, edit.span));
        fix.safe = !is_doubtful;
    }
}

/// Tells whether a tag such as `!!str` stands directly before a place, with or without an anchor.
fn is_tagged(tree: &Tree<'_>, span: Span) -> bool {
    let before = &tree.source()[..(span.start - tree.base()) as usize];
    let mut words = nearest_text(before).split([' ', '\t']).rev();
    // What is joined to the place is no mark of it.
    words.next().is_some_and(str::is_empty)
        && words
            .take_while(|word| word.is_empty() || word.starts_with(['!', '&']))
            .any(|word| word.starts_with('!'))
}

/// The end of the last line of a text: lines may be long, and what matters stands near.
fn nearest_text(before: &str) -> &str {
    const BYTES: usize = 256;
    let near = &before[before.floor_char_boundary(before.len().saturating_sub(BYTES))..];
    &near[near.rfind('\n').map_or(0, |end| end + 1)..]
}

/// The quotes around a scalar whose text stands in the source as it is; nothing where it does not.
fn quotes(tree: &Tree<'_>, value: NodeId) -> Option<&'static str> {
    let raw = &tree.source()[tree.local_span(value).range()];
    let text = tree.text(value);
    if raw == text && !text.contains('\n') {
        return Some("");
    }
    ["\"", "'"].into_iter().find(|quote| {
        raw.strip_prefix(quote).and_then(|raw| raw.strip_suffix(quote)) == Some(text) && !text.contains('\n')
    })
}

enum Closing {
    /// The name in the closing tag.
    Tag(Span),
    /// Place where `/>` stands.
    Slash(usize),
}

/// End of an element; nothing where it is not plainly closed.
fn closing(tree: &Tree<'_>, key: NodeId, value: NodeId) -> Option<Closing> {
    let source = tree.source();
    let name = &source[tree.local_span(key).range()];
    let end = tree.local_span(value).end as usize;
    if tree.kind(value) == Kind::Map {
        let element = &source[..end];
        if let Some(inner) = element.strip_suffix("/>") {
            return Some(Closing::Slash(inner.len()));
        }
        let open = element.strip_suffix('>')?.trim_end();
        let before = open.strip_suffix(name)?;
        before.ends_with("</").then(|| Closing::Tag(Span::new(offset(before.len()), offset(open.len()))))
    } else {
        let rest = source[end..].trim_start();
        let at = source.len() - rest.len();
        if rest.starts_with("/>") {
            return Some(Closing::Slash(at));
        }
        let after = rest.strip_prefix("</")?.strip_prefix(name)?;
        let is_closed = after.trim_start().starts_with('>');
        is_closed.then(|| Closing::Tag(Span::new(offset(at + 2), offset(at + 2 + name.len()))))
    }
}

/// Just past an element.
pub(crate) fn element_end(tree: &Tree<'_>, key: NodeId, value: NodeId) -> Option<usize> {
    match closing(tree, key, value)? {
        Closing::Slash(at) => Some(at + 2),
        Closing::Tag(name) => {
            let end = name.end as usize;
            Some(end + tree.source()[end..].find('>')? + 1)
        }
    }
}

/// The start of the line of an element that begins its line, unless something other than an element stands before it.
fn own_line(source: &str, at: usize) -> Option<usize> {
    let start = source[..at].rfind('\n')? + 1;
    let before = source[..start].trim_end();
    let is_beside_other = ["-->", "]]>", "?>"].iter().any(|end| before.ends_with(end));
    let is_own = source[start..at].trim().is_empty() && before.ends_with('>') && !is_beside_other;
    is_own.then_some(start)
}

enum Between {
    /// The blanks between a key's colon and its value on the same line.
    Line(Span),
    /// The value opens its line, or is an item behind its dash.
    Lines,
}

/// Text before a value; nothing where that is more than a colon, a dash and blanks.
fn before_value(tree: &Tree<'_>, key: NodeId, value: NodeId) -> Option<Between> {
    let (source, at) = (tree.source(), tree.local_span(value).start as usize);
    if key == value {
        let before = source[..at].trim_end_matches([' ', '\t']);
        let is_alone = before.is_empty() || before.ends_with(['\n', '-', '[', ',']);
        return is_alone.then_some(Between::Lines);
    }
    let end = tree.local_span(key).end as usize;
    let between = source.get(end..at)?.trim_start_matches([' ', '\t']).strip_prefix(':')?;
    let gap = Span::new(offset(at - between.len()), offset(at));
    match between.trim().is_empty() {
        true if between.contains('\n') => Some(Between::Lines),
        true => Some(Between::Line(gap)),
        false => None,
    }
}

/// The blanks that a line below a key starts with: its column and one step more.
fn indent_below(source: &str, key: usize) -> Option<String> {
    let start = source[..key].rfind('\n').map_or(0, |end| end + 1);
    let before = &source[start..key];
    let column = before.chars().count();
    let is_usual = before.chars().all(|c| matches!(c, ' ' | '-'));
    is_usual.then(|| " ".repeat(column + step(source)))
}

/// Usual indent of a line under the one above it.
fn step(source: &str) -> usize {
    const BYTES_MAX: usize = 4 * 1024;
    const USUAL: usize = 2;
    let source = &source[..source.floor_char_boundary(BYTES_MAX)];
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_entry = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with(['#', '-']);
    let mut lines = source.lines().filter(is_entry).map(indent);
    let Some(first) = lines.next() else { return USUAL };
    let step = lines.find(|indent| *indent > first).map(|indent| indent - first);
    step.filter(|step| *step <= 8).unwrap_or(USUAL)
}

/// The line end that is usual around a place.
pub(crate) fn line_end(source: &str, at: usize) -> &'static str {
    let end = source[at..].find('\n').map(|end| at + end).or_else(|| source[..at].rfind('\n'));
    if end.is_some_and(|end| source[..end].ends_with('\r')) { "\r\n" } else { "\n" }
}

/// Tells whether a scalar means the same in brackets as on a line of its own.
fn is_plain_in_flow(raw: &str) -> bool {
    raw.starts_with(['"', '\'']) || !raw.contains([',', '[', ']', '{', '}', ':'])
}
