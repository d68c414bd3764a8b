//! What an answer is for: one ledger, in one project.
//!
//! Invariant: who verifies an answer works this out anew, from the ledger that is open and the file that it lies in. Nothing of it
//! is read from what an agent can write, and a copy of a ledger has the same first record, but is another file.

use std::path::Path;

use baton_kernel::Digest;
use baton_ledger::{Ledger, Limit, ReadFrom, digest};

use crate::error::Error;
use crate::project::store;

/// A ledger in its project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    /// Identity of the project: that of the file which holds its ledger.
    pub(crate) project: Digest,
    /// Identity of the ledger: the hash of its first record.
    pub(crate) ledger: Digest,
}

impl Home {
    /// The ledger of the project at a root.
    pub fn of(root: &Path, ledger: &dyn Ledger) -> Result<Self, Error> {
        let first = ledger.read(&ReadFrom::Position { after: 0 }, Limit(1))?.into_iter().next();
        Ok(Self {
            project: store::identity(root),
            ledger: first.map_or(Digest([0; 32]), |record| record.computed()),
        })
    }

    /// The same for the whole: tells claims of one ledger from those that were copied from another.
    pub(crate) fn digest(&self) -> Digest {
        digest(format!("baton home 1\n{}\n{}\n", self.project, self.ledger).as_bytes())
    }
}
