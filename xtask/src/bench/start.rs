//! A whole process for one file, beside a process that does nothing.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;

use super::figures::{Limit, median};
use super::page::Page;
use super::{ROOT, process};

/// How often each program is started.
const STARTS: usize = 300;

/// How many times as long as the process that does nothing one file may take.
const RATIO_MAX: Limit = Limit::AtMost(10.0);

/// A handoff of each dialect.
const FILES: &[(&str, &str)] = &[
    ("envelope (JSON)", "examples/.runs/loans-1/build/handoffs/implement-author.json"),
    ("exchange (JSON Lines, counts tokens)", "examples/exchange/loan-limit.jsonl"),
    ("manifest (YAML, reads the files around it)", "examples/meta/handoff.yaml"),
    ("package (YAML)", "examples/.project/07-audit/sessions/2026-03/handoffs/HO-001.yaml"),
    ("pipeline (XML)", "examples/pipeline/41-prepared.xml"),
];

/// Starts the programs in turn and adds their section.
pub(super) fn measure(program: &Path, page: &mut Page) -> Result<()> {
    page.section(
        "One file, whole process",
        &format!(
            "`baton check FILE` and `/bin/true`, started in turn {STARTS} times: the median time of each, and how many times as long\n\
             as the process that does nothing. The limit is 10 ms where `/bin/true` takes 1 ms."
        ),
    );
    let mut nothing = Vec::new();
    let mut ours: Vec<Vec<f64>> = vec![Vec::new(); FILES.len()];
    for _ in 0..STARTS {
        nothing.push(process::seconds(&mut Command::new("/bin/true"))?);
        for (times, (_, file)) in ours.iter_mut().zip(FILES) {
            let mut command = Command::new(program);
            command.args(["check", file]).current_dir(ROOT).stdout(Stdio::null());
            times.push(process::seconds(&mut command)?);
        }
    }
    let nothing = median(&nothing);
    let mut rows =
        vec![vec!["`/bin/true`".to_owned(), millis(nothing), "1.00".into(), String::new(), String::new()]];
    for (times, (name, _)) in ours.iter().zip(FILES) {
        let time = median(times);
        let holds = page.holds(name, time / nothing, RATIO_MAX);
        rows.push(vec![
            (*name).to_owned(),
            millis(time),
            format!("{:.2}", time / nothing),
            RATIO_MAX.to_string(),
            holds,
        ]);
    }
    page.table(&["what", "ms", "ratio", "limit", "holds"], &rows);
    Ok(())
}

fn millis(seconds: f64) -> String {
    format!("{:.2}", seconds * 1000.0)
}
