//! `json`: one object with every file, its handoffs and its findings.
//!
//! Invariant: the form is a contract with scripts; it may grow and never changes its meaning.

use std::io::{self, Write};

use serde::Serialize;

use super::{FileReport, Report, ReportOptions, Summary};
use crate::check::Checked;
use crate::finding::{Finding, Fix, Level};
use crate::span::{LineIndex, PlacedSpan, Span};

const VERSION: u32 = 1;

/// Makes the report.
pub(super) fn make(_options: &ReportOptions) -> Box<dyn Report> {
    Box::new(Json::default())
}

#[derive(Default)]
struct Json {
    has_files: bool,
    failures: Vec<FailureValue>,
}

impl Report for Json {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"version\":{VERSION},\n\"files\":[")
    }

    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.has_files { b",\n" } else { b"\n" })?;
        self.has_files = true;
        let places = Places::new(file.checked);
        let value = FileValue {
            path: file.path,
            handoffs: handoffs(file, &places),
            findings: file.checked.findings.iter().map(|finding| places.finding(finding)).collect(),
        };
        serde_json::to_writer(out, &value).map_err(io::Error::from)
    }

    fn failure(&mut self, path: &str, message: &str, _out: &mut dyn Write) -> io::Result<()> {
        self.failures.push(FailureValue { path: path.to_owned(), message: message.to_owned() });
        Ok(())
    }

    fn finish(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"],\n\"failures\":")?;
        serde_json::to_writer(&mut *out, &self.failures)?;
        out.write_all(b",\n\"summary\":")?;
        serde_json::to_writer(&mut *out, summary)?;
        out.write_all(b"}\n")
    }
}

fn handoffs<'r>(file: &FileReport<'r>, places: &Places<'_>) -> Vec<HandoffValue<'r>> {
    let value = |handoff| HandoffValue {
        dialect: &file.checker.dialect_of(handoff).name,
        kind: &file.checker.kind_of(handoff).name,
        span: places.place(handoff.span),
    };
    file.checked.handoffs.iter().map(value).collect()
}

#[derive(Serialize)]
struct FileValue<'f> {
    path: &'f str,
    handoffs: Vec<HandoffValue<'f>>,
    findings: Vec<FindingValue<'f>>,
}

#[derive(Serialize)]
struct HandoffValue<'f> {
    dialect: &'f str,
    kind: &'f str,
    span: Option<PlacedSpan>,
}

/// A finding as scripts read it.
#[derive(Serialize)]
pub(super) struct FindingValue<'f> {
    rule: &'f str,
    level: Level,
    message: &'f str,
    found: Option<&'f str>,
    expected: Option<&'f str>,
    help: Option<&'f str>,
    handoff: Option<usize>,
    span: Option<PlacedSpan>,
    related: Vec<RelatedValue<'f>>,
    fix: Option<FixValue<'f>>,
}

#[derive(Serialize)]
struct RelatedValue<'f> {
    span: Option<PlacedSpan>,
    message: &'f str,
}

#[derive(Serialize)]
struct FixValue<'f> {
    safe: bool,
    edits: Vec<EditValue<'f>>,
}

#[derive(Serialize)]
struct EditValue<'f> {
    span: Option<PlacedSpan>,
    text: &'f str,
}

/// A file that could not be read.
#[derive(Serialize)]
pub(super) struct FailureValue {
    pub(super) path: String,
    pub(super) message: String,
}

/// Turns the spans of one file into places; a file that is no text has none.
pub(super) struct Places<'t> {
    index: Option<LineIndex<'t>>,
}

impl<'t> Places<'t> {
    pub(super) fn new(checked: &Checked<'t>) -> Self {
        Self { index: checked.text.map(LineIndex::new) }
    }

    pub(super) fn place(&self, span: Span) -> Option<PlacedSpan> {
        self.index.as_ref().map(|index| index.placed(span))
    }

    pub(super) fn finding<'f>(&self, finding: &'f Finding) -> FindingValue<'f> {
        let related = |one: &'f crate::finding::Related| RelatedValue {
            span: self.place(one.span),
            message: &one.message,
        };
        FindingValue {
            rule: &finding.rule,
            level: finding.level,
            message: &finding.message,
            found: finding.found.as_deref(),
            expected: finding.expected.as_deref(),
            help: finding.help.as_deref(),
            handoff: finding.handoff,
            span: finding.span.and_then(|span| self.place(span)),
            related: finding.related.iter().map(related).collect(),
            fix: finding.fix.as_ref().map(|fix| self.fix(fix)),
        }
    }

    fn fix<'f>(&self, fix: &'f Fix) -> FixValue<'f> {
        let edit =
            |edit: &'f crate::finding::Edit| EditValue { span: self.place(edit.span), text: &edit.text };
        FixValue { safe: fix.safe, edits: fix.edits.iter().map(edit).collect() }
    }
}
