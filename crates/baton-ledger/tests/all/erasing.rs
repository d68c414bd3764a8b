//! Erased bytes are gone from every file of the ledger.

use std::path::Path;

use baton_ledger::{Append, Ledger as _, NewEvent, Sqlite, digest};

fn secret(number: u64) -> Vec<u8> {
    // A long one fills pages of its own.
    let long = if number.is_multiple_of(3) { 20_000 } else { 900 };
    format!("SECRET-{number}-{}", "s".repeat(long)).into_bytes()
}

fn append(number: u64) -> Append {
    let events = vec![NewEvent { kind: "sent".into(), body: vec![b'{'; 300], payload: Some(secret(number)) }];
    Append { stream: "run".into(), expected: number, events, ..Append::default() }
}

fn found(folder: &Path, number: u64) -> Vec<String> {
    let needle = format!("SECRET-{number}-");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten().filter(|entry| entry.path().is_file())
    {
        let bytes = std::fs::read(entry.path()).expect("readable");
        if bytes.windows(needle.len()).any(|window| window == needle.as_bytes()) {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names
}

// proves S-02: a payload can be erased, and its bytes go.
#[test]
fn erased_bytes_are_in_no_file_and_all_others_are() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let ledger = Sqlite::open(&folder.path().join("ledger.db")).expect("a new ledger");
    let other = Sqlite::open(&folder.path().join("ledger.db")).expect("another user");
    for number in 0..60 {
        ledger.append(vec![append(number)]).expect("it works")[0].as_ref().expect("it is kept");
    }
    let gone = [0, 1, 2, 3, 30, 31, 57, 58, 59];
    let reason = NewEvent { kind: "erased".into(), body: b"keys were in it".to_vec(), payload: None };
    let erase = gone.map(|number| digest(&secret(number))).to_vec();
    let append =
        Append { stream: "run".into(), expected: 60, events: vec![reason], erase, ..Append::default() };
    other.append(vec![append]).expect("it works")[0].as_ref().expect("it is kept");
    for number in 0..60 {
        let files = found(folder.path(), number);
        assert_eq!(files.is_empty(), gone.contains(&number), "payload {number} is in {files:?}");
    }
    ledger.examine().expect("the rest is whole");
}
