//! Checks files of Baton itself, such as `baton.toml`, through the same shapes as handoffs.

use super::mend::Style;
use super::shape::Walk;
use super::{Checked, Checker};
use crate::dialect::{Dialect, Match};
use crate::finding::{Finding, Level};
use crate::rules;
use crate::span::{BOM, offset};
use crate::tree::{self, Block, NodeId, Spare, Tree};
use crate::world::NoWorld;

impl Checker {
    /// Checks a file of Baton itself, by the name of its form.
    pub fn check_own<'i>(&self, form: &str, path: Option<&str>, text: &'i str) -> Checked<'i> {
        let mut checked =
            Checked { text: Some(text), handoffs: Vec::new(), findings: Vec::new(), hidden: Vec::new() };
        let form = self.dialects.own.iter().find(|one| &*one.name == form);
        if let Some(form) = form {
            checked.findings = self.own_findings(form, path, text);
        }
        self.hiding(checked)
    }

    /// The form of Baton's own files that lie at a path.
    pub(super) fn own_form(&self, path: Option<&str>) -> Option<&Dialect> {
        let is_here = |place: &crate::dialect::Place| {
            path.is_some_and(|path| place.matches(path) == Some(Match::Whole))
        };
        self.dialects.own.iter().find(|form| form.places.iter().any(is_here))
    }

    fn own_findings(&self, form: &Dialect, path: Option<&str>, text: &str) -> Vec<Finding> {
        let levels = self.levels_for(path);
        let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let block = Block { text: &text[start..], base: offset(start), syntax: form.syntaxes[0] };
        let mut raw = Vec::new();
        let tree = tree::parse(block, &self.dialects.keys, &self.limits, Spare::default(), &mut raw);
        let mut findings = Vec::new();
        if let Some(root) = tree.roots().next() {
            self.own_shape(form, &tree, root, &levels, &mut findings);
            rules::config::check(self, form, &tree, root, &mut raw);
        }
        for finding in raw {
            let own = rules::all().find(|rule| rule.id == finding.rule).and_then(|rule| rule.level);
            levels.push(finding, own.or(Some(Level::Error)), &mut findings);
        }
        for finding in &mut findings {
            finding.handoff = None;
        }
        findings.sort_by_key(|finding| finding.span.map_or(0, |span| span.start));
        findings
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
}
