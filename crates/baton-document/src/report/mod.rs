//! Reports: what was found, as people and programs read it. One file per report, one row in the table here.
//!
//! Invariant: every report is written file by file; memory grows with the rules in use, never with the files.

mod github;
mod json;
mod jsonl;
mod junit;
mod sarif;
mod text;
mod wording;

use std::io::{self, Write};

use crate::check::{Checked, Checker};
use crate::finding::Level;

/// A report that can be asked for by name.
#[derive(Clone, Copy, Debug)]
pub struct ReportForm {
    /// The name, as `--format` takes it.
    pub name: &'static str,
    /// Its purpose, in a few words.
    pub about: &'static str,
    /// Makes one.
    pub make: fn(&ReportOptions) -> Box<dyn Report>,
}

/// Every report, the usual one first.
pub static REPORTS: &[ReportForm] = &[
    ReportForm {
        name: "text",
        about: "for people: the source line, and what would be right",
        make: text::make,
    },
    ReportForm { name: "json", about: "one JSON object", make: json::make },
    ReportForm {
        name: "jsonl",
        about: "one JSON object per finding and line, a summary last",
        make: jsonl::make,
    },
    ReportForm { name: "sarif", about: "SARIF 2.1.0, for code scanning", make: sarif::make },
    ReportForm {
        name: "github",
        about: "annotations on a pull request in GitHub Actions",
        make: github::make,
    },
    ReportForm { name: "junit", about: "JUnit XML, for test dashboards", make: junit::make },
];

/// Options for where a report will be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportOptions {
    /// True if to colour what people read.
    pub colour: Colour,
    /// The columns that people see.
    pub width: usize,
    /// The lowest level that blocks.
    pub blocks: Level,
}

/// True if text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// With the escape codes of a terminal.
    Coloured,
    /// As plain text.
    Plain,
}

/// One file and what came of checking it.
#[derive(Clone, Copy, Debug)]
pub struct FileReport<'r> {
    /// Its path, relative to the working directory, with `/`.
    pub path: &'r str,
    /// Its result.
    pub checked: &'r Checked<'r>,
    /// The checker, which knows dialects and kinds by name.
    pub checker: &'r Checker,
}

/// The figures of a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// Files that were read as handoffs or named.
    pub files: usize,
    /// Handoffs in them.
    pub handoffs: usize,
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Infos.
    pub infos: usize,
}

impl Summary {
    /// Counts one more file.
    pub fn add(&mut self, checked: &Checked<'_>) {
        self.files += 1;
        self.handoffs += checked.handoffs.len();
        for finding in &checked.findings {
            match finding.level {
                Level::Error => self.errors += 1,
                Level::Warning => self.warnings += 1,
                Level::Info => self.infos += 1,
            }
        }
    }
}

/// A way to write findings; files come in the order of their paths, from any thread.
pub trait Report: Send {
    /// Writes what stands before the first file.
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()>;
    /// Writes one file.
    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn Write) -> io::Result<()>;
    /// Takes a file that could not be read.
    fn failure(&mut self, path: &str, message: &str, out: &mut dyn Write) -> io::Result<()>;
    /// Writes what stands after the last file.
    fn finish(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()>;
}
