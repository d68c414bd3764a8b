//! The dialect files of users, read into a checker.

use super::defaults::read_dialect;
use super::findings::unsaid;
use crate::check::{Checker, DIALECT};
use crate::dialect::{self, Dialect, DialectFile, Dialects, Settings, Unusable, UsersOwn};
use crate::finding::{Finding, Level};
use crate::rule::Levels;
use crate::rules::document;
use crate::span::{BOM, Span, offset};
use crate::tree::{self, Block, Keys, Limits, NodeId, Spare, Syntax, Tree};

/// The names that all dialects together may have for keys: their numbers are small.
const KEYS_MAX: usize = 60_000;

impl Checker {
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

    /// Reads users' dialect files; what cannot be used is noted, and the rest is asked before the built-in ones.
    fn with_files(self, files: &[DialectFile<'_>], users: &mut UsersOwn) -> (Dialects, Levels) {
        let judged: Vec<Vec<Finding>> = files.iter().map(|file| self.judged(file)).collect();
        let Self { mut dialects, levels, .. } = self;
        let mut made: Vec<(Box<str>, Dialect)> = Vec::new();
        for (count, (file, mut findings)) in files.iter().zip(judged).enumerate() {
            let path: Box<str> = file.path.into();
            users.paths.push(path.clone());
            if count >= DialectFile::COUNT_MAX {
                let message = format!("a project has at most {} dialect files", DialectFile::COUNT_MAX);
                let finding = dialect::findings::impossible(Span::at(0), message);
                users.conflicts.push((path.clone(), finding.clone()));
                findings.push(finding);
            }
            let mut compiled = None;
            if count < DialectFile::COUNT_MAX && file.text.len() <= DialectFile::BYTES_MAX {
                let mut found = Vec::new();
                compiled = read_dialect(file.text, &users.settings, dialects.keys.to_mut(), &mut found);
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
                findings.push(dialect::findings::impossible(Span::at(0), message));
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

    /// Checks the form of a dialect file, at the levels that Baton gives.
    fn judged(&self, file: &DialectFile<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        if file.text.len() > DialectFile::BYTES_MAX {
            let bytes_max = DialectFile::BYTES_MAX as u64;
            return vec![document::too_large::file(file.text.len() as u64, bytes_max)];
        }
        let Some(form) = self.definitions() else { return findings };
        let tree = self.own_tree(form, file.text, &mut findings);
        match tree.roots().next() {
            Some(root) => self.own_shape(form, &tree, root, &Levels::default(), &mut findings),
            None => findings.push(document::empty::finding(Span::at(0), DIALECT)),
        }
        findings
    }
}

/// Place of the name of a dialect.
fn name_span(tree: &Tree<'_>, root: NodeId) -> Span {
    tree.span(tree.find(root, DIALECT).unwrap_or(root))
}

fn name_span_of(text: &str) -> Span {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let block = Block { text: &text[start..], base: offset(start), syntax: Syntax::Yaml };
    let limits = Limits::default();
    let tree = tree::parse(block, Keys::none(), &limits, Spare::default(), &mut Vec::new());
    tree.roots().next().map_or(Span::at(0), |root| name_span(&tree, root))
}
