//! `document/misplaced`: a file whose name says another thing than the document in it.

use crate::dialect::Place;
use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "document/misplaced",
    level: Some(Level::Error),
    page: include_str!("misplaced.md"),
    check: Check::Handoff(check),
};

/// Compares the path of a file with the one its dialect composes from the document.
fn check(case: &mut Case<'_>) {
    let Some(path) = case.path() else { return };
    let places = case.dialect.places.iter().filter(|place| place.matches(path).is_some());
    // What the document leaves out may be anything: that it is missing is another rule's affair.
    let value = |name: &str| case.kind.slot(name).is_some().then(|| case.text(name)).filter(Option::is_some);
    let expected: Vec<_> = places.filter_map(|place| Some((place, place.expected(value)?))).collect();
    if expected.is_empty() || expected.iter().any(|(_, expected)| expected.fits(path)) {
        return;
    }
    // The most specific place says what the name should be.
    let Some((place, expected)) = expected.iter().max_by_key(|(place, _)| place.text.len()) else { return };
    let span = case.value(culprit(case, place, path)).map_or_else(|| case.head(), |value| value.span());
    let depth = expected.shown.split('/').count();
    let parts: Vec<&str> = path.rsplit('/').take(depth).collect();
    let found: Vec<&str> = parts.into_iter().rev().collect();
    let finding = case
        .finding(&RULE, "the file's name does not agree with the document")
        .at(span)
        .label("the file is called otherwise")
        .found(found.join("/"))
        .expected(&expected.shown)
        .help("rename the file, or correct the fields it is named after");
    case.report(&RULE, finding);
}

/// The field that alone explains the name, else the first one that the path does not contain.
fn culprit<'p>(case: &Case<'_>, place: &'p Place, path: &str) -> &'p str {
    let is_field = |name: &str| case.kind.slot(name).is_some() && case.text(name).is_some();
    let names = || place.captures().filter(|name| is_field(name));
    let is_alone = |free: &str| {
        let value = |name: &str| (name != free && is_field(name)).then(|| case.text(name));
        place.expected(value).is_some_and(|expected| expected.fits(path))
    };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_said = |name: &str| {
        case.text(name).is_some_and(|text| {
            path[folder.len()..].contains(text) || folder.split('/').any(|part| part == text)
        })
    };
    names()
        .find(|name| is_alone(name))
        .or_else(|| names().find(|name| !is_said(name)))
        .or_else(|| names().next())
        .unwrap_or_default()
}
