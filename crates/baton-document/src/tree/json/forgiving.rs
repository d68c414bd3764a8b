//! Reads JSON, says what is wrong in it, and goes on after what agents get wrong.
//!
//! Invariant: every byte is looked at a bounded number of times, and recursion stops at the depth limit.

use super::super::{Kind, Limits, NodeId, Tree};
use super::{number, quoted, unescaped};
use crate::finding::Finding;
use crate::span::{Span, offset};
use crate::tree::findings;

/// Reads all values of the source; more than one is a finding, and is read all the same.
pub(super) fn read(tree: &mut Tree<'_>, limits: &Limits, findings: &mut Vec<Finding>) {
    let bytes = tree.source.as_bytes();
    let mut reader = Reader { bytes, at: 0, depth: 0, limits, tree, findings, is_stopped: false };
    reader.skip_space();
    let mut is_first = true;
    while reader.at < bytes.len() && !reader.is_stopped {
        if !is_first {
            let start = reader.at;
            let is_value = matches!(reader.peek(), Some(b'{' | b'['));
            let end = if is_value { start + 1 } else { line_end(bytes, start) };
            reader.report(start..end, "text after the end of the document", |finding| {
                finding.expected("one JSON value; use .jsonl for one value per line")
            });
            if !is_value {
                break;
            }
        }
        is_first = false;
        let before = reader.at;
        reader.value();
        reader.skip_space();
        if reader.at == before {
            reader.at += 1;
        }
    }
}

/// End of the line at an offset.
fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |end| at + end)
}

struct Reader<'r, 's> {
    bytes: &'s [u8],
    at: usize,
    depth: usize,
    limits: &'r Limits,
    tree: &'r mut Tree<'s>,
    findings: &'r mut Vec<Finding>,
    /// True if a limit was met: what is open is closed and nothing more is read.
    is_stopped: bool,
}

impl Reader<'_, '_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Goes on to what is neither space nor a comment.
    fn skip_space(&mut self) {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
                self.at += 1;
            }
            if !matches!(self.bytes.get(self.at..), Some([b'/', b'/' | b'*', ..])) {
                return;
            }
            self.comment();
        }
    }

    fn comment(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start + 2..];
        let is_line = self.bytes[start + 1] == b'/';
        self.at = if is_line {
            memchr::memchr(b'\n', rest).map_or(self.bytes.len(), |end| start + 2 + end)
        } else {
            memchr::memmem::find(rest, b"*/").map_or(self.bytes.len(), |end| start + 4 + end)
        };
        let end = self.at;
        self.report(start..end, "JSON has no comments", |finding| {
            finding.expected("no comment").help("remove it, or keep the remark in a field")
        });
    }

    fn value(&mut self) -> NodeId {
        match self.peek() {
            Some(b'"') => self.string::<b'"'>(),
            Some(b'{') => self.nested(Kind::Map),
            Some(b'[') => self.nested(Kind::List),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'\'') => self.single_quoted(),
            Some(_) => self.word(),
            None => {
                let end = offset(self.at);
                self.tree.push_broken(Span::at(end))
            }
        }
    }

    fn nested(&mut self, kind: Kind) -> NodeId {
        let start = self.at;
        if self.depth == self.limits.depth {
            self.stop();
            let span = Span::new(offset(start), offset(start + 1));
            self.findings.push(findings::too_deep(span.shifted(self.tree.base), self.limits.depth));
            return self.tree.push_broken(span);
        }
        self.depth += 1;
        self.at += 1;
        let id = self.tree.open(kind, offset(start));
        if kind == Kind::Map {
            self.members(id, start);
        } else {
            self.elements(start);
        }
        self.tree.close(id, offset(self.at));
        self.depth -= 1;
        id
    }

    fn members(&mut self, map: NodeId, start: usize) {
        let mut marks = 0;
        self.skip_space();
        loop {
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return;
                }
                None => return self.unclosed(start, '}'),
                Some(b']') => return self.wrong_closer(start, '}'),
                Some(b',') => {
                    self.stray_comma();
                    continue;
                }
                Some(_) => {}
            }
            let Some(key) = self.key() else {
                self.skip_space();
                continue;
            };
            self.tree.note_key(map, key, &mut marks);
            self.colon();
            self.skip_space();
            match self.peek() {
                Some(b',' | b'}' | b']') | None => {
                    let at = self.at;
                    self.report(at..at, "a value is missing after the colon", |finding| {
                        finding.expected("a value")
                    });
                    self.tree.push_broken(Span::at(offset(at)));
                }
                Some(_) => {
                    self.value();
                }
            }
            if self.after_item(b'}') {
                return;
            }
        }
    }

    /// Reads the colon behind a key.
    fn colon(&mut self) {
        self.skip_space();
        let at = self.at;
        if self.peek() == Some(b':') {
            self.at += 1;
        } else {
            self.report(at..at, "a colon is missing between key and value", |finding| {
                finding.expected("`:`")
            });
        }
    }

    /// Reads a key; nothing when what stands there is not one and was passed over.
    fn key(&mut self) -> Option<NodeId> {
        let id = match self.peek() {
            Some(b'"') => self.string::<b'"'>(),
            Some(b'\'') => self.single_quoted(),
            Some(byte) if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$') => self.bare_key(),
            Some(_) | None => {
                let start = self.at;
                self.skip_to(b",}\n");
                let end = self.at.max(start + 1);
                self.at = end;
                self.report(start..end, "a key must be text in double quotes", |finding| {
                    finding.expected("a key in double quotes")
                });
                return None;
            }
        };
        self.tree.mark_key(id);
        Some(id)
    }

    fn elements(&mut self, start: usize) {
        self.skip_space();
        loop {
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return;
                }
                None => return self.unclosed(start, ']'),
                Some(b'}') => return self.wrong_closer(start, ']'),
                Some(b',') => {
                    self.stray_comma();
                    continue;
                }
                Some(_) => {}
            }
            self.value();
            if self.after_item(b']') {
                return;
            }
        }
    }

    /// Reads what follows a member or element, and the space up to the next; says true when it was the last one.
    fn after_item(&mut self, closer: u8) -> bool {
        if self.is_stopped {
            return true;
        }
        if self.tree.nodes.len() > self.limits.nodes {
            self.too_many_nodes();
            return true;
        }
        let end = self.at;
        if self.peek() != Some(b',') {
            self.skip_space();
        }
        match self.peek() {
            Some(b',') => {
                let comma = self.at;
                self.at += 1;
                self.skip_space();
                if self.peek() == Some(closer) {
                    self.last_comma(comma);
                }
                false
            }
            Some(byte) if byte == closer => {
                self.at += 1;
                true
            }
            Some(b'}' | b']') | None => false,
            Some(_) => {
                self.missing_comma(end);
                false
            }
        }
    }

    fn last_comma(&mut self, comma: usize) {
        self.report(comma..comma + 1, "a comma follows the last item", |finding| {
            let span = finding.span.unwrap_or_default();
            finding.expected("no comma before the closing bracket").fix(span, "")
        });
    }

    fn missing_comma(&mut self, end: usize) {
        self.report(end..end, "a comma is missing between two items", |finding| {
            let span = finding.span.unwrap_or_default();
            finding.expected("`,`").fix(span, ",")
        });
    }

    fn end_of_last(&self) -> usize {
        self.bytes[..self.at]
            .iter()
            .rposition(|byte| !byte.is_ascii_whitespace())
            .map_or(self.at, |at| at + 1)
    }

    fn stray_comma(&mut self) {
        let at = self.at;
        self.at += 1;
        self.report(at..at + 1, "a comma stands where an item is expected", |finding| {
            let span = finding.span.unwrap_or_default();
            finding.expected("an item").fix(span, "")
        });
        self.skip_space();
    }

    fn unclosed(&mut self, start: usize, closer: char) {
        if self.is_stopped {
            return;
        }
        let opener = if closer == '}' { '{' } else { '[' };
        let end = self.end_of_last();
        let base = self.tree.base;
        self.report(end..end, &format!("`{closer}` is missing: the text ends before it"), |finding| {
            let opened = Span::new(offset(start), offset(start + 1)).shifted(base);
            finding.expected(format!("`{closer}`")).related(opened, format!("this `{opener}` is not closed"))
        });
    }

    /// A closing bracket of the other kind ends this map or list too, and stays for the one around it.
    fn wrong_closer(&mut self, start: usize, closer: char) {
        let at = self.at;
        let base = self.tree.base;
        self.report(at..at + 1, &format!("`{closer}` is expected here"), |finding| {
            let opened = Span::new(offset(start), offset(start + 1)).shifted(base);
            finding.expected(format!("`{closer}`")).related(opened, "opened here")
        });
        if self.depth == 1 {
            self.at += 1;
        }
    }

    /// Reads a text in quotes.
    fn string<const QUOTE: u8>(&mut self) -> NodeId {
        let start = self.at;
        self.at += 1;
        let mut has_escapes = false;
        loop {
            self.at = self.skip_plain::<QUOTE>(self.at);
            match self.peek() {
                Some(byte) if byte == QUOTE && !self.is_inner_quote() => break,
                Some(byte) if byte == QUOTE => self.inner_quote(),
                Some(b'\\') => {
                    has_escapes = true;
                    self.at += 2;
                }
                Some(b'\n') if self.ends_at_line_break() => return self.unterminated(start),
                Some(byte) if byte < b' ' => {
                    let at = self.at;
                    self.report(at..at + 1, "a control character stands unescaped in a string", |finding| {
                        finding.found(format!("U+{byte:04X}")).expected("an escape such as `\\n` or `\\t`")
                    });
                    self.at += 1;
                }
                Some(_) => self.at += 1,
                None => {
                    self.at = self.bytes.len();
                    return self.unterminated(start);
                }
            }
        }
        let inner = Span::new(offset(start + 1), offset(self.at));
        self.at += 1;
        let whole = Span::new(offset(start), offset(self.at));
        if inner.end - inner.start > offset(self.limits.scalar_bytes) {
            return self.oversized(whole);
        }
        if has_escapes { self.unescaped(whole, inner) } else { self.tree.push(Kind::Text, whole, inner) }
    }

    /// Tells whether a quote stands inside a text: words follow it, and no comma, colon or closing bracket.
    fn is_inner_quote(&self) -> bool {
        match self.bytes.get(self.at + 1) {
            Some(b',' | b':' | b'}' | b']' | b'\n' | b'\r' | b'"' | b'/') | None => false,
            Some(_) => self.is_followed_by_words(),
        }
    }

    fn is_followed_by_words(&self) -> bool {
        let line = &self.bytes[self.at + 1..line_end(self.bytes, self.at)];
        let next = line.iter().position(|byte| !matches!(byte, b' ' | b'\t'));
        let is_word = |at: usize| line[at].is_ascii_alphanumeric() || line[at] >= 0x80;
        // The text must end behind them, or what follows is simply without a comma.
        next.is_some_and(|at| is_word(at) && memchr::memchr(b'"', &line[at..]).is_some())
    }

    fn inner_quote(&mut self) {
        let at = self.at;
        self.at += 1;
        self.report(at..at + 1, "a quote inside a text is not escaped", |finding| {
            let span = finding.span.unwrap_or_default();
            finding.expected("`\\\"`").fix(span, "\\\"").unsafe_fix()
        });
    }

    /// End of the bytes from an offset on that have no meaning in a string.
    fn skip_plain<const QUOTE: u8>(&self, at: usize) -> usize {
        let is_plain = |byte: &u8| *byte >= b' ' && *byte != QUOTE && *byte != b'\\';
        let rest = self.bytes.get(at..).unwrap_or_default();
        rest.iter().position(|byte| !is_plain(byte)).map_or(self.bytes.len(), |end| at + end)
    }

    /// A line break in a string is its end when the next line starts like the next key or a closer.
    fn ends_at_line_break(&self) -> bool {
        let next = self.bytes[self.at..].iter().find(|byte| !byte.is_ascii_whitespace());
        matches!(next, Some(b'"' | b'}' | b']') | None)
    }

    fn unterminated(&mut self, start: usize) -> NodeId {
        let mut end = self.at.min(self.bytes.len());
        while end > start + 1 && matches!(self.bytes[end - 1], b',' | b' ' | b'\t' | b'\r' | b'\n') {
            end -= 1;
        }
        while !self.tree.source.is_char_boundary(end) {
            end -= 1;
        }
        if self.at >= self.bytes.len() {
            // What stands behind the missing quote was taken for text: nothing there can be said to be missing.
            self.tree.is_cut = true;
        }
        self.at = end;
        self.report(start..end, "a string is not closed", |finding| {
            let close = Span::at(finding.span.unwrap_or_default().end);
            finding.expected("a closing `\"`").fix(close, "\"").unsafe_fix()
        });
        self.tree.push_broken(Span::new(offset(start), offset(end)))
    }

    fn single_quoted(&mut self) -> NodeId {
        let start = self.at;
        let id = self.string::<b'\''>();
        let end = self.at;
        let text = self.tree.text(id).to_owned();
        self.report(start..end, "strings stand in double quotes", |finding| {
            let span = finding.span.unwrap_or_default();
            finding.expected("double quotes").fix(span, quoted(&text))
        });
        id
    }

    fn bare_key(&mut self) -> NodeId {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'-' | b'.'))
        {
            self.at += 1;
        }
        let end = self.at;
        let span = Span::new(offset(start), offset(end));
        let text = self.tree.source[start..end].to_owned();
        self.report(start..end, "a key stands in double quotes", |finding| {
            let span = finding.span.unwrap_or_default();
            finding.found(&text).expected("a key in double quotes").fix(span, format!("\"{text}\""))
        });
        self.tree.push(Kind::Text, span, span)
    }

    fn oversized(&mut self, span: Span) -> NodeId {
        self.findings.push(findings::large_scalar(span.shifted(self.tree.base), self.limits.scalar_bytes));
        self.tree.push_broken(span)
    }

    fn unescaped(&mut self, whole: Span, inner: Span) -> NodeId {
        let mut wrong = Vec::new();
        let text = unescaped(&self.tree.source[inner.range()], |range| wrong.push(range));
        for wrong in wrong {
            let start = inner.start as usize;
            let wrong = start + wrong.start..start + wrong.end;
            let found = self.tree.source[wrong.clone()].to_owned();
            self.report(wrong, "an escape in a string means nothing", |finding| {
                finding.found(found).expected("one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")
            });
        }
        self.tree.push_decoded(Kind::Text, whole, &text)
    }

    fn number(&mut self) -> NodeId {
        let rest = &self.bytes[self.at..];
        let is_ended = |length: usize| match rest.get(length) {
            Some(byte) => matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' | b'/'),
            None => true,
        };
        let Some((kind, length)) = number(rest).filter(|(_, length)| is_ended(*length)) else {
            return self.word();
        };
        let span = Span::new(offset(self.at), offset(self.at + length));
        self.at += length;
        self.tree.push(kind, span, span)
    }

    /// Reads `true`, `false`, `null`, or a bare word, which is a finding.
    fn word(&mut self) -> NodeId {
        let start = self.at;
        self.skip_to(b",}]: \t\r\n\"");
        if self.at == start {
            self.at += 1;
        }
        let span = Span::new(offset(start), offset(self.at));
        let text = &self.tree.source[span.range()];
        match text {
            "true" => self.tree.push(Kind::True, span, span),
            "false" => self.tree.push(Kind::False, span, span),
            "null" => self.tree.push(Kind::Null, span, span),
            _ => self.wrong_word(span),
        }
    }

    fn wrong_word(&mut self, span: Span) -> NodeId {
        let text = self.tree.source[span.range()].to_owned();
        let (kind, right) = match text.as_str() {
            "True" | "TRUE" => (Kind::True, "true".to_owned()),
            "False" | "FALSE" => (Kind::False, "false".to_owned()),
            "None" | "Null" | "NULL" | "nil" | "undefined" => (Kind::Null, "null".to_owned()),
            _ => (Kind::Broken, quoted(&text)),
        };
        self.report(span.range(), &format!("`{text}` is no JSON value"), |finding| {
            let at = finding.span.unwrap_or_default();
            let finding = finding.found(&text).expected(format!("`{right}`")).fix(at, right);
            if kind == Kind::Broken { finding.unsafe_fix() } else { finding }
        });
        self.tree.push(kind, span, span)
    }

    /// Goes on to one of these bytes, which are all ASCII.
    fn skip_to(&mut self, stops: &[u8]) {
        while self.peek().is_some_and(|byte| !stops.contains(&byte)) {
            self.at += 1;
        }
    }

    fn too_many_nodes(&mut self) {
        let at = self.at - usize::from(self.at > 0);
        let at = (0..=at).rev().find(|at| self.tree.source.is_char_boundary(*at)).unwrap_or(0);
        let span = Span::at(offset(at)).shifted(self.tree.base);
        self.findings.push(findings::too_many_nodes(span, self.limits.nodes));
        self.stop();
    }

    /// Reads nothing more: a limit was met.
    fn stop(&mut self) {
        self.is_stopped = true;
        self.tree.is_cut = true;
        self.at = self.bytes.len();
    }

    fn report(
        &mut self,
        range: std::ops::Range<usize>,
        message: &str,
        complete: impl FnOnce(Finding) -> Finding,
    ) {
        if self.is_stopped {
            return;
        }
        if self.findings.len() >= self.limits.syntax_findings {
            self.findings.extend(self.findings.last().map(findings::cut_off));
            return self.stop();
        }
        let mut end = range.end.min(self.bytes.len()).max(range.start);
        while !self.tree.source.is_char_boundary(end) {
            end += 1;
        }
        let span = Span::new(offset(range.start), offset(end)).shifted(self.tree.base);
        self.findings.push(complete(findings::json_syntax(message, span)));
    }
}
