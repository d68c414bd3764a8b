//! `junit`: a suite per file and a case per finding, for dashboards that show tests.
//!
//! A finding that blocks is a failed case; any other is a case that passed and says something.

use std::borrow::Cow;
use std::io::{self, Write};

use super::{FileReport, Report, ReportOptions, Summary, wording};
use crate::finding::{Finding, Level};
use crate::span::LineIndex;

/// Makes the report.
pub(super) fn make(options: &ReportOptions) -> Box<dyn Report> {
    Box::new(Junit { blocks: options.blocks })
}

struct Junit {
    blocks: Level,
}

impl Report for Junit {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"baton check\">")
    }

    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn Write) -> io::Result<()> {
        let findings = &file.checked.findings;
        let path = escaped(file.path);
        let failures = findings.iter().filter(|finding| finding.level >= self.blocks).count();
        let tests = findings.len().max(1);
        writeln!(
            out,
            "  <testsuite name=\"{path}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
        )?;
        if findings.is_empty() {
            let handoffs = wording::counted(file.checked.handoffs.len(), "handoff");
            writeln!(out, "    <testcase classname=\"{path}\" name=\"{handoffs}\"/>")?;
        } else {
            let index = file.checked.text.map(LineIndex::new);
            for finding in findings {
                self.case(file.path, finding, index.as_ref(), out)?;
            }
        }
        writeln!(out, "  </testsuite>")
    }

    fn failure(&mut self, path: &str, message: &str, out: &mut dyn Write) -> io::Result<()> {
        let (path, message) = (escaped(path), escaped(message));
        writeln!(
            out,
            "  <testsuite name=\"{path}\" tests=\"1\" failures=\"0\" errors=\"1\">\n    \
             <testcase classname=\"{path}\" name=\"readable\">\n      \
             <error message=\"{message}\"/>\n    </testcase>\n  </testsuite>"
        )
    }

    fn finish(&mut self, _summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "</testsuites>")
    }
}

impl Junit {
    fn case(
        &self,
        path: &str,
        finding: &Finding,
        index: Option<&LineIndex<'_>>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let place = index.zip(finding.span).map(|(index, span)| index.place(span.start));
        let at = place.map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
        let line = place.map(|place| format!(" line=\"{}\"", place.line)).unwrap_or_default();
        let (name, file, level) = (escaped(&finding.rule), escaped(path), finding.level.word());
        let (message, lines) = (escaped(&finding.message), wording::lines(finding));
        let body = format!("{path}{at}: {level}: {lines}");
        let body = escaped(&body);
        writeln!(out, "    <testcase classname=\"{file}\" name=\"{name}\" file=\"{file}\"{line}>")?;
        if finding.level >= self.blocks {
            writeln!(out, "      <failure type=\"{level}\" message=\"{message}\">{body}</failure>")?;
        } else {
            writeln!(out, "      <system-out>{body}</system-out>")?;
        }
        writeln!(out, "    </testcase>")
    }
}

/// Text as XML may hold it: markup escaped, characters that XML does not know replaced.
fn escaped(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !matches!(c, '<' | '>' | '&' | '"' | '\'') && is_xml(c);
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut into = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '&' => into.push_str("&amp;"),
            '"' => into.push_str("&quot;"),
            '\'' => into.push_str("&apos;"),
            _ if is_xml(c) => into.push(c),
            _ => into.push(char::REPLACEMENT_CHARACTER),
        }
    }
    Cow::Owned(into)
}

fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}
