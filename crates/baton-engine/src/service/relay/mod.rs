//! The shuttle: the newest response of a discussion becomes the manifest of a handoff, and what its receiver is told.
//!
//! Follow one: `discussion.rs` finds the newest response and reads its head → `names.rs` says who is meant → `changed.rs`
//! which files changed → [`generate`] makes the manifest and has it checked → `prompt.rs` tells the receiver → `send.rs`
//! brings it there. `reply.rs` begins the answer.
//!
//! Cannot: make anything up. What nobody says is missing, and the check says so.

mod changed;
pub(crate) mod discussion;
pub(crate) mod names;
pub(crate) mod prompt;
pub(crate) mod receiver;
pub(crate) mod reply;
pub(crate) mod send;
mod side;

use baton_document::carrier::Look;
use baton_document::report::{Colour, FileReport, REPORTS, ReportOptions, Summary};
use baton_document::{Checked, Datum, Input, Level, Scratch, yaml};
use baton_kernel::{Digest, Millis};
use baton_ledger::digest;
use serde_json::Value;

use crate::project::Project;
use crate::project::fault::Fault;
use crate::service::moment;
use discussion::Head;
use names::{Participants, slug};

/// A manifest that was generated, and what it was made from.
#[derive(Debug)]
pub(crate) struct Generated {
    /// The manifest.
    pub(crate) manifest: Datum<'static>,
    /// The same as it is written.
    pub(crate) text: String,
    /// Names what it hands over: two that hand over the same have the same.
    pub(crate) name: Digest,
    /// How the work stands, in the word of the response.
    pub(crate) status: Option<String>,
    /// What is worth knowing about how it was made.
    pub(crate) notes: Vec<String>,
}

impl Generated {
    /// A word of the manifest.
    pub(crate) fn word(&self, key: &str) -> &str {
        self.manifest.word_at(key).unwrap_or_default()
    }

    /// The words of a list in the manifest.
    pub(crate) fn words(&self, key: &str) -> impl Iterator<Item = &str> {
        side::items(&self.manifest, key).iter().filter_map(Datum::as_text)
    }
}

/// Makes the manifest of the newest response; `to` is a receiver that was typed.
pub(crate) fn generate(project: &Project, to: Option<&str>, now: Millis) -> Result<Generated, Fault> {
    let newest = discussion::newest(project)?;
    let (file, path) = (&newest.file, newest.file.path());
    let head = Head::read(&path, &newest.text);
    let participants = Participants::read(&project.world);
    let mut notes = Vec::new();
    if !newest.twins.is_empty() {
        let twins: Vec<&str> = newest.twins.iter().map(|twin| twin.name.as_str()).collect();
        let (number, name, twins) = (file.number, &file.name, twins.join(", "));
        notes
            .push(format!("several responses have the number {number:03}: {name} is taken, and not {twins}"));
    }
    if head.is_broken {
        notes.push(format!(
            "the front matter of {path} cannot be read whole; `baton check {path}` may say why"
        ));
    }
    let from = head.from.as_deref().and_then(|name| participants.id(name));
    let to = match to {
        Some(typed) => Some(participants.typed(typed)),
        None => head.to.as_deref().and_then(|name| participants.id(name)),
    };
    let files = head.files.unwrap_or_else(|| {
        let (files, more) = changed::files(project, &newest);
        if more > 0 {
            notes.push(format!("{more} more files changed than a manifest names"));
        }
        files
    });
    let branch = from.as_deref().zip(to.as_deref());
    let branch = branch.map(|(from, to)| format!("handoff/{}-{}-to-{}", file.number, slug(from), slug(to)));
    // Not what git says of the files around it: whoever mends something and sends again, sends the same.
    let who = [from.as_deref(), to.as_deref()].map(Option::unwrap_or_default);
    let named = [&path, who[0], who[1], &newest.text].join("\n");
    let text = |text: String| Datum::text(text);
    let list = |items: &[String]| Datum::List(items.iter().cloned().map(text).collect());
    let entries = [
        ("version", Some(Datum::Number("1".into()))),
        ("source_file", Some(text(path))),
        ("generated_at", Some(text(moment::day(now)))),
        ("from", from.map(text)),
        ("to", to.map(text)),
        ("branch", branch.map(text)),
        ("work_queue_items", Some(list(&head.items))),
        ("files_changed", Some(list(&files))),
        ("status", Some(Datum::text("pending"))),
        ("sent_at", Some(Datum::Null)),
        ("session_key", Some(Datum::Null)),
    ];
    let entries = entries.into_iter().filter_map(|(key, value)| Some((key.into(), value?)));
    let manifest = Datum::Map(entries.collect());
    let text = yaml(&manifest);
    let (name, status) = (digest(named.as_bytes()), head.status);
    Ok(Generated { manifest, text, name, status, notes })
}

/// A manifest as a value, as far as it can be read.
pub(crate) fn document(text: &str) -> Datum<'static> {
    side::value(text).0.unwrap_or(Datum::Null)
}

/// A manifest that was checked.
pub(crate) struct Validated {
    /// Whether nothing blocks.
    pub(crate) is_valid: bool,
    /// The findings, as `baton check --format json` lists them.
    pub(crate) findings: Value,
    /// The findings as text, where one is worth showing.
    pub(crate) text: Option<String>,
}

/// Checks a manifest.
pub(crate) fn validate(project: &Project, (path, bytes): (&str, &[u8])) -> Result<Validated, Fault> {
    let dialect = Some("manifest");
    let input = Input { path: Some(path), bytes, dialect, look: Look::Whole, is_named: true };
    let mut scratch = Scratch::default();
    let checked = project.checker.check(input, &project.world, &mut scratch);
    let is_valid =
        checked.handoffs.len() == 1 && checked.findings.iter().all(|finding| finding.level != Level::Error);
    let worth = checked.findings.iter().any(|finding| finding.level >= Level::Warning);
    let text = if worth { Some(report(project, path, &checked, "text")?) } else { None };
    let json = report(project, path, &checked, "json")?;
    let json: Value = serde_json::from_str(&json).unwrap_or_default();
    let findings = json["files"][0]["findings"].clone();
    Ok(Validated { is_valid, findings, text })
}

/// The findings of one file in a form of report.
fn report(project: &Project, path: &str, checked: &Checked<'_>, form: &str) -> Result<String, Fault> {
    let options = ReportOptions { colour: Colour::Plain, width: 140, blocks: Level::Error };
    let Some(form) = REPORTS.iter().find(|row| row.name == form) else { return Ok(String::new()) };
    let mut report = (form.make)(&options);
    let mut out = Vec::new();
    report.start(&mut out)?;
    report.file(&FileReport { path, checked, checker: &project.checker }, &mut out)?;
    if form.name == "json" {
        report.finish(&Summary::default(), &mut out)?;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}
