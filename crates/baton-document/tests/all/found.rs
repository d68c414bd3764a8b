//! What a check finds in one text, as lines that tests compare: level, rule, line and column.

use std::sync::LazyLock;

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::{
    Checker, Finding, Input, Level, LevelSet, Levels, Limits, LineIndex, MemoryWorld, Scratch,
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
        let mut world = MemoryWorld::default();
        for (path, text) in self.beside {
            world.insert(*path, *text);
        }
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
        let index = LineIndex::new(text);
        let line = |finding: &Finding| {
            let place = finding.span.map(|span| index.place(span.start));
            let place = place.map_or("-".to_owned(), |place| format!("{}:{}", place.line, place.column));
            format!("{} {} {place}", finding.level.word(), finding.rule)
        };
        self.findings(text).iter().map(line).collect()
    }
}
