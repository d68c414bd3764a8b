//! The records of a run, decoded.

use baton_kernel::Event;
use baton_ledger::{Ledger, Limit, ReadFrom, Record};

use crate::error::{Error, Problem, RESERVED, Refused};
pub use crate::project::pinned::Pinned;
use crate::records::codec;
use crate::records::substitute::Made;

/// How many records one read asks for.
const PAGE: Limit = Limit(1_000);

/// One entry of a run's history.
pub struct Entry {
    /// As it is recorded.
    pub record: Record,
    /// What it says; nothing for a record of the engine itself.
    pub event: Option<Event>,
}

impl Entry {
    /// Whether it holds a handoff: an agent's answer, or what stands there because none came. Handoffs are numbered in the
    /// order of these.
    pub fn is_handoff(&self) -> bool {
        matches!(self.event, Some(Event::Answered { .. })) || self.made().is_some()
    }

    /// What stands for a delivery that was given up, if it holds one of these.
    pub fn made(&self) -> Option<Made> {
        Made::read(&self.record)
    }
}

impl Pinned {
    /// The file that a record pins; nothing for any other record, and where the file was erased.
    pub(crate) fn read(record: Record) -> Option<Self> {
        if record.kind != codec::PINNED {
            return None;
        }
        let (path, is_flow) = codec::pinned_path(&record)?;
        Some(Self { path, is_flow, bytes: record.payload?.bytes? })
    }
}

/// All that is recorded of a run, in order.
pub fn history(ledger: &dyn Ledger, run: &str) -> Result<Vec<Entry>, Problem> {
    let mut all = Vec::new();
    each(ledger, run, |entry| all.push(entry))?;
    Ok(all)
}

/// What is recorded behind a place, in order and decoded; none means that there is no more yet.
pub fn entries(ledger: &dyn Ledger, from: &ReadFrom) -> Result<Vec<Entry>, Error> {
    let records = ledger.read(from, PAGE)?;
    let decoded = |record: Record| -> Result<Entry, Error> {
        let is_own = record.stream.starts_with(RESERVED);
        let event = if is_own { None } else { codec::decoded(&record)? };
        Ok(Entry { record, event })
    };
    records.into_iter().map(decoded).collect()
}

/// The files that a run pinned when it started, or when a person last went on with changed ones; what was erased is not
/// among them.
pub fn pinned(ledger: &dyn Ledger, run: &str) -> Result<Vec<Pinned>, Problem> {
    let mut files = Vec::new();
    each(ledger, run, |entry| {
        if let Some(Event::PlanChanged { .. }) = entry.event {
            files.clear();
        }
        files.extend(Pinned::read(entry.record));
    })?;
    Ok(files)
}

fn each(ledger: &dyn Ledger, run: &str, mut visit: impl FnMut(Entry)) -> Result<(), Problem> {
    let mut after = 0;
    loop {
        let page = entries(ledger, &ReadFrom::Stream { stream: run.to_owned(), after })?;
        if page.is_empty() {
            break;
        }
        for entry in page {
            after = entry.record.seq;
            visit(entry);
        }
    }
    if after == 0 {
        return Err(Problem::Refused(Refused::NoRun { run: run.to_owned() }));
    }
    Ok(())
}
