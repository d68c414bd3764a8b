//! What a check finds in one text, as lines that tests compare: level, rule, line and column.

use std::sync::LazyLock;

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::{
    Checker, Finding, Input, Level, LevelSet, Levels, Limits, LineIndex, MemoryWorld, NoWorld, Scratch, World,
};

/// The checker that is not configured, made once.
static USUAL: LazyLock<Checker> = LazyLock::new(|| checker(&[]));

fn checker(levels: &[(&str, Option<Level>)]) -> Checker {
    let rules = levels.iter().map(|(rule, level)| ((*rule).to_owned(), *level)).collect();
    let levels = Levels::new(vec![LevelSet { paths: Vec::new(), rules }]);
    Checker::new(&Settings::default(), levels, Limits::default())
}

/// A text to check, and what stands around it.
#[derive(Default)]
pub(crate) struct Text<'t> {
    pub(crate) dialect: Option<&'t str>,
    pub(crate) path: Option<&'t str>,
    pub(crate) beside: &'t [(&'t str, &'t str)],
    pub(crate) levels: &'t [(&'t str, Option<Level>)],
}

impl Text<'_> {
    /// The findings in a text.
    pub(crate) fn findings(&self, text: &str) -> Vec<Finding> {
        let world = files(self.beside);
        let input = Input {
            path: self.path,
            bytes: text.as_bytes(),
            dialect: self.dialect,
            look: Look::Prose,
            is_named: true,
        };
        let check = |checker: &Checker| checker.check(input, &world, &mut Scratch::default()).findings;
        if self.levels.is_empty() { check(&USUAL) } else { check(&checker(self.levels)) }
    }

    /// The findings in a text, one line each: `error manifest/legacy 1:1`.
    pub(crate) fn found(&self, text: &str) -> Vec<String> {
        lines(&self.findings(text), text)
    }
}

/// Findings as lines: `error manifest/legacy 1:1`.
fn lines(findings: &[Finding], text: &str) -> Vec<String> {
    let index = LineIndex::new(text);
    let line = |finding: &Finding| {
        let place = finding.span.map(|span| index.place(span.start));
        let place = place.map_or("-".to_owned(), |place| format!("{}:{}", place.line, place.column));
        format!("{} {} {place}", finding.level.word(), finding.rule)
    };
    findings.iter().map(line).collect()
}

/// Checks a document without files around it; gives a line for each finding.
pub(crate) fn said(path: Option<&str>, dialect: &str, text: &str) -> Vec<String> {
    said_in(&NoWorld, path, dialect, text)
}

/// Checks a document among files; gives a line for each finding.
pub(crate) fn said_in(world: &dyn World, path: Option<&str>, dialect: &str, text: &str) -> Vec<String> {
    lines(&findings(world, path, dialect, text), text)
}

/// Checks a document among files; its dialect is forced where it has no path.
pub(crate) fn findings(world: &dyn World, path: Option<&str>, dialect: &str, text: &str) -> Vec<Finding> {
    let dialect = Some(dialect).filter(|_| path.is_none());
    let input = Input { path, bytes: text.as_bytes(), dialect, look: Look::Prose, is_named: true };
    USUAL.check(input, world, &mut Scratch::default()).findings
}

/// The dialect and kind of each handoff that is recognised in a text.
pub(crate) fn kinds(path: &str, text: &str) -> Vec<String> {
    let input =
        Input { path: Some(path), bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true };
    let checked = USUAL.check(input, &NoWorld, &mut Scratch::default());
    let name = |handoff| format!("{}/{}", USUAL.dialect_of(handoff).name, USUAL.kind_of(handoff).name);
    checked.handoffs.iter().map(name).collect()
}

/// Files that are only in memory.
pub(crate) fn files(files: &[(&str, &str)]) -> MemoryWorld {
    let mut world = MemoryWorld::default();
    for (path, text) in files {
        world.insert(*path, *text);
    }
    world
}
