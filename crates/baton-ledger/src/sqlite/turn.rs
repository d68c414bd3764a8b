//! Whose turn it is to write, among all processes that use a ledger.
//!
//! The database's own lock is taken by whoever asks at the right instant: of eight busy processes some wait until the
//! others are done. A lock of the system is hardly better, for whoever has just released it is awake and takes it
//! again before the others are. So everybody draws a number at the door, takes the place of that number, and waits
//! for the place before it: nobody else waits there, so nobody comes between. The system frees a place when its
//! process ends, however it ends.
//!
//! Whoever drew the last number goes again without the door: it takes its place again, and looks whether the number is
//! still the last one. Who comes then waits for that place; who came before is seen.
//!
//! Invariant: the door is held for an instant only, a number is written once its place is taken, and places are freed
//! in the order of their numbers. Should a process end while it waits, two may go at once; then the database's own lock
//! decides between them.

use std::fs::{File, TryLockError};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::private;
use crate::Error;

/// How many can wait in order; more wait at the door, in any order.
const PLACES: u64 = 16;
/// The last number of whoever has drawn none.
const NONE: u64 = u64::MAX;

/// The locks beside a ledger.
pub(super) struct Turns {
    /// Holds the number that was drawn last.
    door: Lock,
    places: Vec<Lock>,
    users: Lock,
    /// The number that was drawn here last.
    drawn: AtomicU64,
}

struct Lock {
    file: File,
    path: PathBuf,
}

/// Whether this process is the only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    /// Nobody else has the ledger open, and nobody can open it now.
    Alone,
    /// Others have.
    Others,
}

impl Turns {
    /// Opens the locks beside a ledger.
    pub(super) fn beside(ledger: &Path) -> Result<Self, Error> {
        let mut folder = ledger.as_os_str().to_owned();
        folder.push("-locks");
        let folder = PathBuf::from(folder);
        private::folder(&folder).map_err(Error::io(&folder))?;
        let lock = |name: &str| {
            let path = folder.join(name);
            let file = private::options().create(true).truncate(false).read(true).write(true).open(&path);
            Ok(Lock { file: file.map_err(Error::io(&path))?, path })
        };
        let places = (0..PLACES).map(|number| lock(&format!("place-{number}"))).collect::<Result<_, _>>()?;
        // The system closes files of low numbers first: also where a process is killed, it leaves the users before the door.
        let users = lock("users")?;
        Ok(Self { door: lock("door")?, places, users, drawn: AtomicU64::new(NONE) })
    }

    /// Comes in, one at a time, and looks whether anybody is there.
    pub(super) fn enter(&self) -> Result<Company, Error> {
        self.door.take()?;
        match self.users.file.try_lock() {
            Ok(()) => Ok(Company::Alone),
            Err(TryLockError::WouldBlock) => Ok(Company::Others),
            Err(TryLockError::Error(source)) => Err(Error::io(&self.users.path)(source)),
        }
    }

    /// Stays among the users, and lets the next one come in.
    pub(super) fn stay(&self, company: Company) -> Result<(), Error> {
        if company == Company::Alone {
            self.users.let_go()?;
        }
        self.users.file.lock_shared().map_err(Error::io(&self.users.path))?;
        self.door.let_go()
    }

    /// Closes the door until this goes: nobody comes in while the files are closed.
    pub(super) fn leave(&self) -> Result<(), Error> {
        self.door.take()
    }

    /// Waits for the turn to write.
    pub(super) fn wait(&self) -> Result<Turn<'_>, Error> {
        if let Some(turn) = self.again()? {
            return Ok(turn);
        }
        self.door.take()?;
        let drawn = self.draw();
        self.door.let_go()?;
        let (own, before) = drawn?;
        before.take()?;
        before.let_go()?;
        Ok(own)
    }

    /// The turn, if nobody has drawn a number since it was here.
    fn again(&self) -> Result<Option<Turn<'_>>, Error> {
        let number = self.drawn.load(Ordering::Relaxed);
        if number == NONE {
            return Ok(None);
        }
        let place = self.place(number);
        match place.file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(source)) => return Err(Error::io(&place.path)(source)),
        }
        let turn = Turn(place);
        Ok((self.last()? == number).then_some(turn))
    }

    /// Draws a number at the door and takes its place; tells the place before it too.
    fn draw(&self) -> Result<(Turn<'_>, &Lock), Error> {
        let last = self.last()?;
        let number = if last == NONE { 0 } else { (last + 1) % NONE };
        let own = self.place(number);
        own.take()?;
        let turn = Turn(own);
        let mut file = &self.door.file;
        let written = file.rewind().and_then(|()| file.write_all(&number.to_be_bytes()));
        written.map_err(Error::io(&self.door.path))?;
        self.drawn.store(number, Ordering::Relaxed);
        Ok((turn, self.place(number.wrapping_add(PLACES - 1))))
    }

    /// The number that was drawn last, by whomever.
    fn last(&self) -> Result<u64, Error> {
        let mut number = [0; 8];
        let read = from_start(&self.door.file, &mut number).map_err(Error::io(&self.door.path))?;
        // In a new file there is none, and any will do.
        Ok(if read == number.len() { u64::from_be_bytes(number) } else { NONE })
    }

    fn place(&self, number: u64) -> &Lock {
        &self.places[usize::try_from(number % PLACES).unwrap_or_default()]
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        // Said, and in this order: a program that is just being started may have the files for an instant longer, and
        // nobody comes in and finds a user whose files are closed.
        let _ = self.users.let_go();
        let _ = self.door.let_go();
    }
}

/// Reads the first bytes of a file.
#[cfg(unix)]
fn from_start(file: &File, into: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, 0)
}

/// Reads the first bytes of a file.
#[cfg(not(unix))]
fn from_start(mut file: &File, into: &mut [u8]) -> io::Result<usize> {
    use std::io::Read as _;
    file.rewind()?;
    file.read(into)
}

impl Lock {
    fn take(&self) -> Result<(), Error> {
        self.file.lock().map_err(Error::io(&self.path))
    }

    fn let_go(&self) -> Result<(), Error> {
        self.file.unlock().map_err(Error::io(&self.path))
    }
}

/// The turn to write, or the place in the queue for it; it ends when this goes.
pub(super) struct Turn<'a>(&'a Lock);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // If the system cannot release a lock, the end of the process does.
        let _ = self.0.let_go();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn whoever_wrote_last_goes_again_until_another_comes() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let beside = || Turns::beside(&folder.path().join("ledger.db")).expect("its locks");
        let (one, other) = (beside(), beside());
        let may = |turns: &Turns| turns.again().expect("locks work").is_some();
        assert!(!may(&one), "nobody has drawn a number");
        drop(one.wait().expect("locks work"));
        assert!(may(&one) && may(&one));
        assert!(!may(&other));
        thread::scope(|scope| {
            let turn = one.wait().expect("locks work");
            let number = one.last().expect("readable");
            let waiting = scope.spawn(|| other.wait().map(drop));
            while one.last().expect("readable") == number {
                thread::yield_now();
            }
            assert!(!waiting.is_finished(), "the other waits for the place of the one");
            drop(turn);
            assert!(!may(&one), "the other came before");
            waiting.join().expect("no panic").expect("locks work");
        });
        assert!(may(&other) && !may(&one));
        drop(one.wait().expect("locks work"));
        assert!(may(&one) && !may(&other));
    }
}
