//! `package/artifacts-created`: a file that was created and that no artifact names.

use std::collections::BTreeMap;

use crate::finding::{Level, shortened};
use crate::rule::Case;
use crate::rule::{Check, Rule};
use crate::span::Span;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "package/artifacts-created",
    level: Some(Level::Warning),
    page: include_str!("artifacts_created.md"),
    check: Check::Asking { ahead, check },
};

/// The files that are named one by one; how many more there are is said in the last.
const FILES_MAX: usize = 20;

/// State of the workflow itself, which is no artifact.
const STATE: &str = "state/current.json";
const RECORDS: [&str; 2] = [".project/07-audit/", ".baton/"];

/// Path of the handoff, if it lists created artifacts and the rule is on.
fn asked<'c>(case: &Case<'c>) -> Option<&'c str> {
    let is_asked = case.is_on(&RULE) && case.kind() != "acknowledgment" && is_alone(case);
    case.path().filter(|_| is_asked)
}

fn ahead(case: &mut Case<'_>) {
    if let Some(path) = asked(case) {
        case.world().expect_created(path);
    }
}

fn check(case: &mut Case<'_>) {
    let Some(path) = asked(case) else { return };
    let Some(created) = case.world().created(path) else { return };
    let artifacts = case.value("context.artifacts");
    let paths = artifacts
        .into_iter()
        .flat_map(|artifacts| artifacts.items())
        .filter_map(|artifact| if artifact.text().is_some() { Some(artifact) } else { artifact.at("path") });
    let named: BTreeMap<&str, (&str, Span)> = paths
        .filter_map(|path| path.text().map(|text| (text.trim(), path.span())))
        .map(|(path, span)| (path.trim_start_matches("./").trim_end_matches('/'), (path, span)))
        .collect();
    let is_work = |file: &&String| {
        let is_handoff = case.dialect.places.iter().any(|place| place.matches(file).is_some());
        let is_record = file.as_str() == STATE || RECORDS.iter().any(|folder| file.starts_with(folder));
        *file != path && !is_handoff && !is_record && !named.contains_key(file.as_str())
    };
    let missing: Vec<&String> = created.iter().filter(is_work).collect();
    let place = ["context.artifacts", "context"].into_iter().find(|field| case.is_present(field));
    let span = place.map_or_else(|| case.head(), |field| case.key_span(field));
    for (at, file) in missing.iter().take(FILES_MAX).enumerate() {
        let more = missing.len() - FILES_MAX.min(missing.len());
        let is_last = at + 1 == FILES_MAX && more > 0;
        let rest = if is_last { format!(", and so were {more} more files") } else { String::new() };
        let name = shortened(file);
        let mut folders = file.rmatch_indices('/').map(|(end, _)| &file[..end]);
        let finding = match folders.find_map(|folder| named.get(folder)) {
            Some((folder, span)) => case
                .finding(&RULE, format!("`{name}` was created and only its folder is an artifact{rest}"))
                .at(*span)
                .label("a folder")
                .found(shortened(folder))
                .help("a folder stands for none of its files: each is named with its exact path"),
            None => case
                .finding(&RULE, format!("`{name}` was created and is in no artifact{rest}"))
                .at(span)
                .label("not named here")
                .found("no artifact with this path")
                .help("the path must be exact; git tells what was created since the handoff before"),
        };
        case.report(&RULE, finding.expected(format!("`path: {name}`")));
    }
}

/// Tells whether the handoff is a file of its own, so that all that was created is its affair.
fn is_alone(case: &Case<'_>) -> bool {
    let ending = case.path().and_then(|path| path.rsplit_once('.')).map(|(_, ending)| ending);
    let is_data = ending.is_some_and(|ending| ["yaml", "yml", "json"].contains(&ending));
    is_data && case.earlier().is_empty() && case.tree().roots().nth(1).is_none()
}
