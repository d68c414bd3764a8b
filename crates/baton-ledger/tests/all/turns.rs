//! Eight processes write at once, and none waits for long.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::Stdio;

use baton_ledger::{Ledger as _, Limit, Maintenance as _, ReadFrom, Sqlite};

use crate::child::{Acknowledged, Child, READY, acknowledged};

const PROCESSES: usize = 8;
const SHARE: u64 = 60;
/// How many commits of others may come while one waits: a few rounds of all, where seven others wait too.
const WAIT_COMMITS_MAX: u64 = 60;

#[test]
fn eight_processes_each_get_their_share() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("ledger.db");
    let told = run(&path);
    for (name, all) in told.iter().enumerate() {
        assert_eq!(all.len() as u64, SHARE, "process {name} made all its appends");
    }
    for all in &told {
        // Each commit has two records.
        let waits = all.iter().map(|said| (said.position - said.asked_at) / 2 - 1);
        let longest = waits.max().unwrap_or(0);
        assert!(longest <= WAIT_COMMITS_MAX, "a process waited for {longest} commits of others");
    }
    let ledger = Sqlite::open(&path).expect("a whole ledger");
    let after = PROCESSES as u64 * SHARE * 2 - 1;
    assert_eq!(ledger.read(&ReadFrom::Position { after }, Limit(9)).expect("readable").len(), 1);
    ledger.examine().expect("the views are what the log says");
}

fn run(path: &Path) -> Vec<Vec<Acknowledged>> {
    let names: Vec<String> = (0..PROCESSES).map(|number| format!("process {number}")).collect();
    let mut running = Vec::new();
    for name in &names {
        let mut command = Child { name, ledger: path, count: SHARE }.command();
        let mut child = command.stdin(Stdio::piped()).spawn().expect("this binary starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        while !line.contains(READY) {
            line.clear();
            assert_ne!(stdout.read_line(&mut line).expect("it tells"), 0, "it opens the ledger");
        }
        running.push((child, stdout));
    }
    for (child, _) in &mut running {
        drop(child.stdin.take());
    }
    // All are read at once, so that none waits for somebody to listen.
    let readers: Vec<_> = running
        .into_iter()
        .map(|(mut child, mut stdout)| {
            std::thread::spawn(move || {
                let mut told = Vec::new();
                stdout.read_to_end(&mut told).expect("it tells");
                child.wait().expect("it ends");
                acknowledged(&told)
            })
        })
        .collect();
    readers.into_iter().map(|reader| reader.join().expect("it reads")).collect()
}
