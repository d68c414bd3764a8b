//! `jsonl`: one finding per line, as it is found, and the summary on the last line.

use std::io::{self, Write};

use serde::Serialize;

use super::json::{FailureValue, FindingValue, Places};
use super::{FileReport, Report, ReportOptions, Summary};

/// Makes the report.
pub(super) fn make(_options: &ReportOptions) -> Box<dyn Report> {
    Box::new(JsonLines::default())
}

#[derive(Default)]
struct JsonLines {
    failures: Vec<FailureValue>,
}

#[derive(Serialize)]
struct FindingLine<'f> {
    path: &'f str,
    #[serde(flatten)]
    finding: FindingValue<'f>,
}

#[derive(Serialize)]
struct LastLine<'f> {
    #[serde(flatten)]
    summary: &'f Summary,
    failures: &'f [FailureValue],
}

impl Report for JsonLines {
    fn start(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn Write) -> io::Result<()> {
        if file.checked.findings.is_empty() {
            return Ok(());
        }
        let places = Places::new(file.checked);
        for finding in &file.checked.findings {
            line(&FindingLine { path: file.path, finding: places.finding(finding) }, out)?;
        }
        Ok(())
    }

    fn failure(&mut self, path: &str, message: &str, _out: &mut dyn Write) -> io::Result<()> {
        self.failures.push(FailureValue { path: path.to_owned(), message: message.to_owned() });
        Ok(())
    }

    fn finish(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        line(&LastLine { summary, failures: &self.failures }, out)
    }
}

fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}
