//! What an agent must not change, as it was when the agent started: a wall has held if it is the same afterwards.
//!
//! A mount goes when somebody outside puts another file in the place of what is mounted. The agent can change that one then.

use std::fs;
use std::path::PathBuf;

use baton_kernel::Digest;
use baton_ledger::digest;

use super::{Place, kept};

/// The bytes of a file that is compared by what it holds.
const BYTES_MAX: u64 = 1024 * 1024;

/// What was there.
#[derive(Debug)]
pub(crate) struct Seal(Vec<(PathBuf, Option<Stamp>)>);

#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    identity: (u64, u64),
    holds: Option<Digest>,
}

impl Stamp {
    fn of(path: &PathBuf) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let meta = fs::symlink_metadata(path).ok()?;
        let is_small = meta.is_file() && meta.len() <= BYTES_MAX;
        let holds = is_small.then(|| fs::read(path).ok().map(|bytes| digest(&bytes))).flatten();
        Some(Self { identity: (meta.dev(), meta.ino()), holds })
    }
}

impl Seal {
    /// Looks at what an agent must not change before it starts.
    pub(crate) fn new(place: Place<'_>) -> Self {
        let pinned = place.pinned.iter().map(|path| place.root.join(path));
        let mut all: Vec<PathBuf> = kept(place).into_iter().chain(pinned).collect();
        all.sort();
        all.dedup();
        Self(
            all.into_iter().map(|path| (Stamp::of(&path), path)).map(|(stamp, path)| (path, stamp)).collect(),
        )
    }

    /// What is no longer the same.
    pub(crate) fn broken(&self) -> Vec<String> {
        let changed = self.0.iter().filter(|(path, stamp)| Stamp::of(path) != *stamp);
        changed.map(|(path, _)| path.display().to_string()).collect()
    }
}
