//! Compares a whole ledger file with itself.
//!
//! Memory grows with the number of streams and claims, a few dozen bytes each; nothing that runs all the time does
//! this.

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;

use super::entry::{Home, unpack};
use super::keys::{Pair, Segments, of_claim, of_payload};
use super::tail::{Tail, by_id};
use super::trouble::Trouble;

/// Says what does not fit, if anything does not.
pub(super) fn all(db: &Connection) -> Result<(), Trouble> {
    let found: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        return Err(Trouble::view(found));
    }
    let mut tail = Tail::default();
    tail.catch_up(db)?;
    let log = log_until(db, tail.viewed)?;
    streams(db, &log)?;
    places(db, &log)?;
    labels(db, &log)?;
    keys(db, log.keys)
}

/// What the views should say.
#[derive(Default)]
struct Log {
    /// The last sequence of each stream.
    streams: HashMap<u64, u64>,
    keys: BTreeSet<Pair>,
    entries: u64,
}

fn log_until(db: &Connection, viewed: u64) -> Result<Log, Trouble> {
    let mut log = Log::default();
    let mut rows = db.prepare("SELECT position, data FROM entry WHERE position <= ? ORDER BY position")?;
    let mut rows = rows.query([viewed.cast_signed()])?;
    let mut end = 0;
    while let Some(row) = rows.next()? {
        let position = row.get::<_, i64>(0)?.cast_unsigned();
        let data: Vec<u8> = row.get(1)?;
        let entry = unpack(position, &data).filter(|_| position == end + 1);
        let entry = entry.ok_or_else(|| Trouble::at(end + 1, "it is not what was written"))?;
        end += entry.events.len() as u64;
        log.entries += 1;
        log.streams.insert(entry.stream, entry.seq + entry.events.len() as u64 - 1);
        log.keys.extend(entry.claims.iter().map(|claim| (of_claim(claim), position)));
        log.keys.extend(entry.events.iter().filter_map(|event| match event.payload {
            Some((digest, Home::Here)) => Some((of_payload(digest), position)),
            Some((_, Home::Elsewhere { .. })) | None => None,
        }));
    }
    Ok(log)
}

fn streams(db: &Connection, log: &Log) -> Result<(), Trouble> {
    let wrong =
        |id: &u64| Trouble::view(format!("the stream that began at {id} is not where its records end"));
    for (id, seq) in &log.streams {
        let head = by_id(db, *id)?.filter(|head| head.seq == *seq);
        let head = head.ok_or_else(|| wrong(id))?;
        let named = super::tail::by_name(db, &head.stream)?;
        named.filter(|named| named.started == *id).ok_or_else(|| wrong(id))?;
    }
    let count: i64 = db.query_row("SELECT count(*) FROM stream", [], |row| row.get(0))?;
    if count.cast_unsigned() == log.streams.len() as u64 {
        Ok(())
    } else {
        Err(Trouble::view("there are streams without records"))
    }
}

fn places(db: &Connection, log: &Log) -> Result<(), Trouble> {
    let count: i64 = db.query_row("SELECT count(*) FROM place", [], |row| row.get(0))?;
    if count.cast_unsigned() != log.entries {
        return Err(Trouble::view("the places of records and the log do not agree"));
    }
    let mut all = db.prepare(
        "SELECT p.stream, p.seq, p.position, e.data FROM place p LEFT JOIN entry e USING (position)",
    )?;
    let mut all = all.query([])?;
    while let Some(row) = all.next()? {
        let place: [i64; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
        let [stream, seq, position] = place.map(i64::cast_unsigned);
        let data: Option<Vec<u8>> = row.get(3)?;
        let entry = data.and_then(|data| unpack(position, &data));
        if entry.is_none_or(|entry| (entry.stream, entry.seq) != (stream, seq)) {
            return Err(Trouble::at(position, "it is not where its stream says"));
        }
    }
    Ok(())
}

fn labels(db: &Connection, log: &Log) -> Result<(), Trouble> {
    let mut count = 0;
    let mut one = db.prepare("SELECT count(*) FROM label WHERE label = ? AND stream = ?")?;
    for id in log.streams.keys() {
        for label in by_id(db, *id)?.map(|head| head.labels).unwrap_or_default() {
            let found: i64 = one.query_row(rusqlite::params![label, id.cast_signed()], |row| row.get(0))?;
            count += found;
            if found != 1 {
                return Err(Trouble::view(format!("the label {label:?} does not lead to its stream")));
            }
        }
    }
    let all: i64 = db.query_row("SELECT count(*) FROM label", [], |row| row.get(0))?;
    if all == count { Ok(()) } else { Err(Trouble::view("there are labels that no stream has")) }
}

fn keys(db: &Connection, mut expected: BTreeSet<Pair>) -> Result<(), Trouble> {
    let mut segments = Segments::default();
    segments.refresh(db)?;
    let mut extra = false;
    segments.each(db, |pair| extra |= !expected.remove(&pair))?;
    if expected.is_empty() && !extra {
        Ok(())
    } else {
        Err(Trouble::view("the index of claims and the log do not agree"))
    }
}
