//! Verification: reads everything through the trait, and says what is proven.
//!
//! Cannot: notice that the end of a stream was cut and everything behind it made again, unless an earlier hash
//! was kept. That is what `earlier` is for.

use std::collections::{BTreeMap, HashMap};

use baton_kernel::Digest;

use crate::seal::{SEALS, Seal};
use crate::{Erasure, Error, FIRST, Head, Ledger, Limit, Query, ReadFrom, Record};

const PAGE: Limit = Limit(500);

/// Result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Records that were read, in their order, each with the hash that follows from it and from the one before.
    pub records: u64,
    /// Streams whose records are whole up to their head.
    pub streams: u64,
    /// Payloads whose bytes have the digest that their record names.
    pub payloads: u64,
    /// Payloads that were erased: their digest is proven, their bytes are gone, and a later record says so.
    pub erased: u64,
    /// Heads that seals name and that are what the seals say.
    pub sealed: u64,
    /// The last position that a seal covers.
    pub sealed_until: u64,
    /// The first record, by position, that cannot be trusted. What is counted above was counted before it.
    pub first_bad: Option<Bad>,
    /// Mismatch between a view and the records; only the store can tell.
    pub derived: Option<String>,
    /// Place of the hash that was kept earlier, if one was given.
    pub earlier: Option<Earlier>,
}

/// A record that cannot be trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// Its position, where that is known.
    pub position: Option<u64>,
    /// Mismatch that was found.
    pub what: String,
}

/// Answer about a hash that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// The record is there: it and all before it in its stream are as they were when the hash was kept.
    Found {
        /// Its stream.
        stream: String,
        /// Its sequence.
        seq: u64,
    },
    /// No record has this hash: history was changed since it was kept, or it is of another ledger.
    Missing,
}

impl Report {
    /// True if the ledger is proven.
    pub fn is_proven(&self) -> bool {
        self.first_bad.is_none() && self.derived.is_none() && self.earlier != Some(Earlier::Missing)
    }
}

/// Reads the whole ledger and compares it with itself, with its seals, and with a hash that was kept.
///
/// Others may append meanwhile: what is compared is what was there when the last record was read by its position, and
/// a stream is whole up to the head that it had when it was found.
///
/// Only I/O fails here; damaged records are in the report.
pub fn verify(ledger: &dyn Ledger, earlier: Option<Digest>) -> Result<Report, Error> {
    let mut report = Report { earlier: earlier.map(|_| Earlier::Missing), ..Report::default() };
    let checks = [by_position, by_stream, by_seal];
    for check in checks {
        let found = match check(ledger, earlier, &mut report) {
            Ok(found) => found,
            Err(Error::Damaged { position, what, .. }) => Some(Bad { position, what }),
            Err(Error::View { what, .. }) => Some(Bad { position: None, what }),
            Err(error) => return Err(error),
        };
        if found.is_some() {
            report.first_bad = found;
            return Ok(report);
        }
    }
    Ok(report)
}

type Found = Result<Option<Bad>, Error>;

fn bad(record: &Record, what: &str) -> Bad {
    let what = format!("record {} of {}: {what}", record.seq, record.stream);
    Bad { position: Some(record.position), what }
}

/// Every record by itself, and none left out; and for every payload that is gone a record behind it that says so.
///
/// Remembers the payloads that are gone until that record comes: no more than were erased.
fn by_position(ledger: &dyn Ledger, earlier: Option<Digest>, report: &mut Report) -> Found {
    let mut gone: BTreeMap<Digest, Bad> = BTreeMap::new();
    loop {
        let page = ledger.read(&ReadFrom::Position { after: report.records }, PAGE)?;
        if page.is_empty() {
            return Ok(gone.into_values().min_by_key(|bad| bad.position));
        }
        for record in page {
            if record.position != report.records + 1 {
                return Ok(Some(bad(&record, "a record is missing before it")));
            }
            if record.computed() != record.hash {
                return Ok(Some(bad(&record, "its hash does not follow from what it says")));
            }
            if let Some(payload) = &record.payload {
                match &payload.bytes {
                    None => {
                        report.erased += 1;
                        let what = "its payload is gone, and no record says that it was erased";
                        gone.entry(payload.digest).or_insert_with(|| bad(&record, what));
                    }
                    Some(bytes) if crate::digest(bytes) == payload.digest => report.payloads += 1,
                    Some(_) => return Ok(Some(bad(&record, "its payload is not the one that it names"))),
                }
            }
            for digest in Erasure::read(&record).into_iter().flat_map(|erasure| erasure.digests) {
                gone.remove(&digest);
            }
            if Some(record.hash) == earlier {
                report.earlier = Some(Earlier::Found { stream: record.stream, seq: record.seq });
            }
            report.records += 1;
        }
    }
}

/// Every stream from its first record to its head.
fn by_stream(ledger: &dyn Ledger, _: Option<Digest>, report: &mut Report) -> Found {
    let mut query = Query { labels: Vec::new(), before: None, since: 0, limit: PAGE };
    let mut records = 0;
    loop {
        let heads = ledger.find(&query)?;
        let Some(last) = heads.last() else { break };
        query.before = Some(last.started);
        for head in heads {
            match whole(ledger, &head, report.records)? {
                Ok(within) => records += within,
                Err(bad) => return Ok(Some(bad)),
            }
            report.streams += 1;
        }
    }
    // A stream that is not found cannot be asked for; its records were counted all the same.
    let what = format!("{} records are in streams that are not found", report.records.abs_diff(records));
    Ok((records != report.records).then_some(Bad { position: None, what }))
}

/// Goes through a stream up to a head; gives how many of its records lie up to a position.
fn whole(ledger: &dyn Ledger, head: &Head, until: u64) -> Result<Result<u64, Bad>, Error> {
    let mut last = (0, FIRST);
    let mut position = 0;
    let mut within = 0;
    while last.0 < head.seq {
        let from = ReadFrom::Stream { stream: head.stream.clone(), after: last.0 };
        let mut page = ledger.read(&from, PAGE)?;
        // What was appended since the head was found is not its to vouch for.
        page.retain(|record| record.seq <= head.seq);
        if page.is_empty() {
            break;
        }
        for record in page {
            if record.stream != head.stream || record.seq != last.0 + 1 {
                return Ok(Err(bad(&record, "it is not the next of its stream")));
            }
            if record.previous != last.1 {
                return Ok(Err(bad(&record, "the record before it is not the one that it follows")));
            }
            if record.position <= position {
                return Ok(Err(bad(&record, "it lies before the record that it follows")));
            }
            position = record.position;
            within += u64::from(record.position <= until);
            last = (record.seq, record.hash);
        }
    }
    if last == (head.seq, head.hash) {
        return Ok(Ok(within));
    }
    let what = format!("{} has other records than its head says", head.stream);
    Ok(Err(Bad { position: Some(head.position), what }))
}

/// Every head that a seal names, and that whatever lies before a seal is at such a head or before it.
///
/// Remembers how far each stream is sealed; that many streams, and no records.
fn by_seal(ledger: &dyn Ledger, _: Option<Digest>, report: &mut Report) -> Found {
    let mut sealed: HashMap<String, u64> = HashMap::new();
    let mut after = 0;
    loop {
        let page = ledger.read(&ReadFrom::Stream { stream: SEALS.to_owned(), after }, Limit(1))?;
        let Some(record) = page.first() else { break };
        after = record.seq;
        let Some(seal) = Seal::from_text(&record.body) else {
            return Ok(Some(bad(record, "it is no seal")));
        };
        for (stream, (seq, hash)) in seal.heads {
            let from = ReadFrom::Stream { stream: stream.clone(), after: seq.saturating_sub(1) };
            let named = ledger.read(&from, Limit(1))?.pop();
            if named.is_none_or(|named| (named.seq, named.hash) != (seq, hash)) {
                let what = format!("it names another record {seq} of {stream} than is there");
                return Ok(Some(bad(record, &what)));
            }
            // What this seal names first lies behind those before it.
            let before = sealed.get(&stream).copied().unwrap_or(0);
            if let Some(bad) = added(ledger, &stream, before, report.sealed_until)? {
                return Ok(Some(bad));
            }
            sealed.insert(stream, before.max(seq));
            report.sealed += 1;
        }
        report.sealed_until = report.sealed_until.max(seal.until);
    }
    let mut query = Query { labels: Vec::new(), before: None, since: 0, limit: PAGE };
    loop {
        let heads = ledger.find(&query)?;
        let Some(last) = heads.last() else { return Ok(None) };
        query.before = Some(last.started);
        for head in heads.iter().filter(|head| head.stream != SEALS) {
            let before = sealed.get(&head.stream).copied().unwrap_or(0);
            if head.seq > before
                && let Some(bad) = added(ledger, &head.stream, before, report.sealed_until)?
            {
                return Ok(Some(bad));
            }
        }
    }
}

/// The first record of a stream that no seal names so far, if it lies where seals cover everything.
fn added(ledger: &dyn Ledger, stream: &str, sealed: u64, until: u64) -> Found {
    let from = ReadFrom::Stream { stream: stream.to_owned(), after: sealed };
    let next = ledger.read(&from, Limit(1))?.pop().filter(|next| next.position <= until);
    Ok(next.map(|next| bad(&next, "a seal covers it and does not name it")))
}
