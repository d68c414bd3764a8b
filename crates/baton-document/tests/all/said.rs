//! What a check says of one document, in words that a table of cases can hold.

use std::sync::LazyLock;

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::{
    Checker, Finding, Input, Levels, Limits, LineIndex, MemoryWorld, NoWorld, Scratch, World,
};

static CHECKER: LazyLock<Checker> =
    LazyLock::new(|| Checker::new(&Settings::default(), Levels::default(), Limits::default()));

/// Checks a document without files around it; gives `level rule line:column` of each finding.
pub(crate) fn said(path: Option<&str>, dialect: &str, text: &str) -> Vec<String> {
    said_in(&NoWorld, path, dialect, text)
}

/// Checks a document among files; gives `level rule line:column` of each finding.
pub(crate) fn said_in(world: &dyn World, path: Option<&str>, dialect: &str, text: &str) -> Vec<String> {
    let index = LineIndex::new(text);
    let line = |finding: &Finding| {
        let place = index.place(finding.span.map_or(0, |span| span.start));
        format!("{} {} {}:{}", finding.level.word(), finding.rule, place.line, place.column)
    };
    findings(world, path, dialect, text).iter().map(line).collect()
}

/// Checks a document among files.
pub(crate) fn findings(world: &dyn World, path: Option<&str>, dialect: &str, text: &str) -> Vec<Finding> {
    let dialect = Some(dialect).filter(|_| path.is_none());
    let input = Input { path, bytes: text.as_bytes(), dialect, look: Look::Prose, is_named: true };
    CHECKER.check(input, world, &mut Scratch::default()).findings
}

/// The dialect and kind of each handoff that is recognised in a text.
pub(crate) fn kinds(path: &str, text: &str) -> Vec<String> {
    let input =
        Input { path: Some(path), bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true };
    let checked = CHECKER.check(input, &NoWorld, &mut Scratch::default());
    let name = |handoff| format!("{}/{}", CHECKER.dialect_of(handoff).name, CHECKER.kind_of(handoff).name);
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
