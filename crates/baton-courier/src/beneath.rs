//! Files and folders, opened without following a link anywhere on the way.
//!
//! Invariant: each part of a path is opened from the folder before it. An agent that swaps a folder for a link makes the
//! call fail; it never leads the call elsewhere.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

/// Limits of a folder that is removed: its depth, and its entries.
const DEPTH_MAX: usize = 64;
const ENTRIES_MAX: usize = 100_000;

/// A folder that is held open.
#[derive(Debug)]
pub struct Dir(OwnedFd);

const HELD: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Dir {
    /// Opens a folder by its absolute path, in which no part may be a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        if !path.is_absolute() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
        }
        let root = rustix::fs::openat(CWD, "/", HELD | OFlags::DIRECTORY, Mode::empty())?;
        Self(root).below(path.strip_prefix("/").unwrap_or(path))
    }

    /// Opens a folder below this one.
    pub fn below(&self, path: &Path) -> io::Result<Self> {
        self.walk(path, false)
    }

    /// Opens a folder below this one, and makes what is missing on the way.
    pub fn make(&self, path: &Path) -> io::Result<Self> {
        self.walk(path, true)
    }

    fn walk(&self, path: &Path, makes: bool) -> io::Result<Self> {
        let mut dir = Self(self.0.try_clone()?);
        for part in path.components() {
            let name = match part {
                Component::CurDir => continue,
                Component::Normal(name) => name,
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path leads upwards"));
                }
            };
            if makes {
                match rustix::fs::mkdirat(&dir.0, name, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            dir = Self(rustix::fs::openat(&dir.0, name, HELD | OFlags::DIRECTORY, Mode::empty())?);
        }
        Ok(dir)
    }

    /// Holds a file or folder in this one, without opening it for anything. A link is refused.
    pub fn hold(&self, name: &OsStr) -> io::Result<OwnedFd> {
        let held = rustix::fs::openat(&self.0, name, HELD, Mode::empty())?;
        let is_link = FileType::from_raw_mode(rustix::fs::fstat(&held)?.st_mode) == FileType::Symlink;
        if is_link { Err(Errno::LOOP.into()) } else { Ok(held) }
    }

    /// Kind of an entry; nothing where there is none.
    pub fn kind(&self, name: &OsStr) -> io::Result<Option<FileType>> {
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(FileType::from_raw_mode(found.st_mode))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads a regular file in this folder that has at most `bytes_max` bytes.
    pub fn read(&self, name: &OsStr, bytes_max: u64) -> io::Result<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&self.0, name, flags, Mode::empty())?);
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("is {}", kind_of(&meta))));
        }
        let mut bytes = Vec::new();
        file.take(bytes_max + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > bytes_max {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "is too large"));
        }
        Ok(bytes)
    }

    /// Writes a new file in this folder.
    pub fn create(&self, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let mut file = File::from(rustix::fs::openat(&self.0, name, flags, mode)?);
        file.write_all(bytes)?;
        file.sync_all()
    }

    /// Gives an entry of this folder another name in it.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Removes a file or a link from this folder.
    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes an empty folder from this one.
    pub fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Removes a folder with all that is in it; links in it are removed, not followed.
    pub fn remove_all(&self, name: &OsStr) -> io::Result<()> {
        self.remove_deep(name, DEPTH_MAX, &mut ENTRIES_MAX.clone())
    }

    fn remove_deep(&self, name: &OsStr, depth: usize, entries: &mut usize) -> io::Result<()> {
        let too_much = || io::Error::new(io::ErrorKind::QuotaExceeded, "holds too much to be removed");
        let depth = depth.checked_sub(1).ok_or_else(too_much)?;
        let inner = self.below(Path::new(name))?;
        for (name, kind) in inner.entries()? {
            *entries = entries.checked_sub(1).ok_or_else(too_much)?;
            match kind {
                FileType::Directory => inner.remove_deep(&name, depth, entries)?,
                FileType::RegularFile
                | FileType::Symlink
                | FileType::Fifo
                | FileType::Socket
                | FileType::CharacterDevice
                | FileType::BlockDevice
                | FileType::Unknown => inner.remove_file(&name)?,
            }
        }
        self.remove_dir(name)
    }

    /// Names and kinds of the entries of this folder, unordered.
    pub fn entries(&self) -> io::Result<Vec<(std::ffi::OsString, FileType)>> {
        use std::os::unix::ffi::OsStrExt as _;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = rustix::fs::openat(&self.0, ".", flags, Mode::empty())?;
        let mut all = Vec::new();
        for entry in rustix::fs::Dir::new(open)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                let mut kind = entry.file_type();
                if kind == FileType::Unknown {
                    // Some file systems do not say it here.
                    kind = self.kind(name)?.unwrap_or(FileType::Unknown);
                }
                all.push((name.to_owned(), kind));
            }
        }
        Ok(all)
    }

    /// Device and number of the folder, which tell it from one that was put in its place.
    pub fn identity(&self) -> io::Result<(u64, u64)> {
        let meta = File::from(self.0.as_fd().try_clone_to_owned()?).metadata()?;
        Ok((meta.dev(), meta.ino()))
    }

    /// The folder as a path for a program.
    #[must_use]
    pub fn into_held(self) -> OwnedFd {
        self.0
    }
}

/// Holds a file or folder by its absolute path, in which no part may be a link.
pub fn hold(path: &Path) -> io::Result<OwnedFd> {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => Dir::open(folder)?.hold(name),
        (Some(_) | None, Some(_) | None) => Ok(Dir::open(path)?.into_held()),
    }
}

/// A file that is none, as people call it.
fn kind_of(meta: &Metadata) -> &'static str {
    let kind = meta.file_type();
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn place() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().canonicalize().expect("it is there");
        (folder, path)
    }

    #[test]
    fn a_link_is_followed_nowhere_on_the_way() {
        let (_folder, path) = place();
        fs::create_dir_all(path.join("real/deep")).expect("it can be made");
        fs::write(path.join("real/deep/file"), "x").expect("it can be written");
        symlink("real", path.join("link")).expect("it can be linked");
        symlink("file", path.join("real/deep/alias")).expect("it can be linked");
        let dir = Dir::open(&path).expect("it has no link");
        assert_eq!(
            dir.below(Path::new("real/deep")).expect("it is there").read("file".as_ref(), 9).ok(),
            Some(b"x".to_vec())
        );
        assert!(dir.below(Path::new("link/deep")).is_err() && Dir::open(&path.join("link")).is_err());
        assert!(dir.make(Path::new("link/new")).is_err() && !path.join("real/new").exists());
        let deep = dir.below(Path::new("real/deep")).expect("it is there");
        assert!(deep.read("alias".as_ref(), 9).is_err() && deep.hold("alias".as_ref()).is_err());
        assert!(hold(&path.join("link/deep/file")).is_err() && hold(&path.join("real/deep/file")).is_ok());
        assert!(dir.below(Path::new("../x")).is_err() && dir.below(Path::new("/etc")).is_err());
    }

    #[test]
    fn what_is_removed_takes_nothing_along_that_links_lead_to() {
        let (_folder, path) = place();
        fs::create_dir_all(path.join("gone/below")).expect("it can be made");
        fs::create_dir(path.join("kept")).expect("it can be made");
        fs::write(path.join("kept/file"), "x").expect("it can be written");
        symlink("../../kept", path.join("gone/below/out")).expect("it can be linked");
        let dir = Dir::open(&path).expect("it is there");
        dir.remove_all("gone".as_ref()).expect("it can be removed");
        assert!(!path.join("gone").exists() && path.join("kept/file").exists());
    }

    #[test]
    fn a_file_is_read_only_where_it_is_one_and_small() {
        let (_folder, path) = place();
        fs::write(path.join("large"), "xxxx").expect("it can be written");
        rustix::fs::mknodat(CWD, path.join("fifo"), FileType::Fifo, Mode::from_raw_mode(0o600), 0)
            .expect("it can be made");
        let dir = Dir::open(&path).expect("it is there");
        assert_eq!(dir.read("large".as_ref(), 4).ok(), Some(b"xxxx".to_vec()));
        assert!(dir.read("large".as_ref(), 3).is_err() && dir.read(".".as_ref(), 3).is_err());
        assert_eq!(dir.read("fifo".as_ref(), 3).expect_err("nobody waits").to_string(), "is a FIFO");
    }
}
