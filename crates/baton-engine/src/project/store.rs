//! Where a project remembers: `.baton/` below its root, and who of this machine drives its runs.
//!
//! Invariant: nothing is made for somebody who only reads.
//! Invariant: a driver's name is held by a lock for as long as its process lives. Whoever gets that lock knows that the
//! process is gone, and takes its leases over at once under the same name.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use baton_kernel::Digest;
use baton_ledger::{Address, Store, digest};

use crate::error::Error;
use crate::files::private::{self, WORKTREES};

pub use crate::files::private::FOLDER;

const LEDGER: &str = "ledger.db";
const DRIVERS: &str = "drivers";

/// Opens the ledger of a project, and makes it if there is none.
pub fn open(root: &Path) -> Result<Box<dyn Store>, Error> {
    let folder = root.join(FOLDER);
    secure(root)?;
    made(&folder)?;
    // git would make it for everyone to enter.
    made(&folder.join(WORKTREES))?;
    let ignored = folder.join(".gitignore");
    match private::options().write(true).create_new(true).open(&ignored) {
        Ok(mut file) => file.write_all(b"*\n").map_err(|source| failed(&ignored, source))?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed(&ignored, error)),
    }
    Ok(address(root).open()?)
}

/// Opens the ledger of a project, if there is one.
pub fn existing(root: &Path) -> Result<Option<Box<dyn Store>>, Error> {
    must_be_own(root)?;
    let address = address(root);
    Ok(if address.exists()? { Some(address.open()?) } else { None })
}

/// Address of a project's ledger.
fn address(root: &Path) -> Address {
    Address::file(root.join(FOLDER).join(LEDGER))
}

/// Sees that the folder of a project is one of this person's, and closes it to others, before something in it is changed.
pub fn secure(root: &Path) -> Result<(), Error> {
    must_be_own(root)?;
    let folder = root.join(FOLDER);
    // A clone may bring a folder with links in it, and Baton would write where they lead.
    if let Some(path) = private::link(&folder).map_err(|source| failed(&folder, source))? {
        return Err(Error::Folder { path, what: "it is a link, and links are not followed here".to_owned() });
    }
    private::narrow(&folder).map_err(|source| failed(&folder, source))
}

/// Refuses a folder that leads elsewhere, or that another person may change under this one.
fn must_be_own(root: &Path) -> Result<(), Error> {
    let path = root.join(FOLDER);
    match private::foreign(&path) {
        Ok(None) => Ok(()),
        Ok(Some(what)) => Err(Error::Folder { path, what }),
        Err(source) => Err(failed(&path, source)),
    }
}

/// Identity of a project: that of the file which holds its ledger, wherever it is moved to. A copy is another file.
///
/// Not by the path: people and containers see the same project at different ones. Not by the device: some get another number with
/// every start of the machine.
pub(crate) fn identity(root: &Path) -> Digest {
    let said = said_of(&root.join(FOLDER).join(LEDGER));
    said.map_or(Digest([0; 32]), |said| digest(format!("baton project 1\n{said}\n").as_bytes()))
}

#[cfg(unix)]
fn said_of(file: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let data = fs::symlink_metadata(file).ok()?;
    let made = data.created().ok().and_then(|made| made.duration_since(std::time::UNIX_EPOCH).ok());
    Some(match made {
        Some(made) => format!("file {} made {}", data.ino(), made.as_nanos()),
        // This file system does not say when.
        None => format!("file {} on {}", data.ino(), data.dev()),
    })
}

#[cfg(not(unix))]
fn said_of(file: &Path) -> Option<String> {
    Some(format!("file {}", file.canonicalize().ok()?.display()))
}

/// Copies of the ledger that migrations left.
pub fn backups(root: &Path) -> Vec<PathBuf> {
    address(root).backups()
}

/// Makes the views of a project's ledger again, if there is one, and opens it; no other process may have it open.
pub fn rebuild(root: &Path) -> Result<Option<Box<dyn Store>>, Error> {
    secure(root)?;
    let address = address(root);
    Ok(if address.exists()? { Some(address.rebuild()?) } else { None })
}

/// Tells whether a file is one of the ledger's, by whatever name. Only the store may open it: a process that closes a file
/// loses all its locks on it, also those that keep other processes out.
pub fn is_ledger(root: &Path, file: &Path) -> bool {
    address(root).files().iter().any(|name| is_same(name, file))
}

#[cfg(unix)]
fn is_same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |path: &Path| fs::metadata(path).ok().map(|data| (data.dev(), data.ino()));
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

#[cfg(not(unix))]
fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// A driver's name, for as long as it is held.
#[derive(Debug)]
pub struct Driver {
    name: String,
    path: PathBuf,
    /// Whether leases may be left under it, so that whoever wants their runs must be able to tell that it is gone.
    stays: bool,
    lock: File,
}

impl Driver {
    /// A new name; `unique` is something that no other process of any machine says.
    pub fn new(root: &Path, unique: &str) -> Result<Self, Error> {
        let drivers = root.join(FOLDER).join(DRIVERS);
        made(&drivers)?;
        let mut name = digest(unique.as_bytes()).to_string();
        name.truncate(16);
        let path = drivers.join(&name);
        let lock = private::options().write(true).create_new(true).open(&path);
        let lock = lock.map_err(|source| failed(&path, source))?;
        // From here on it goes with this, also if it cannot be locked.
        let driver = Self { name, path, stays: false, lock };
        driver.lock.lock().map_err(|source| failed(&driver.path, source))?;
        Ok(driver)
    }

    /// The name of a driver whose process is gone; nothing if it lives, or if nobody here can tell.
    pub fn left(root: &Path, name: &str) -> Option<Self> {
        let is_plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = root.join(FOLDER).join(DRIVERS).join(name);
        let lock = is_plain.then(|| File::open(&path).ok())??;
        match lock.try_lock() {
            Ok(()) => Some(Self { name: name.to_owned(), path, stays: false, lock }),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => None,
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Gives up the name as if the process had been killed: what it could not give back is taken over under it.
    pub fn abandon(mut self) {
        self.stays = true;
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if !self.stays {
            // What stays behind is a small file that somebody may take over.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether a process of this machine drives runs of a project now.
pub fn is_driven(root: &Path) -> bool {
    let entries = fs::read_dir(root.join(FOLDER).join(DRIVERS)).into_iter().flatten().flatten();
    let is_held = |path: PathBuf| {
        File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    };
    entries.into_iter().any(|entry| is_held(entry.path()))
}

fn made(folder: &Path) -> Result<(), Error> {
    if folder.is_dir() {
        return Ok(());
    }
    private::folder(folder).map_err(|source| failed(folder, source))?;
    // What lies in it is kept for good only with its own name; elsewhere than on Unix making it is what there is.
    match folder.parent().filter(|parent| cfg!(unix) && !parent.as_os_str().is_empty()) {
        Some(parent) => {
            File::open(parent).and_then(|parent| parent.sync_all()).map_err(|source| failed(parent, source))
        }
        None => Ok(()),
    }
}

fn failed(path: &Path, source: std::io::Error) -> Error {
    Error::Ledger(baton_ledger::Error::Io { path: path.to_owned(), source: source.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_only_reads_makes_nothing() {
        let root = tempfile::tempdir().expect("a folder");
        assert!(existing(root.path()).expect("it can be looked for").is_none());
        assert!(!root.path().join(FOLDER).exists());
        drop(open(root.path()).expect("it is made"));
        assert!(existing(root.path()).expect("it can be opened").is_some());
        let ignored = fs::read_to_string(root.path().join(FOLDER).join(".gitignore"));
        assert_eq!(ignored.expect("git is told"), "*\n");
    }

    // proves S-02: where records were, nobody is told that there are none.
    #[test]
    fn a_ledger_that_is_gone_is_no_ledger_without_runs() {
        let root = tempfile::tempdir().expect("a folder");
        drop(open(root.path()).expect("it is made"));
        let path = root.path().join(FOLDER).join(LEDGER);
        fs::remove_file(&path).expect("it is there");
        fs::write(path.with_file_name("ledger.db-wal"), b"left").expect("it can be written");
        let said = |opened: Result<_, Error>| opened.map(drop).expect_err("records are missing").to_string();
        let (reads, writes) = (said(existing(root.path()).map(drop)), said(open(root.path()).map(drop)));
        assert_eq!(reads, writes);
        assert!(reads.contains("the file is gone"), "{reads}");
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_the_ledger_is_left_as_it_is() {
        let root = tempfile::tempdir().expect("a folder");
        let (path, target) = (root.path().join(FOLDER).join(LEDGER), root.path().join("elsewhere.db"));
        made(&root.path().join(FOLDER)).expect("a folder");
        std::os::unix::fs::symlink(&target, &path).expect("a link");
        for is_made in [false, true] {
            if is_made {
                drop(Address::file(&target).open().expect("a ledger"));
            }
            assert!(existing(root.path()).is_err() && open(root.path()).is_err());
            assert!(path.is_symlink() && target.exists() == is_made);
        }
    }

    #[test]
    fn a_name_is_taken_over_only_from_the_dead() {
        let root = tempfile::tempdir().expect("a folder");
        let driver = Driver::new(root.path(), "one").expect("a name");
        let name = driver.name().to_owned();
        assert!(Driver::left(root.path(), &name).is_none() && is_driven(root.path()), "it lives");
        // As when the process is killed: the lock goes, the file stays.
        let path = driver.path.clone();
        drop(driver);
        fs::write(&path, "").expect("it can be written");
        assert!(!is_driven(root.path()), "a file alone drives nothing");
        let left = Driver::left(root.path(), &name).expect("it is gone");
        assert!(Driver::left(root.path(), &name).is_none(), "somebody took it");
        left.abandon();
        let left = Driver::left(root.path(), &name).expect("what it had can be taken over");
        drop(left);
        assert!(Driver::left(root.path(), &name).is_none(), "nobody can tell");
        assert!(Driver::left(root.path(), "../ledger.db").is_none());
    }
}
