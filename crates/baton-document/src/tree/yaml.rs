//! Reads YAML, and goes on after the first line that does not parse.
//!
//! The parser stops at its first error. So the line it stopped at is blanked in a copy of the same
//! length, its value first and the whole line if that does not help, and the copy is read again:
//! spans stay right, and everything around the broken line still gets its findings.
//!
//! Invariant: aliases are copied within a budget, so no document grows beyond it.

mod merge;

use std::borrow::Cow;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Tag};
use rustc_hash::FxHashMap;

use self::merge::{MERGE, Merging};
use super::{Kind, Limits, Node, NodeId, Tree, decimal};
use crate::finding::Finding;
use crate::span::{Span, offset};
use crate::tree::findings;

/// The bytes that reading again after errors may cost in all; beyond them the rest stays unread.
const RETRY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Reads all documents of the source.
pub(super) fn read(tree: &mut Tree<'_>, limits: &Limits, findings: &mut Vec<Finding>) {
    let original = tree.source;
    let mut text = Cow::Borrowed(original);
    let mut blanked: Vec<Span> = Vec::new();
    let mut retries = (RETRY_BYTES_MAX / original.len().max(1)).min(limits.syntax_findings);
    loop {
        let mark = findings.len();
        let mut builder = Builder::new(tree, &text, limits, findings);
        let Err(error) = builder.run() else { break };
        builder.close_all();
        findings.truncate(mark);
        let at = error_offset(&text, &error);
        let at = unclosed_before(&text, at).unwrap_or(at);
        if let Some(finding) = findings::yaml_syntax(original, tree.base, at, &error, &blanked) {
            findings.push(finding);
        }
        let next = if retries == 0 { None } else { blank_line(&text, at, &mut blanked) };
        let Some(next) = next else {
            tree.is_cut = true;
            findings.extend(findings.last().map(findings::cut_off));
            break;
        };
        retries -= 1;
        text = Cow::Owned(next);
        tree.nodes.clear();
        tree.decoded.clear();
        tree.suspects.clear();
        tree.blocks.clear();
    }
    if !blanked.is_empty() {
        mark_blanked(tree, &blanked);
    }
}

fn error_offset(text: &str, error: &ScanError) -> usize {
    let at = error.marker().byte_offset().unwrap_or(text.len()).min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Place where a quote or bracket opens that its line does not close, before the place where the parser noticed.
///
/// A text over several lines is right in YAML, so this is asked only after an error.
fn unclosed_before(text: &str, at: usize) -> Option<usize> {
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let mut start = 0;
    for line in text[..end].split_inclusive('\n') {
        let value = value_start(line).map_or(0, |value| value);
        let opener = line[value..].len() - line[value..].trim_start_matches([' ', '-']).len() + value;
        if opens_without_end(&line[opener..]) {
            return Some(start + opener);
        }
        start += line.len();
    }
    None
}

/// Tells whether a value starts with a quote or bracket that its line does not close.
fn opens_without_end(value: &str) -> bool {
    let value = value.trim_end();
    let bytes = value.as_bytes();
    match bytes.first() {
        Some(quote @ (b'"' | b'\'')) => !bytes[1..].contains(quote),
        Some(b'[') => value.matches('[').count() > value.matches(']').count(),
        Some(b'{') => value.matches('{').count() > value.matches('}').count(),
        Some(_) | None => false,
    }
}

/// Blanks what the parser stumbled over: the value of the line, or all of it, or the one before it.
fn blank_line(text: &str, at: usize, blanked: &mut Vec<Span>) -> Option<String> {
    let mut start = text[..at].rfind('\n').map_or(0, |line| line + 1);
    loop {
        let end = text[start..].find('\n').map_or(text.len(), |line| start + line);
        let line = &text[start..end];
        if !line.trim().is_empty() {
            let value = value_start(line).filter(|from| !line[*from..].trim().is_empty());
            let from = start + value.unwrap_or(0);
            blanked.push(Span::new(offset(start), offset(end)));
            let mut next = String::with_capacity(text.len());
            next.push_str(&text[..from]);
            next.extend(text[from..end].bytes().map(|byte| if byte == b'\r' { '\r' } else { ' ' }));
            next.push_str(&text[end..]);
            return Some(next);
        }
        start = text[..start.checked_sub(1)?].rfind('\n').map_or(0, |line| line + 1);
    }
}

/// Start of the value of a `key: value` line; nothing for lines that are none.
fn value_start(line: &str) -> Option<usize> {
    let indent = line.len() - line.trim_start_matches([' ', '-']).len();
    let key = line[indent..].find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'))?;
    (key > 0 && line[indent + key..].starts_with(": ")).then_some(indent + key + 2)
}

/// What a blanked line said is unknown: nothing else complains about the empty value it left.
fn mark_blanked(tree: &mut Tree<'_>, blanked: &[Span]) {
    for node in tree.nodes.iter_mut().filter(|node| node.kind == Kind::Null && node.start == node.end) {
        if blanked.iter().any(|line| line.start <= node.start && node.start <= line.end + 1) {
            node.kind = Kind::Broken;
        }
    }
}

struct Builder<'b, 't, 's> {
    tree: &'b mut Tree<'s>,
    text: &'t str,
    limits: &'b Limits,
    findings: &'b mut Vec<Finding>,
    open: Vec<Open>,
    /// The subtree of each anchor.
    anchors: FxHashMap<usize, NodeId>,
    alias_nodes: usize,
    /// The maps that open maps take over with `<<`, each with the depth of the map that takes it.
    merges: Vec<(usize, NodeId)>,
    /// True if what follows is taken over: the value behind `<<`.
    merging: Merging,
    is_stopped: bool,
}

struct Open {
    id: NodeId,
    is_map: bool,
    /// True if the next scalar of a map is a key.
    wants_key: bool,
    /// End of its last part.
    end: u32,
    /// Marks of its keys so far.
    marks: u64,
    anchor: usize,
}

impl<'b, 't, 's> Builder<'b, 't, 's> {
    fn new(
        tree: &'b mut Tree<'s>,
        text: &'t str,
        limits: &'b Limits,
        findings: &'b mut Vec<Finding>,
    ) -> Self {
        Self {
            tree,
            text,
            limits,
            findings,
            open: Vec::new(),
            anchors: FxHashMap::default(),
            alias_nodes: 0,
            merges: Vec::new(),
            merging: Merging::No,
            is_stopped: false,
        }
    }

    fn run(&mut self) -> Result<(), ScanError> {
        // The parser's own limits are out of reach of ours, so that ours speak.
        let limit = self.limits.depth * 2 + 10;
        let options = granit_parser::options! { flow_nesting_limit: limit, block_nesting_limit: limit };
        let mut parser = Parser::new_from_str_with_options(self.text, options);
        // An event is looked at where it was made: it is large, and to move it costs as much as to read it.
        while let Some(event) = &parser.next_event() {
            let (event, span) = event.as_ref().map_err(Clone::clone)?;
            let start = span.start.byte_offset().unwrap_or_default();
            let end = span.end.byte_offset().unwrap_or_default();
            self.take(event, Span::new(offset(start), offset(end)));
            if self.tree.nodes.len() > self.limits.nodes {
                let place = Span::at(offset(start)).shifted(self.tree.base);
                self.findings.push(findings::too_many_nodes(place, self.limits.nodes));
                self.is_stopped = true;
            }
            if self.is_stopped {
                self.tree.is_cut = true;
                self.close_all();
                break;
            }
        }
        Ok(())
    }

    fn take(&mut self, event: &Event<'t>, span: Span) {
        match self.merging {
            Merging::No => {}
            Merging::Value(key) => return self.merge(Some(key), 0, event, span),
            Merging::Item(deep) => return self.merge(None, deep, event, span),
        }
        match event {
            Event::Scalar(value, ScalarStyle::Plain, _, None) if **value == *MERGE && self.wants_key() => {
                self.merging = Merging::Value(span);
            }
            Event::Scalar(value, style, anchor, tag) => {
                let span = if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
                    // The parser takes the white space up to the next token along.
                    let end = offset(self.text[..span.end as usize].trim_end().len());
                    if span.start < end {
                        self.tree.blocks.push(span.start);
                    }
                    Span::new(span.start, end.max(span.start))
                } else {
                    span
                };
                let has_tag = |names: &[&str]| {
                    let is_one = |tag: &Tag| names.iter().any(|name| tag.is_yaml_core_schema_tag(name));
                    tag.as_deref().is_some_and(is_one)
                };
                let is_plain = if matches!(style, ScalarStyle::Plain) {
                    !has_tag(&["str"])
                } else {
                    has_tag(&["int", "float", "bool", "null"])
                };
                let id = self.scalar(value, is_plain, span);
                self.remember(*anchor, id);
                self.after_node(span.end);
            }
            Event::SequenceStart(_, anchor, _) => self.open(Kind::List, *anchor, span),
            Event::MappingStart(_, anchor, _) => self.open(Kind::Map, *anchor, span),
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(anchor) => {
                self.alias(*anchor, span);
                self.after_node(span.end);
            }
            Event::UnresolvedAlias(_) => {
                self.tree.push_broken(span);
                self.after_node(span.end);
            }
            Event::StreamStart | Event::StreamEnd | Event::DocumentStart(..) | Event::DocumentEnd => {}
            // The parser may learn new events; none of them is a node.
            Event::Anchor(..) | _ => {}
        }
    }

    /// Tells whether the next node is the key of a map.
    fn wants_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.wants_key)
    }

    fn scalar(&mut self, value: &str, is_plain: bool, span: Span) -> NodeId {
        if value.len() > self.limits.scalar_bytes {
            self.findings
                .push(findings::large_scalar(span.shifted(self.tree.base), self.limits.scalar_bytes));
            return self.tree.push_broken(span);
        }
        let is_plain = is_plain && !self.wants_key();
        if let Some(number) = based(value).filter(|_| is_plain) {
            return self.tree.push_decoded(Kind::Integer, span, &number);
        }
        let kind = if is_plain { plain_kind(value) } else { Kind::Text };
        // What the parser need not decode it borrows from the text it was given, so the distance is the place.
        let at = (value.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let place = at.checked_add(value.len()).and_then(|end| self.text.get(at..end));
        if place.is_some_and(|place| std::ptr::eq(place, value)) {
            let text = Span::new(offset(at), offset(at + value.len()));
            return self.tree.push(kind, span, text);
        }
        self.tree.push_decoded(kind, span, value)
    }

    fn open(&mut self, kind: Kind, anchor: usize, span: Span) {
        if self.open.len() >= self.limits.depth {
            let end = span.end.max(span.start);
            let place = Span::new(span.start, end).shifted(self.tree.base);
            self.findings.push(findings::too_deep(place, self.limits.depth));
            self.is_stopped = true;
            return;
        }
        if self.wants_key() {
            self.findings.push(findings::complex_key(span.shifted(self.tree.base)));
            self.is_stopped = true;
            return;
        }
        let id = self.tree.open(kind, span.start);
        let is_map = kind == Kind::Map;
        self.open.push(Open { id, is_map, wants_key: is_map, end: span.start, marks: 0, anchor });
    }

    fn close(&mut self, span: Span) {
        let Some(open) = self.open.pop() else { return };
        // The parser ends a block at the next token; the end of its last part is what people see.
        let is_flow_end = matches!(self.text.as_bytes().get(span.start as usize), Some(b'}' | b']'));
        let end = if is_flow_end { span.end } else { open.end };
        self.take_over(open.id);
        self.tree.close(open.id, end);
        self.remember(open.anchor, open.id);
        self.after_node(end);
    }

    fn close_all(&mut self) {
        self.merging = Merging::No;
        while let Some(open) = self.open.pop() {
            if open.is_map && !open.wants_key {
                let end = offset(self.text.len());
                self.tree.push_broken(Span::at(end));
            }
            self.take_over(open.id);
            self.tree.close(open.id, open.end);
            if let Some(parent) = self.open.last_mut() {
                parent.wants_key = parent.is_map;
                parent.end = parent.end.max(open.end);
            }
        }
    }

    /// A node is complete: in a map it was a key or a value.
    fn after_node(&mut self, end: u32) {
        let Some(open) = self.open.last_mut() else { return };
        open.end = open.end.max(end);
        if !open.is_map {
            return;
        }
        if open.wants_key {
            let key = NodeId(offset(self.tree.nodes.len() - 1));
            self.tree.mark_key(key);
            self.tree.note_key(open.id, key, &mut open.marks);
        }
        open.wants_key = !open.wants_key;
    }

    fn remember(&mut self, anchor: usize, id: NodeId) {
        if anchor > 0 {
            self.anchors.insert(anchor, id);
        }
    }

    /// Copies what an alias names; the copies keep the place where the text stands.
    fn alias(&mut self, anchor: usize, span: Span) {
        let is_key = self.wants_key();
        let Some(id) = self.anchors.get(&anchor).copied() else {
            self.tree.push_broken(span);
            return;
        };
        let range = id.0 as usize..self.tree.node(id).next as usize;
        self.alias_nodes += range.len();
        let is_scalar = range.len() == 1 && !matches!(self.tree.kind(id), Kind::Map | Kind::List);
        if self.alias_nodes > self.limits.alias_nodes || (is_key && !is_scalar) {
            self.findings.push(findings::alias_bomb(span.shifted(self.tree.base), self.limits.alias_nodes));
            self.is_stopped = true;
            self.tree.push_broken(span);
            return;
        }
        let moved = offset(self.tree.nodes.len()) - id.0;
        for at in range {
            let node = self.tree.nodes[at];
            let is_key = node.is_key && at != id.0 as usize;
            self.tree.nodes.push(Node { next: node.next + moved, is_key, ..node });
        }
    }
}

/// The decimal digits of a whole number that the core schema has in others, such as `0x1f` and `0o17`.
fn based(text: &str) -> Option<String> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x', ..] => (16, &text[2..]),
        [b'0', b'o', ..] => (8, &text[2..]),
        _ => return None,
    };
    decimal(digits, radix)
}

/// Kind of a plain scalar in the core schema.
///
/// Two things stay text on purpose: `.inf` and `.nan`, for which no other notation has a number, and `012`, in which
/// readers see twelve, ten or a name.
fn plain_kind(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" => Kind::True,
        "false" | "False" | "FALSE" => Kind::False,
        _ => number_kind(text),
    }
}

fn number_kind(text: &str) -> Kind {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let bytes = unsigned.as_bytes();
    if !bytes.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.') {
        return Kind::Text;
    }
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(0);
    let mut at = whole;
    let mut kind = Kind::Integer;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        kind = Kind::Float;
        fraction = digits(at + 1);
        at += 1 + fraction;
    }
    if whole + fraction == 0 || (whole > 1 && bytes[0] == b'0') {
        return Kind::Text;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        kind = Kind::Float;
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        let exponent = digits(at);
        if exponent == 0 {
            return Kind::Text;
        }
        at += exponent;
    }
    if at == bytes.len() { kind } else { Kind::Text }
}
