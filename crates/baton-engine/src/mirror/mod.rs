//! The files that the five systems know, kept from the ledger, which is the truth.
//!
//! Follow one: `keep` reads a run's history → the row of each system in [`MIRRORS`] says which files there are and what
//! is in them → `reconcile.rs` holds that against the disk and writes what differs, unless another hand changed it.
//!
//! Cannot: decide anything. What another hand wrote is given to the caller, or saved beside.

mod disk;
mod envelope;
mod manifest;
pub mod manifests;
mod package;
mod pending_writes;
mod pipeline;
mod put;
mod reconcile;

use std::path::Path;

use baton_document::carrier::Look;
use baton_document::{Checker, Datum, Input, Order, Said, Scratch};
use baton_kernel::{Key, Millis};
use baton_ledger::{Record, digest};
use serde::{Deserialize, Serialize};

use crate::history::projection::{Delivery, Projection};
use crate::outbound::compose::moment;
use crate::outbound::finalize::Own;
use crate::records::codec;
use crate::records::ids::Ids;
use crate::records::reading::said;

pub use baton_document::flow::Keeps;
pub(crate) use pending_writes::begin;
pub use pending_writes::{behind, catch_up, files, lagging, tidy};
pub(crate) use put::{Over, Put, put};
pub(crate) use reconcile::{is_any_unknown, keep_before};
pub use reconcile::{keep, set_aside};

/// What keeping goes by.
#[derive(Clone, Copy)]
pub struct Keeping<'k> {
    /// The folder of the project; nothing outside it is written or read.
    pub root: &'k Path,
    /// Reads documents.
    pub checker: &'k Checker,
    /// The systems whose files the flow keeps.
    pub keeps: &'k [Keeps],
    /// Where the envelopes of a run lie, with `{run}` for its name.
    pub run_base: &'k str,
    /// The state of an issue while an agent works, before the usual ones.
    pub states: &'k [(String, String)],
}

/// What keeping came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The files that were written or removed, from the root.
    pub written: Vec<String>,
    /// What could not be kept as it stands.
    pub conflicts: Vec<Conflict>,
    /// What agents wrote where their handoffs belong; it stays there until it is recorded or set aside.
    pub foreign: Vec<Foreign>,
}

/// A file that another hand changed, or that cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The file, from the root.
    pub path: String,
    /// Where what stood there is saved, from the root.
    pub saved: Option<String>,
    /// What is wrong.
    pub why: String,
}

/// A handoff that an agent wrote into the file where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The file, from the root.
    pub path: String,
    /// The agent whose handoff belongs there.
    pub owner: String,
    /// The run.
    pub run: String,
    /// The delivery that it would answer.
    pub key: Key,
    /// The attempt of it.
    pub attempt: u16,
    /// What stands there.
    pub bytes: Vec<u8>,
    /// When it was put there or changed last, as the system says.
    pub touched: Option<Millis>,
    /// Since when its agent works at it.
    pub since: Millis,
}

/// In which file an answer stood that was taken, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filed {
    /// The delivery that it answers.
    pub key: Key,
    /// The attempt of it.
    pub attempt: u16,
    /// The agent whose answer it is taken for.
    pub agent: String,
    /// The file, from the root.
    pub path: String,
}

impl Filed {
    /// What a record says, if it is one of these.
    pub fn read(record: &Record) -> Option<Self> {
        if record.kind != codec::FILED {
            return None;
        }
        serde_json::from_slice(&record.body).ok()
    }
}

/// What the files of a system are made from.
pub(crate) struct View<'v> {
    projection: &'v Projection,
    /// What each handoff says.
    sayings: &'v [Option<Said>],
    keeping: &'v Keeping<'v>,
    /// The ids of the project; only where packages are kept.
    ids: &'v Ids,
    /// What the list of all handoffs says of other runs, by id.
    others: &'v [package::Row],
}

/// The files of a system.
#[derive(Default)]
pub(crate) struct SystemFiles {
    files: Vec<MirrorFile>,
    conflicts: Vec<Conflict>,
}

/// A file as it should be.
pub(crate) struct MirrorFile {
    /// From the root, with `/`.
    path: String,
    wanted: Wanted,
    owner: Option<Owner>,
}

/// What should stand in a file.
pub(crate) enum Wanted {
    /// These bytes.
    Is(Vec<u8>),
    /// Nothing: there should be no such file any more.
    Gone,
    /// Nothing yet; its owner may write it.
    Awaited,
}

/// The agent whose answer a file may hold.
#[derive(Clone)]
pub(crate) struct Owner {
    agent: String,
    dialect: &'static str,
    key: Key,
    attempt: u16,
    /// Since when it works: what was there before is not its answer.
    since: Millis,
    /// When its first attempt began.
    began: Millis,
}

impl Owner {
    /// The agent of a delivery that is under way.
    fn of(sent: &Delivery, dialect: &'static str) -> Self {
        let Delivery { key, attempts: attempt, sent: since, started: began, .. } = *sent;
        Self { agent: sent.to.clone(), dialect, key, attempt, since, began }
    }
}

/// The files of one system.
type Files = fn(&View<'_>) -> SystemFiles;

/// One row for each system.
const MIRRORS: &[(Keeps, Files)] = &[
    (Keeps::Envelope, envelope::files),
    (Keeps::Package, package::files),
    (Keeps::Pipeline, pipeline::files),
    (Keeps::Manifest, manifest::files),
];

/// The files in which the agent of a delivery may answer.
pub(crate) fn owned(keeps: &[Keeps], run_base: &str, run: &str, flow: &str, at: (&str, &str)) -> Vec<String> {
    let of = |system: &Keeps| match system {
        Keeps::Envelope => envelope::path(run_base, run, flow, at),
        Keeps::Manifest => Some(manifest::PATH.to_owned()),
        Keeps::Package | Keeps::Pipeline => None,
    };
    keeps.iter().filter_map(of).collect()
}

/// A handoff as a dialect says it, without the key around it; or what keeps it from being said so.
fn in_dialect(
    view: &View<'_>,
    at: usize,
    dialect: &str,
    set: &[(String, String)],
) -> Result<Datum<'static>, String> {
    const UNREADABLE: &str = "it cannot be read any more";
    let handed = view.projection.handoffs.get(at).ok_or(UNREADABLE)?;
    let said_by = view.sayings.get(at).and_then(Option::as_ref);
    if let Some(said) = said_by.filter(|said| said.dialect == dialect) {
        return Ok(said.document.clone());
    }
    let checker = view.keeping.checker;
    let (mut scratch, now) = (Scratch::default(), moment(handed.at));
    if let Some(reason) = handed.given_up.filter(|_| handed.by_baton) {
        // Baton says the same in every dialect, also where that of the agent could not say all of it.
        let (projection, now) = (view.projection, now.unwrap_or_default());
        let (step, flow) = (handed.place.step.as_str(), projection.plan().name.as_str());
        let own =
            Own { agent: &handed.from, step, flow, run: projection.run(), reason, found: "", now: &now };
        let text = own.written(checker, dialect, Vec::new());
        let said = said(checker, &mut scratch, text.as_bytes());
        return said.map(|said| said.document).ok_or_else(|| UNREADABLE.to_owned());
    }
    said_by.ok_or(UNREADABLE)?;
    let text = handed.text.as_deref().unwrap_or_default();
    let input = Input { path: None, bytes: text, dialect: None, look: Look::Prose, is_named: true };
    let order = Order { to: dialect, set, now: now.as_deref(), wants_report: false };
    let converted = checker.convert(input, order, &mut scratch).map_err(|error| error.to_string())?;
    let converted = converted.and_then(|converted| converted.handoffs.into_iter().next());
    let converted = converted.ok_or("it cannot be read")?;
    if let Some(gap) = converted.gaps.first() {
        return Err(format!("`{}` has no source", gap.path));
    }
    let said = said(checker, &mut scratch, converted.text.as_bytes());
    said.map(|said| said.document).ok_or_else(|| "it cannot be read again".to_owned())
}

/// A name as part of a path: what could lead elsewhere is replaced, and then its digest keeps it apart from others.
fn file_name(name: &str) -> String {
    const BYTES_MAX: usize = 100;
    let is_fine = |c: char| c.is_alphanumeric() || " -_.+@".contains(c);
    let mut safe: String = name.chars().map(|c| if is_fine(c) { c } else { '_' }).collect();
    safe.truncate(safe.floor_char_boundary(BYTES_MAX));
    if safe == name && !safe.is_empty() && !safe.starts_with(['.', ' ']) && !safe.ends_with(['.', ' ']) {
        return safe;
    }
    let digest = digest(name.as_bytes()).to_string();
    format!("{}~{}", safe.trim_matches(['.', ' ']), &digest[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_never_leads_out_of_its_folder() {
        assert_eq!(file_name("code-review_2 b"), "code-review_2 b");
        for odd in ["..", ".", "", "../x", "a/b", "a\\b", "a\nb", ".hidden", "a:b", &"x".repeat(400)] {
            let name = file_name(odd);
            assert!(!name.contains(['/', '\\', '\n', ':']) && !name.starts_with('.'), "{odd:?}: {name}");
            assert!(name.len() < 120 && name.contains('~'), "{odd:?}: {name}");
        }
        assert_ne!(file_name("a/b"), file_name("a\\b"), "two names are never one file");
    }
}
