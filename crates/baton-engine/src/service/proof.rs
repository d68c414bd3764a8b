//! The proof of the ledger: what its hashes and seals say.

use baton_kernel::Digest;
use baton_ledger::Earlier;
use schemars::JsonSchema;
use serde::Serialize;

use super::facade::Service;
use super::lookup;
use crate::history::gate_integrity;
use crate::project::fault::{Fault, Result};
use crate::project::store;
use crate::records::entry::history;

/// What is proven of the ledger.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProofReply {
    /// Whether everything holds.
    pub proven: bool,
    /// Records that follow from the one before.
    pub records: u64,
    /// Streams that are whole.
    pub streams: u64,
    /// Texts that match their hash.
    pub payloads: u64,
    /// Texts that were erased.
    pub erased: u64,
    /// Heads that seals name and that are found.
    pub sealed: u64,
    /// Gate answers that agents could have given; none where damage keeps them from being counted.
    pub unenforced: Option<usize>,
    /// Position of the last sealed record.
    pub sealed_until: u64,
    /// The first record that cannot be trusted.
    pub first_bad: Option<BadRecord>,
    /// What is wrong with what is derived from the records.
    pub derived: Option<String>,
    /// Where the hash was found that was asked for.
    pub head: Option<EarlierHead>,
    /// The last record of the run that was named.
    pub last: Option<LastRecord>,
}

/// A record that cannot be trusted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BadRecord {
    /// Its position in the ledger, where it is known.
    pub position: Option<u64>,
    /// What is wrong.
    pub what: String,
}

/// A hash that was kept earlier.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EarlierHead {
    /// Whether it is in the ledger.
    pub found: bool,
    /// The stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The record in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
}

/// The last record of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LastRecord {
    /// The run.
    pub run: String,
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
}

impl ProofReply {
    /// Whether neither a record nor what is derived from the records is wrong.
    pub fn is_sound(&self) -> bool {
        self.first_bad.is_none() && self.derived.is_none()
    }
}

impl Service {
    /// Makes what is derived from the records again; no other process may have the ledger open.
    pub fn rebuild(&self) -> Result<()> {
        store::rebuild(&self.project.root)?;
        Ok(())
    }

    /// What is proven of the ledger; none where there is none.
    pub fn proof(&self, run: Option<&str>, head: Option<&str>) -> Result<Option<ProofReply>> {
        let ledger = match run {
            Some(run) => lookup::to_find(&self.project, run)?,
            None => match self.existing()? {
                Some(ledger) => ledger,
                None => return Ok(None),
            },
        };
        let report = ledger.verify(head.and_then(Digest::from_hex)).map_err(crate::error::Error::from)?;
        let is_sound = report.first_bad.is_none() && report.derived.is_none();
        let unenforced = beside(is_sound, gate_integrity::unenforced(&ledger, run))?;
        let last = match run {
            Some(run) => beside(is_sound, history(&ledger, run))?.and_then(|mut history| history.pop()),
            None => None,
        };
        let last = run.zip(last).map(|(run, entry)| LastRecord {
            run: run.to_owned(),
            seq: entry.record.seq,
            hash: entry.record.hash.to_string(),
        });
        Ok(Some(ProofReply {
            proven: report.is_proven(),
            records: report.records,
            streams: report.streams,
            payloads: report.payloads,
            erased: report.erased,
            sealed: report.sealed,
            unenforced,
            sealed_until: report.sealed_until,
            first_bad: report.first_bad.map(|bad| BadRecord { position: bad.position, what: bad.what }),
            derived: report.derived,
            head: report.earlier.map(|earlier| match earlier {
                Earlier::Found { stream, seq } => {
                    EarlierHead { found: true, run: Some(stream), seq: Some(seq) }
                }
                Earlier::Missing => EarlierHead { found: false, run: None, seq: None },
            }),
            last,
        }))
    }

    /// Whether a text is a hash as the ledger has them.
    pub fn is_hash(text: &str) -> bool {
        Digest::from_hex(text).is_some()
    }
}

/// What is told beside a report; none where damage keeps it from being read, for the report says so itself.
fn beside<T>(is_sound: bool, read: std::result::Result<T, impl Into<Fault>>) -> Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(_) if !is_sound => Ok(None),
        Err(error) => Err(error.into()),
    }
}
