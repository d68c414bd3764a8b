//! Processes are killed at any instant; what was acknowledged is there.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use baton_ledger::{Ledger, Limit, Maintenance as _, Query, ReadFrom, Record, Sqlite, verify};

use crate::child::{Acknowledged, Child, acknowledged};

const PROCESSES: usize = 3;

/// How many times processes are killed; many more with this in the environment.
fn kills() -> usize {
    std::env::var("BATON_LEDGER_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(12)
}

// proves S-02: nothing acknowledged is lost by a crash at any instant.
#[test]
fn whatever_instant_processes_are_killed_at_nothing_acknowledged_is_lost() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("ledger.db");
    let mut told: BTreeMap<String, Vec<Acknowledged>> = BTreeMap::new();
    for round in 0..kills().div_ceil(PROCESSES) {
        let new = kill_some(&path, round);
        let new: BTreeMap<_, _> = new.into_iter().map(|(name, out)| (name, acknowledged(&out))).collect();
        check(&path, &new);
        told.extend(new);
    }
    check(&path, &told);
    let ledger = Sqlite::open(&path).expect("a killed process leaves a whole ledger");
    let report = verify(&ledger, None).expect("readable");
    assert!(report.is_proven(), "{report:?}");
    ledger.examine().expect("the views are what the log says");
    assert!(told.values().any(|all| !all.is_empty()), "some appends were acknowledged");
}

fn kill_some(path: &Path, round: usize) -> Vec<(String, Vec<u8>)> {
    let running: Vec<_> = (0..PROCESSES)
        .map(|number| {
            let name = format!("{round} {number}");
            let child = Child { name: &name, ledger: path, count: u64::MAX }.command().spawn();
            (name, child.expect("this binary starts"))
        })
        .collect();
    let mut ended = Vec::new();
    for ((name, mut child), number) in running.into_iter().zip(0_usize..) {
        // Any instant will do; with none acknowledged it is while the ledger is made or opened.
        let instant = (round * 7919 + number * 104_729) % 97;
        let mut told = Vec::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        for _ in 0..instant.saturating_sub(30) {
            stdout.read_until(b'\n', &mut told).expect("it tells until it is killed");
        }
        (0..instant * 20).for_each(|_| std::thread::yield_now());
        child.kill().expect("it runs until it is killed");
        stdout.read_to_end(&mut told).expect("what it told can be read");
        child.wait().expect("it was killed");
        ended.push((name, told));
    }
    ended
}

fn check(path: &Path, told: &BTreeMap<String, Vec<Acknowledged>>) {
    let ledger = Sqlite::open(path).expect("a killed process leaves a whole ledger");
    for (name, all) in told {
        let records = records(&ledger, name);
        for said in all {
            let record = records.iter().find(|record| record.seq == said.seq).expect("it was acknowledged");
            assert_eq!((record.position, record.hash.to_string()), (said.position, said.hash.clone()));
            assert!(record.payload.is_none());
            let before = &records[usize::try_from(said.seq - 2).expect("small")];
            assert!(before.payload.as_ref().is_some_and(|payload| payload.bytes.is_some()));
        }
        assert!(records.len().is_multiple_of(2), "an append is there whole or not at all");
        let unsaid = records.len() / 2 - all.len();
        assert!(unsaid <= 1, "{unsaid} appends were kept that nobody was told of");
    }
    let found =
        ledger.find(&Query { labels: vec!["all".into()], before: None, since: 0, limit: Limit(10_000) });
    assert!(found.expect("readable").len() >= told.values().filter(|all| !all.is_empty()).count());
}

fn records(ledger: &Sqlite, name: &str) -> Vec<Record> {
    let mut all: Vec<Record> = Vec::new();
    loop {
        let from = ReadFrom::Stream { stream: name.to_owned(), after: all.len() as u64 };
        let page = ledger.read(&from, Limit(1000)).expect("readable");
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}
