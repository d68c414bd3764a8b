//! `github`: workflow commands, which GitHub Actions shows as annotations on the changed lines.
//!
//! Invariant: nothing in a document can start a command of its own, because line ends are escaped.

use std::io::{self, Write};

use super::{FileReport, Report, ReportOptions, Summary, wording};
use crate::finding::{Finding, Level};
use crate::span::LineIndex;

/// Makes the report.
pub(super) fn make(_options: &ReportOptions) -> Box<dyn Report> {
    Box::new(Github)
}

struct Github;

impl Report for Github {
    fn start(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn Write) -> io::Result<()> {
        if file.checked.findings.is_empty() {
            return Ok(());
        }
        let index = file.checked.text.map(LineIndex::new);
        for finding in &file.checked.findings {
            annotate(file.path, finding, index.as_ref(), out)?;
        }
        Ok(())
    }

    fn failure(&mut self, path: &str, message: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "::error file={},title=unreadable::{}", property(path), data(message))
    }

    fn finish(&mut self, _summary: &Summary, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

fn annotate(
    path: &str,
    finding: &Finding,
    index: Option<&LineIndex<'_>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "::{} file={}", command(finding.level), property(path))?;
    if let Some((index, span)) = index.zip(finding.span) {
        let place = index.placed(span);
        write!(out, ",line={},col={}", place.start.line, place.start.column)?;
        write!(out, ",endLine={},endColumn={}", place.end.line, place.end.column)?;
    }
    writeln!(out, ",title={}::{}", property(&finding.rule), data(&wording::lines(finding)))
}

fn command(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "notice",
    }
}

fn data(text: &str) -> String {
    wording::safe(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
