//! The place where a project remembers: `.baton/` below its root, and the drivers of its runs.
//!
//! Invariant: reading makes nothing.
//! Invariant: a driver's name is a file that its process keeps locked for as long as it lives. A process that gets the lock knows
//! that the driver is dead, and takes its leases over at once under the same name. The lock answers for this machine
//! alone: where the store is shared, a lease that lasts by the store's clock says that its holder lives.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use baton_kernel::{Digest, Millis};
use baton_ledger::{Address, Clock, Store, digest};

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
    Ok(address(root).open(system_clock())?)
}

/// Opens the ledger of a project, if there is one.
pub fn existing(root: &Path) -> Result<Option<Box<dyn Store>>, Error> {
    must_be_own(root)?;
    let address = address(root);
    Ok(if address.exists()? { Some(address.open(system_clock())?) } else { None })
}

/// Clock of this machine, by which the leases of a ledger on it are compared.
pub fn system_clock() -> Clock {
    Clock::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    })
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
    let made = data.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok());
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
    Ok(if address.exists()? { Some(address.rebuild(system_clock())?) } else { None })
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
    /// A new name; `unique` is said by no other process of any machine.
    pub fn new(root: &Path, unique: &str) -> Result<Self, Error> {
        let drivers = root.join(FOLDER).join(DRIVERS);
        made(&drivers)?;
        let mut name = digest(unique.as_bytes()).to_string();
        name.truncate(16);
        let path = drivers.join(&name);
        let lock = private::options().write(true).create_new(true).open(&path);
        let lock = lock.map_err(|source| failed(&path, source))?;
        // From here on it goes with this, also if it cannot be locked.
        let mut driver = Self { name, path, stays: false, lock };
        driver.lock.lock().map_err(|source| failed(&driver.path, source))?;
        let written = driver.lock.write_all(boot().unwrap_or_default().as_bytes());
        written.map_err(|source| failed(&driver.path, source))?;
        Ok(driver)
    }

    /// The name of a driver whose process is dead; nothing if it lives, or if this machine cannot tell.
    ///
    /// In a folder that machines share, the locks of another one may not be seen. There the lease decides, by the store's clock.
    pub fn left(root: &Path, store: &dyn Store, name: &str) -> Option<Self> {
        let is_plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = root.join(FOLDER).join(DRIVERS).join(name);
        let lock = is_plain.then(|| File::open(&path).ok())??;
        if store.is_shared() && !is_of_this_boot(&path) {
            return None;
        }
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

/// Tells whether the file of a driver was written since this machine started, and so by a process of it.
fn is_of_this_boot(path: &Path) -> bool {
    let written = fs::read_to_string(path).unwrap_or_default();
    boot().is_some_and(|boot| boot == written)
}

/// Id of this machine's last start, one for all its containers; none where the system gives none.
fn boot() -> Option<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}

/// Tells whether a process drives a run of a project now: one of this machine, or of another one if the store is shared.
pub fn is_driven(root: &Path, store: &dyn Store, run: &str) -> Result<bool, Error> {
    Ok(is_driven_here(root) || store.is_shared() && store.holder(run)?.is_some())
}

/// Tells whether a process of this machine drives runs of a project now.
pub fn is_driven_here(root: &Path) -> bool {
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
    use baton_ledger::{
        Append, Appended, Head, Lease, LeaseRequest, Ledger, Limit, Maintenance, Memory, Query, ReadFrom,
        Record, Refused, Report, take_lease,
    };

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
                drop(Address::file(&target).open(system_clock()).expect("a ledger"));
            }
            assert!(existing(root.path()).is_err() && open(root.path()).is_err());
            assert!(path.is_symlink() && target.exists() == is_made);
        }
    }

    /// A ledger in memory, as if other machines had it too.
    struct Elsewhere(Memory);

    impl Ledger for Elsewhere {
        fn append(&self, batch: Vec<Append>) -> Result<Vec<Result<Appended, Refused>>, baton_ledger::Error> {
            self.0.append(batch)
        }

        fn read(&self, from: &ReadFrom, limit: Limit) -> Result<Vec<Record>, baton_ledger::Error> {
            self.0.read(from, limit)
        }

        fn find(&self, query: &Query) -> Result<Vec<Head>, baton_ledger::Error> {
            self.0.find(query)
        }

        fn due(&self, until: Millis, limit: Limit) -> Result<Vec<Head>, baton_ledger::Error> {
            self.0.due(until, limit)
        }

        fn lease(&self, request: &LeaseRequest) -> Result<Vec<Result<Lease, Refused>>, baton_ledger::Error> {
            self.0.lease(request)
        }

        fn release(&self, lease: &Lease) -> Result<(), baton_ledger::Error> {
            self.0.release(lease)
        }
    }

    impl Maintenance for Elsewhere {
        fn verify(&self, earlier: Option<Digest>) -> Result<Report, baton_ledger::Error> {
            self.0.verify(earlier)
        }

        fn examine(&self) -> Result<(), baton_ledger::Error> {
            self.0.examine()
        }
    }

    impl Store for Elsewhere {
        fn is_shared(&self) -> bool {
            true
        }

        fn holder(&self, stream: &str) -> Result<Option<String>, baton_ledger::Error> {
            self.0.holder(stream)
        }
    }

    #[test]
    fn a_driver_of_another_machine_lives_as_long_as_its_lease() {
        let root = tempfile::tempdir().expect("a folder");
        let (local, shared) = (Memory::new(), Elsewhere(Memory::new()));
        let name = Driver::new(root.path(), "one").expect("a name").name().to_owned();
        // As its file looks from here: the lock is not seen, and the boot is another one.
        fs::write(root.path().join(FOLDER).join(DRIVERS).join(&name), "another boot")
            .expect("it can be written");
        let lease = take_lease(&shared, &name, "run", 10).expect("memory works").expect("it is free");
        let driven = |store: &dyn Store| is_driven(root.path(), store, "run").expect("memory works");
        assert!(Driver::left(root.path(), &shared, &name).is_none(), "this machine cannot tell");
        assert!(driven(&shared) && !driven(&local) && !is_driven_here(root.path()));
        shared.0.set_clock(Clock::stopped(lease.until));
        assert!(!driven(&shared), "its time is over");
        Driver::left(root.path(), &local, &name).expect("where nothing is shared, the lock tells").abandon();
        fs::write(root.path().join(FOLDER).join(DRIVERS).join(&name), boot().unwrap_or_default())
            .expect("it can be written");
        let left = Driver::left(root.path(), &shared, &name);
        assert_eq!(left.is_some(), boot().is_some(), "a process of this machine died");
    }

    #[test]
    fn a_name_is_taken_over_only_from_the_dead() {
        let root = tempfile::tempdir().expect("a folder");
        let store = Memory::new();
        let driver = Driver::new(root.path(), "one").expect("a name");
        let name = driver.name().to_owned();
        assert!(
            Driver::left(root.path(), &store, &name).is_none() && is_driven_here(root.path()),
            "it lives"
        );
        // As when the process is killed: the lock goes, the file stays.
        let path = driver.path.clone();
        drop(driver);
        fs::write(&path, "").expect("it can be written");
        assert!(!is_driven_here(root.path()), "a file alone drives nothing");
        let left = Driver::left(root.path(), &store, &name).expect("it is gone");
        assert!(Driver::left(root.path(), &store, &name).is_none(), "somebody took it");
        left.abandon();
        let left = Driver::left(root.path(), &store, &name).expect("what it had can be taken over");
        drop(left);
        assert!(Driver::left(root.path(), &store, &name).is_none(), "nobody can tell");
        assert!(Driver::left(root.path(), &store, "../ledger.db").is_none());
    }
}
