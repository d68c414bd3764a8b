//! One file on its way through a check: its text, its pieces, the handoffs in them, what each rule says.

use std::borrow::Cow;

use super::recognise::{self, Candidate, Source};
use super::shape::Walk;
use super::{Checker, Input, Looked, Scratch, template};
use crate::carrier::{self, Look, Origin, Piece};
use crate::dialect::Carrier;
use crate::edits::{self, Shared, Style};
use crate::finding::{Finding, Level};
use crate::rule::{Case, Handoff, Levels, Slot};
use crate::rules::{self, document};
use crate::scan::{Effort, TextScan};
use crate::secrets::KnownSecrets;
use crate::span::{Span, offset};
use crate::tree::{self, Block, Kind, Tree};
use crate::world::World;

/// Visitor of the handoffs of a file.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(&Tree<'_>, &Candidate);

/// The check of one file.
pub(super) struct Run<'r, 'i> {
    pub(super) checker: &'r Checker,
    pub(super) input: Input<'i>,
    pub(super) world: &'r dyn World,
    pub(super) levels: &'r Levels,
    pub(super) placed: Option<usize>,
    pub(super) forced: Option<usize>,
    pub(super) scratch: &'r mut Scratch,
    pub(super) handoffs: Vec<Handoff>,
    pub(super) findings: Vec<Finding>,
    /// Syntax findings in lines that are no handoffs by themselves.
    pub(super) unread: Vec<Finding>,
    /// True if something could not be read, whatever its level.
    pub(super) has_unread: bool,
    /// True if a document was found that may hold many handoffs.
    pub(super) has_entries: bool,
    /// The parts of the text that were looked through as handoffs, where the rest is looked through too.
    pub(super) looked: Vec<Span>,
    /// That one of them was all of the text, and had nothing that looks like a secret.
    pub(super) clean: Option<Looked>,
    /// True if the text around those parts is looked through too.
    pub(super) is_all_handoff: bool,
    /// Remaining effort of the scan.
    pub(super) effort: Effort,
    /// Secrets that a scan of the text alone does not find.
    pub(super) known: KnownSecrets,
    /// Called with each handoff instead of checking it.
    pub(super) visit: Option<Visit<'r>>,
    /// Called with each handoff before it is checked.
    pub(super) shown: Option<Visit<'r>>,
}

impl<'i> Run<'_, 'i> {
    /// The text of the file; bytes that are none are refused with a finding.
    pub(super) fn text(&mut self) -> Option<&'i str> {
        let bytes = self.input.bytes;
        let refuse = |message: &str, at: usize, found: &str| {
            let end = (at + 1).min(bytes.len());
            Some(document::not_text::finding(message, Span::new(offset(at), offset(end)), found))
        };
        let finding = match simdutf8::compat::from_utf8(bytes) {
            Ok(text) => match memchr::memchr(0, bytes) {
                Some(at) => refuse("a NUL byte stands in the text", at, "U+0000"),
                None => return Some(text),
            },
            Err(_) if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) => {
                refuse("the file is UTF-16", 0, "a UTF-16 byte order mark")
            }
            Err(error) => {
                let at = error.valid_up_to();
                refuse("the file is not UTF-8", at, &format!("byte 0x{:02X}", bytes[at]))
            }
        };
        let is_asked = self.input.is_named || self.placed.is_some() || self.forced.is_some();
        if let Some(mut finding) = finding.filter(|_| is_asked) {
            // Without text there are no lines: the offset is in the message.
            if let Some(span) = finding.span.take() {
                finding.message = format!("{} (at byte {})", finding.message, span.start);
            }
            self.levels.push(finding, document::not_text::RULE.level, &mut self.findings);
        }
        None
    }

    pub(super) fn all_pieces(&mut self, text: &'i str) {
        let is_wanted = self.forced.is_some() || self.placed.is_some();
        let look = if is_wanted { Look::Prose } else { self.input.look };
        if let Some(piece) = carrier::whole(self.input.path, text) {
            self.piece(&piece, text);
        } else {
            let roots = &self.checker.root_names;
            let pieces = carrier::pieces(self.input.path, text, look, roots, |piece| self.is_handoff(piece));
            for (count, piece) in pieces.enumerate() {
                if count == self.checker.limits.blocks {
                    self.too_many_blocks(&piece, is_wanted);
                    break;
                }
                if !self.piece(&piece, text) {
                    break;
                }
            }
        }
        if !self.handoffs.is_empty() || self.has_entries {
            // A line that could not be read among lines that are handoffs was meant to be one.
            let unread = std::mem::take(&mut self.unread);
            return self.syntax(unread, None);
        }
        let is_known = self.placed.is_some() || self.forced.is_some();
        let unusable = self.input.path.and_then(|path| self.checker.unusable_at(path)).filter(|_| !is_known);
        if let Some(unusable) = unusable {
            let finding = document::unknown_dialect::finding(unusable.name.as_deref(), &unusable.path);
            return self.levels.push(finding, document::unknown_dialect::RULE.level, &mut self.findings);
        }
        let is_silent = self.findings.is_empty();
        if let Some(wanted) = self.forced.or(self.placed).filter(|_| is_silent) {
            let name = &self.checker.dialects.handoffs[wanted].name;
            let finding = document::empty::finding(Span::at(0), name);
            self.levels.push(finding, document::empty::RULE.level, &mut self.findings);
        } else if self.input.is_named
            && !self.findings.iter().any(|finding| finding.rule == document::template::RULE.id)
        {
            let finding = document::not_a_handoff::finding();
            self.levels.push(finding, document::not_a_handoff::RULE.level, &mut self.findings);
        }
    }

    /// Says that a piece and all behind it are not read; if the file was not named, only after other handoffs.
    fn too_many_blocks(&mut self, piece: &Piece<'_>, is_wanted: bool) {
        self.has_unread = true;
        let finding = document::too_many::blocks(Span::at(piece.base), self.checker.limits.blocks);
        if is_wanted || self.input.is_named {
            self.syntax(vec![finding], None);
        } else {
            self.unread.push(finding);
        }
    }

    /// Tells whether a text is a handoff as a whole, although blocks stand in it.
    ///
    /// One that does not parse is, if a handoff starts a line of it: what a block holds is indented.
    fn is_handoff(&mut self, piece: &Piece<'_>) -> bool {
        let block = Block { text: &piece.text, base: piece.base, syntax: piece.syntax };
        let spare = std::mem::take(&mut self.scratch.spare);
        let mut syntax = Vec::new();
        let tree = tree::parse(block, &self.checker.dialects.keys, &self.checker.limits, spare, &mut syntax);
        let (wanted, source) = self.asked(piece);
        let mut found = std::mem::take(&mut self.scratch.found);
        found.clear();
        for root in tree.roots() {
            recognise::find(self.checker, &tree, root, source, &mut found);
        }
        let starts_line = |node| {
            let at = tree.span(node).start.saturating_sub(piece.base) as usize;
            at.checked_sub(1).and_then(|at| piece.text.as_bytes().get(at)).is_none_or(|byte| *byte == b'\n')
        };
        let is_one = |candidate: &Candidate| {
            tree.kind(candidate.document) == Kind::Map
                && (syntax.is_empty() || starts_line(candidate.key.unwrap_or(candidate.whole)))
        };
        let is_meant = wanted
            .is_some_and(|at| self.checker.dialects.handoffs[at].is_carried(piece.syntax, piece.origin));
        let is_read = syntax.is_empty() && (is_meant || !found.around.is_empty());
        let is_handoff = is_read || found.candidates.iter().any(is_one);
        self.scratch.found = found;
        self.scratch.spare = tree.into_spare();
        is_handoff
    }

    /// The dialect as one of which a piece is read in any case, and what it is looked at for.
    fn asked(&self, piece: &Piece<'_>) -> (Option<usize>, Source<'i>) {
        let placed = self.placed.filter(|at| self.is_at_its_place(*at, piece));
        // Users place their documents where no other dialect is asked.
        let forced = self.forced.or(placed.filter(|at| *at < self.checker.dialects.users));
        (self.forced.or(placed), Source { origin: piece.origin, path: self.input.path, forced })
    }

    /// Reads one piece; says whether there may be more.
    fn piece(&mut self, piece: &Piece<'_>, text: &str) -> bool {
        let block = Block { text: &piece.text, base: piece.base, syntax: piece.syntax };
        let spare = std::mem::take(&mut self.scratch.spare);
        let mut syntax = Vec::new();
        let mut tree =
            tree::parse(block, &self.checker.dialects.keys, &self.checker.limits, spare, &mut syntax);
        let mut found = std::mem::take(&mut self.scratch.found);
        found.clear();
        let is_whole = matches!(piece.origin, Origin::Whole | Origin::Line);
        let (wanted, source) = self.asked(piece);
        for root in tree.roots() {
            recognise::find(self.checker, &tree, root, source, &mut found);
            if found.is_empty()
                && let Some(dialect) = wanted
            {
                recognise::forced(self.checker, &tree, root, dialect, self.input.path, &mut found);
            }
        }
        let has_body = self.give(&mut tree, &mut found, piece, text);
        let candidates = &mut found.candidates;
        let room = self.checker.limits.handoffs - self.handoffs.len();
        let excess = candidates.get(room).map(|first| tree.first_char(first.whole));
        candidates.truncate(room);
        if let Some(span) = excess {
            let finding = document::too_many::handoffs(span, self.checker.limits.handoffs);
            self.levels.push(finding, document::too_many::RULE.level, &mut self.findings);
        }
        self.has_unread |= !syntax.is_empty();
        let may_be_coded = !syntax.is_empty() || !tree.is_without_escapes();
        // A file that was named, or lies where handoffs lie, hears of its syntax in any case.
        let is_asked = (is_whole && (self.input.is_named || wanted.is_some()))
            || self.placed.is_some_and(|at| self.is_at_its_place(at, piece));
        self.has_entries |= !found.around.is_empty();
        if !candidates.is_empty() || is_asked || !found.around.is_empty() {
            let number = (!candidates.is_empty()).then_some(self.handoffs.len());
            self.syntax(syntax, number);
        } else if is_whole && self.unread.len() < self.checker.limits.syntax_findings {
            self.unread.extend(syntax);
            if self.unread.len() >= self.checker.limits.syntax_findings {
                self.unread.extend(self.unread.last().map(tree::findings::cut_off));
            }
        }
        for (dialect, around) in &found.around {
            self.around_entries(&tree, *dialect, *around);
        }
        let first = self.handoffs.len();
        let is_quoted = matches!(piece.text, Cow::Owned(_));
        let style = if is_quoted { Style::Quoted } else { Style::Block };
        let shared = Shared::default();
        for candidate in &found.candidates {
            if piece.origin == Origin::Prose && self.is_template(&tree, candidate) {
                continue;
            }
            self.handoff(&tree, candidate, style, &shared);
        }
        // Who is only shown the handoffs hears of no findings.
        if self.visit.is_none() && self.handoffs.len() > first && self.is_text_looked_at() {
            let look = TextScan::with(&piece.text, may_be_coded);
            let is_all = piece.base == 0 && piece.text.len() == text.len();
            if is_all && look.has_no_secret() {
                self.clean = Some(if may_be_coded { Looked::Decoded } else { Looked::Written });
            }
            self.text_of(&look, piece, Some(&tree), first);
            // The body of a file whose front matter is a handoff belongs to it; no piece comes before that.
            self.is_all_handoff |= piece.origin == Origin::FrontMatter;
            if self.is_all_handoff {
                self.looked.push(Span::new(piece.base, piece.base + offset(piece.text.len())));
            }
        }
        self.scratch.found = found;
        self.scratch.spare = tree.into_spare();
        // What is the body of a handoff is not looked at for others.
        excess.is_none() && !has_body
    }

    /// Tells whether a piece is where the documents of a dialect lie, in a file at one of its places.
    fn is_at_its_place(&self, dialect: usize, piece: &Piece<'_>) -> bool {
        match piece.origin {
            Origin::Whole | Origin::Line => true,
            Origin::FrontMatter => {
                self.checker.dialects.handoffs[dialect].carriers.contains(&Carrier::FrontMatter)
            }
            Origin::Prose => false,
        }
    }

    /// Reports what could not be read, if there is anything.
    #[inline]
    pub(super) fn syntax(&mut self, findings: Vec<Finding>, handoff: Option<usize>) {
        if !findings.is_empty() {
            self.all_syntax(findings, handoff);
        }
    }

    #[cold]
    fn all_syntax(&mut self, findings: Vec<Finding>, handoff: Option<usize>) {
        for mut finding in findings {
            finding.handoff = handoff;
            let level = rules::all().find(|rule| rule.id == finding.rule).and_then(|rule| rule.level);
            self.levels.push(finding, level.or(Some(Level::Error)), &mut self.findings);
        }
    }

    /// Looks at the key that wraps a handoff, and at the keys beside it.
    fn around(&mut self, tree: &Tree<'_>, candidate: &Candidate, number: usize) {
        let dialect = &self.checker.dialects.handoffs[candidate.dialect];
        let root = dialect.kinds[candidate.kind].root.as_ref();
        let mut findings = Vec::new();
        if let (Some(key), Some(root)) = (candidate.key, root)
            && tree.text(key) != &*root.text
        {
            findings.push(
                document::key_alias::finding(tree.span(key), tree.text(key), &root.text)
                    .edits(edits::renamed(tree, key, candidate.document, &root.text)),
            );
        }
        let beside = candidate.holder.filter(|_| tree.syntax() != tree::Syntax::Xml);
        for (key, _) in beside.into_iter().flat_map(|holder| tree.entries(holder)) {
            let symbol = tree.symbol(key);
            if symbol != self.checker.reserved && !self.checker.roots.contains(&symbol) {
                findings.push(document::unknown_key::finding(tree.span(key), tree.text(key), None));
            }
        }
        for mut finding in findings {
            finding.handoff = Some(number);
            self.levels.push(finding, Some(Level::Info), &mut self.findings);
        }
    }

    fn is_template(&mut self, tree: &Tree<'_>, candidate: &Candidate) -> bool {
        let Some(node) = template::placeholder(tree, candidate.document) else { return false };
        let finding = document::template::finding(tree.span(node), tree.text(node));
        self.levels.push(finding, document::template::RULE.level, &mut self.findings);
        true
    }

    /// Checks one handoff: its keys, its fields, then what each rule says of it.
    fn handoff(&mut self, tree: &Tree<'_>, candidate: &Candidate, style: Style, shared: &Shared) {
        let checker = self.checker;
        let dialect = &checker.dialects.handoffs[candidate.dialect];
        let kind = &dialect.kinds[candidate.kind];
        let number = self.handoffs.len();
        let mark = self.findings.len();
        let whole = tree.span(candidate.whole);
        let mut handoff =
            Handoff { span: whole, dialect: candidate.dialect, kind: candidate.kind, notes: Vec::new() };
        if let Some(shown) = &mut self.shown {
            shown(tree, candidate);
        }
        if let Some(visit) = &mut self.visit {
            visit(tree, candidate);
            return self.handoffs.push(handoff);
        }
        self.duplicate_keys(tree, candidate, number);
        if self.is_of_other_dialect(tree, candidate, number) {
            return self.handoffs.push(handoff);
        }
        self.around(tree, candidate, number);
        let slots = self.fields(tree, candidate, style, number);
        if dialect.is_given() {
            self.about_given(tree, candidate, mark);
        }
        let mut case = Case {
            tree,
            dialect,
            kind,
            document: candidate.document,
            key: candidate.key,
            slots: &slots,
            path: self.input.path,
            world: self.world,
            levels: self.levels,
            out: &mut self.findings,
            handoff: number,
            earlier: &self.handoffs,
            notes: &mut handoff.notes,
            mark,
        };
        for check in &checker.rules[candidate.dialect] {
            check(&mut case);
        }
        edits::doubt(tree, shared, &mut self.findings[mark..]);
        self.scratch.slots = slots;
        if candidate.is_later {
            self.forget_around(tree, candidate, mark);
        }
        self.handoffs.push(handoff);
    }

    /// Reports duplicate keys; those around several handoffs were reported with the file.
    fn duplicate_keys(&mut self, tree: &Tree<'_>, candidate: &Candidate, number: usize) {
        if candidate.around.is_some() {
            return;
        }
        let mut duplicates = Vec::new();
        tree::report_duplicate_keys(tree, candidate.as_read, &self.checker.limits, &mut duplicates);
        for mut finding in duplicates {
            finding.handoff = Some(number);
            self.levels.push(finding, document::duplicate_key::RULE.level, &mut self.findings);
        }
    }

    /// Reports a missing root; true if the document is one of another dialect, so that nothing else is worth saying.
    fn is_of_other_dialect(&mut self, tree: &Tree<'_>, candidate: &Candidate, number: usize) -> bool {
        let checker = self.checker;
        let dialect = &checker.dialects.handoffs[candidate.dialect];
        let root = dialect.kinds[candidate.kind].root.as_ref();
        let Some(root) = root.filter(|_| candidate.is_rootless) else { return false };
        let span = tree.first_char(candidate.document);
        let other = recognise::other(checker, tree, candidate, self.input.path);
        let mut finding = match other {
            Some(other) => document::root_missing::other(span, &dialect.name, &other.name),
            None => document::root_missing::finding(span, &root.text, &dialect.name),
        };
        finding.handoff = Some(number);
        self.levels.push(finding, document::root_missing::RULE.level, &mut self.findings);
        other.is_some()
    }

    /// Walks the fields of a handoff; gives its slots, in memory that the scratch lends.
    fn fields(&mut self, tree: &Tree<'_>, candidate: &Candidate, style: Style, number: usize) -> Vec<Slot> {
        let checker = self.checker;
        let dialect = &checker.dialects.handoffs[candidate.dialect];
        let kind = &dialect.kinds[candidate.kind];
        let mut slots = std::mem::take(&mut self.scratch.slots);
        if kind.is_open {
            slots.clear();
            slots.resize(kind.slots, Slot::default());
            return slots;
        }
        Walk {
            tree,
            dialect,
            kind,
            world: self.world,
            levels: self.levels,
            reserved: checker.reserved,
            slots: &mut slots,
            out: &mut self.findings,
            handoff: number,
            document: candidate.document,
            looks: 0,
            counted: None,
            style,
        }
        .run(candidate.key);
        slots
    }
}
