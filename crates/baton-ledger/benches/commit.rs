//! Median time of a raw SQLite commit in a new file in FOLDER; `cargo xtask bench flow` compares a hop with it.
//!
//! Prints `raw commit<TAB>nanoseconds`.
#![expect(clippy::print_stdout, reason = "a program that prints figures")]

use std::path::PathBuf;
use std::time::Instant;

use baton_ledger::raw::Raw;

/// Commits that are measured, each with the text of a handoff.
const COMMITS: usize = 200;
const TEXT_BYTES: usize = 550;

fn main() {
    // `cargo test --benches` calls this without a folder.
    let Some(folder) = std::env::args().nth(1).filter(|word| !word.starts_with('-')) else { return };
    let folder = tempfile::tempdir_in(PathBuf::from(folder)).expect("the folder can be used");
    let raw = Raw::open(&folder.path().join("raw.db")).expect("it opens");
    let text = vec![b'x'; TEXT_BYTES];
    let mut nanos: Vec<u128> = (0..COMMITS)
        .map(|_| {
            let start = Instant::now();
            raw.commit(&text).expect("it commits");
            start.elapsed().as_nanos()
        })
        .collect();
    nanos.sort_unstable();
    println!("raw commit\t{}", nanos[COMMITS / 2]);
}
