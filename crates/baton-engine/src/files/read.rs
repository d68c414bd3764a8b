//! Reads the files of a project, which an agent may have made or exchanged: the one place where they are opened.
//!
//! Invariant: never waits and never reads without a bound. A path is opened without blocking, and what was opened is
//! looked at: a FIFO, a device, a folder, or a file outside of the project is named as such, also if it took the place of
//! another file a moment ago.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

/// Why a file was not read.
#[derive(Debug)]
pub enum Unread {
    /// It is no regular file, but this.
    Irregular(&'static str),
    /// It lies outside of the project, where a link leads.
    Outside,
    /// It is a link, where none is followed.
    Link,
    /// It has more bytes than may be read.
    Large {
        /// Its bytes, as far as they were counted.
        bytes: u64,
        /// How many it may have.
        bytes_max: u64,
    },
    /// The system says so.
    Io(io::Error),
}

impl fmt::Display for Unread {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Irregular(kind) => write!(out, "it is {kind}, not a regular file"),
            Self::Outside => write!(out, "it is a link out of the project"),
            Self::Link => write!(out, "it is a link"),
            Self::Large { bytes, bytes_max } => write!(out, "it has {bytes} bytes, more than {bytes_max}"),
            Self::Io(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                write!(out, "permission denied")
            }
            Self::Io(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for Unread {}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Unread {
    /// Whether nothing is there.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// What links lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Links {
    Followed,
    Refused,
}

/// Reads a regular file that a person named, wherever it lies.
///
/// # Errors
/// Why it was not read.
pub fn file(path: &Path, bytes_max: u64) -> Result<Vec<u8>, Unread> {
    let (file, meta) = open(path, Links::Followed)?;
    bounded(file, &meta, bytes_max)
}

/// Reads a regular file of a project; a link must not lead out of it.
///
/// # Errors
/// Why it was not read.
pub fn below(root: &Path, path: &Path, bytes_max: u64) -> Result<Vec<u8>, Unread> {
    let (file, meta) = open(path, Links::Followed)?;
    if !lies_below(root, path, &meta)? {
        return Err(Unread::Outside);
    }
    bounded(file, &meta, bytes_max)
}

/// Reads a regular file in whose place no link is followed, with what the system says of it.
///
/// # Errors
/// Why it was not read.
pub fn unlinked(path: &Path, bytes_max: u64) -> Result<(Vec<u8>, Metadata), Unread> {
    let (file, meta) = open(path, Links::Refused)?;
    Ok((bounded(file, &meta, bytes_max)?, meta))
}

fn bounded(file: File, meta: &Metadata, bytes_max: u64) -> Result<Vec<u8>, Unread> {
    if meta.len() > bytes_max {
        return Err(Unread::Large { bytes: meta.len(), bytes_max });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len() + 1).unwrap_or_default());
    // It may grow while it is read.
    let read = file.take(bytes_max + 1).read_to_end(&mut bytes)? as u64;
    if read > bytes_max { Err(Unread::Large { bytes: read, bytes_max }) } else { Ok(bytes) }
}

/// Opens a regular file, and gives what the system says of the one that was opened.
fn open(path: &Path, links: Links) -> Result<(File, Metadata), Unread> {
    let file = match opened(path, links) {
        Ok(file) => file,
        Err(error) => {
            // A socket cannot be opened at all, so that its path must tell what it is.
            let seen = if links == Links::Followed { path.metadata() } else { path.symlink_metadata() };
            return Err(match seen.map(|meta| irregular(&meta)) {
                Ok(Some(LINK)) => Unread::Link,
                Ok(Some(kind)) => Unread::Irregular(kind),
                Ok(None) | Err(_) => Unread::Io(error),
            });
        }
    };
    let meta = file.metadata()?;
    match irregular(&meta) {
        Some(kind) => Err(Unread::Irregular(kind)),
        None => Ok((file, meta)),
    }
}

/// Opens without blocking: a FIFO waits for nobody, and a terminal does not become that of this process.
#[cfg(unix)]
fn opened(path: &Path, links: Links) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};

    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    if links == Links::Refused {
        flags |= OFlags::NOFOLLOW;
    }
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn opened(path: &Path, links: Links) -> io::Result<File> {
    let meta = if links == Links::Followed { path.metadata()? } else { path.symlink_metadata()? };
    if !meta.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    File::open(path)
}

const LINK: &str = "a link";

/// What something is that is no regular file.
fn irregular(meta: &Metadata) -> Option<&'static str> {
    let kind = meta.file_type();
    if kind.is_file() {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;

        if kind.is_fifo() {
            return Some("a FIFO");
        } else if kind.is_socket() {
            return Some("a socket");
        } else if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        }
    }
    Some(if kind.is_dir() {
        "a folder"
    } else if kind.is_symlink() {
        LINK
    } else {
        "something else"
    })
}

/// Whether what was opened is the file that lies at a path in a project. The path alone does not tell: a link may have been
/// in its place when it was opened.
fn lies_below(root: &Path, path: &Path, opened: &Metadata) -> io::Result<bool> {
    let resolved = path.canonicalize()?;
    if !resolved.starts_with(root.canonicalize()?) {
        return Ok(false);
    }
    let there = resolved.symlink_metadata()?;
    Ok(is_same(&there, opened))
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.len() == other.len() && one.modified().ok() == other.modified().ok()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    fn fifo(path: &Path) {
        rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RUSR).expect("a FIFO is made");
    }

    fn why(read: Result<Vec<u8>, Unread>) -> String {
        read.expect_err("it is not read").to_string()
    }

    #[test]
    fn what_is_no_regular_file_is_named_and_never_waited_for() {
        let root = tempfile::tempdir().expect("a folder");
        let at = |name: &str| root.path().join(name);
        fifo(&at("fifo"));
        let _listener = UnixListener::bind(at("socket")).expect("a socket");
        symlink("/dev/zero", at("zero")).expect("a link");
        symlink(at("fifo"), at("to-fifo")).expect("a link");
        std::fs::create_dir(at("folder")).expect("a folder");
        for (name, is) in [
            ("fifo", "a FIFO"),
            ("to-fifo", "a FIFO"),
            ("socket", "a socket"),
            ("zero", "a device"),
            ("folder", "a folder"),
        ] {
            let expected = format!("it is {is}, not a regular file");
            assert_eq!(why(file(&at(name), 10)), expected, "{name}");
            assert_eq!(why(below(root.path(), &at(name), 10)), expected, "{name}");
        }
        assert_eq!(why(unlinked(&at("zero"), 10).map(|(bytes, _)| bytes)), "it is a link");
        assert!(file(&at("missing"), 10).expect_err("nothing is there").is_missing());
    }

    #[test]
    fn a_file_is_read_up_to_its_bound_and_in_its_project_alone() {
        let (root, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let at = |name: &str| root.path().join(name);
        std::fs::write(at("own"), "12345").expect("it is written");
        std::fs::write(other.path().join("others"), "12345").expect("it is written");
        symlink(at("own"), at("link")).expect("a link");
        symlink(other.path().join("others"), at("out")).expect("a link");
        assert_eq!(below(root.path(), &at("own"), 5).expect("it is read"), b"12345");
        assert_eq!(below(root.path(), &at("link"), 5).expect("it is read"), b"12345");
        assert_eq!(file(&at("out"), 5).expect("it is read"), b"12345");
        assert_eq!(why(below(root.path(), &at("out"), 5)), "it is a link out of the project");
        assert_eq!(why(file(&at("own"), 4)), "it has 5 bytes, more than 4");
        // What looks empty may give bytes without end.
        assert!(
            matches!(file(Path::new("/proc/self/maps"), 1), Err(Unread::Large { .. }))
                || !cfg!(target_os = "linux")
        );
    }

    #[test]
    fn what_was_opened_counts_and_not_what_lies_there_a_moment_later() {
        let (root, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let (own, others) = (root.path().join("own"), other.path().join("others"));
        std::fs::write(&own, "own").expect("it is written");
        std::fs::write(&others, "others").expect("it is written");
        let (_, opened) = open(&others, Links::Followed).expect("it is opened");
        assert!(!lies_below(root.path(), &own, &opened).expect("both are there"));
    }
}
