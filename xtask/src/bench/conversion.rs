//! A handoff into every other dialect, beside the time of checking it.

use std::path::Path;

use anyhow::Result;

use super::figures::{Figures, Limit};
use super::page::Page;
use crate::cargo;

const SOURCES: [&str; 3] = ["envelope", "package", "pipeline"];

const DIALECTS: [&str; 5] = ["manifest", "envelope", "exchange", "package", "pipeline"];

const LIMIT: Limit = Limit::AtMost(3.0);

/// Runs the conversions and adds their section.
pub(super) fn measure(_: &Path, page: &mut Page) -> Result<()> {
    page.section(
        "Conversion",
        "The same three documents, from text to the text of another dialect, what would not come back kept beside it:\n\
         times the time of checking the document. They run in turn and each keeps its best time.",
    );
    let figures = Figures::read(&cargo::output(
        "conversions",
        &["bench", "--package", "baton-document", "--bench", "convert"],
    )?)?;
    let mut rows = Vec::new();
    for from in SOURCES {
        let checked = format!("{from} checked");
        for to in DIALECTS.into_iter().filter(|to| *to != from) {
            let what = format!("{from} into {to}");
            let ratio = figures.ratio(&what, &checked)?;
            let holds = page.holds(&what, ratio, LIMIT);
            let micros = format!("{:.1}", figures.nanos(&what)? / 1000.0);
            rows.push(vec![what, micros, format!("{ratio:.2}"), LIMIT.to_string(), holds]);
        }
    }
    page.table(&["what", "µs", "times a check", "limit", "holds"], &rows);
    Ok(())
}
