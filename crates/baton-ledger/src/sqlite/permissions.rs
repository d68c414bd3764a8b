//! Files for their owner alone, whatever the usual permissions of the process are.
//!
//! SQLite makes the files beside a database with the permissions of the database.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Options that make a missing file readable by its owner alone.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes an empty file, for SQLite to write a database into. Nothing may be there.
pub(super) fn empty(path: &Path) -> io::Result<()> {
    options().write(true).create_new(true).open(path).map(drop)
}

/// Makes a folder for its owner if there is none; those above it are made as usual.
pub(super) fn folder(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    }
}
