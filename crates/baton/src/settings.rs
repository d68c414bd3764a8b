//! Whether the settings of a project can be relied on.
//!
//! What `baton.toml` says badly is left at its usual value (`config.rs`), and who may answer a gate is usually anybody: so
//! whoever acts refuses by such settings, and whoever only reads says so and goes on.
//!
//! The levels that a project gives to rules are for its handoffs. They excuse nothing here.

use baton_document::carrier::Look;
use baton_document::{Checked, Checker, Finding, Input, Level, Levels, LineIndex, Scratch};

use crate::dialects::{self, Source};
use crate::outcome::Failure;
use crate::project::Project;
use crate::read::{self, Content};
use crate::root::CONFIG_NAME;
use crate::{findings, say};

/// The rule about keys that mean nothing.
const UNKNOWN_KEY: &str = "document/unknown-key";

/// What is said of settings with errors.
const UNRELIABLE: &str = "baton.toml cannot be relied on";

/// Refuses settings with errors, for whoever acts by them.
pub(crate) fn must_hold(project: &Project) -> Result<(), Failure> {
    judged(project, |checker, checked| {
        if checked.findings.iter().any(is_error) {
            findings::print(CONFIG_NAME, checked, checker)?;
            return Err(Failure::Blocked {
                message: format!("{UNRELIABLE}, and what is not said there counts as never said"),
                hint: Some("mend it; `baton check baton.toml` says when it holds".to_owned()),
            });
        }
        tell_unknown(checked);
        Ok(())
    })
    .map_err(|why| Failure::world(format!("{UNRELIABLE}: {why}")))?
    .unwrap_or(Ok(()))
}

/// Says what is wrong with settings, for whoever only reads.
pub(crate) fn warn(project: &Project) {
    let told = judged(project, |_, checked| {
        let errors = checked.findings.iter().filter(|finding| is_error(finding));
        if let Some(first) = errors.clone().next() {
            let (place, message) = (place(checked, first), &first.message);
            let count = errors.count();
            let more = if count > 1 { format!(", and {} more errors", count - 1) } else { String::new() };
            say::warning(&format!("{UNRELIABLE}: {place}{message}{more}; nothing is done by it until then"));
        }
        tell_unknown(checked);
    });
    if let Err(why) = told {
        say::warning(&format!("{UNRELIABLE}: {why}"));
    }
}

/// Says which keys are in vain.
fn tell_unknown(checked: &Checked<'_>) {
    for finding in checked.findings.iter().filter(|one| one.rule == UNKNOWN_KEY && !is_error(one)) {
        let key = finding.found.as_deref().unwrap_or_default();
        let place = place(checked, finding);
        say::warning(&format!(
            "{CONFIG_NAME}:{place}`{key}` is no setting that is known here, and does nothing"
        ));
    }
}

fn place(checked: &Checked<'_>, finding: &Finding) -> String {
    let place = checked.text.zip(finding.span).map(|(text, span)| LineIndex::new(text).place(span.start));
    place.map(|place| format!("{}:{}: ", place.line, place.column)).unwrap_or_default()
}

fn is_error(finding: &Finding) -> bool {
    finding.level == Level::Error
}

/// Judges the settings of a project, if it has any; says why they cannot be read.
fn judged<T>(project: &Project, then: impl FnOnce(&Checker, &Checked<'_>) -> T) -> Result<Option<T>, String> {
    let Some(path) = &project.config_path else { return Ok(None) };
    let usual = project.config.has_levels.then(|| usual(project));
    let checker = usual.as_ref().unwrap_or(&project.checker);
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
    Ok(Some(then(checker, &checked)))
}

/// A checker that goes by the usual levels.
fn usual(project: &Project) -> Checker {
    let config = &project.config;
    let sources = dialects::open(&project.root, config.dialect_files.as_deref());
    let files: Vec<_> = sources.files.iter().map(Source::file).collect();
    Checker::with_dialects(&config.settings, Levels::default(), config.limits, &files)
}
