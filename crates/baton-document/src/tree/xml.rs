//! Reads XML: elements become keys, attributes `@name`, text beside either `#text`.
//!
//! Document types are refused, so no entity is ever expanded beyond the five that XML knows and
//! character references.
//!
//! Invariant: every restart after an error goes forward, and their number is bounded.

mod text;
mod tokens;

pub(crate) use text::has_known_references;
pub(crate) use tokens::{Token, Tokens};

use self::text::{push_lines, push_spaces, reference};
use super::{Kind, Limits, NodeId, Tree};
use crate::finding::{Finding, shortened};
use crate::span::{BOM, Span, offset};
use crate::spelling::nearest;
use crate::tree::findings;

/// Reads all elements at the top of the source, each as a map with that one key.
pub(super) fn read(tree: &mut Tree<'_>, limits: &Limits, findings: &mut Vec<Finding>) {
    let source = tree.source;
    let mut at = source.len() - source.trim_start_matches(BOM).trim_start().len();
    if source[at..].starts_with("<?xml") {
        at = source[at..].find("?>").map_or(source.len(), |end| at + end + 2);
    }
    let mut reader =
        Reader { source, tree, limits, findings, open: Vec::new(), in_tag: false, is_stopped: false };
    while at < source.len() && !reader.is_stopped {
        at = reader.read_from(at);
    }
    reader.finish();
}

struct Reader<'r, 's> {
    source: &'s str,
    tree: &'r mut Tree<'s>,
    limits: &'r Limits,
    findings: &'r mut Vec<Finding>,
    open: Vec<Element>,
    /// True if a start tag is being read.
    in_tag: bool,
    is_stopped: bool,
}

struct Element {
    /// The map around a root element.
    root: Option<NodeId>,
    name: Span,
    value: NodeId,
    /// Start of its content.
    content: u32,
    has_entries: bool,
    text: Text,
    /// True if an element stands behind the text so far.
    is_parted: bool,
    /// True if something in its text could not be read.
    is_broken: bool,
    /// Marks of its attributes so far.
    marks: u64,
}

/// The text of an element, borrowed as long as it is one piece.
enum Text {
    None,
    One(Span),
    Many(String, Span),
}

impl Reader<'_, '_> {
    /// Reads tokens until the end or an error; gives where to go on.
    fn read_from(&mut self, start: usize) -> usize {
        let mut tokens = Tokens::starting_at(self.source, start);
        while let Some(token) = tokens.next() {
            let Ok(token) = token else { return self.recover(tokens.end()) };
            self.take(token, tokens.end());
            if self.is_stopped {
                break;
            }
        }
        self.source.len()
    }

    /// Takes one token, which ends at `end`.
    fn take(&mut self, token: Token, end: usize) {
        match token {
            Token::Start { name, span } => self.start_element(span.start, name),
            Token::Attribute { name, value } => self.attribute(name, value),
            Token::Open => self.end_tag(offset(end)),
            Token::Empty { span } => {
                self.in_tag = false;
                self.close_top(span.start, span.end);
            }
            Token::Close { name, span } => self.end_element(name, span),
            Token::Text { text } => self.text(text),
            Token::Cdata { text } => self.cdata(text),
            Token::Comment | Token::Instruction => {}
        }
    }

    fn start_element(&mut self, start: u32, name: Span) {
        if self.open.len() >= self.limits.depth {
            self.findings.push(findings::too_deep(name.shifted(self.tree.base), self.limits.depth));
            self.is_stopped = true;
            self.tree.is_cut = true;
            return;
        }
        if self.is_full(name) {
            return;
        }
        let root = match self.open.last_mut() {
            Some(parent) => {
                parent.has_entries = true;
                parent.is_parted = true;
                None
            }
            None => Some(self.tree.open(Kind::Map, start)),
        };
        let key = self.tree.push(Kind::Text, name, name);
        self.tree.mark_key(key);
        let value = self.tree.open(Kind::Map, name.end);
        self.open.push(Element {
            root,
            name,
            value,
            content: name.end,
            has_entries: false,
            text: Text::None,
            is_parted: false,
            is_broken: false,
            marks: 0,
        });
        self.in_tag = true;
    }

    fn attribute(&mut self, name: Span, value: Span) {
        if self.is_full(name) {
            return;
        }
        let Some(element) = self.open.last_mut() else { return };
        element.has_entries = true;
        let key = self.tree.push_decoded_parts(Kind::Text, name, ["@", &self.source[name.range()]]);
        self.tree.mark_key(key);
        self.tree.note_key(element.value, key, &mut element.marks);
        self.push_attribute(value);
    }

    /// Tells whether there are too many nodes to read on; says so.
    fn is_full(&mut self, name: Span) -> bool {
        let is_full = self.tree.nodes.len() > self.limits.nodes;
        if is_full {
            self.findings.push(findings::too_many_nodes(name.shifted(self.tree.base), self.limits.nodes));
            self.is_stopped = true;
            self.tree.is_cut = true;
        }
        is_full
    }

    /// The start tag is complete: content follows.
    fn end_tag(&mut self, end: u32) {
        self.in_tag = false;
        if let Some(element) = self.open.last_mut() {
            element.content = end;
        }
    }

    fn end_element(&mut self, name: Span, tag: Span) {
        let text = &self.source[name.range()];
        let depth = self.open.iter().rposition(|element| &self.source[element.name.range()] == text);
        let open = self.open.last().map(|element| &self.source[element.name.range()]);
        let is_slip = depth.is_none() && nearest(text, open.into_iter()).is_some();
        if is_slip {
            // A slip in the name closes what it meant.
            let expected = open.map(|open| format!("`</{open}>`")).unwrap_or_default();
            let fix = name.shifted(self.tree.base);
            let right = open.unwrap_or_default();
            self.report(tag, &format!("`</{}>` closes nothing", shortened(text)), |finding| {
                finding.expected(expected).fix(fix, right)
            });
            return self.close_top(tag.start, tag.end);
        }
        let Some(depth) = depth else {
            let open = self.open.last().map(|element| self.source[element.name.range()].to_owned());
            let expected =
                open.map_or_else(|| "an opening tag before it".to_owned(), |open| format!("`</{open}>`"));
            self.report(tag, &format!("`</{}>` closes nothing", shortened(text)), |finding| {
                finding.expected(expected)
            });
            return;
        };
        while self.open.len() > depth + 1 {
            self.unclosed(tag);
            self.close_top(tag.start, tag.start);
        }
        self.close_top(tag.start, tag.end);
    }

    fn unclosed(&mut self, before: Span) {
        let Some(element) = self.open.last() else { return };
        let name = shortened(&self.source[element.name.range()]);
        let span = element.name;
        let close = Span::at(before.start).shifted(self.tree.base);
        self.report(span, &format!("`<{name}>` is not closed"), |finding| {
            finding
                .expected(format!("`</{name}>`"))
                .related(close, format!("`</{name}>` is missing before this"))
        });
    }

    /// Closes the innermost element: text alone makes it a scalar.
    fn close_top(&mut self, content_end: u32, end: u32) {
        let Some(element) = self.open.pop() else { return };
        let value = element.value.0 as usize;
        if element.has_entries {
            if let Text::One(span) | Text::Many(_, span) = &element.text {
                self.push_text_key(*span);
                self.push_content(element.text, element.is_broken);
            }
            self.tree.nodes[value].start = element.name.start;
            self.tree.close(element.value, end);
        } else {
            let at = Span::at(element.content.min(content_end));
            self.tree.nodes.truncate(value);
            match element.text {
                Text::None => {
                    self.tree.push(Kind::Text, at, at);
                }
                text @ (Text::One(_) | Text::Many(..)) => self.push_content(text, element.is_broken),
            }
        }
        if let Some(root) = element.root {
            self.tree.close(root, end);
        }
    }

    /// Adds the text of an element, unless it could not be read or is too large.
    fn push_content(&mut self, text: Text, is_broken: bool) {
        match text {
            Text::None => {}
            Text::One(span) | Text::Many(_, span) if is_broken => {
                self.tree.push_broken(span);
            }
            Text::One(span) => self.push_text(span),
            Text::Many(text, span) if text.len() > self.limits.scalar_bytes => {
                self.findings
                    .push(findings::large_scalar(span.shifted(self.tree.base), self.limits.scalar_bytes));
                self.tree.push_broken(span);
            }
            Text::Many(text, span) => {
                self.tree.push_decoded(Kind::Text, span, text.trim());
            }
        }
    }

    fn push_text_key(&mut self, span: Span) {
        let key = self.tree.push_decoded(Kind::Text, Span::at(span.start), "#text");
        self.tree.mark_key(key);
    }

    /// Adds a text value, decoded where it has references or line ends that XML reads as others.
    fn push_text(&mut self, span: Span) {
        let is_as_it_is = memchr::memchr2(b'&', b'\r', self.source[span.range()].as_bytes()).is_none();
        self.push_value(span, is_as_it_is, push_lines);
    }

    /// Adds the value of an attribute, in which white space is nothing but spaces.
    fn push_attribute(&mut self, span: Span) {
        let raw = self.source[span.range()].as_bytes();
        let is_as_it_is = raw.iter().all(|byte| !matches!(byte, b'&' | b'\r' | b'\n' | b'\t'));
        self.push_value(span, is_as_it_is, push_spaces);
    }

    fn push_value(&mut self, span: Span, is_as_it_is: bool, add: fn(&str, &mut String)) {
        if span.range().len() > self.limits.scalar_bytes {
            self.findings
                .push(findings::large_scalar(span.shifted(self.tree.base), self.limits.scalar_bytes));
            self.tree.push_broken(span);
        } else if is_as_it_is {
            self.tree.push(Kind::Text, span, span);
        } else {
            let mut text = String::with_capacity(span.range().len());
            self.decode(span, add, &mut text);
            self.tree.push_decoded(Kind::Text, span, &text);
        }
    }

    fn text(&mut self, span: Span) {
        let trimmed = trimmed(self.source, span);
        if trimmed.start == trimmed.end
            && !matches!(self.open.last(), Some(Element { text: Text::Many(..), .. }))
        {
            return;
        }
        let Some(element) = self.open.last_mut() else {
            if trimmed.start < trimmed.end {
                self.report(trimmed, "text stands outside any element", |finding| {
                    finding.expected("one element around everything")
                });
            }
            return;
        };
        let is_parted = std::mem::take(&mut element.is_parted);
        match std::mem::replace(&mut element.text, Text::None) {
            Text::None => element.text = Text::One(trimmed),
            before @ (Text::One(_) | Text::Many(..)) => {
                let (mut joined, first) = self.joined(before, is_parted, span);
                let more = Span::new(if is_parted { trimmed.start } else { span.start }, span.end);
                self.decode(more, push_lines, &mut joined);
                self.set_text(Text::Many(joined, Span::new(first.start, trimmed.end.max(first.end))));
            }
        }
    }

    fn cdata(&mut self, span: Span) {
        let Some(element) = self.open.last_mut() else { return };
        let is_parted = std::mem::take(&mut element.is_parted);
        let before = std::mem::replace(&mut element.text, Text::None);
        let (mut joined, first) = self.joined(before, is_parted, span);
        push_lines(&self.source[span.range()], &mut joined);
        self.set_text(Text::Many(joined, Span::new(first.start, span.end)));
    }

    /// The text so far, for more of it to be added, and where it stands; pieces with an element between them are apart.
    fn joined(&mut self, before: Text, is_parted: bool, more: Span) -> (String, Span) {
        let mut joined = String::new();
        let first = match before {
            Text::None => return (joined, Span::at(more.start)),
            Text::One(first) => {
                self.decode(first, push_lines, &mut joined);
                let behind = &self.source[first.end as usize..];
                let blank = behind.len() - behind.trim_start().len();
                push_lines(if is_parted { "" } else { &behind[..blank] }, &mut joined);
                first
            }
            Text::Many(text, first) => {
                joined = text;
                first
            }
        };
        if is_parted && !joined.ends_with(char::is_whitespace) {
            joined.push(' ');
        }
        (joined, first)
    }

    fn set_text(&mut self, text: Text) {
        if let Some(element) = self.open.last_mut() {
            element.text = text;
        }
    }

    /// Decodes references; one that means nothing stays as it stands, with a finding. What is between them is added
    /// as it is read there.
    fn decode(&mut self, span: Span, add: fn(&str, &mut String), into: &mut String) {
        let raw = &self.source[span.range()];
        let mut rest = raw;
        while let Some(amp) = memchr::memchr(b'&', rest.as_bytes()) {
            add(&rest[..amp], into);
            let at = span.start + offset(raw.len() - rest.len() + amp);
            rest = &rest[amp..];
            let name = rest.get(1..).and_then(|after| {
                let end = after.bytes().take(12).position(|byte| byte == b';')?;
                after.get(..end)
            });
            match name.and_then(|name| reference(name).map(|character| (name, character))) {
                Some((name, character)) => {
                    into.push(character);
                    rest = &rest[name.len() + 2..];
                }
                None => {
                    let base = self.tree.base;
                    self.report(Span::new(at, at + 1), "`&` starts no reference that XML knows", |finding| {
                        finding.expected("`&amp;`").fix(Span::new(at, at + 1).shifted(base), "&amp;")
                    });
                    into.push('&');
                    rest = &rest[1..];
                }
            }
        }
        add(rest, into);
    }

    /// Goes on after text the tokenizer refused; gives where.
    fn recover(&mut self, at: usize) -> usize {
        let rest = &self.source[at..];
        let at = at + rest.len() - if self.in_tag { rest.trim_start().len() } else { rest.len() };
        let rest = &self.source[at..];
        if !self.in_tag && rest.starts_with("<!DOCTYPE") {
            let end = doctype_end(rest);
            let span = Span::new(offset(at), offset(at + end));
            self.report_finding(findings::xml_doctype(span.shifted(self.tree.base)));
            return at + end;
        }
        let first = rest.chars().next().map_or(0, char::len_utf8);
        if self.in_tag {
            let end = rest.find(['>', '<', '\n']).unwrap_or(rest.len());
            let wrong = rest[..end].trim_end().trim_end_matches('/');
            let span = Span::new(offset(at), offset(at + wrong.len().max(first)));
            self.report(span, "an attribute is malformed", |finding| {
                finding.found(wrong).expected("name=\"value\"")
            });
            let is_closed = rest[end..].starts_with('>');
            let next = at + end + usize::from(is_closed);
            let is_empty = rest[..end].trim_end().ends_with('/');
            self.end_tag(offset(next));
            if is_closed && is_empty {
                self.close_top(offset(next), offset(next));
            }
            return next.max(at + first);
        }
        let span = Span::new(offset(at), offset(at + first));
        let base = self.tree.base;
        if rest.starts_with("<!--") {
            self.report(span, "a comment is not closed", |finding| finding.expected("`-->`"));
            return self.source.len();
        }
        if rest.starts_with('<') {
            self.report(span, "`<` starts no tag", |finding| {
                finding.expected("`&lt;`").fix(span.shifted(base), "&lt;")
            });
        } else {
            self.report(span, "a character that XML does not allow", |finding| {
                finding.found(format!("{:?}", rest.chars().next().unwrap_or_default()))
            });
        }
        self.text(span);
        if let Some(element) = self.open.last_mut() {
            element.is_broken = true;
        }
        at + first
    }

    fn finish(&mut self) {
        let end = offset(self.source.trim_end().len());
        while !self.open.is_empty() {
            if !self.is_stopped {
                self.unclosed(Span::at(end));
            }
            self.close_top(end, end);
        }
    }

    #[cold]
    fn report(&mut self, span: Span, message: &str, complete: impl FnOnce(Finding) -> Finding) {
        self.report_finding(complete(findings::xml_syntax(message, span.shifted(self.tree.base))));
    }

    /// Adds a finding; one too many ends the reading, since each restart counts the lines before it.
    #[cold]
    fn report_finding(&mut self, finding: Finding) {
        if self.is_stopped {
            return;
        }
        if self.findings.len() >= self.limits.syntax_findings {
            self.findings.extend(self.findings.last().map(findings::cut_off));
            self.is_stopped = true;
            self.tree.is_cut = true;
            return;
        }
        self.findings.push(finding);
    }
}

fn trimmed(source: &str, span: Span) -> Span {
    let text = &source[span.range()];
    // Nearly all space is ASCII, for which no characters need be put together.
    let start = text.len() - text.trim_ascii_start().trim_start().len();
    let end = text.trim_ascii_end().trim_end().len().max(start);
    Span::new(span.start + offset(start), span.start + offset(end))
}

/// Length of a document type, its internal subset included.
fn doctype_end(text: &str) -> usize {
    let bracket = text.find('[');
    let close = text.find('>').map_or(text.len(), |end| end + 1);
    match bracket {
        Some(bracket) if bracket < close => {
            let subset = text[bracket..].find(']').map_or(text.len(), |end| bracket + end);
            text[subset..].find('>').map_or(text.len(), |end| subset + end + 1)
        }
        Some(_) | None => close,
    }
}
