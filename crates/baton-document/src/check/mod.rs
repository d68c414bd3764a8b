//! Checks one file: carriers, trees, dialect and kind, shape, rules; all findings in one go.
//!
//! Invariant: no input makes it panic, and what it says is in the order of the text.

mod case;
mod describe;
mod examples;
mod given;
mod levels;
mod mend;
mod near;
mod own;
mod recognise;
mod shape;
mod template;
pub(crate) mod timestamp;

pub use case::{Case, Value};
pub(crate) use describe::describe;
pub(crate) use examples::example_path;
pub(crate) use levels::names;
pub use levels::{LevelSet, Levels};
pub(crate) use near::nearest;

use std::borrow::Cow;

use crate::canonical::canonical;
use crate::carrier::{self, Look, Origin, Piece};
use crate::convert::{self, Converted, Gathering, Order, SetError};
use crate::datum::Datum;
use crate::dialect::{Carrier, Dialect, DialectFile, DialectKind, Dialects, Settings, Unusable, UsersOwn};
use crate::finding::{Finding, Level};
use crate::plain::Pool;
use crate::rules::{self, document};
use crate::scan::{Effort, Look as TextLook};
use crate::secrets::{self, Hidden, Secret};
use crate::span::{Span, offset};
use crate::tree::{self, Block, Limits, Spare, Symbol, Tree};
use crate::world::{NoWorld, World};
use mend::{Shared, Style};
pub(crate) use recognise::Candidate;
use recognise::{Found, Source};
pub(crate) use shape::boolean_word;
use shape::{Slot, Walk};

/// Checks files; made once, used from every thread.
#[derive(Debug)]
pub struct Checker {
    dialects: Dialects,
    levels: Levels,
    limits: Limits,
    reserved: Symbol,
    /// What the rules of each dialect of handoffs do, in the same order, turn by turn.
    rules: Vec<Vec<fn(&mut Case<'_>)>>,
    /// Names of keys and elements that wrap handoffs.
    roots: Vec<Symbol>,
    root_names: Vec<Box<str>>,
    /// The fingerprints of what is no secret after all.
    allowed: Vec<String>,
    /// What is known of the dialect files of users.
    users: UsersOwn,
}

/// What a file is checked for, and how.
#[derive(Clone, Copy, Debug)]
pub struct Input<'i> {
    /// Its path from the root, with `/`; none for text without one.
    pub path: Option<&'i str>,
    /// Its bytes.
    pub bytes: &'i [u8],
    /// The dialect to read it as, whatever it looks like.
    pub dialect: Option<&'i str>,
    /// Whether prose in it is looked at.
    pub look: Look,
    /// Whether it was asked for by name, so that finding nothing in it is worth saying.
    pub is_named: bool,
}

/// Memory that is used again from file to file.
#[derive(Debug, Default)]
pub struct Scratch {
    spare: Spare,
    slots: Vec<Slot>,
    found: Found,
    pool: Pool,
}

/// What came of checking one file.
#[derive(Debug)]
pub struct Checked<'i> {
    /// Its text, where it is text.
    pub text: Option<&'i str>,
    /// The handoffs in it, in the order of the text.
    pub handoffs: Vec<Handoff>,
    /// The findings, in the order of the text.
    pub findings: Vec<Finding>,
    /// The secrets in the text, which must not be shown; none where there are no findings.
    pub hidden: Vec<Span>,
}

/// One handoff in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handoff {
    /// Where it stands.
    pub span: Span,
    dialect: usize,
    kind: usize,
    /// What rules keep of it for the handoffs after it.
    pub(crate) notes: Vec<(&'static str, String)>,
}

impl Checker {
    /// Makes a checker of the built-in dialects.
    pub fn new(settings: &Settings, levels: Levels, limits: Limits) -> Self {
        Self::of(Dialects::built_in(settings), UsersOwn::new(settings), levels, limits)
    }

    /// Makes a checker of the built-in dialects and users' own.
    ///
    /// A file that cannot be used is left out; [`Checker::unusable`] names it.
    pub fn with_dialects(
        settings: &Settings,
        levels: Levels,
        limits: Limits,
        files: &[DialectFile<'_>],
    ) -> Self {
        let plain = Self::new(settings, levels, limits);
        if files.is_empty() {
            return plain;
        }
        let mut users = UsersOwn::new(settings);
        let (dialects, levels) = plain.with_files(files, &mut users);
        Self::of(dialects, users, levels, limits)
    }

    fn of(dialects: Dialects, users: UsersOwn, levels: Levels, limits: Limits) -> Self {
        let reserved = dialects.keys.symbol(convert::KEY);
        let of = |dialect: &Dialect| {
            let prefix = format!("{}/", dialect.name);
            let is_own =
                |rule: &&rules::Rule| rule.id.starts_with(&prefix) || rule.id.starts_with("document/");
            let own: Vec<rules::Check> = rules::all().filter(is_own).map(|rule| rule.check).collect();
            let in_turn = |turn| own.iter().filter_map(move |check| check.in_turn(turn));
            (0..rules::Check::TURNS).flat_map(in_turn).collect()
        };
        let roots = dialects.handoffs.iter().flat_map(|dialect| &dialect.roots.keys);
        let mut names: Vec<(Symbol, Box<str>)> = roots
            .flat_map(|root| {
                let aliases = root.aliases.iter().map(|(text, symbol)| (*symbol, text.clone()));
                std::iter::once((root.symbol, root.text.clone())).chain(aliases)
            })
            .collect();
        names.sort();
        names.dedup();
        Self {
            rules: dialects.handoffs.iter().map(of).collect(),
            roots: names.iter().map(|(symbol, _)| *symbol).collect(),
            root_names: names.into_iter().map(|(_, name)| name).collect(),
            dialects,
            levels,
            limits,
            reserved,
            allowed: Vec::new(),
            users,
        }
    }

    /// Takes what has one of some fingerprints for no secret.
    #[must_use]
    pub fn allowing(mut self, fingerprints: Vec<String>) -> Self {
        self.allowed = fingerprints;
        self
    }

    /// The dialect files that cannot be used, and why.
    pub fn unusable(&self) -> &[Unusable] {
        &self.users.unusable
    }

    /// The dialects in use.
    pub fn dialects(&self) -> &Dialects {
        &self.dialects
    }

    /// The bounds of reading.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The dialect of a handoff.
    pub fn dialect_of(&self, handoff: &Handoff) -> &Dialect {
        &self.dialects.handoffs[handoff.dialect]
    }

    /// The kind of a handoff.
    pub fn kind_of(&self, handoff: &Handoff) -> &DialectKind {
        &self.dialect_of(handoff).kinds[handoff.kind]
    }

    /// The positions of a handoff's dialect and kind.
    pub(crate) fn kind_number(&self, handoff: &Handoff) -> (usize, usize) {
        (handoff.dialect, handoff.kind)
    }

    /// Says whether a file at a path is one of Baton itself.
    pub(crate) fn is_own(&self, path: Option<&str>) -> bool {
        self.own_form(path).is_some()
    }

    /// Says whether files at a path belong to a dialect whatever they contain.
    pub fn is_placed(&self, path: &str) -> bool {
        self.placed(path).is_some() || self.unusable_at(path).is_some()
    }

    /// The dialect file that would say what a file at a path is, if it could be used.
    fn unusable_at(&self, path: &str) -> Option<&Unusable> {
        let is_whole =
            |place: &crate::dialect::Place| place.matches(path) == Some(crate::dialect::Match::Whole);
        self.users.unusable.iter().find(|file| file.places.iter().any(is_whole))
    }

    fn placed(&self, path: &str) -> Option<usize> {
        let is_whole = |dialect: &Dialect| {
            dialect.places.iter().any(|place| place.matches(path) == Some(crate::dialect::Match::Whole))
        };
        self.dialects.handoffs.iter().position(is_whole)
    }

    /// The result for a file that is over the size limit, of which nothing was read.
    pub fn refuse_size(&self, path: Option<&str>, bytes: u64) -> Checked<'static> {
        let mut findings = Vec::new();
        let levels = self.levels_for(path);
        let finding = match self.own_form(path) {
            Some(_) => document::too_large::own(bytes, self.limits.own_bytes),
            None => document::too_large::file(bytes, self.limits.file_bytes),
        };
        levels.push(finding, document::too_large::RULE.level, &mut findings);
        Checked { text: None, handoffs: Vec::new(), findings, hidden: Vec::new() }
    }

    /// Checks a file.
    pub fn check<'i>(&self, input: Input<'i>, world: &dyn World, scratch: &mut Scratch) -> Checked<'i> {
        self.check_showing(input, world, scratch, None)
    }

    /// Checks a file and shows its handoffs, as they are read, to somebody.
    pub(crate) fn check_showing<'i>(
        &self,
        input: Input<'i>,
        world: &dyn World,
        scratch: &mut Scratch,
        mut shown: Option<Visit<'_>>,
    ) -> Checked<'i> {
        let bytes = input.bytes.len() as u64;
        let bytes_max =
            || if self.is_own(input.path) { self.limits.own_bytes } else { self.limits.file_bytes };
        // Which limit holds is asked only for what is over one of them.
        if bytes > self.limits.own_bytes.min(self.limits.file_bytes) && bytes > bytes_max() {
            return self.refuse_size(input.path, bytes);
        }
        let levels = self.levels_for(input.path);
        let is_shown = shown.is_some();
        let mut show = |tree: &Tree<'_>, candidate: &Candidate| {
            if let Some(shown) = &mut shown {
                shown(tree, candidate);
            }
        };
        let mut run = self.run(input, world, &levels, scratch);
        run.shown = if is_shown { Some(&mut show) } else { None };
        self.checked(run)
    }

    /// Checks a file of a size that is allowed, at some levels.
    pub(crate) fn check_at<'i>(
        &self,
        input: Input<'i>,
        world: &dyn World,
        levels: &Levels,
        scratch: &mut Scratch,
    ) -> Checked<'i> {
        self.checked(self.run(input, world, levels, scratch))
    }

    fn checked<'i>(&self, mut run: Run<'_, 'i>) -> Checked<'i> {
        let (input, levels) = (run.input, run.levels);
        let text = run.text();
        if let Some(text) = text {
            if let Some(form) = self.form_of(input, text) {
                return self.check_own(&form.name, input.path, text, run.world);
            }
            run.all_pieces(text);
            run.text_around(text);
        }
        let Run { handoffs, mut findings, .. } = run;
        // The order of the text; several findings at one place stay as they came.
        // What speaks of all of them comes last.
        let is_last =
            |finding: &Finding| finding.rule == document::too_many::RULE.id && finding.span.is_none();
        findings.sort_by_key(|finding| (is_last(finding), finding.span.map_or(0, |span| span.start)));
        self.hiding(Checked { text, handoffs, findings, hidden: Vec::new() }, levels)
    }

    /// Takes the secrets of a file out of what was found in it, wherever in the file they stand.
    fn hiding<'i>(&self, mut checked: Checked<'i>, levels: &Levels) -> Checked<'i> {
        if let Some(text) = checked.text.filter(|_| !checked.findings.is_empty()) {
            let hidden = Hidden::of(text, levels.findings_max(), |secret| self.is_allowed(secret));
            if !hidden.spans.is_empty() {
                checked.findings.iter_mut().for_each(|finding| hidden.hide(finding));
            }
            let is_too_many = |finding: &Finding| finding.rule == document::too_many::RULE.id;
            if let Some(stopped) = hidden.stopped.filter(|_| !checked.findings.iter().any(is_too_many)) {
                let finding = document::too_many::secrets(stopped);
                levels.push(finding, document::secret::RULE.level, &mut checked.findings);
            }
            checked.hidden = hidden.spans;
        }
        checked
    }

    /// The names of keys and elements that wrap handoffs.
    pub(crate) fn root_names(&self) -> &[Box<str>] {
        &self.root_names
    }

    fn is_allowed(&self, secret: &Secret) -> bool {
        self.allowed.contains(&secret.fingerprint)
    }

    /// The canonical JSON form of every handoff in a file, in the order of the text.
    ///
    /// Nothing where something could not be read: it would be missing without a word.
    pub fn canonical(&self, input: Input<'_>, scratch: &mut Scratch) -> Option<Vec<Datum<'static>>> {
        let mut forms = Vec::new();
        let mut form = |tree: &Tree<'_>, candidate: &Candidate| {
            let kind = &self.dialects.handoffs[candidate.dialect].kinds[candidate.kind];
            forms.push(canonical(tree, kind, candidate.key, candidate.document));
        };
        self.visit(input, scratch, &mut form)?;
        Some(forms)
    }

    /// The handoffs of a file in another dialect; nothing where something could not be read.
    pub fn convert(
        &self,
        input: Input<'_>,
        order: Order<'_>,
        scratch: &mut Scratch,
    ) -> Result<Option<Converted>, SetError> {
        let mut gathering = Gathering::new(self, order)?;
        let mut refused = None;
        let mut pool = std::mem::take(&mut scratch.pool);
        let mut convert = |tree: &Tree<'_>, candidate: &Candidate| {
            if refused.is_none() {
                refused = gathering.add(tree, candidate, &pool).err();
                pool.clear();
            }
        };
        let text = self.visit(input, scratch, &mut convert);
        scratch.pool = pool;
        match (refused, text) {
            (Some(refused), _) => Err(refused),
            (None, Some(text)) => Ok(Some(gathering.finish(text))),
            (None, None) => Ok(None),
        }
    }

    /// Shows every handoff in a file; gives its text, or nothing where something could not be read.
    pub(crate) fn visit<'i>(
        &self,
        input: Input<'i>,
        scratch: &mut Scratch,
        visit: Visit<'_>,
    ) -> Option<&'i str> {
        let mut run = self.run(input, &NoWorld, &self.levels, scratch);
        run.visit = Some(visit);
        let text = run.text()?;
        run.all_pieces(text);
        let is_read = !run.has_unread;
        is_read.then_some(text)
    }

    fn run<'r, 'i>(
        &'r self,
        input: Input<'i>,
        world: &'r dyn World,
        levels: &'r Levels,
        scratch: &'r mut Scratch,
    ) -> Run<'r, 'i> {
        let placed = input.path.and_then(|path| self.placed(path));
        Run {
            checker: self,
            input,
            world,
            levels,
            placed,
            forced: input.dialect.and_then(|name| self.position(name)),
            scratch,
            handoffs: Vec::with_capacity(1),
            findings: Vec::new(),
            unread: Vec::new(),
            has_unread: false,
            has_entries: false,
            looked: Vec::new(),
            is_all_handoff: placed.is_some(),
            effort: Effort::for_file(levels.findings_max()),
            visit: None,
            shown: None,
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.dialects.handoffs.iter().position(|dialect| &*dialect.name == name)
    }

    pub(crate) fn levels_for(&self, path: Option<&str>) -> Cow<'_, Levels> {
        match path {
            Some(path) if !self.levels.is_same_everywhere() => Cow::Owned(self.levels.for_path(path)),
            Some(_) | None => Cow::Borrowed(&self.levels),
        }
    }
}

/// What is shown the handoffs of a file.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(&Tree<'_>, &Candidate);

struct Run<'r, 'i> {
    checker: &'r Checker,
    input: Input<'i>,
    world: &'r dyn World,
    levels: &'r Levels,
    placed: Option<usize>,
    forced: Option<usize>,
    scratch: &'r mut Scratch,
    handoffs: Vec<Handoff>,
    findings: Vec<Finding>,
    /// What could not be read in lines that are no handoffs by themselves.
    unread: Vec<Finding>,
    /// Whether something could not be read, whatever its level.
    has_unread: bool,
    /// Whether a document was found that may hold many handoffs.
    has_entries: bool,
    /// The parts of the text that were looked through as handoffs.
    looked: Vec<Span>,
    /// Whether the text around those parts is looked through too.
    is_all_handoff: bool,
    /// What is left to be spent on looking.
    effort: Effort,
    /// Who is shown each handoff instead of having it checked.
    visit: Option<Visit<'r>>,
    /// Who is shown each handoff before it is checked.
    shown: Option<Visit<'r>>,
}

impl<'i> Run<'_, 'i> {
    /// The text of the file; bytes that are none are refused with a finding.
    fn text(&mut self) -> Option<&'i str> {
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

    fn all_pieces(&mut self, text: &'i str) {
        let is_wanted = self.forced.is_some() || self.placed.is_some();
        let look = if is_wanted { Look::Prose } else { self.input.look };
        if let Some(piece) = carrier::whole(self.input.path, text) {
            self.piece(&piece, text);
        } else {
            let pieces = carrier::pieces(self.input.path, text, look, &self.checker.root_names);
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

    /// Says that a piece and all behind it are not read; where nobody asked, only if there are handoffs before it.
    fn too_many_blocks(&mut self, piece: &Piece<'_>, is_wanted: bool) {
        self.has_unread = true;
        let finding = document::too_many::blocks(Span::at(piece.base), self.checker.limits.blocks);
        if is_wanted || self.input.is_named {
            self.syntax(vec![finding], None);
        } else {
            self.unread.push(finding);
        }
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
        let placed = self.placed.filter(|at| self.is_at_its_place(*at, piece));
        let wanted = self.forced.or(placed);
        // Users place their documents where no other dialect is asked.
        let forced = self.forced.or(placed.filter(|at| *at < self.checker.dialects.users));
        let source = Source { origin: piece.origin, path: self.input.path, forced };
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
        let is_asked = (is_whole && (self.input.is_named || wanted.is_some())) || placed.is_some();
        self.has_entries |= !found.around.is_empty();
        if !candidates.is_empty() || is_asked || !found.around.is_empty() {
            let number = (!candidates.is_empty()).then_some(self.handoffs.len());
            self.syntax(syntax, number);
        } else if is_whole && self.unread.len() < self.checker.limits.syntax_findings {
            self.unread.extend(syntax);
            if self.unread.len() >= self.checker.limits.syntax_findings {
                self.unread.extend(self.unread.last().map(document::too_many::cut));
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
            self.text_of(&TextLook::with(&piece.text, may_be_coded), piece, Some(&tree), first);
            self.looked.push(Span::new(piece.base, piece.base + offset(piece.text.len())));
            // The body of a file whose front matter is a handoff belongs to it.
            self.is_all_handoff |= piece.origin == Origin::FrontMatter;
        }
        self.scratch.found = found;
        self.scratch.spare = tree.into_spare();
        // What is the body of a handoff is not looked at for others.
        excess.is_none() && !has_body
    }

    /// Whether a piece is where the documents of a dialect lie, in a file at one of its places.
    fn is_at_its_place(&self, dialect: usize, piece: &Piece<'_>) -> bool {
        match piece.origin {
            Origin::Whole | Origin::Line => true,
            Origin::FrontMatter => {
                self.checker.dialects.handoffs[dialect].carriers.contains(&Carrier::FrontMatter)
            }
            Origin::Prose => false,
        }
    }

    /// Whether any rule wants to see the text: the look costs something.
    fn is_text_looked_at(&self) -> bool {
        let rules = [&document::secret::RULE, &document::instruction::RULE, &document::hidden_unicode::RULE];
        rules.into_iter().any(|rule| self.levels.level(rule.id, rule.level).is_some())
    }

    /// Looks at the text around the handoffs where all of the file is handed over.
    fn text_around(&mut self, text: &str) {
        if !self.is_all_handoff || !self.is_text_looked_at() {
            return;
        }
        let ends = self.looked.iter().map(|span| span.start).chain([offset(text.len())]);
        let starts = [0].into_iter().chain(self.looked.iter().map(|span| span.end));
        let gaps: Vec<Span> = starts.zip(ends).map(|(start, end)| Span::new(start, end)).collect();
        for gap in gaps {
            let around = text[gap.range()].strip_prefix(crate::span::BOM).unwrap_or(&text[gap.range()]);
            if !around.trim().is_empty() {
                let base = gap.end - offset(around.len());
                let piece =
                    Piece { text: around.into(), base, syntax: tree::Syntax::Yaml, origin: Origin::Prose };
                self.text_of(&TextLook::at(around), &piece, None, 0);
            }
        }
    }

    /// Looks at the text of a piece for what no handoff should carry; its handoffs are those from `first` on.
    ///
    /// Without a tree it is prose, in which a redaction needs no quotes.
    fn text_of(&mut self, look: &TextLook<'_>, piece: &Piece<'_>, tree: Option<&Tree<'_>>, first: usize) {
        if look.is_clean() {
            return;
        }
        let place = |range: &std::ops::Range<usize>| {
            let source = look.view.source(range);
            Span::new(offset(source.start), offset(source.end)).shifted(piece.base)
        };
        let hits = look.secrets(&mut self.effort);
        let tree = tree.filter(|_| !hits.all.is_empty());
        let places = tree.map(|tree| secrets::Places::of(tree, &piece.text, piece.base)).unwrap_or_default();
        for hit in &hits.all {
            let secret = secrets::named(look, hit, piece.base);
            if !self.checker.is_allowed(&secret) {
                let redaction = secrets::redaction(&secret, &places, piece.base);
                self.report(document::secret::finding(&secret, redaction), &document::secret::RULE, first);
            }
            if self.levels.is_full(&self.findings) {
                break;
            }
        }
        if let Some(stopped) = hits.stopped {
            let finding = document::too_many::secrets(place(&(stopped..stopped)));
            self.report(finding, &document::secret::RULE, first);
        }
        let (told, stopped) = document::instruction::find(look, piece.syntax, &mut self.effort);
        for told in told {
            let text = &look.view.text[told.range.clone()];
            let finding = document::instruction::finding(&told, place(&told.range), text);
            self.report(finding, &document::instruction::RULE, first);
        }
        if let Some(stopped) = stopped {
            let finding = document::too_many::instructions(place(&(stopped..stopped)));
            self.report(finding, &document::instruction::RULE, first);
        }
        let hidden = if look.is_international() {
            document::hidden_unicode::find(&look.view.text, self.levels.findings_max())
        } else {
            Vec::new()
        };
        for range in hidden {
            let finding = document::hidden_unicode::finding(&look.view.text[range.clone()], place(&range));
            self.report(finding, &document::hidden_unicode::RULE, first);
            if self.levels.is_full(&self.findings) {
                break;
            }
        }
    }

    /// Reports a finding about the text of the handoffs from `first` on; it belongs to the one that it stands in.
    fn report(&mut self, mut finding: Finding, rule: &rules::Rule, first: usize) {
        let at = finding.span.map_or(0, |span| span.start);
        let after = self.handoffs[first..].partition_point(|handoff| handoff.span.start <= at);
        finding.handoff = (first < self.handoffs.len()).then(|| first + after.saturating_sub(1));
        self.levels.push(finding, rule.level, &mut self.findings);
    }

    /// Reports what could not be read.
    fn syntax(&mut self, findings: Vec<Finding>, handoff: Option<usize>) {
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
                    .edits(mend::renamed(tree, key, candidate.document, &root.text)),
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
        let mut duplicates = Vec::new();
        if candidate.around.is_none() {
            tree::report_duplicate_keys(tree, candidate.as_read, &checker.limits, &mut duplicates);
        }
        for mut finding in duplicates {
            finding.handoff = Some(number);
            self.levels.push(finding, document::duplicate_key::RULE.level, &mut self.findings);
        }
        if candidate.is_rootless
            && let Some(root) = &kind.root
        {
            let mut finding = document::root_missing::finding(
                tree.first_char(candidate.document),
                &root.text,
                &dialect.name,
            );
            finding.handoff = Some(number);
            self.levels.push(finding, document::root_missing::RULE.level, &mut self.findings);
        }
        self.around(tree, candidate, number);
        let mut slots = std::mem::take(&mut self.scratch.slots);
        if kind.is_open {
            slots.clear();
            slots.resize(kind.slots, Slot::default());
        } else {
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
        }
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
        let of_dialect = &checker.rules[candidate.dialect];
        for check in of_dialect {
            check(&mut case);
        }
        mend::doubt(tree, shared, &mut self.findings[mark..]);
        self.scratch.slots = slots;
        if candidate.is_later {
            self.forget_around(tree, candidate, mark);
        }
        self.handoffs.push(handoff);
    }
}
