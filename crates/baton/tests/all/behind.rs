//! The files of a run whose Baton was killed between its last record and its files.

use std::fs::File;
use std::time::{Duration, Instant};

use crate::office::Office;

const FLOW: &str = "  - write: ada\nkeeps: [envelope, package]\n";

fn kept(run: &str) -> String {
    format!(".runs/{run}/article/handoffs/write-ada.json")
}

/// A project with a run that is over and whose Baton was killed before it wrote the files.
fn killed() -> Office {
    let office = Office::with(FLOW);
    office.sandbox.write("wait", "");
    let mut running = office.start(&["run", "article"]);
    office.awaits("calls");
    office.awaits(".baton/mirrors/lock");
    // Whoever holds this keeps files, and others wait for their turn.
    let lock = File::options().append(true).open(office.sandbox.path(".baton/mirrors/lock")).unwrap();
    lock.lock().unwrap();
    office.sandbox.write("go", "");
    let start = Instant::now();
    while office.run(&["show", "article-1", "--json"]).json()["state"] != "over" {
        assert!(start.elapsed() < Duration::from_secs(60), "it never ends");
    }
    running.child.kill().unwrap();
    running.child.wait().unwrap();
    drop(lock);
    assert!(!office.sandbox.path(&kept("article-1")).exists(), "it was killed before");
    office
}

#[test]
fn a_run_killed_before_its_files_were_written_has_them_when_another_run_was_driven() {
    let office = killed();
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    // proves S-04: no file is lost because a process was stopped between the record and it.
    for run in ["article-1", "article-2"] {
        assert!(office.sandbox.read(&kept(run)).contains("Did the part of ada"), "{run}");
    }
    // proves E-05
    assert_eq!(office.run(&["check", &kept("article-1")]).code, 0);
    assert!(office.sandbox.read("state/current.json").contains("HO-002"));
    // What is kept is no longer looked after: a file that somebody throws away then stays away.
    std::fs::remove_file(office.sandbox.path(&kept("article-1"))).unwrap();
    assert_eq!(office.run(&["run", "article"]).code, 0);
    assert!(!office.sandbox.path(&kept("article-1")).exists());
}
