//! Files of an attempt: handoff and prompt, which Baton writes, answer and draft, which the program writes.
//!
//! Invariant: nothing outside the root and the private folder is written or read, through links included.
//! Invariant: a file that existed before the program was started is never taken for its answer.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use rustix::fs::{Mode, OFlags};
use tempfile::NamedTempFile;

use crate::temporary::{Folder, FolderPool};
use crate::{Cause, Delivery, Failure};

use super::{FileLocation, Input, Output, Program, Template};

/// Slowest tick of a clock of files; two changes within one have the same time.
const TICK_MAX: Duration = Duration::from_millis(20);

/// The files of one attempt.
pub(super) struct AttemptFiles<'p> {
    /// Folder of the attempt, and the pool that takes it back.
    private: Option<(Folder, &'p FolderPool)>,
    pub(super) handoff: Option<PathBuf>,
    pub(super) prompt: Option<PathBuf>,
    pub(super) answer: Option<AwaitedFile>,
    pub(super) draft: Option<AwaitedFile>,
}

impl Drop for AttemptFiles<'_> {
    fn drop(&mut self) {
        if let Some((folder, pool)) = self.private.take() {
            pool.give_back(folder);
        }
    }
}

impl<'p> AttemptFiles<'p> {
    /// No files.
    pub(super) fn none() -> Self {
        Self { private: None, handoff: None, prompt: None, answer: None, draft: None }
    }

    /// Private folder of the attempt, if it has one.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.private.as_ref().map(|(folder, _)| folder.path())
    }

    /// Writes the files for the program, and records the state of those that it will write.
    pub(super) fn write(
        program: &Program,
        delivery: &Delivery,
        pool: &'p FolderPool,
    ) -> Result<Self, Failure> {
        let mut files = Self::none();
        let extension = if delivery.extension.is_empty() || delivery.extension.contains(['/', '\0']) {
            "txt"
        } else {
            &delivery.extension
        };
        if let Input::File(place) = &program.input {
            let path = files.path(pool, place, delivery, &format!("handoff.{extension}"))?;
            write(&path, &delivery.handoff)?;
            files.handoff = Some(path);
        }
        if let Some(prompt) = &delivery.prompt {
            let path = files.path(pool, &FileLocation::Private, delivery, "prompt.txt")?;
            write(&path, prompt.as_bytes())?;
            files.prompt = Some(path);
        }
        if let Output::File(place) = &program.output {
            let path = files.path(pool, place, delivery, &format!("answer.{extension}"))?;
            files.answer = Some(AwaitedFile::at(path));
        }
        if let Some(place) = &program.draft {
            let path = files.path(pool, place, delivery, &format!("answer.draft.{extension}"))?;
            files.draft = Some(AwaitedFile::at(path));
        }
        Ok(files)
    }

    fn path(
        &mut self,
        pool: &'p FolderPool,
        place: &FileLocation,
        delivery: &Delivery,
        name: &str,
    ) -> Result<PathBuf, Failure> {
        match place {
            FileLocation::Private => {
                let folder = match self.private.take() {
                    Some((folder, _)) => folder,
                    None => pool.take().map_err(|error| {
                        Failure::new(Cause::Broken, format!("no private folder could be made: {error}"))
                    })?,
                };
                let path = folder.path().join(name);
                self.private = Some((folder, pool));
                Ok(path)
            }
            FileLocation::InRoot(template) => in_root(template, delivery),
        }
    }
}

/// The path of a file inside the root, whose folder exists when this returns.
fn in_root(template: &Template, delivery: &Delivery) -> Result<PathBuf, Failure> {
    let root = delivery.root.canonicalize().map_err(|error| {
        Failure::new(
            Cause::Impossible,
            format!("the root {} cannot be used: {error}", delivery.root.display()),
        )
    })?;
    let path = root.join(template.fill(delivery));
    let broken = |error: io::Error| {
        Failure::new(Cause::Broken, format!("the folder of {} cannot be used: {error}", path.display()))
    };
    let folder = path.parent().expect("it is below the root");
    // The existing part is checked before the rest is created, so that nothing is created outside.
    let exists = folder.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(&root);
    if !exists.canonicalize().map_err(broken)?.starts_with(&root) {
        return Err(outside(&path));
    }
    fs::create_dir_all(folder).map_err(broken)?;
    let folder = folder.canonicalize().map_err(broken)?;
    if !folder.starts_with(&root) {
        return Err(outside(&path));
    }
    Ok(folder.join(path.file_name().expect("a template names a file")))
}

fn outside(path: &Path) -> Failure {
    Failure::new(Cause::Impossible, format!("{} is outside the root, through a link", path.display()))
        .with_hint("take the link away, or choose another path for the files of the agent")
}

/// Writes a file atomically, and replaces none with other content.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let broken = |error: io::Error| {
        Failure::new(Cause::Broken, format!("{} could not be written: {error}", path.display()))
    };
    let folder = path.parent().expect("a file is in a folder");
    let mut file = NamedTempFile::new_in(folder).map_err(broken)?;
    file.write_all(bytes).map_err(broken)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            // An earlier attempt wrote the same content.
            if read(path, bytes.len()).is_ok_and(|existing| existing == Content::All(bytes.to_vec())) {
                return Ok(());
            }
            let message = format!("another file lies at {}, where the handoff should lie", path.display());
            Err(Failure::new(Cause::Impossible, message)
                .with_hint("move it away, or put {key} into the path of the agent's files"))
        }
        Err(error) => Err(broken(error.error)),
    }
}

/// A file that the program may write.
pub(super) struct AwaitedFile {
    pub(super) path: PathBuf,
    seen: Option<Stamp>,
    told: Option<u64>,
}

/// Metadata of a file that changes with every write.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl AwaitedFile {
    fn at(path: PathBuf) -> Self {
        let seen = stamp(&path);
        if seen.is_some_and(|stamp| !stamp.is_settled()) {
            thread::sleep(TICK_MAX);
        }
        Self { path, seen, told: None }
    }

    /// Tells whether the file existed before.
    pub(super) fn existed(&self) -> bool {
        self.seen.is_some()
    }

    /// Content of the file, if it has changed since the last call.
    pub(super) fn news(&mut self, bytes_max: usize) -> io::Result<Option<Content>> {
        let now = stamp(&self.path);
        if now.is_none() || now == self.seen {
            return Ok(None);
        }
        // A file that may change again within the same tick is read again, even with the same stamp.
        self.seen = now.filter(Stamp::is_settled).or(self.seen);
        let content = read(&self.path, bytes_max)?;
        let hash = content.hash();
        Ok((self.told.replace(hash) != Some(hash)).then_some(content))
    }
}

impl Stamp {
    /// Tells whether the next change will have another time than this one.
    fn is_settled(&self) -> bool {
        let (seconds, nanos) = self.changed;
        let (Ok(seconds), Ok(nanos)) = (u64::try_from(seconds), u32::try_from(nanos)) else { return true };
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
        // A clock that was set back leads to another read, which is correct too.
        changed.elapsed().is_ok_and(|age| age >= TICK_MAX)
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = path.symlink_metadata().ok()?;
    Some(Stamp {
        device: metadata.dev(),
        inode: metadata.ino(),
        size: metadata.size(),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
    })
}

/// Content of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// All of it.
    All(Vec<u8>),
    /// More than the limit.
    TooMuch,
}

impl Content {
    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        match self {
            Self::All(bytes) => hasher.write(bytes),
            Self::TooMuch => {}
        }
        hasher.finish()
    }
}

/// Reads a regular file, without following a link on its path.
fn read(path: &Path, bytes_max: usize) -> io::Result<Content> {
    // Paths that are handed out contain no link.
    let folder = path.parent().unwrap_or(path);
    if folder.canonicalize()? != folder {
        return Err(io::Error::other("its folder was replaced by a link"));
    }
    // A pipe or a device in place of the file must not block.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.take((bytes_max as u64).saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(if bytes.len() > bytes_max { Content::TooMuch } else { Content::All(bytes) })
}
