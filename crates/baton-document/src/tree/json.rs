//! Reads JSON, and goes on after what agents get wrong in it.
//!
//! The text is looked at through a window: for sixty-four bytes at once it is known which of them are space, and which
//! may mean something in a string. So the end of either is found without a look at the bytes before it.
//!
//! Invariant: every byte is looked at a bounded number of times, and recursion stops at the depth limit.

use super::{Kind, Limits, NodeId, Tree};
use crate::bytes;
use crate::finding::Finding;
use crate::rules::document::{json_syntax, too_deep, too_large, too_many};
use crate::span::{Span, offset};

/// Reads all values of the source; more than one is a finding, and is read all the same.
pub(super) fn read(tree: &mut Tree<'_>, limits: &Limits, findings: &mut Vec<Finding>) {
    let bytes = tree.source.as_bytes();
    let mut reader = Reader {
        bytes,
        at: 0,
        window: Window::at(bytes, 0),
        depth: 0,
        limits,
        tree,
        findings,
        is_stopped: false,
    };
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

/// Where the line at an offset ends.
fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |end| at + end)
}

/// What is known of the bytes from a place on, a bit for each.
struct Window {
    start: usize,
    /// Those that are space between values.
    space: u64,
    /// Those that may mean something in a string: quotes, escapes and control characters.
    signs: u64,
}

impl Window {
    fn at(text: &[u8], start: usize) -> Self {
        let (space, signs) = space_and_signs(text, start);
        Self { start, space, signs }
    }
}

/// Which of the bytes from a place on are space, and which are signs.
#[inline(never)]
fn space_and_signs(text: &[u8], start: usize) -> (u64, u64) {
    let bytes = bytes::from(text, start, b'x');
    let space = bytes::bits(&bytes, |some| {
        let is = |byte| bytes::are(some, byte);
        is(b' ') | is(b'\n') | is(b'\t') | is(b'\r')
    });
    let signs = bytes::bits(&bytes, |some| {
        bytes::are(some, b'"') | bytes::are(some, b'\\') | bytes::are_at_most(some, 0x1f)
    });
    (space, signs)
}

struct Reader<'r, 's> {
    bytes: &'s [u8],
    at: usize,
    window: Window,
    depth: usize,
    limits: &'r Limits,
    tree: &'r mut Tree<'s>,
    findings: &'r mut Vec<Finding>,
    /// Whether a limit was met: what is open is closed and nothing more is read.
    is_stopped: bool,
}

impl Reader<'_, '_> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Where the first byte from a place on stands that has a bit of its window.
    #[inline(always)]
    fn next(&mut self, mut at: usize, bits: impl Fn(&Window) -> u64) -> usize {
        loop {
            let ahead = at.wrapping_sub(self.window.start);
            if ahead < bytes::WIDTH {
                let rest = bits(&self.window) >> ahead;
                if rest != 0 {
                    return at + rest.trailing_zeros() as usize;
                }
                at = self.window.start + bytes::WIDTH;
            }
            if at >= self.bytes.len() {
                return self.bytes.len();
            }
            self.window = Window::at(self.bytes, at);
        }
    }

    /// Goes on to what is neither space nor a comment; mostly it stands here already, or behind one space.
    #[inline(always)]
    fn skip_space(&mut self) {
        if self.peek() == Some(b' ') {
            self.at += 1;
        }
        if self.peek().is_some_and(|byte| byte <= b' ') {
            self.at = self.next(self.at, |window| !window.space);
        }
        if self.peek() == Some(b'/') {
            self.comments();
        }
    }

    #[cold]
    fn comments(&mut self) {
        while matches!(self.bytes.get(self.at..), Some([b'/', b'/' | b'*', ..])) {
            self.comment();
            self.at = self.next(self.at, |window| !window.space);
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

    #[inline(always)]
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
            self.findings.push(too_deep::finding(span.shifted(self.tree.base), self.limits.depth));
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
            if !self.plain_key(map, &mut marks) {
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
            }
            self.skip_space();
            match self.peek() {
                Some(b'"') => {
                    self.string::<b'"'>();
                }
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

    /// Reads a key and its colon as nearly all are: in quotes, without escapes, nothing between them.
    #[inline]
    fn plain_key(&mut self, map: NodeId, marks: &mut u64) -> bool {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return false;
        }
        let end = self.skip_plain::<b'"'>(start + 1);
        let is_short = end - start <= self.limits.scalar_bytes;
        if is_short && matches!(self.bytes.get(end..), Some([b'"', b':', ..])) {
            self.at = end + 2;
            let whole = Span::new(offset(start), offset(end + 1));
            self.tree.push_key(map, marks, whole, Span::new(offset(start + 1), offset(end)));
            return true;
        }
        false
    }

    /// Reads the colon behind any other key.
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

    /// Reads any other key; nothing when what stands there is not one and was passed over.
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
    #[inline(always)]
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

    #[cold]
    fn last_comma(&mut self, comma: usize) {
        self.report(comma..comma + 1, "a comma follows the last item", |finding| {
            let span = finding.span.unwrap_or_default();
            finding.expected("no comma before the closing bracket").fix(span, "")
        });
    }

    #[cold]
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

    #[cold]
    fn stray_comma(&mut self) {
        let at = self.at;
        self.at += 1;
        self.report(at..at + 1, "a comma stands where an item is expected", |finding| {
            let span = finding.span.unwrap_or_default();
            finding.expected("an item").fix(span, "")
        });
        self.skip_space();
    }

    #[cold]
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
    #[cold]
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

    /// Reads a text in quotes; nearly all have nothing in them that means something else.
    #[inline(always)]
    fn string<const QUOTE: u8>(&mut self) -> NodeId {
        let start = self.at;
        self.at = self.skip_plain::<QUOTE>(start + 1);
        let is_short = self.at - start <= self.limits.scalar_bytes;
        if is_short && self.peek() == Some(QUOTE) && !self.is_inner_quote() {
            let inner = Span::new(offset(start + 1), offset(self.at));
            self.at += 1;
            let whole = Span::new(offset(start), offset(self.at));
            return self.tree.push(Kind::Text, whole, inner);
        }
        self.uneven_string::<QUOTE>(start)
    }

    /// Reads on in a text in quotes, from the first byte in it that may mean something.
    #[inline(never)]
    fn uneven_string<const QUOTE: u8>(&mut self, start: usize) -> NodeId {
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

    /// Whether a quote stands inside a text: words follow it, and no comma, colon or closing bracket.
    #[inline]
    fn is_inner_quote(&self) -> bool {
        match self.bytes.get(self.at + 1) {
            Some(b',' | b':' | b'}' | b']' | b'\n' | b'\r' | b'"' | b'/') | None => false,
            Some(_) => self.is_followed_by_words(),
        }
    }

    #[cold]
    fn is_followed_by_words(&self) -> bool {
        let line = &self.bytes[self.at + 1..line_end(self.bytes, self.at)];
        let next = line.iter().position(|byte| !matches!(byte, b' ' | b'\t'));
        let is_word = |at: usize| line[at].is_ascii_alphanumeric() || line[at] >= 0x80;
        // The text must end behind them, or what follows is simply without a comma.
        next.is_some_and(|at| is_word(at) && memchr::memchr(b'"', &line[at..]).is_some())
    }

    #[cold]
    fn inner_quote(&mut self) {
        let at = self.at;
        self.at += 1;
        self.report(at..at + 1, "a quote inside a text is not escaped", |finding| {
            let span = finding.span.unwrap_or_default();
            finding.expected("`\\\"`").fix(span, "\\\"").unsafe_fix()
        });
    }

    /// Where the bytes from an offset on that mean nothing in a string end.
    #[inline(always)]
    fn skip_plain<const QUOTE: u8>(&mut self, at: usize) -> usize {
        if QUOTE == b'"' {
            return self.next(at, |window| window.signs);
        }
        // Nothing but a mistake stands in other quotes.
        let is_plain = |byte: &u8| *byte >= b' ' && *byte != QUOTE && *byte != b'\\';
        let rest = self.bytes.get(at..).unwrap_or_default();
        rest.iter().position(|byte| !is_plain(byte)).map_or(self.bytes.len(), |end| at + end)
    }

    /// A line break in a string is its end when the next line starts like the next key or a closer.
    fn ends_at_line_break(&self) -> bool {
        let next = self.bytes[self.at..].iter().find(|byte| !byte.is_ascii_whitespace());
        matches!(next, Some(b'"' | b'}' | b']') | None)
    }

    #[cold]
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

    #[cold]
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

    #[cold]
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

    #[cold]
    fn oversized(&mut self, span: Span) -> NodeId {
        self.findings.push(too_large::scalar(span.shifted(self.tree.base), self.limits.scalar_bytes));
        self.tree.push_broken(span)
    }

    fn unescaped(&mut self, whole: Span, inner: Span) -> NodeId {
        let raw = &self.tree.source[inner.range()];
        let mut text = String::with_capacity(raw.len());
        let mut rest = raw;
        let mut wrong = Vec::new();
        while let Some(slash) = memchr::memchr(b'\\', rest.as_bytes()) {
            text.push_str(&rest[..slash]);
            let escape = &rest[slash..];
            let at = inner.start as usize + raw.len() - rest.len() + slash;
            let (decoded, length) = decode_escape(escape);
            match decoded {
                Some(character) => text.push(character),
                None => {
                    wrong.push(at..at + length);
                    text.push(char::REPLACEMENT_CHARACTER);
                }
            }
            rest = &escape[length..];
        }
        text.push_str(rest);
        for wrong in wrong {
            let found = self.tree.source[wrong.clone()].to_owned();
            self.report(wrong, "an escape in a string means nothing", |finding| {
                finding.found(found).expected("one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")
            });
        }
        self.tree.push_decoded(Kind::Text, whole, &text)
    }

    fn number(&mut self) -> NodeId {
        let start = self.at;
        let mut kind = Kind::Integer;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        let mut is_right = whole == 1 || (whole > 1 && !leading_zero);
        if self.peek() == Some(b'.') {
            kind = Kind::Float;
            self.at += 1;
            is_right &= self.digits() > 0;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            kind = Kind::Float;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            is_right &= self.digits() > 0;
        }
        let is_ended = match self.peek() {
            Some(byte) => matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' | b'/'),
            None => true,
        };
        if is_right && is_ended {
            let span = Span::new(offset(start), offset(self.at));
            return self.tree.push(kind, span, span);
        }
        self.at = start;
        self.word()
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
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

    #[cold]
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

    #[cold]
    fn too_many_nodes(&mut self) {
        let at = self.at - usize::from(self.at > 0);
        let at = (0..=at).rev().find(|at| self.tree.source.is_char_boundary(*at)).unwrap_or(0);
        let span = Span::at(offset(at)).shifted(self.tree.base);
        self.findings.push(too_large::nodes(span, self.limits.nodes));
        self.stop();
    }

    /// Reads nothing more: a limit was met.
    #[cold]
    fn stop(&mut self) {
        self.is_stopped = true;
        self.tree.is_cut = true;
        self.at = self.bytes.len();
    }

    #[cold]
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
            self.findings.extend(self.findings.last().map(too_many::cut));
            return self.stop();
        }
        let mut end = range.end.min(self.bytes.len()).max(range.start);
        while !self.tree.source.is_char_boundary(end) {
            end += 1;
        }
        let span = Span::new(offset(range.start), offset(end)).shifted(self.tree.base);
        self.findings.push(complete(json_syntax::finding(message, span)));
    }
}

/// Reads one escape; gives its character, if it is right, and its length.
fn decode_escape(escape: &str) -> (Option<char>, usize) {
    let simple = |character| (Some(character), 2);
    match escape.as_bytes().get(1) {
        Some(b'"') => simple('"'),
        Some(b'\\') => simple('\\'),
        Some(b'/') => simple('/'),
        Some(b'b') => simple('\u{8}'),
        Some(b'f') => simple('\u{c}'),
        Some(b'n') => simple('\n'),
        Some(b'r') => simple('\r'),
        Some(b't') => simple('\t'),
        Some(b'u') => decode_unicode(escape),
        Some(_) => (None, 1 + escape[1..].chars().next().map_or(0, char::len_utf8)),
        None => (None, 1),
    }
}

fn decode_unicode(escape: &str) -> (Option<char>, usize) {
    let unit = |from: usize| {
        let digits = escape.get(from..from + 4)?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    };
    let Some(first) = unit(2) else { return (None, 2) };
    if !(0xd800..0xe000).contains(&first) {
        return (char::from_u32(first), 6);
    }
    let second = if escape.get(6..8) == Some("\\u") { unit(8) } else { None };
    match second {
        Some(second) if first < 0xdc00 && (0xdc00..0xe000).contains(&second) => {
            (char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)), 12)
        }
        Some(_) | None => (None, 6),
    }
}

/// Writes a text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("text is always a JSON string")
}

#[cfg(test)]
mod tests {
    use super::super::{Block, Kind, Limits, Spare, Syntax, parse};
    use crate::dialect::Keys;

    #[test]
    fn texts_and_space_of_any_length_are_read_through_the_window() {
        let space = [" ", "\n", "\t", "\r", "\n    "];
        for length in 0..140 {
            let text = "\u{e9}x".repeat(length);
            let gap = space[length % space.len()].repeat(length);
            let source = format!("{{{gap}\"{text}\":{gap}[\"{text}\\\"\",{gap}{length}{gap}]{gap}}}");
            let mut findings = Vec::new();
            let block = Block { text: &source, base: 0, syntax: Syntax::Json };
            let tree = parse(block, Keys::none(), &Limits::default(), Spare::default(), &mut findings);
            assert!(findings.is_empty(), "{source}: {findings:?}");
            let root = tree.roots().next().expect("there is a value");
            let (key, list) = tree.entries(root).next().expect("there is an entry");
            assert_eq!(tree.text(key), text);
            let items: Vec<_> = tree.items(list).collect();
            assert_eq!(tree.text(items[0]), format!("{text}\""));
            assert_eq!((tree.kind(items[1]), tree.text(items[1])), (Kind::Integer, &*length.to_string()));
            assert_eq!(tree.span(root).range(), 0..source.len());
        }
    }

    #[test]
    fn a_control_character_is_no_space() {
        for control in ["\u{1}", "\u{b}", "\u{c}", "\u{1f}"] {
            let mut findings = Vec::new();
            let source = format!("{{\"a\": {control}1}}");
            let block = Block { text: &source, base: 0, syntax: Syntax::Json };
            parse(block, Keys::none(), &Limits::default(), Spare::default(), &mut findings);
            assert!(!findings.is_empty(), "{source:?}");
        }
    }
}
