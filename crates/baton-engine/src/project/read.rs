//! Reads files within bounds, and nothing that would make the reader wait.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::files::read;
use crate::files::read::Unread;

/// What a file holds.
#[derive(Debug)]
pub enum Content {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// More bytes than allowed; nothing was kept.
    TooLarge(u64),
}

/// Reads a file that a person named; says why it cannot be read otherwise.
pub fn file(path: &Path, bytes_max: u64) -> Result<Content, String> {
    if is_handed_over(path) {
        let file = File::open(path).map_err(|error| reason(&error))?;
        return stream(file, 0, bytes_max).map_err(|error| reason(&error));
    }
    let read = read::file(path, bytes_max);
    let is_fifo = matches!(read, Err(Unread::Irregular("a FIFO")));
    content(read).map_err(|why| if is_fifo { format!("{why}; `-` reads what is piped in") } else { why })
}

/// Reads a file of a project, out of which no link may lead; says why it cannot be read otherwise.
pub fn below(root: &Path, path: &Path, bytes_max: u64) -> Result<Content, String> {
    content(read::below(root, path, bytes_max))
}

fn content(read: Result<Vec<u8>, Unread>) -> Result<Content, String> {
    match read {
        Ok(bytes) => Ok(Content::Bytes(bytes)),
        Err(Unread::Large { bytes, .. }) => Ok(Content::TooLarge(bytes)),
        Err(Unread::Io(error)) => Err(reason(&error)),
        Err(why @ (Unread::Irregular(_) | Unread::Outside | Unread::Link)) => Err(why.to_string()),
    }
}

/// Whether something lies at a path that is no folder: whether it can be read, its reader says.
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|_| !path.is_dir())
}

/// Reads a stream to its end or to its bound.
pub fn stream(from: impl Read, bytes: u64, bytes_max: u64) -> io::Result<Content> {
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
pub fn reason(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        // What was met or named is there, so it is a link.
        "it is a link to a file that does not exist".to_owned()
    } else if error.kind() == io::ErrorKind::PermissionDenied {
        "permission denied".to_owned()
    } else {
        error.to_string()
    }
}
