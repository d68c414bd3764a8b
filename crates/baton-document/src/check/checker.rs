//! The checker of a project, and the whole way of one file through it.

use std::borrow::Cow;

use super::recognise::{Candidate, FoundHandoffs};
use super::run::{Run, Visit};
use crate::arena_value::Pool;
use crate::canonical::canonical;
use crate::carrier::Look;
use crate::datum::Datum;
use crate::dialect::{Dialect, DialectKind, Dialects, Settings, Unusable, UsersOwn};
use crate::finding::Finding;
use crate::handoff::EXTENSION;
use crate::rule::{Case, Check, Handoff, Levels, Rule, Slot};
use crate::rules::{self, document};
use crate::scan::{self, Effort};
use crate::secrets::{Hidden, KnownSecrets, Secret};
use crate::span::Span;
use crate::tree::{Limits, Spare, Symbol, Symbols, Tree, report_duplicate_keys};
use crate::world::{NoWorld, World};

/// Checks files; made once, used from every thread.
#[derive(Debug)]
pub struct Checker {
    pub(crate) dialects: Dialects,
    pub(crate) levels: Levels,
    pub(crate) limits: Limits,
    pub(crate) reserved: Symbol,
    /// Rules of each dialect of handoffs, in its order, phase by phase.
    pub(crate) rules: Vec<Vec<fn(&mut Case<'_>)>>,
    /// Names of keys and elements that wrap handoffs.
    pub(crate) roots: Vec<Symbol>,
    /// The same, as what most maps are told by to have none.
    pub(crate) root_symbols: Symbols,
    pub(crate) root_names: Vec<Box<str>>,
    /// The fingerprints of what is no secret after all.
    pub(crate) allowed: Vec<String>,
    /// Dialect files of users.
    pub(crate) users: UsersOwn,
}

/// A file to check, and how to read it.
#[derive(Clone, Copy, Debug)]
pub struct Input<'i> {
    /// Its path from the root, with `/`; none for text without one.
    pub path: Option<&'i str>,
    /// Its bytes.
    pub bytes: &'i [u8],
    /// The dialect to read it as, whatever it looks like.
    pub dialect: Option<&'i str>,
    /// True if prose in it is looked at.
    pub look: Look,
    /// True if it was asked for by name, so that finding nothing in it is worth saying.
    pub is_named: bool,
}

/// Memory that is used again from file to file.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) spare: Spare,
    pub(super) slots: Vec<Slot>,
    pub(super) found: FoundHandoffs,
    pub(crate) pool: Pool,
}

/// Result of checking one file.
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
    /// That all of the text was looked at and has no secret, as far as it was decoded.
    pub looked: Option<Looked>,
}

/// Coverage of the search in a text without secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked {
    /// As its receiver gets it.
    Decoded,
    /// As it is written; what is written as escapes was not seen.
    Written,
}

impl Checked<'_> {
    /// The result for a file of which nothing was looked at.
    fn unread(findings: Vec<Finding>) -> Self {
        Self { text: None, handoffs: Vec::new(), findings, hidden: Vec::new(), looked: None }
    }

    /// Tells whether all of the text was looked at and has no secret; `false` says nothing.
    pub fn has_no_secret(&self) -> bool {
        match (self.looked, self.text) {
            (Some(Looked::Decoded), _) => true,
            (Some(Looked::Written), Some(text)) => !scan::is_coded(text),
            (Some(Looked::Written), None) | (None, _) => false,
        }
    }
}

impl Checker {
    /// Makes a checker of the built-in dialects.
    pub fn new(settings: &Settings, levels: Levels, limits: Limits) -> Self {
        Self::of(Dialects::built_in(settings), UsersOwn::new(settings), levels, limits)
    }

    pub(crate) fn of(dialects: Dialects, users: UsersOwn, levels: Levels, limits: Limits) -> Self {
        let reserved = dialects.keys.symbol(EXTENSION);
        let of = |dialect: &Dialect| {
            let prefix = format!("{}/", dialect.name);
            let is_own = |rule: &&Rule| rule.id.starts_with(&prefix) || rule.id.starts_with("document/");
            let own: Vec<Check> = rules::all().filter(is_own).map(|rule| rule.check).collect();
            let in_turn = |turn| own.iter().filter_map(move |check| check.in_turn(turn));
            (0..Check::TURNS).flat_map(in_turn).collect()
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
            root_symbols: names.iter().fold(Symbols::default(), |all, (symbol, _)| all.with(*symbol)),
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
    pub(super) fn unusable_at(&self, path: &str) -> Option<&Unusable> {
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
        Checked::unread(findings)
    }

    /// Checks a file.
    pub fn check<'i>(&self, input: Input<'i>, world: &dyn World, scratch: &mut Scratch) -> Checked<'i> {
        self.check_showing(input, world, scratch, None)
    }

    /// Checks a file and shows its handoffs, as they are read, to a visitor.
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
        let Run { handoffs, mut findings, clean: looked, known, .. } = run;
        // The order of the text; several findings at one place stay as they came.
        // What speaks of all of them comes last.
        let is_last =
            |finding: &Finding| finding.rule == document::too_many::RULE.id && finding.span.is_none();
        findings.sort_by_key(|finding| (is_last(finding), finding.span.map_or(0, |span| span.start)));
        self.hiding(Checked { text, handoffs, findings, hidden: Vec::new(), looked }, known, levels)
    }

    /// Takes the secrets of a file out of what was found in it, wherever in the file they stand.
    pub(crate) fn hiding<'i>(
        &self,
        mut checked: Checked<'i>,
        known: KnownSecrets,
        levels: &Levels,
    ) -> Checked<'i> {
        if let Some(text) = checked.text.filter(|_| !checked.findings.is_empty()) {
            let hidden = Hidden::of(text, levels.findings_max(), known, |secret| self.is_allowed(secret));
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

    pub(super) fn is_allowed(&self, secret: &Secret) -> bool {
        secret.is_among(&self.allowed)
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
        self.visit_wholly(input, scratch, &mut form)?;
        Some(forms)
    }

    /// Shows every handoff in a file; gives its text, or nothing where something could not be read, or where a key
    /// stands twice: one of the two would be missing without a word.
    pub(crate) fn visit_wholly<'i>(
        &self,
        input: Input<'i>,
        scratch: &mut Scratch,
        visit: Visit<'_>,
    ) -> Option<&'i str> {
        let mut twice = Vec::new();
        let mut look = |tree: &Tree<'_>, candidate: &Candidate| {
            // What stands around several was looked at with the first of them.
            if !candidate.is_later {
                let whole = candidate.around.unwrap_or(candidate.as_read);
                report_duplicate_keys(tree, whole, &self.limits, &mut twice);
            }
            visit(tree, candidate);
        };
        let text = self.visit(input, scratch, &mut look)?;
        twice.is_empty().then_some(text)
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
            clean: None,
            is_all_handoff: placed.is_some(),
            effort: Effort::for_file(levels.findings_max()),
            known: KnownSecrets::default(),
            visit: None,
            shown: None,
        }
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.dialects.handoffs.iter().position(|dialect| &*dialect.name == name)
    }

    pub(crate) fn levels_for(&self, path: Option<&str>) -> Cow<'_, Levels> {
        match path {
            Some(path) if !self.levels.is_same_everywhere() => Cow::Owned(self.levels.for_path(path)),
            Some(_) | None => Cow::Borrowed(&self.levels),
        }
    }
}
