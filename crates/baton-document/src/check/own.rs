//! Checks files of Baton itself – `baton.toml`, dialect files – through the same shapes as handoffs.

use super::mend::Style;
use super::shape::Walk;
use super::{Checked, Checker, Input, recognise};
use crate::carrier;
use crate::dialect::{self, Dialect, DialectFile, Dialects, Keys, Match, Unusable, UsersOwn};
use crate::finding::{Finding, Level};
use crate::flow::Flow;
use crate::rules::{self, document};
use crate::secrets::Known;
use crate::span::{BOM, Span, offset};
use crate::tree::{self, Block, NodeId, Spare, Tree};
use crate::world::{NoWorld, World};

/// The form of dialect files.
const DIALECT: &str = "dialect";

/// The form of flow files.
const FLOW: &str = "flow";

/// The names that all dialects together may have for keys: their numbers are small.
const KEYS_MAX: usize = 60_000;

impl Checker {
    /// Checks a file of Baton itself, by the name of its form.
    pub fn check_own<'i>(
        &self,
        form: &str,
        path: Option<&str>,
        text: &'i str,
        world: &dyn World,
    ) -> Checked<'i> {
        let mut checked = Checked {
            text: Some(text),
            handoffs: Vec::new(),
            findings: Vec::new(),
            hidden: Vec::new(),
            looked: None,
        };
        let form = self.dialects.own.iter().find(|one| &*one.name == form);
        if let Some(form) = form {
            checked.findings = self.own_findings(form, path, text, world);
        }
        self.hiding(checked, Known::default(), &self.levels)
    }

    /// The form of Baton's own files that lie at a path.
    pub(super) fn own_form(&self, path: Option<&str>) -> Option<&Dialect> {
        let path = path?;
        let is_here = |place: &dialect::Place| place.matches(path) == Some(Match::Whole);
        let placed = self.dialects.own.iter().find(|form| form.places.iter().any(is_here));
        placed
            .or_else(|| self.users.paths.iter().find(|own| ***own == *path).and_then(|_| self.definitions()))
    }

    /// The form of Baton's own files that a file is held against.
    pub(super) fn form_of(&self, input: Input<'_>, text: &str) -> Option<&Dialect> {
        // A folder `flows` may hold files of other programs, which are nobody's business unless they are named.
        let is_meant = |form: &&Dialect| &*form.name != FLOW || input.is_named || has_key(text, "steps:");
        match self.own_form(input.path) {
            Some(form) => Some(form).filter(is_meant),
            None => self.named_form(input, text),
        }
    }

    /// The form of dialect files or of flows, for a file that was named and reads like one.
    fn named_form(&self, input: Input<'_>, text: &str) -> Option<&Dialect> {
        let is_asked = input.is_named && input.dialect.is_none();
        let path = input.path.filter(|_| is_asked)?;
        let form = if self.looks_like(path, text, ["dialect:", "kinds:"]) {
            DIALECT
        } else if self.looks_like(path, text, ["flow:", "steps:"]) {
            FLOW
        } else {
            return None;
        };
        self.dialects.own.iter().find(|one| &*one.name == form)
    }

    fn definitions(&self) -> Option<&Dialect> {
        self.dialects.own.iter().find(|form| &*form.name == DIALECT)
    }

    /// Whether a file reads like one of Baton's own; most are told apart without reading them.
    fn looks_like(&self, path: &str, text: &str, keys: [&str; 2]) -> bool {
        let is_yaml = path.ends_with(".yaml") || path.ends_with(".yml");
        if !is_yaml || !keys.into_iter().all(|key| has_key(text, key)) || self.is_placed(path) {
            return false;
        }
        let Some(piece) = carrier::whole(Some(path), text) else { return false };
        let block = Block { text: &piece.text, base: piece.base, syntax: piece.syntax };
        let keys = &self.dialects.keys;
        let tree = tree::parse(block, keys, &self.limits, Spare::default(), &mut Vec::new());
        tree.roots().next().is_some_and(|root| recognise::is_own(self, &tree, root, Some(path)))
    }

    fn own_findings(
        &self,
        form: &Dialect,
        path: Option<&str>,
        text: &str,
        world: &dyn World,
    ) -> Vec<Finding> {
        let levels = self.levels_for(path);
        let (mut findings, mut raw) = (Vec::new(), Vec::new());
        let tree = self.own_tree(form, text, &mut raw);
        if let Some(root) = tree.roots().next() {
            self.own_shape(form, &tree, root, &levels, &mut findings);
            let mut of_config = Vec::new();
            rules::config::check(self, form, &tree, root, &mut of_config);
            unsaid(&findings, &mut of_config);
            raw.extend(of_config);
            match &*form.name {
                DIALECT => self.definition(&tree, path, text, &findings, &mut raw),
                FLOW => self.flow(&tree, root, text, world, &findings, &mut raw),
                _ => {}
            }
        } else if &*form.name == FLOW && raw.is_empty() {
            raw.push(rules::flow::bad_value::empty());
        }
        for finding in raw {
            let own = rules::all().find(|rule| rule.id == finding.rule).and_then(|rule| rule.level);
            levels.push(finding, own.or(Some(Level::Error)), &mut findings);
        }
        for finding in &mut findings {
            finding.handoff = None;
            // A run would not do what such a key says, so it blocks unless the settings say otherwise.
            let is_unknown = finding.rule == document::unknown_key::RULE.id && &*form.name == FLOW;
            if is_unknown && levels.level(&finding.rule, None).is_none() {
                finding.level = Level::Error;
            }
        }
        findings.sort_by_key(|finding| finding.span.map_or(0, |span| span.start));
        findings
    }

    /// Reads a file of Baton itself.
    fn own_tree<'t>(&'t self, form: &Dialect, text: &'t str, raw: &mut Vec<Finding>) -> Tree<'t> {
        let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let block = Block { text: &text[start..], base: offset(start), syntax: form.syntaxes[0] };
        let tree = tree::parse(block, &self.dialects.keys, &self.limits, Spare::default(), raw);
        for root in tree.roots() {
            tree::report_duplicate_keys(&tree, root, &self.limits, raw);
        }
        tree
    }

    fn own_shape(
        &self,
        form: &Dialect,
        tree: &Tree<'_>,
        document: NodeId,
        levels: &super::Levels,
        out: &mut Vec<Finding>,
    ) {
        let Some(kind) = form.kinds.first() else { return };
        let (dialect, reserved, world) = (form, self.reserved, &NoWorld);
        let slots = &mut Vec::new();
        Walk {
            tree,
            dialect,
            kind,
            world,
            levels,
            reserved,
            slots,
            out,
            handoff: 0,
            document,
            looks: 0,
            counted: None,
            style: Style::Block,
        }
        .run(None);
    }

    /// What the shape of a dialect file cannot say: whether it can be used, and whether its examples are right.
    fn definition(
        &self,
        tree: &Tree<'_>,
        path: Option<&str>,
        text: &str,
        shape: &[Finding],
        raw: &mut Vec<Finding>,
    ) {
        let mut found = Vec::new();
        let made = dialect::compile(tree, &self.users.settings, &mut Keys::default(), &mut found);
        unsaid(shape, &mut found);
        let conflict = self.users.conflicts.iter().find(|(of, _)| Some(&**of) == path);
        found.extend(conflict.map(|(_, finding)| finding.clone()));
        let is_usable = !shape.iter().chain(&found).any(|finding| finding.level == Level::Error);
        if let Some(made) = made.filter(|_| is_usable) {
            self.examples(&made, tree, text, &mut found);
        }
        raw.extend(found);
    }

    /// What the shape of a flow file cannot say: whether it would run, and to its end.
    fn flow(
        &self,
        tree: &Tree<'_>,
        root: NodeId,
        text: &str,
        world: &dyn World,
        shape: &[Finding],
        raw: &mut Vec<Finding>,
    ) {
        let mut found = Vec::new();
        let flow = Flow::of(tree, root, &mut found);
        unsaid(shape, &mut found);
        if let Some(flow) = flow {
            rules::flow::check(self, &flow, text, world, &mut found);
        }
        raw.extend(found);
    }

    /// Reads users' dialect files; what cannot be used is noted, and the rest is asked before the built-in ones.
    pub(super) fn with_files(
        self,
        files: &[DialectFile<'_>],
        users: &mut UsersOwn,
    ) -> (Dialects, super::Levels) {
        let judged: Vec<Vec<Finding>> = files.iter().map(|file| self.judged(file)).collect();
        let Self { mut dialects, levels, .. } = self;
        let mut made: Vec<(Box<str>, Dialect)> = Vec::new();
        for (count, (file, mut findings)) in files.iter().zip(judged).enumerate() {
            let path: Box<str> = file.path.into();
            users.paths.push(path.clone());
            if count >= DialectFile::COUNT_MAX {
                let message = format!("a project has at most {} dialect files", DialectFile::COUNT_MAX);
                let finding = rules::dialect::impossible::finding(Span::at(0), message);
                users.conflicts.push((path.clone(), finding.clone()));
                findings.push(finding);
            }
            let mut compiled = None;
            if count < DialectFile::COUNT_MAX && file.text.len() <= DialectFile::BYTES_MAX {
                let mut found = Vec::new();
                compiled = dialect::read(file.text, &users.settings, dialects.keys.to_mut(), &mut found);
                unsaid(&findings, &mut found);
                findings.extend(found);
            }
            if let Some(made_here) = &compiled {
                let conflict = dialect::refused(&made_here.name, name_span_of(file.text), &made);
                users.conflicts.extend(conflict.clone().map(|finding| (path.clone(), finding)));
                findings.extend(conflict);
            }
            if dialects.keys.count() > KEYS_MAX {
                let message = format!("all dialects together have more than {KEYS_MAX} different keys");
                findings.push(rules::dialect::impossible::finding(Span::at(0), message));
            }
            findings.retain(|finding| finding.level == Level::Error);
            match compiled {
                Some(compiled) if findings.is_empty() => made.push((path, compiled)),
                compiled => {
                    let (name, places) = compiled.map(|one| (one.name, one.places)).unzip();
                    let places = places.unwrap_or_default();
                    users.unusable.push(Unusable { path, name, places, findings });
                }
            }
        }
        dialects.users = made.len();
        let own = made.into_iter().map(|(_, dialect)| dialect);
        dialects.handoffs = own.chain(std::mem::take(&mut dialects.handoffs)).collect();
        (dialects, levels)
    }

    /// What the form of dialect files finds in one, at the levels that Baton gives.
    fn judged(&self, file: &DialectFile<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        if file.text.len() > DialectFile::BYTES_MAX {
            let bytes_max = DialectFile::BYTES_MAX as u64;
            return vec![document::too_large::file(file.text.len() as u64, bytes_max)];
        }
        let Some(form) = self.definitions() else { return findings };
        let tree = self.own_tree(form, file.text, &mut findings);
        match tree.roots().next() {
            Some(root) => self.own_shape(form, &tree, root, &super::Levels::default(), &mut findings),
            None => findings.push(document::empty::finding(Span::at(0), DIALECT)),
        }
        findings
    }
}

/// Whether a line of a text begins with a key.
fn has_key(text: &str, key: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), key).any(|at| {
        let before = text[..at].trim_end_matches(BOM);
        before.is_empty() || before.ends_with('\n')
    })
}

/// Leaves out what the shape found at the same place already.
fn unsaid(shape: &[Finding], found: &mut Vec<Finding>) {
    let is_error = |finding: &&Finding| finding.level == Level::Error;
    let starts: Vec<u32> =
        shape.iter().filter(is_error).filter_map(|finding| Some(finding.span?.start)).collect();
    found.retain(|finding| !finding.span.is_some_and(|span| starts.contains(&span.start)));
}

/// Where the name of a dialect stands.
fn name_span(tree: &Tree<'_>, root: NodeId) -> Span {
    tree.span(tree.find(root, DIALECT).unwrap_or(root))
}

fn name_span_of(text: &str) -> Span {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let block = Block { text: &text[start..], base: offset(start), syntax: tree::Syntax::Yaml };
    let limits = tree::Limits::default();
    let tree = tree::parse(block, Keys::none(), &limits, Spare::default(), &mut Vec::new());
    tree.roots().next().map_or(Span::at(0), |root| name_span(&tree, root))
}
