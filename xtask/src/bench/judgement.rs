//! How well wording is judged, and what that costs: the labelled lines of the wording crate, and a check with the
//! rules of wording on and off.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use super::figures::{Figures, Limit};
use super::page::Page;
use crate::cargo;

/// The title of the section, by which it is found in the page.
pub(super) const TITLE: &str = "Judgement of wording";

/// The least F1 of a rule in a language and a set.
const F1: Limit = Limit::AtLeast(0.95);

/// How many times as long a check may take with the rules on.
const COST: Limit = Limit::AtMost(1.3);

/// The documents that are checked with the rules on and off.
const DOCUMENTS: [&str; 4] = ["package", "package of a long summary alone", "exchange", "envelope"];

/// The test that prints its figures.
const TEST: &str = "labelled_lines_are_judged_as_people_judge_them";

/// Judges the labelled lines, times the rules, and adds the section.
pub(super) fn measure(_: &Path, page: &mut Page) -> Result<()> {
    page.section(
        TITLE,
        "Each rule of wording on lines that people labelled, in English and French, by set: how many of its findings are\n\
         right (precision), how many of the lines that it should find it finds (recall), and both in one figure (F1). On\n\
         the sets called `held` no rule was tuned: `all held` is what they say together, since each of them alone has few\n\
         lines. `all others` were used to mend the rules, and a test forces the limit on each of them; `rare` are stories\n\
         that are known to be missed. The lines and what the sets are stand in `crates/baton-wording/tests/labelled`.",
    );
    let output = cargo::output(
        "labelled lines",
        &["test", "--package", "baton-wording", "--test", "labelled", TEST, "--", "--nocapture"],
    )?;
    let rows: Vec<Vec<&str>> = output
        .lines()
        .filter_map(|line| line.strip_prefix("judged\t"))
        .map(|line| line.split('\t').collect())
        .collect();
    ensure!(!rows.is_empty(), "the test printed no figure");
    let mut table = Vec::new();
    for row in &rows {
        let f1: f64 = row.last().context("a line without figures")?.parse().context("F1 is no number")?;
        let name = row[..row.len().saturating_sub(4)].join(" ");
        let mut cells: Vec<String> = row.iter().map(|cell| (*cell).to_owned()).collect();
        cells.push(F1.to_string());
        cells.push(page.holds(&name, f1, F1));
        table.push(cells);
    }
    page.table(
        &["rule", "label", "language", "set", "lines", "precision", "recall", "F1", "limit", "holds"],
        &table,
    );
    page.words("The same document checked with these rules on and off, in turn, each at its best time:");
    let figures = Figures::read(&cargo::output(
        "documents, judged and not",
        &["bench", "--package", "baton-document", "--bench", "judgement"],
    )?)?;
    let mut rows = Vec::new();
    for name in DOCUMENTS {
        let (on, off) = (format!("{name} judged"), format!("{name} not judged"));
        let ratio = figures.ratio(&on, &off)?;
        let holds = page.holds(name, ratio, COST);
        let micros = |name: &str| figures.nanos(name).map(|nanos| format!("{:.2}", nanos / 1000.0));
        rows.push(vec![
            name.to_owned(),
            micros(&on)?,
            micros(&off)?,
            format!("{ratio:.2}"),
            COST.to_string(),
            holds,
        ]);
    }
    page.table(&["document", "µs judged", "µs not judged", "ratio", "limit", "holds"], &rows);
    Ok(())
}
