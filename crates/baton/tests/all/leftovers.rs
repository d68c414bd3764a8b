//! What a Baton that was killed leaves beside files and in the system's temporary folder, cleared up by whoever drives next.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::office::Office;

/// The folders of attempts in a temporary folder.
fn attempts(place: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("baton-attempt-")).collect()
}

/// Makes something look as if it had been there for an hour.
fn age(path: &Path) {
    File::open(path).unwrap().set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
}

#[test]
fn the_folder_of_an_attempt_stays_while_its_baton_lives_and_goes_after_it_was_killed() {
    let office = Office::with("  - write: {agent: ada, task: Write it.}\n");
    // One below the project would not be used.
    let place = tempfile::tempdir().unwrap();
    let place = place.path().canonicalize().unwrap();
    let variables = [("TMPDIR", place.to_str().unwrap())];
    office.sandbox.write("wait", "");
    let mut running = office.start_with(&["run", "article"], &variables);
    office.awaits("calls");
    let [folder] = attempts(&place).try_into().unwrap();
    age(&folder);
    // Another one drives a run and ends at once, since what it works with is not there.
    office
        .sandbox
        .write("flows/other.yaml", office.sandbox.read("flows/article.yaml").replace("article", "other"));
    let other = office.sandbox.read("flows/other.yaml").replace("[sh, agent.sh, ada]", "[/no/such/agent]");
    office.sandbox.write("flows/other.yaml", other);
    office.run_with(&["run", "other"], &variables);
    assert!(folder.exists(), "whoever works with it lives");
    running.child.kill().unwrap();
    running.child.wait().unwrap();
    age(&folder);
    fs::create_dir(place.join("baton-demo-aB3dE6")).unwrap();
    age(&place.join("baton-demo-aB3dE6"));
    office.run_with(&["run", "other"], &variables);
    assert!(!folder.exists(), "nobody works with it any more");
    assert!(place.join("baton-demo-aB3dE6").exists(), "somebody may want to look at it");
}

#[test]
fn what_killed_writers_left_beside_the_files_of_a_run_goes_and_nothing_of_others_does() {
    // proves A-15
    let office = Office::with("  - file: cleo\n  - write: ada\nkeeps: [envelope, package]\n");
    assert_eq!(office.run(&["run", "article"]).code, 0);
    office.answer("answer.json");
    assert_eq!(office.run(&["submit", "answer.json", "--run", "article-1"]).code, 0);
    let folder = ".runs/article-1/article/handoffs";
    let known = office.sandbox.read("state/current.json");
    for (path, text) in [
        (format!("{folder}/.baton-aB3dE6.tmp"), "half of"),
        ("state/.baton-aB3dE6.was".to_owned(), known.as_str()),
        (".baton/mirrors/.baton-aB3dE6.tmp".to_owned(), ""),
        ("state/.baton-theirs.was".to_owned(), "of another hand"),
        ("state/.baton-living.tmp".to_owned(), "being written"),
        ("src/.baton-aB3dE6.tmp".to_owned(), "no place of files of runs"),
        ("precious".to_owned(), "secret"),
    ] {
        office.sandbox.write(&path, text);
    }
    office.sandbox.link(office.sandbox.path("precious"), "state/.baton-linked.tmp");
    let living = File::open(office.sandbox.path("state/.baton-living.tmp")).unwrap();
    living.lock().unwrap();
    let ran = office.run(&["resume", "article-1"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    for gone in [format!("{folder}/.baton-aB3dE6.tmp"), "state/.baton-aB3dE6.was".to_owned()] {
        assert!(!office.sandbox.path(&gone).exists(), "{gone}");
    }
    assert!(!office.sandbox.path(".baton/mirrors/.baton-aB3dE6.tmp").exists());
    for stays in [".baton-theirs.was", ".baton-living.tmp", ".baton-linked.tmp"] {
        assert!(office.sandbox.path("state").join(stays).exists(), "{stays}");
    }
    assert_eq!(office.sandbox.read("precious"), "secret");
    assert!(office.sandbox.path("src/.baton-aB3dE6.tmp").exists());
}
