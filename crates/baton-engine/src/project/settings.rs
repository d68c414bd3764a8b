//! Errors and unknown keys in a project's `baton.toml`.
//!
//! A bad setting keeps its default (`config.rs`), and the default for gates lets anyone answer: so commands that change state
//! refuse to run while `baton.toml` has errors, and commands that read warn.
//!
//! *Invariant:* the levels that a project gives to rules are for its handoffs and excuse nothing here.

use std::sync::Arc;

use baton_document::carrier::Look;
use baton_document::{Checker, Finding, Input, Level, Levels, LineColumn, LineIndex, Scratch};

use crate::project::dialects::{self, Source};
use crate::project::fault::{Diagnostic, Fault, FileFindings, Result, Severity};
use crate::project::loaded::Project;
use crate::project::read::{self, Content};
use crate::project::root::CONFIG_NAME;

/// The rule about keys that mean nothing.
const UNKNOWN_KEY: &str = "document/unknown-key";

/// What is said of settings with errors.
const UNRELIABLE: &str = "baton.toml cannot be relied on";

/// Refuses settings with errors, for a command that changes state; gives the warnings of settings without.
pub fn must_hold(project: &Project) -> Result<Vec<Diagnostic>> {
    let found = found(project).map_err(|why| Fault::failed(format!("{UNRELIABLE}: {why}")))?;
    let Some(found) = found else { return Ok(Vec::new()) };
    if found.findings.iter().any(is_error) {
        return Err(Fault::blocked(
            format!("{UNRELIABLE}, and what is not said there counts as never said"),
            Some("mend it; `baton check baton.toml` says when it holds".to_owned()),
            found,
        ));
    }
    Ok(unknown(&found).collect())
}

/// Warnings about settings, for a command that only reads.
pub fn warnings(project: &Project) -> Vec<Diagnostic> {
    match found(project) {
        Ok(None) => Vec::new(),
        Ok(Some(found)) => errors(&found).into_iter().chain(unknown(&found)).collect(),
        Err(why) => vec![Diagnostic::new(Severity::Warning, format!("{UNRELIABLE}: {why}"))],
    }
}

fn errors(found: &FileFindings) -> Option<Diagnostic> {
    let errors = found.findings.iter().filter(|finding| is_error(finding));
    let first = errors.clone().next()?;
    let (place, message) = (place(found, first), &first.message);
    let count = errors.count();
    let more = if count > 1 { format!(", and {} more errors", count - 1) } else { String::new() };
    let at = shown(place);
    let message = format!("{UNRELIABLE}: {at}{message}{more}; nothing is done by it until then");
    Some(Diagnostic::new(Severity::Warning, message).about(CONFIG_NAME, place))
}

/// Warnings about the keys that have no effect.
fn unknown(found: &FileFindings) -> impl Iterator<Item = Diagnostic> {
    let unknown = found.findings.iter().filter(|one| one.rule == UNKNOWN_KEY && !is_error(one));
    unknown.map(|finding| {
        let key = finding.found.as_deref().unwrap_or_default();
        let place = place(found, finding);
        let at = shown(place);
        let message = format!("{CONFIG_NAME}:{at}`{key}` is no setting that is known here, and does nothing");
        Diagnostic::new(Severity::Warning, message).about(CONFIG_NAME, place)
    })
}

fn place(found: &FileFindings, finding: &Finding) -> Option<LineColumn> {
    let text = found.text.as_deref().zip(finding.span);
    text.map(|(text, span)| LineIndex::new(text).place(span.start))
}

fn shown(place: Option<LineColumn>) -> String {
    place.map(|place| format!("{}:{}: ", place.line, place.column)).unwrap_or_default()
}

fn is_error(finding: &Finding) -> bool {
    finding.level == Level::Error
}

/// The findings in the settings of a project that has some; an error says why they cannot be read.
fn found(project: &Project) -> std::result::Result<Option<FileFindings>, String> {
    let Some(path) = &project.config_path else { return Ok(None) };
    let checker = if project.config.has_levels { &Arc::new(usual(project)) } else { &project.checker };
    let content = read::below(&project.root, path, checker.limits().own_bytes)
        .map_err(|why| format!("cannot read it: {why}"))?;
    let mut scratch = Scratch::default();
    let mut checked = match &content {
        Content::Bytes(bytes) => {
            let path = Some(CONFIG_NAME);
            let input = Input { path, bytes, dialect: None, look: Look::Whole, is_named: true };
            checker.check(input, &project.world, &mut scratch)
        }
        Content::TooLarge(bytes) => checker.refuse_size(Some(CONFIG_NAME), *bytes),
    };
    for finding in checked.findings.iter_mut().filter(|finding| finding.rule == UNKNOWN_KEY) {
        // A key that is nearly another was meant to be that one, and would be without effect.
        finding.level = if finding.expected.is_some() { Level::Error } else { Level::Warning };
    }
    Ok(Some(FileFindings::new(CONFIG_NAME, checked, checker)))
}

/// A checker that goes by the usual levels.
fn usual(project: &Project) -> Checker {
    let config = &project.config;
    let sources = dialects::open(&project.root, config.dialect_files.as_deref());
    let files: Vec<_> = sources.files.iter().map(Source::file).collect();
    Checker::with_dialects(&config.settings, Levels::default(), config.limits, &files)
}
