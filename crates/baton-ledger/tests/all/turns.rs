//! Eight processes write at once, and none waits for long.

use std::path::Path;

use baton_ledger::{Ledger as _, Limit, ReadFrom, Sqlite};

use crate::child::{Acknowledged, Child, acknowledged};

const PROCESSES: usize = 8;
const SHARE: u64 = 60;
/// How many commits of others may come between two of one process: a few rounds of all, where seven others wait.
const WAIT_COMMITS_MAX: u64 = 100;

#[test]
fn eight_processes_each_get_their_share() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("ledger.db");
    let told = run(&path);
    for (name, all) in told.iter().enumerate() {
        assert_eq!(all.len() as u64, SHARE, "process {name} made all its appends");
    }
    // While all of them write: from the last one's first commit to the first one's last.
    let from = told.iter().filter_map(|all| all.first()).map(|said| said.position).max().expect("eight");
    let until = told.iter().filter_map(|all| all.last()).map(|said| said.position).min().expect("eight");
    for all in &told {
        let waits = all.windows(2).filter(|pair| pair[0].position >= from && pair[1].position <= until);
        // Each commit has two records.
        let longest = waits.map(|pair| (pair[1].position - pair[0].position) / 2 - 1).max().unwrap_or(0);
        assert!(longest <= WAIT_COMMITS_MAX, "{longest} commits of others between two of one process");
    }
    let ledger = Sqlite::open(&path).expect("a whole ledger");
    let after = PROCESSES as u64 * SHARE * 2 - 1;
    assert_eq!(ledger.read(&ReadFrom::Position { after }, Limit(9)).expect("readable").len(), 1);
    ledger.examine().expect("the views are what the log says");
}

fn run(path: &Path) -> Vec<Vec<Acknowledged>> {
    let names: Vec<String> = (0..PROCESSES).map(|number| format!("process {number}")).collect();
    let running: Vec<_> = names
        .iter()
        .map(|name| Child { name, ledger: path, count: SHARE }.command().spawn().expect("this binary starts"))
        .collect();
    running
        .into_iter()
        .map(|child| acknowledged(&child.wait_with_output().expect("it ends").stdout))
        .collect()
}
