//! Ledgers of earlier runs, replayed: what is shown, measured and mirrored of them stays the same.
//!
//! Each `*.jsonl` holds the records of one run and never changes; the `.txt` beside it is what they amount to. When a
//! difference is meant, `BATON_GOLDEN=write` writes it again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use baton_engine::history::erase::{Wanted, erase};
use baton_engine::history::metrics::{Measure, metrics};
use baton_engine::history::receipts::receipts;
use baton_engine::history::views::{RunView, show};
use baton_engine::mirror::{Keeping, Keeps, keep};
use baton_engine::records::entry::history;
use baton_kernel::Millis;
use baton_ledger::{Append, Ledger, Memory, NewEvent, digest};
use serde::Deserialize;

use crate::stories::Office;

/// A record as a file has it.
#[derive(Deserialize)]
struct Stored {
    run: String,
    at: u64,
    kind: String,
    body: String,
    payload: Option<String>,
}

/// A run from a file.
struct Replay {
    ledger: Memory,
    run: String,
    last: Millis,
}

impl Replay {
    fn of(records: &[Stored]) -> Self {
        let ledger = Memory::new();
        for (record, expected) in records.iter().zip(0..) {
            let event = NewEvent {
                kind: record.kind.clone(),
                body: record.body.clone().into_bytes(),
                payload: record.payload.clone().map(String::into_bytes),
            };
            let append = Append {
                stream: record.run.clone(),
                expected,
                at: Millis(record.at),
                events: vec![event],
                ..Append::default()
            };
            assert!(ledger.append(vec![append]).expect("memory works")[0].is_ok());
        }
        let last = records.last().expect("it has records");
        Self { ledger, run: last.run.clone(), last: Millis(last.at) }
    }

    fn view(&self) -> RunView {
        show(&self.ledger, &self.run, self.last).expect("it is there")
    }
}

/// The beginning of a text, on one line.
fn short(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text).replace('\n', " ");
    format!("{}:{}", &digest(text.as_bytes()).to_string()[..6], text.chars().take(24).collect::<String>())
}

/// What each lane carries, and what is owed.
fn lanes(view: &RunView) -> String {
    let mut all = String::new();
    for lane in view.state.lanes() {
        let carried = match lane.content() {
            Some(content) => view.text(content).map_or("gone".to_owned(), |text| short(&text)),
            None => "joined".to_owned(),
        };
        let ended: Vec<String> = view.branches(lane.id).iter().map(|text| short(text)).collect();
        let _ = write!(all, " | lane {} at {}: {carried} {ended:?}", lane.id.0, lane.step.0);
    }
    let owed = &view.pending;
    let _ = write!(
        all,
        " | {} deliveries, {} gates, {} questions, {} values",
        owed.deliveries.len(),
        owed.gates.len(),
        owed.questions.len(),
        owed.values.len()
    );
    all
}

fn files(root: &Path, folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            files(root, &path, into);
        } else {
            into.push(path.strip_prefix(root).expect("it is below").to_owned());
        }
    }
}

/// What the ledger amounts to at its end: figures, receipts, files of all systems.
fn amounts(replay: &Replay, title: &str) -> String {
    let office = Office::new(baton_courier::Kind::Neither, &[]);
    let entries = history(&replay.ledger, &replay.run).expect("it is there");
    let mut all = format!("== {title}\n");
    let figures = metrics(office.checker, &entries, Measure::default()).expect("it has a beginning");
    let figures = serde_json::to_string_pretty(&figures).expect("it can be written");
    let _ = writeln!(all, "{figures}");
    for receipt in receipts(&entries) {
        let _ = writeln!(all, "{receipt:?}");
    }
    let root = tempfile::tempdir().expect("there is room");
    let keeps = [Keeps::Envelope, Keeps::Package, Keeps::Pipeline, Keeps::Manifest];
    let states = &[];
    let keeping = Keeping {
        root: root.path(),
        checker: office.checker,
        keeps: &keeps,
        run_base: ".runs/{run}",
        states,
    };
    let kept = keep(&replay.ledger, &replay.run, &keeping, replay.last).expect("it can be kept");
    for conflict in &kept.conflicts {
        let _ = writeln!(all, "conflict {}: {}", conflict.path, conflict.why);
    }
    let mut paths = Vec::new();
    files(root.path(), root.path(), &mut paths);
    paths.sort();
    for path in paths.iter().filter(|path| !path.starts_with(".baton")) {
        let text = std::fs::read_to_string(root.path().join(path)).expect("it can be read");
        let _ = writeln!(all, "-- {}\n{}", path.display(), text.trim_end());
    }
    all
}

fn played(records: &[Stored]) -> String {
    let mut all = String::new();
    for count in 1..=records.len() {
        let replay = Replay::of(&records[..count]);
        let _ = writeln!(all, "{count} {}{}", records[count - 1].kind, lanes(&replay.view()));
    }
    let replay = Replay::of(records);
    all += &amounts(&replay, "at its end");
    if replay.view().state.ending().is_some() {
        let entries = history(&replay.ledger, &replay.run).expect("it is there");
        let handoffs = entries.iter().filter(|entry| entry.is_handoff());
        let digests =
            handoffs.filter_map(|entry| entry.record.payload.as_ref().map(|payload| payload.digest));
        let texts: BTreeSet<_> = digests.step_by(2).collect();
        let wanted = Wanted { run: &replay.run, texts: &texts, by: "nora", because: "asked to" };
        erase(&replay.ledger, &wanted, replay.last).expect("it is over");
        all += &amounts(&replay, "with every second handoff erased");
    }
    all
}

#[test]
fn earlier_runs_read_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/replays");
    let folder = std::env::var("BATON_REPLAYS").map_or(folder, PathBuf::from);
    let mut names: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("it can be listed")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "jsonl"))
        .collect();
    names.sort();
    assert!(!names.is_empty());
    for name in names {
        let text = std::fs::read_to_string(&name).expect("it can be read");
        let stored = |line: &str| serde_json::from_str(line).expect("it is a record");
        let records: Vec<Stored> = text.lines().map(stored).collect();
        let played = played(&records);
        let golden = name.with_extension("txt");
        if std::env::var("BATON_GOLDEN").is_ok_and(|wish| wish == "write") {
            std::fs::write(&golden, &played).expect("it can be written");
        }
        let expected = std::fs::read_to_string(&golden).expect("it can be read");
        for (at, (is, was)) in (1..).zip(played.lines().zip(expected.lines())) {
            assert_eq!(is, was, "{}, line {at}", golden.display());
        }
        assert_eq!(played.lines().count(), expected.lines().count(), "{}", golden.display());
    }
}
