//! What a handoff has although it does not stand in it: the body behind front matter, what the path of its file
//! says, what stands around the entries of a document.
//!
//! Each such value becomes an entry of the handoff's map, so that shapes, rules, conversion and schema see one
//! document. Only dialects that ask for it pay for it.

use std::borrow::Cow;

use super::Candidate;
use super::recognise::{FoundHandoffs, kind_of};
use super::run::Run;
use super::shape::Walk;
use crate::carrier::{self, Origin, Piece};
use crate::dialect::{BODY, Dialect, DialectKind, Key, Read, Shape};
use crate::edits::Style;
use crate::finding::Finding;
use crate::rules::document;
use crate::span::Span;
use crate::tree::{self, InjectedValue, Kind, NodeId, Tree};

impl Run<'_, '_> {
    /// Puts the documents together; says whether one of them has what follows its front matter as its body.
    pub(super) fn give(
        &self,
        tree: &mut Tree<'_>,
        found: &mut FoundHandoffs,
        piece: &Piece<'_>,
        text: &str,
    ) -> bool {
        let checker = self.checker;
        let mut has_body = false;
        for candidate in &mut found.candidates {
            let dialect = &checker.dialects.handoffs[candidate.dialect];
            if !dialect.is_given() {
                continue;
            }
            let body;
            let mut given = given_around(tree, dialect, candidate);
            let path = self.input.path.unwrap_or_default();
            let at = Span::at(tree.span(candidate.document).start);
            for (name, taken) in dialect.places.iter().flat_map(|place| place.taken(path)) {
                let capture = dialect.captures.iter().find(|capture| *capture.text == *name);
                let is_new = given.iter().all(|(key, _)| *key != name);
                if capture.is_some_and(|capture| is_absent(tree, candidate.as_read, capture)) && is_new {
                    let text = &path[taken];
                    let kind = kind_in(&dialect.kinds[candidate.kind], name, text);
                    given.push((name, InjectedValue::Scalar(kind, text, at)));
                }
            }
            if dialect.has_body && piece.origin == Origin::FrontMatter {
                has_body = true;
                let end = piece.base as usize + piece.text.len();
                if let Some(span) = carrier::body(text, end) {
                    body = with_line_feeds(&text[span.range()]);
                    given.push((BODY, InjectedValue::Scalar(Kind::Text, &body, span)));
                }
            }
            if !given.is_empty()
                && let Some(made) = tree.with_given(candidate.as_read, &given, &checker.limits)
            {
                candidate.document = made;
            }
            let document = Read::new(tree, candidate.document);
            let kind = kind_of(dialect, tree, candidate.key, &document, self.input.path);
            candidate.kind = kind.unwrap_or(candidate.kind);
        }
        has_body
    }

    /// Checks what stands around the handoffs of a document, once for all of them.
    pub(super) fn around_entries(&mut self, tree: &Tree<'_>, dialect: usize, around: NodeId) {
        let dialect = &self.checker.dialects.handoffs[dialect];
        let Some(entries) = dialect.entries.as_ref().filter(|_| self.visit.is_none()) else { return };
        let mut duplicates = Vec::new();
        tree::report_duplicate_keys(tree, around, &self.checker.limits, &mut duplicates);
        for finding in duplicates {
            self.levels.push(finding, document::duplicate_key::RULE.level, &mut self.findings);
        }
        let mark = self.findings.len();
        let mut slots = std::mem::take(&mut self.scratch.slots);
        Walk {
            style: Style::Block,
            tree,
            dialect,
            kind: &entries.around,
            world: self.world,
            levels: self.levels,
            reserved: self.checker.reserved,
            slots: &mut slots,
            out: &mut self.findings,
            handoff: 0,
            document: around,
            looks: 0,
            counted: None,
        }
        .run(None);
        self.scratch.slots = slots;
        for finding in self.findings.iter_mut().skip(mark) {
            finding.handoff = None;
        }
    }

    /// Mends what was said of values that do not stand in the handoff.
    pub(super) fn about_given(&mut self, tree: &Tree<'_>, candidate: &Candidate, mark: usize) {
        let dialect = &self.checker.dialects.handoffs[candidate.dialect];
        let kind = &dialect.kinds[candidate.kind];
        if candidate.around.is_some() {
            self.forget_shared(tree, candidate, mark);
        }
        let body = format!("{}/{}/{}-missing", dialect.name, kind.name, BODY);
        for finding in self.findings.iter_mut().skip(mark).filter(|finding| finding.rule == body) {
            "there is no text below the front matter".clone_into(&mut finding.message);
        }
        if dialect.captures.is_empty() {
            return;
        }
        let own = tree.span(candidate.as_read);
        let first = tree.entries(candidate.as_read).next();
        let head = first.map_or_else(|| tree.first_char(candidate.as_read), |(key, _)| tree.span(key));
        let marker = Some(Span::at(own.start));
        for finding in self.findings.iter_mut().skip(mark).filter(|finding| finding.span == marker) {
            finding.span = Some(head);
            finding.fix = None;
            finding.label = Some("the path of the file says so".to_owned());
            finding.help.get_or_insert_with(|| "move or rename the file".to_owned());
        }
    }

    /// Takes back what was said of a handoff about fields that stand around it: they were judged there.
    fn forget_shared(&mut self, tree: &Tree<'_>, candidate: &Candidate, mark: usize) {
        let dialect = &self.checker.dialects.handoffs[candidate.dialect];
        let kind = &dialect.kinds[candidate.kind];
        let shared = dialect.entries.iter().flat_map(|entries| &entries.shared);
        let prefixes: Vec<String> = shared
            .filter(|key| is_absent(tree, candidate.as_read, key))
            .map(|key| format!("{}/{}/{}", dialect.name, kind.name, key.text))
            .collect();
        let is_of = |rule: &str, prefix: &str| {
            rule.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(['-', '.']))
        };
        self.retain_from(mark, |finding| !prefixes.iter().any(|prefix| is_of(&finding.rule, prefix)));
        self.forget_around(tree, candidate, mark);
    }

    /// Takes back what was said of places outside a handoff that is an entry.
    pub(super) fn forget_around(&mut self, tree: &Tree<'_>, candidate: &Candidate, mark: usize) {
        let own = tree.span(candidate.as_read);
        let start = candidate.name.map_or(own.start, |name| tree.span(name).start);
        self.retain_from(mark, |finding| {
            finding.span.is_none_or(|span| span.start >= start && span.start <= own.end)
        });
    }

    fn retain_from(&mut self, mark: usize, is_kept: impl Fn(&Finding) -> bool) {
        let mut at = 0;
        self.findings.retain(|finding| {
            at += 1;
            at <= mark || is_kept(finding)
        });
    }
}

/// A text with the line ends that YAML reads: what a pattern says of lines holds whatever ends them in the file.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    match memchr::memchr(b'\r', text.as_bytes()) {
        Some(_) => Cow::Owned(text.replace("\r\n", "\n")),
        None => Cow::Borrowed(text),
    }
}

/// What the text of a path is as the value of a field: a path itself has only text.
fn kind_in(kind: &DialectKind, name: &str, text: &str) -> Kind {
    let field = kind.map.fields.iter().find(|field| *field.key.text == *name);
    let Some(shape) = field.map(|field| &field.shape) else { return Kind::Text };
    let is_whole = text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit());
    match text {
        "true" if matches!(shape, Shape::Boolean) => Kind::True,
        "false" if matches!(shape, Shape::Boolean) => Kind::False,
        _ if is_whole && matches!(shape, Shape::Integer(_) | Shape::Number) => Kind::Integer,
        _ => Kind::Text,
    }
}

/// Tells whether a document lacks a key.
fn is_absent(tree: &Tree<'_>, document: NodeId, key: &Key) -> bool {
    tree.find_symbol(document, key.symbol).is_none()
}

/// Values around a handoff that is an entry, and the key of that entry.
fn given_around<'d>(
    tree: &Tree<'_>,
    dialect: &'d Dialect,
    candidate: &Candidate,
) -> Vec<(&'d str, InjectedValue<'d>)> {
    let mut given = Vec::new();
    let Some(entries) = &dialect.entries else { return given };
    if let (Some(key), Some(name)) = (&entries.key, candidate.name)
        && is_absent(tree, candidate.as_read, key)
    {
        given.push((&*key.text, InjectedValue::Key(name)));
    }
    for key in &entries.shared {
        let value = candidate.around.and_then(|around| tree.find_symbol(around, key.symbol));
        if let Some(value) = value.filter(|_| is_absent(tree, candidate.as_read, key)) {
            given.push((&*key.text, InjectedValue::Value(value)));
        }
    }
    given
}
