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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::thread;

    use super::*;

    #[test]
    fn calls_at_once_are_counted_once_each() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("calls");
        let calls = || (0..50).map(|_| count(&path, "two\nlines").expect("a number")).collect::<Vec<_>>();
        let numbers: BTreeSet<u64> = thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(calls));
            threads.into_iter().flat_map(|thread| thread.join().expect("it counts")).collect()
        });
        assert_eq!(numbers, (1..=200).collect());
    }
}
