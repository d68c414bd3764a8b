//! Disks that are full, fail to write, or fail to sync: a failure, nothing half done, and nothing more until the
//! ledger is opened again.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Output};

use baton_ledger::{Error, Ledger as _, Limit, Maintenance as _, ReadFrom, Sqlite, verify};

use crate::child::{Child, acknowledged, append, failures};

/// What a child that met a failing disk leaves behind.
fn check(path: &Path, output: &Output) {
    let told = acknowledged(&output.stdout);
    let failures = failures(&output.stdout);
    assert!(!told.is_empty(), "some appends came before: {output:?}");
    assert_eq!(failures.len(), 2, "it failed once and refused once: {failures:?}");
    assert!(failures[1].contains("an earlier write failed"), "{failures:?}");
    let ledger = Sqlite::open(path).expect("what was written is whole");
    let from = ReadFrom::Stream { stream: "run".into(), after: 0 };
    let records = ledger.read(&from, Limit(100_000)).expect("readable");
    for said in &told {
        let record = records.iter().find(|record| record.seq == said.seq).expect("it was acknowledged");
        assert_eq!(record.hash.to_string(), said.hash);
    }
    assert!(records.len().is_multiple_of(2) && records.len() / 2 <= told.len() + 1, "nothing is half done");
    assert!(verify(&ledger, None).expect("readable").is_proven());
    let next = append("run", records.len() as u64);
    assert!(ledger.append(vec![next]).expect("the disk works again")[0].is_ok());
}

#[test]
fn a_write_that_the_system_refuses_stops_the_ledger() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("ledger.db");
    drop(Sqlite::open(&path).expect("a new ledger"));
    // No file may grow beyond so many blocks, and no signal says so.
    let child = Child { name: "run", ledger: &path, count: 10_000 };
    let output = child.after("trap '' XFSZ; ulimit -f 1000").output().expect("a shell starts");
    check(&path, &output);
}

#[test]
fn a_sync_that_fails_stops_the_ledger() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("ledger.db");
    drop(Sqlite::open(&path).expect("a new ledger"));
    let library = failing_sync(folder.path());
    let child = Child { name: "run", ledger: &path, count: 10_000 };
    let output = child.command().env("LD_PRELOAD", library).output().expect("this binary starts");
    check(&path, &output);
}

/// A library that stands before the system's and lets the fortieth sync fail, and all behind it.
fn failing_sync(folder: &Path) -> std::path::PathBuf {
    let (source, library) = (folder.join("sync.c"), folder.join("sync.so"));
    let code = "#include <errno.h>\n#include <unistd.h>\n#include <sys/syscall.h>\n\
        static int left = 40;\n\
        int fdatasync(int fd) { if (--left < 0) { errno = EIO; return -1; } return syscall(SYS_fdatasync, fd); }\n\
        int fsync(int fd) { return fdatasync(fd); }\n";
    std::fs::write(&source, code).expect("writable");
    // The compiler that made SQLite is there.
    let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(made.expect("a C compiler starts").success());
    library
}

const MOUNTED: &str = "BATON_LEDGER_SMALL_DISK";

/// A disk of one mebibyte, where the system lets a test have one; elsewhere the limit above stands for it.
#[test]
fn a_full_disk_stops_the_ledger_and_room_helps() {
    if let Ok(folder) = std::env::var(MOUNTED) {
        return fill(Path::new(&folder));
    }
    let folder = tempfile::tempdir().expect("a folder for the test");
    let own = std::env::current_exe().expect("this test has a binary");
    let script = "mount -t tmpfs -o size=1m none \"$1\" || exit 77; shift; exec \"$@\"";
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .arg(own)
        .args(["disk::a_full_disk_stops_the_ledger_and_room_helps", "--exact", "--nocapture"])
        .env(MOUNTED, folder.path())
        .output();
    match output {
        Ok(output) if output.status.success() => {}
        Ok(output) if output.status.code() == Some(101) => {
            panic!("{}", String::from_utf8_lossy(&output.stderr))
        }
        Ok(_) | Err(_) => a_write_that_the_system_refuses_stops_the_ledger(),
    }
}

fn fill(folder: &Path) {
    let path = folder.join("ledger.db");
    let filler = folder.join("filler");
    std::fs::write(&filler, vec![0; 300_000]).expect("there is room for it");
    let ledger = Sqlite::open(&path).expect("there is room for it");
    let mut kept = Vec::new();
    let error = loop {
        match ledger.append(vec![append("run", kept.len() as u64 * 2)]) {
            Ok(mut answers) => kept.push(answers.remove(0).expect("nothing speaks against it")),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Full { .. }), "{error}");
    assert!(!kept.is_empty());
    std::fs::remove_file(&filler).expect("it is there");
    let again = ledger.append(vec![append("run", kept.len() as u64 * 2)]).expect_err("it stopped");
    assert!(matches!(again, Error::Stopped { .. }), "{again}");
    drop(ledger);
    let ledger = Sqlite::open(&path).expect("what was written is whole");
    let from = ReadFrom::Stream { stream: "run".into(), after: 0 };
    let records = ledger.read(&from, Limit(100_000)).expect("readable");
    assert!(kept.iter().all(|kept| records.iter().any(|record| record.hash == kept.hash)));
    assert!(ledger.append(vec![append("run", records.len() as u64)]).expect("there is room")[0].is_ok());
    ledger.examine().expect("the views are what the log says");
    drop(ledger);
    // Without room not even the files beside it can be made; that is said, and nothing is lost.
    let mut room = std::fs::File::create(&filler).expect("it can be made");
    while std::io::Write::write(&mut room, &[0; 4096]).is_ok_and(|written| written > 0) {}
    let error = Sqlite::open(&path).map(drop).expect_err("there is no room");
    assert!(matches!(error, Error::Full { .. }), "{error}");
    drop(room);
    std::fs::remove_file(&filler).expect("it is there");
    let ledger = Sqlite::open(&path).expect("there is room");
    assert_eq!(ledger.read(&from, Limit(100_000)).expect("readable").len(), records.len() + 2);
}
