//! Erased bytes are gone from every file of the ledger.

use std::path::Path;

use baton_ledger::{Append, Erasure, Ledger as _, Maintenance as _, NewEvent, Sqlite, digest, verify};

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
    let digests = gone.map(|number| digest(&secret(number))).to_vec();
    let erasure = Erasure { digests, by: "nora".into(), because: "keys were in it".into() };
    let (events, erase) = (vec![erasure.event()], erasure.digests);
    let append = Append { stream: "run".into(), expected: 60, events, erase, ..Append::default() };
    other.append(vec![append]).expect("it works")[0].as_ref().expect("it is kept");
    for number in 0..60 {
        let files = found(folder.path(), number);
        assert_eq!(files.is_empty(), gone.contains(&number), "payload {number} is in {files:?}");
    }
    ledger.examine().expect("the rest is whole");
}

// proves S-02: bytes that are gone without a record of it are damage, and the record that had them is named.
#[test]
fn a_payload_that_is_marked_as_erased_needs_a_record_of_it() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("ledger.db");
    let ledger = Sqlite::open(&path).expect("a new ledger");
    for number in 0..3 {
        ledger.append(vec![append(number)]).expect("it works")[0].as_ref().expect("it is kept");
    }
    drop(ledger);
    let zeroed = |position: i64| {
        let database = rusqlite::Connection::open(&path).expect("a database");
        let read = "SELECT payloads FROM entry WHERE position = ?";
        let mut blob: Vec<u8> = database.query_row(read, [position], |row| row.get(0)).expect("a payload");
        let start = blob.windows(7).position(|window| window == b"SECRET-").expect("it is there");
        blob[0] = 0xe0;
        blob[start..].fill(0);
        let write = "UPDATE entry SET payloads = ? WHERE position = ?";
        database.execute(write, rusqlite::params![blob, position]).expect("it is written");
    };
    zeroed(2);
    let ledger = Sqlite::open(&path).expect("it opens");
    let report = verify(&ledger, None).expect("readable");
    let bad = report.first_bad.expect("it is gone without a word");
    let what = "record 2 of run: its payload is gone, and no record says that it was erased";
    assert_eq!((bad.position, bad.what.as_str()), (Some(2), what));
    let erasure = Erasure { digests: vec![digest(&secret(1))], ..Erasure::default() };
    let (stream, events, erase) = ("other".into(), vec![erasure.event()], erasure.digests);
    let append = Append { stream, events, erase, ..Append::default() };
    ledger.append(vec![append]).expect("it works")[0].as_ref().expect("it is kept");
    let report = verify(&ledger, None).expect("readable");
    assert_eq!((report.first_bad, report.payloads, report.erased), (None, 2, 1));
    drop(ledger);
    // A record that says it of one text says it of no other, and not of what comes behind it.
    zeroed(3);
    let ledger = Sqlite::open(&path).expect("it opens");
    assert_eq!(verify(&ledger, None).expect("readable").first_bad.and_then(|bad| bad.position), Some(3));
}
