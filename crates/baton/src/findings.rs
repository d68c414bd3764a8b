//! Findings on the error stream, as `check` prints them: for commands that were asked for something else.

use baton_document::report::{Colour, FileReport, REPORTS, ReportOptions};
use baton_document::{Checked, Checker, Level};
use baton_engine::service::project::fault::FileFindings;

use baton_engine::service::Fault;

/// Prints what was found in a file.
pub(crate) fn print(path: &str, checked: &Checked<'_>, checker: &Checker) -> Result<(), Fault> {
    let options = ReportOptions { colour: Colour::Plain, width: 140, blocks: Level::Error };
    let Some(form) = REPORTS.first() else { return Err(Fault::failed("there is no report for people")) };
    let mut out = std::io::stderr().lock();
    Ok((form.make)(&options).file(&FileReport { path, checked, checker }, &mut out)?)
}

/// Prints the findings that block a file of the project, as far as anyone reads them.
pub(crate) fn print_file(findings: &FileFindings) {
    let _ = print(&findings.path, &findings.checked(), &findings.checker);
}
