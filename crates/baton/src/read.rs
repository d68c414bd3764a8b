//! Reads files within bounds, and nothing that would make the reader wait.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What a file holds.
#[derive(Debug)]
pub(crate) enum Content {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// More bytes than allowed; nothing was kept.
    TooLarge(u64),
}

/// Reads a file; says why it cannot be read otherwise.
pub(crate) fn file(path: &Path, bytes_max: u64) -> Result<Content, String> {
    let meta = path.metadata().map_err(|error| reason(&error))?;
    if meta.is_dir() {
        return Err("it is a folder".to_owned());
    }
    if !meta.is_file() && !is_handed_over(path) {
        return Err("it is no regular file; `-` reads what is piped in".to_owned());
    }
    if meta.len() > bytes_max {
        return Ok(Content::TooLarge(meta.len()));
    }
    let file = File::open(path).map_err(|error| reason(&error))?;
    stream(file, meta.len(), bytes_max).map_err(|error| reason(&error))
}

/// Reads a stream to its end or to its bound.
pub(crate) fn stream(from: impl Read, bytes: u64, bytes_max: u64) -> io::Result<Content> {
    let mut content = Vec::with_capacity(usize::try_from(bytes.min(bytes_max) + 1).unwrap_or_default());
    let read = from.take(bytes_max + 1).read_to_end(&mut content)?;
    let is_too_large = read as u64 > bytes_max;
    Ok(if is_too_large { Content::TooLarge(read as u64) } else { Content::Bytes(content) })
}

/// Whether a path is a stream that the shell opened for this process, as `<(command)` does.
fn is_handed_over(path: &Path) -> bool {
    path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd") || path == Path::new("/dev/stdin")
}

/// Why something that was met or named cannot be read.
pub(crate) fn reason(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        // What was met or named is there, so it is a link.
        "it is a link to a file that does not exist".to_owned()
    } else if error.kind() == io::ErrorKind::PermissionDenied {
        "permission denied".to_owned()
    } else {
        error.to_string()
    }
}
