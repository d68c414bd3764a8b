//! One document, from text to findings, beside what reads the same bytes and does less.

use std::path::Path;

use anyhow::Result;

use super::figures::{Figures, Limit, median, range};
use super::page::Page;
use crate::cargo;

/// Starts of the program: a hash seed per process moves some contenders.
const STARTS: usize = 5;

/// Two contenders and what holds between them.
struct Pair {
    what: &'static str,
    /// The figure above the line.
    over: &'static str,
    /// The figure below it.
    under: &'static str,
    limit: Limit,
}

const PAIRS: &[Pair] = &[
    Pair {
        what: "JSON: documents per second, times those of the `jsonschema` crate (parse text known to be UTF-8, \
               and ask yes or no)",
        over: "jsonschema",
        under: "baton json",
        limit: Limit::AtLeast(2.0),
    },
    Pair {
        what: "JSON: documents per second, times those of the `jsonschema` crate (parse text known to be UTF-8, \
               and validate to the first error)",
        over: "jsonschema, first error",
        under: "baton json",
        limit: Limit::AtLeast(2.0),
    },
    Pair {
        what: "JSON: documents per second, times those of the `jsonschema` crate (parse the bytes of a file, and ask \
               for the errors, as Baton does)",
        over: "jsonschema from bytes, with errors",
        under: "baton json",
        limit: Limit::AtLeast(2.0),
    },
    Pair {
        what: "JSON: documents per second, times those of typed `serde_json` (parse only)",
        over: "serde_json typed",
        under: "baton json",
        limit: Limit::AtLeast(0.7),
    },
    Pair {
        what: "YAML: time, times that of the bare events of the same parser",
        over: "baton yaml",
        under: "yaml events",
        limit: Limit::AtMost(1.3),
    },
    Pair {
        what: "XML: time, times that of the bare tokens of the same parser",
        over: "baton xml",
        under: "xml tokens",
        limit: Limit::AtMost(2.5),
    },
    Pair {
        what: "JSON without the look for secrets: documents per second, times those of the `jsonschema` crate (text, \
               yes or no)",
        over: "jsonschema",
        under: "baton json, no look for secrets",
        limit: Limit::AtLeast(2.0),
    },
    Pair {
        what: "JSON without the look for secrets: documents per second, times those of typed `serde_json`",
        over: "serde_json typed",
        under: "baton json, no look for secrets",
        limit: Limit::AtLeast(0.7),
    },
    Pair {
        what: "YAML without the look for secrets: time, times that of the bare events",
        over: "baton yaml, no look for secrets",
        under: "yaml events",
        limit: Limit::AtMost(1.3),
    },
    Pair {
        what: "XML without the look for secrets: time, times that of the bare tokens",
        over: "baton xml, no look for secrets",
        under: "xml tokens",
        limit: Limit::AtMost(2.5),
    },
];

/// Runs the contenders and adds their section.
pub(super) fn measure(_: &Path, page: &mut Page) -> Result<()> {
    page.section(
        "One document",
        &format!(
            "An envelope of about 1.1 KB in JSON, a package in YAML and a handoff in XML, each from text to findings with\n\
             every rule on that needs no other file. The contenders run in turn and each keeps its best time. The program is\n\
             started {STARTS} times, because a hash seed per process moves `jsonschema`: the ratio is the median over the starts,\n\
             its range stands beside it."
        ),
    );
    let runs: Vec<Figures> = (0..STARTS).map(|_| once()).collect::<Result<_>>()?;
    let mut rows = Vec::new();
    for pair in PAIRS {
        let ratios: Vec<f64> =
            runs.iter().map(|run| run.ratio(pair.over, pair.under)).collect::<Result<_>>()?;
        let ((low, high), middle) = (range(&ratios), median(&ratios));
        let holds = page.holds(pair.what, middle, pair.limit);
        rows.push(vec![
            pair.what.to_owned(),
            format!("{middle:.2}"),
            format!("{low:.2} – {high:.2}"),
            pair.limit.to_string(),
            holds,
        ]);
    }
    page.table(&["what", "ratio", "range", "limit", "holds"], &rows);
    let mut rows = Vec::new();
    for name in PAIRS.iter().flat_map(|pair| [pair.under, pair.over]) {
        let nanos: Vec<f64> = runs.iter().map(|run| run.nanos(name)).collect::<Result<_>>()?;
        let row = vec![name.to_owned(), format!("{:.2}", median(&nanos) / 1000.0)];
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    page.table(&["contender", "µs per document"], &rows);
    Ok(())
}

fn once() -> Result<Figures> {
    Figures::read(&cargo::output(
        "contenders",
        &["bench", "--package", "baton-document", "--bench", "check"],
    )?)
}
