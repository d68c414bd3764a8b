//! A whole process for one file, beside a process that does nothing.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

use super::figures::{Limit, median};
use super::page::Page;
use super::{ROOT, process};

/// Starts of each program.
const STARTS: usize = 300;

/// Time of one file, as a multiple of the process that does nothing.
const RATIO_MAX: Limit = Limit::AtMost(10.0);

/// A handoff of each dialect.
const FILES: &[(&str, &str)] = &[
    ("envelope (JSON)", "examples/.runs/loans-1/build/handoffs/implement-author.json"),
    ("exchange (JSON Lines, counts tokens)", "examples/exchange/loan-limit.jsonl"),
    ("manifest (YAML, reads the files around it)", "examples/meta/handoff.yaml"),
    (
        "package (YAML, asks git which files were created)",
        "examples/.project/07-audit/sessions/2026-03/handoffs/HO-001.yaml",
    ),
    ("pipeline (XML)", "examples/pipeline/41-prepared.xml"),
];

/// Other program that checks the same envelope against its schema, where installed.
struct Peer {
    program: &'static str,
    /// Its arguments before the schema, and between the schema and the file.
    arguments: [&'static [&'static str]; 2],
}

const PEERS: &[Peer] = &[
    Peer { program: "check-jsonschema", arguments: [&["--schemafile"], &[]] },
    Peer { program: "ajv", arguments: [&["validate", "--spec=draft2020", "--strict=false", "-s"], &["-d"]] },
];

/// Starts of each of them, which take long.
const PEER_STARTS: usize = 20;

/// Starts the programs in turn and adds their section.
pub(super) fn measure(program: &Path, page: &mut Page) -> Result<()> {
    page.section(
        "One file, whole process",
        &format!(
            "`baton check FILE` and `/bin/true`, started in turn {STARTS} times: the median time of each, and how many times as long\n\
             as the process that does nothing. The limit is 10 ms where `/bin/true` takes 1 ms. For the package git walks\n\
             the history of the repository it lies in, here that of Baton itself: loose objects, and a longer history, take\n\
             git longer."
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
    peers(program, median(&ours[0]), page)
}

/// Adds the alternatives for the envelope.
fn peers(program: &Path, ours: f64, page: &mut Page) -> Result<()> {
    let folder = tempfile::tempdir().context("failed to make a folder")?;
    let schema = folder.path().join("envelope.schema.json");
    let schema_file = File::create(&schema).context("failed to make a file")?;
    process::seconds(Command::new(program).args(["schema", "envelope"]).stdout(schema_file))?;
    let mut rows = vec![vec!["`baton`".to_owned(), millis(ours), "1.00".to_owned()]];
    for peer in PEERS {
        let command = || {
            let [before, between] = peer.arguments;
            let mut command = Command::new(peer.program);
            command.args(before).arg(&schema).args(between).arg(FILES[0].1).current_dir(ROOT);
            command.stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        if !command().status().is_ok_and(|status| status.success()) {
            eprintln!("{} is left out: it is not installed, or does not take the schema", peer.program);
            continue;
        }
        let times: Vec<f64> =
            (0..PEER_STARTS).map(|_| process::seconds(&mut command())).collect::<Result<_>>()?;
        let time = median(&times);
        rows.push(vec![format!("`{}`", peer.program), millis(time), format!("{:.1}", time / ours)]);
    }
    if rows.len() > 1 {
        page.words("What one would start instead, for the envelope and the schema that `baton schema envelope` prints:");
        page.table(&["program", "ms", "times ours"], &rows);
    }
    Ok(())
}

fn millis(seconds: f64) -> String {
    format!("{:.2}", seconds * 1000.0)
}
