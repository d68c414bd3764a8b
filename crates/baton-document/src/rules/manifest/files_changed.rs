//! `manifest/files-changed`: a changed file whose path is not relative or leads upwards.

use crate::finding::Level;
use crate::rule::Case;
use crate::rule::{Check, Rule};
use crate::tree::Kind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "manifest/files-changed",
    level: Some(Level::Warning),
    page: include_str!("files_changed.md"),
    check: Check::Handoff(check),
};

fn check(case: &mut Case<'_>) {
    let Some(files) = case.value("files_changed") else { return };
    for file in files.items().filter(|file| file.kind() == Kind::Text) {
        let path = file.text().unwrap_or_default();
        let Some(why) = fault(path.trim()) else { continue };
        let finding = case
            .finding(&RULE, format!("an entry of `files_changed` {why}"))
            .at(file.span())
            .found(path)
            .expected("a path relative to the project root, without `..`")
            .help("write the path as git shows it, such as `src/main.rs`");
        case.report(&RULE, finding);
    }
}

/// Fault of a path that is not relative or leads out of the root, on any system.
fn fault(path: &str) -> Option<&'static str> {
    let mut bytes = path.bytes();
    let (first, second) = (bytes.next()?, bytes.next());
    if matches!(first, b'/' | b'\\') {
        Some("is an absolute path")
    } else if first.is_ascii_alphabetic() && second == Some(b':') {
        Some("starts at a drive")
    } else if first == b'~' && path.split(['/', '\\']).next().is_some_and(is_home) {
        Some("starts at a home folder")
    } else if path.split(['/', '\\']).any(|part| part == "..") {
        Some("leads upwards with `..`")
    } else {
        None
    }
}

/// Tells whether the first part of a path is what a shell makes a home folder of; `~$draft.docx` is a file.
fn is_home(part: &str) -> bool {
    part.chars().skip(1).all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}
