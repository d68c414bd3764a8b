//! Puts one file of a project as it should be, by the rule of all that is kept: nothing that others wrote is lost.

use std::path::Path;

use baton_kernel::{Digest, Millis};
use baton_ledger::digest;

use super::Conflict;
use super::disk::{Disk, There};
use super::reconcile::{TRIES_MAX, aside};
use crate::error::Error;

/// What a file may be written over.
pub(crate) enum Over<'o> {
    /// Whatever stands there. What was not written here is offered to this first, which says whether it is kept
    /// elsewhere now; otherwise it is saved beside.
    Whatever(&'o mut dyn FnMut(&[u8]) -> Result<bool, Error>),
    /// These bytes, or nothing.
    Only(&'o [u8]),
}

/// What came of putting a file.
pub(crate) enum Put {
    /// It stands there; perhaps something else is saved beside.
    Done(Vec<Conflict>),
    /// Something else stands there, and was left alone.
    LeftAlone,
}

/// Puts a file below the root; `bytes_max` is the largest that is looked at.
pub(crate) fn put(
    root: &Path,
    bytes_max: u64,
    (path, bytes): (&str, &[u8]),
    mut over: Over<'_>,
    now: Millis,
) -> Result<Put, Error> {
    let failed = |what: String| Error::File { path: path.to_owned(), what };
    let disk = Disk::open(root, bytes_max).map_err(failed)?;
    let lock = disk.lock().map_err(failed)?;
    disk.sweep(&[path.to_owned()], &lock);
    let mut conflicts = Vec::new();
    let mut saved_beside = |saved: String, why: &str| {
        conflicts.push(Conflict { path: path.to_owned(), saved: Some(saved), why: why.to_owned() });
    };
    for _ in 0..TRIES_MAX {
        let is_done = match disk.look(path).map_err(failed)? {
            There::Nothing => {
                disk.note(path, None, digest(bytes)).map_err(failed)?;
                disk.create(path, bytes).map_err(failed)?
            }
            There::Odd(why) => return Err(failed(format!("{why}, and is left alone"))),
            There::Large => {
                if matches!(over, Over::Only(_)) {
                    return Ok(Put::LeftAlone);
                }
                let saved = disk.move_aside(path, &aside(now)).map_err(failed)?;
                saved_beside(saved, "another hand wrote more than a handoff can have");
                false
            }
            There::Text(found, _) => {
                let named: Digest = digest(&found);
                match &mut over {
                    Over::Only(expected) if found != *expected && found != bytes => {
                        return Ok(Put::LeftAlone);
                    }
                    Over::Only(_) => {}
                    Over::Whatever(kept) => {
                        if found != bytes && !disk.is_own(path, named) && !kept(&found)? {
                            let saved = disk.save(path, &aside(now)).map_err(failed)?;
                            saved_beside(
                                saved,
                                "another hand wrote it, and it is no handoff that can be kept",
                            );
                        }
                    }
                }
                disk.note(path, Some(named), digest(bytes)).map_err(failed)?;
                found == bytes || {
                    let (is_done, saved) =
                        disk.replace(path, (&found, bytes), &aside(now)).map_err(failed)?;
                    if let Some(saved) = saved {
                        saved_beside(saved, "another hand wrote it at the same moment");
                    }
                    is_done
                }
            }
        };
        if is_done {
            return Ok(Put::Done(conflicts));
        }
    }
    Err(failed("others write it all the time".to_owned()))
}
