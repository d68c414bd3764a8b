//! What an append may hold: bounds far above use, so that nothing that comes in is without one.

use std::collections::BTreeSet;

use crate::{Append, Erasure, Error, NewLease};

const NAME_BYTES_MAX: usize = 512;
const KIND_BYTES_MAX: usize = 128;
const BODY_BYTES_MAX: usize = 16 << 20;
const PAYLOAD_BYTES_MAX: usize = 64 << 20;
const EVENTS_MAX: usize = 1000;
const LABELS_MAX: usize = 256;
const SUMMARY_BYTES_MAX: usize = 4 << 10;
const CLAIMS_MAX: usize = 1000;
const APPEND_BYTES_MAX: usize = 256 << 20;
const BATCH_MAX: usize = 100_000;
/// What a store can keep of a number: SQLite and PostgreSQL have signed ones.
const NUMBER_MAX: u64 = i64::MAX as u64;

/// How many bytes of content one read gives at most, beyond its first record.
pub(crate) const READ_BYTES_MAX: usize = 32 << 20;

/// Says what is beyond the bounds.
pub(crate) fn batch(batch: &[Append]) -> Result<(), Error> {
    at_most("entries of a batch", batch.len(), BATCH_MAX)?;
    batch.iter().try_for_each(append)
}

/// Says what is beyond the bounds.
pub(crate) fn lease(wish: &NewLease) -> Result<(), Error> {
    name("stream", &wish.stream)?;
    name("holder", &wish.holder)?;
    number(wish.now.0.max(wish.until.0))
}

fn append(append: &Append) -> Result<(), Error> {
    name("stream", &append.stream)?;
    number(append.at.0)?;
    if append.events.is_empty() {
        return Err(Error::misuse("an append has no event"));
    }
    at_most("events of an append", append.events.len(), EVENTS_MAX)?;
    let mut bytes = 0;
    for event in &append.events {
        at_most("bytes of a kind", event.kind.len(), KIND_BYTES_MAX)?;
        at_most("bytes of a body", event.body.len(), BODY_BYTES_MAX)?;
        let payload = event.payload.as_ref().map_or(0, Vec::len);
        at_most("bytes of a payload", payload, PAYLOAD_BYTES_MAX)?;
        bytes += event.body.len() + payload;
    }
    at_most("bytes of an append", bytes, APPEND_BYTES_MAX)?;
    if let Some(head) = &append.head {
        at_most("labels", head.labels.len(), LABELS_MAX)?;
        head.labels.iter().try_for_each(|label| name("label", label))?;
        number(head.due.map_or(0, |due| due.0))?;
        at_most("bytes of a summary", head.summary.len(), SUMMARY_BYTES_MAX)?;
    }
    at_most("claims", append.claims.len(), CLAIMS_MAX)?;
    append.claims.iter().try_for_each(|claim| name("claim", claim))?;
    at_most("payloads to erase", append.erase.len(), EVENTS_MAX)?;
    recorded(append)
}

/// What goes is said in the same append, so that nothing ever goes without a word.
fn recorded(append: &Append) -> Result<(), Error> {
    if append.erase.is_empty() {
        return Ok(());
    }
    let erasures = append.events.iter().filter_map(Erasure::of);
    let named: BTreeSet<_> = erasures.flat_map(|erasure| erasure.digests).collect();
    match append.erase.iter().find(|&digest| !named.contains(digest)) {
        Some(digest) => Err(Error::misuse(format!("{digest} is to be erased, and no event says so"))),
        None => Ok(()),
    }
}

/// A name stands on one line wherever it is shown, in seals too.
fn name(what: &str, name: &str) -> Result<(), Error> {
    if name.is_empty() || name.len() > NAME_BYTES_MAX || name.chars().any(char::is_control) {
        return Err(Error::misuse(format!(
            "a {what} is empty, longer than {NAME_BYTES_MAX} bytes, or has control characters"
        )));
    }
    Ok(())
}

fn at_most(what: &str, count: usize, max: usize) -> Result<(), Error> {
    if count > max { Err(Error::misuse(format!("{count} {what}, of at most {max}"))) } else { Ok(()) }
}

fn number(number: u64) -> Result<(), Error> {
    if number > NUMBER_MAX { Err(Error::misuse(format!("{number} is no moment"))) } else { Ok(()) }
}
