//! `.baton/` is for its owner alone: as it is made, as it is found, and where it is not what it should be.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::office::Office;

const FLOW: &str = "  - write: ada\n  - ok: {gate: blocking}\n";
const KEY: (&str, &str) = ("BATON_GATE_KEY", "nora's passphrase");

/// Everything in a folder, worktrees of agents left out.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut all = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_open = path.is_dir() && !path.ends_with("worktrees");
        all.extend(if is_open { entries(&path) } else { vec![path] });
    }
    all
}

/// What others may do with something in `.baton/`.
fn open_to_others(office: &Office) -> Vec<String> {
    let mode = |path: &PathBuf| fs::symlink_metadata(path).map(|data| data.mode()).unwrap_or_default();
    let all = entries(&office.sandbox.path(".baton"));
    let open = all.iter().filter(|path| mode(path) & 0o077 != 0);
    open.map(|path| format!("{} {:o}", path.display(), mode(path))).collect()
}

#[test]
fn what_baton_keeps_is_made_for_its_owner_alone_whatever_the_umask() {
    for umask in ["0", "022", "077"] {
        let office = Office::with(FLOW);
        office.sandbox.write(
            "agent.sh",
            format!("echo said >&2\nls -lA .baton > seen-while-at-work\n{}", office.sandbox.read("agent.sh")),
        );
        let ran = office.run_within(&format!("umask {umask}"), &["run", "article"]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(open_to_others(&office), Vec::<String>::new(), "umask {umask}");
        // While the ledger is open there are its log and its index too.
        let seen = office.sandbox.read("seen-while-at-work");
        for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db-locks", "drivers"] {
            let line = seen.lines().find(|line| line.ends_with(&format!(" {name}")));
            let line = line.unwrap_or_else(|| panic!("{name} is not there: {seen}"));
            assert_eq!(&line[4..10], "------", "umask {umask}: {line}");
        }
    }
}

#[test]
fn a_folder_that_is_open_to_others_is_closed_before_something_in_it_changes() {
    let office = Office::with(FLOW);
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let own = office.sandbox.path(".baton");
    let widen = || {
        for path in entries(&own) {
            let mode = if path.is_dir() { 0o777 } else { 0o666 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    let acting: [&[&str]; 4] = [
        &["gate", "approve", "article-1"],
        &["resume", "article-1"],
        &["erase", "article-1", "--all", "--because", "asked to"],
        &["run", "article"],
    ];
    for args in acting {
        widen();
        let ran = office.run_with(args, &[KEY]);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        assert_eq!(open_to_others(&office), Vec::<String>::new(), "{args:?}");
    }
}

#[test]
fn a_link_in_the_place_of_the_folder_is_refused_and_not_followed() {
    let office = Office::with(FLOW);
    office.sandbox.folder("elsewhere");
    std::os::unix::fs::symlink("elsewhere", office.sandbox.path(".baton")).unwrap();
    let all: [&[&str]; 6] = [
        &["run", "article"],
        &["resume"],
        &["runs"],
        &["gate", "approve", "article-1"],
        &["log", "--rebuild"],
        &["erase", "article-1", "--all", "--because", "asked to"],
    ];
    for args in all {
        let ran = office.run_with(args, &[KEY]);
        assert_eq!(ran.code, 4, "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(".baton: it is a link"), "{args:?}: {}", ran.stderr);
    }
    assert_eq!(fs::read_dir(office.sandbox.path("elsewhere")).unwrap().count(), 0);
    assert!(!office.sandbox.path("calls").exists(), "no agent was started");
}

#[test]
fn a_clone_that_brings_links_in_the_folder_has_nothing_written_where_they_lead() {
    let elsewhere = tempfile::tempdir().unwrap();
    for name in ["output", "git", "worktrees", "mirrors", "drivers", "git/objects"] {
        let office = Office::with("  - write: {agent: ada, verify: artifacts}\n");
        office.sandbox.folder(".baton/git");
        let _ = fs::remove_dir(office.sandbox.path(".baton").join(name));
        office.sandbox.link(elsewhere.path(), &format!(".baton/{name}"));
        let ran = office.run(&["run", "article"]);
        assert!(ran.code == 4 && ran.stderr.contains("it is a link"), "{name}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0, "{name}");
    }
}
