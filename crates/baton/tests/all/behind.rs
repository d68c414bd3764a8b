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

#[test]
fn who_cancels_a_run_leaves_its_files_as_it_is_recorded() {
    // It is over, and cannot be cancelled; its files are written all the same.
    let office = killed();
    let ran = office.run(&["cancel", "article-1"]);
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    // proves S-04
    assert!(office.sandbox.read(&kept("article-1")).contains("Did the part of ada"));
    assert!(office.sandbox.read("state/current.json").contains("completed"));

    // It is under way, and its files are those of a run that was cancelled.
    let office = Office::with("  - file: cleo\n  - write: ada\nkeeps: [package]\n");
    assert_eq!(office.run(&["run", "article"]).code, 0);
    office.answer("answer.json");
    let handed = office.run(&["submit", "answer.json", "--run", "article-1"]);
    assert_eq!(handed.code, 0, "{}{}", handed.stdout, handed.stderr);
    office.sandbox.write("state/current.json", "of another hand");
    let ran = office.run(&["cancel", "article-1"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(office.sandbox.read("state/current.json").contains("failed"));
    assert!(
        ran.stderr.contains("state/current.json: "),
        "what stood there is saved, and that is said: {}",
        ran.stderr
    );
}

#[test]
fn who_only_looks_at_a_run_hears_that_its_files_are_behind_and_writes_nothing() {
    let office = killed();
    let said = "the files of article-1 are behind what is recorded; `baton resume article-1` writes them";
    for args in
        [["show", "article-1"].as_slice(), &["show", "article-1", "--json"], &["runs"], &["runs", "--all"]]
    {
        let ran = office.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        assert_eq!(ran.stderr.matches(said).count(), 1, "{args:?}: {}", ran.stderr);
        assert!(!ran.stdout.contains(said), "{args:?}: data stays data");
        assert!(!office.sandbox.path(&kept("article-1")).exists(), "{args:?}");
    }
    let ran = office.run(&["resume", "article-1"]);
    // proves S-04
    assert_eq!(ran.code, 0, "what was said would help has helped: {}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("the files of article-1 were behind what is recorded, and are written now"));
    assert!(office.sandbox.read(&kept("article-1")).contains("Did the part of ada"));
    for args in [["show", "article-1"], ["runs", "--all"]] {
        assert!(!office.run(&args).stderr.contains("behind"), "{args:?}");
    }
    let again = office.run(&["resume", "article-1"]);
    assert_eq!(again.code, 3, "nothing is behind any more: {}", again.stderr);
}

#[test]
fn the_files_of_a_run_that_waits_or_is_driven_are_not_called_behind() {
    let office = Office::with("  - file: cleo\n  - write: ada\nkeeps: [package]\n");
    assert_eq!(office.run(&["run", "article"]).code, 0);
    for args in [["show", "article-1"], ["runs", "--all"]] {
        assert!(!office.run(&args).stderr.contains("behind"), "it waits: {args:?}");
    }
    let office = Office::with(FLOW);
    office.sandbox.write("wait", "");
    let running = office.start(&["run", "article"]);
    office.awaits("calls");
    assert!(!office.run(&["show", "article-1"]).stderr.contains("behind"), "it is driven");
    office.sandbox.write("go", "");
    assert_eq!(running.end(), Some(0));
}
