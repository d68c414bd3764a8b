//! Checks files of Baton itself through the same shapes as handoffs.

use super::defaults::compile;
use super::request_gap::request_gap;
use crate::check::{CONFIG, Checked, Checker, DIALECT, FLOW, Walk};
use crate::dialect::Dialect;
use crate::edits::Style;
use crate::finding::{Finding, Level};
use crate::flow::{self, Flow, StepSpec};
use crate::page;
use crate::rule::Levels;
use crate::rules::{self, document};
use crate::secrets::KnownSecrets;
use crate::span::{BOM, offset};
use crate::tree::{self, Block, Keys, NodeId, Spare, Tree};
use crate::world::{NoWorld, World};

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
        self.hiding(checked, KnownSecrets::default(), &self.levels)
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
            if &*form.name == CONFIG {
                rules::config::check(&self.dialects, &|| page::names(self), &tree, root, &mut of_config);
            }
            unsaid(&findings, &mut of_config);
            raw.extend(of_config);
            match &*form.name {
                DIALECT => self.definition(&tree, path, text, &findings, &mut raw),
                FLOW => self.flow(&tree, root, text, world, &findings, &mut raw),
                _ => {}
            }
        } else if &*form.name == FLOW && raw.is_empty() {
            raw.push(flow::findings::empty());
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
    pub(super) fn own_tree<'t>(&'t self, form: &Dialect, text: &'t str, raw: &mut Vec<Finding>) -> Tree<'t> {
        let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let block = Block { text: &text[start..], base: offset(start), syntax: form.syntaxes[0] };
        let tree = tree::parse(block, &self.dialects.keys, &self.limits, Spare::default(), raw);
        for root in tree.roots() {
            tree::report_duplicate_keys(&tree, root, &self.limits, raw);
        }
        tree
    }

    pub(super) fn own_shape(
        &self,
        form: &Dialect,
        tree: &Tree<'_>,
        document: NodeId,
        levels: &Levels,
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

    /// Checks a dialect file beyond its shape: it compiles, and its examples are right.
    fn definition(
        &self,
        tree: &Tree<'_>,
        path: Option<&str>,
        text: &str,
        shape: &[Finding],
        raw: &mut Vec<Finding>,
    ) {
        let mut found = Vec::new();
        let made = compile(tree, &self.users.settings, &mut Keys::default(), &mut found);
        unsaid(shape, &mut found);
        let conflict = self.users.conflicts.iter().find(|(of, _)| Some(&**of) == path);
        found.extend(conflict.map(|(_, finding)| finding.clone()));
        let is_usable = !shape.iter().chain(&found).any(|finding| finding.level == Level::Error);
        if let Some(made) = made.filter(|_| is_usable) {
            self.examples(&made, tree, text, &mut found);
        }
        raw.extend(found);
    }

    /// Checks a flow file beyond its shape: it would run, and to its end.
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
            let gap = |step: &StepSpec, dialect: &str| request_gap(self, step, dialect);
            rules::flow::check(&self.dialects, &gap, &flow, text, world, &mut found);
        }
        raw.extend(found);
    }
}

/// Leaves out what the shape found at the same place already.
pub(super) fn unsaid(shape: &[Finding], found: &mut Vec<Finding>) {
    let is_error = |finding: &&Finding| finding.level == Level::Error;
    let starts: Vec<u32> =
        shape.iter().filter(is_error).filter_map(|finding| Some(finding.span?.start)).collect();
    found.retain(|finding| !finding.span.is_some_and(|span| starts.contains(&span.start)));
}
