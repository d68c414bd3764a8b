//! Counts the calls of an agent in a file: a line for each, with the key and the attempt it was called with.
//!
//! Invariant: two that are called at once get two numbers.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

/// The number of this call, which is the first if there is no such file.
pub(super) fn count(path: &Path, line: &str) -> io::Result<u64> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    file.lock()?;
    let mut lines = String::new();
    file.read_to_string(&mut lines)?;
    file.write_all(format!("{}\n", line.replace('\n', " ")).as_bytes())?;
    Ok(lines.lines().count() as u64 + 1)
}
