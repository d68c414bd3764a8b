//! Compares a whole ledger file with itself.
//!
//! The log comes first. What it says is then held against the views, so that what is wrong with them is not mistaken for a
//! wrong record.
//!
//! Memory grows with the number of streams, appends and claims, a few dozen bytes each; nothing that runs all the time
//! does this.

use std::collections::BTreeSet;
use std::fmt::Debug;

use rusqlite::Connection;

use super::failure::Failure;
use super::key_index::{Pair, Segments};
use super::unflushed::{Unflushed, UnflushedStream, by_id, by_name};
use super::views::TABLES;

/// Says what does not fit, if anything does not.
pub(super) fn all(db: &Connection) -> Result<(), Failure> {
    let viewed: i64 = db.query_row("SELECT viewed FROM state WHERE id = 1", [], |row| row.get(0))?;
    let log = log_until(db, viewed.cast_unsigned())?;
    pages(db)?;
    Unflushed::default().catch_up(db)?;
    let mut known: Vec<&UnflushedStream> = log.streams.values().collect();
    known.sort_unstable_by_key(|known| known.head.started);
    streams(db, &known).map_err(|failure| failure.in_view("stream"))?;
    places(db, &known).map_err(|failure| failure.in_view("place"))?;
    labels(db, &known).map_err(|failure| failure.in_view("label"))?;
    keys(db, &log.keys).map_err(|failure| failure.in_view("segment"))
}

/// The log up to a position, in memory.
fn log_until(db: &Connection, viewed: u64) -> Result<Unflushed, Failure> {
    let mut log = Unflushed::default();
    let mut rows = db.prepare("SELECT position, data FROM entry WHERE position <= ? ORDER BY position")?;
    let mut rows = rows.query([viewed.cast_signed()])?;
    while let Some(row) = rows.next()? {
        log.next(db, row)?;
    }
    Ok(log)
}

/// Runs the database's own integrity check.
fn pages(db: &Connection) -> Result<(), Failure> {
    let check = |what: &str| db.query_row(&format!("PRAGMA integrity_check({what})"), [], |row| row.get(0));
    let found: String = check("1")?;
    if found == "ok" {
        return Ok(());
    }
    for table in ["entry", "state", "lease", "migration"] {
        let found: String = check(table)?;
        if found != "ok" {
            return Err(Failure::stored(format!("table {table}: {found}")));
        }
    }
    for table in TABLES {
        let found: String = check(table)?;
        if found != "ok" {
            return Err(Failure::view(table, found));
        }
    }
    Err(Failure::stored(found))
}

fn streams(db: &Connection, known: &[&UnflushedStream]) -> Result<(), Failure> {
    let mut ids = db.prepare("SELECT id FROM stream ORDER BY id")?;
    let ids = ids.query_map([], |row| Ok(row.get::<_, i64>(0)?.cast_unsigned()))?;
    same("stream", known.iter().map(|known| known.head.started), ids)?;
    for UnflushedStream { head, .. } in known {
        let is_found = by_id(db, head.started)?.as_ref() == Some(head)
            && by_name(db, &head.stream)?.is_some_and(|named| named.started == head.started);
        if !is_found {
            let what = format!("row {} ({}) is not what the log says", head.started, head.stream);
            return Err(Failure::view("stream", what));
        }
    }
    Ok(())
}

fn places(db: &Connection, known: &[&UnflushedStream]) -> Result<(), Failure> {
    let expected = known
        .iter()
        .flat_map(|known| known.places.iter().map(|&(seq, position)| [known.head.started, seq, position]));
    let mut found = db.prepare("SELECT stream, seq, position FROM place ORDER BY stream, seq")?;
    let found = found.query_map([], |row| {
        let row: [i64; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
        Ok(row.map(i64::cast_unsigned))
    })?;
    same("place", expected, found)
}

fn labels(db: &Connection, known: &[&UnflushedStream]) -> Result<(), Failure> {
    let of = |known: &UnflushedStream| {
        let id = known.head.started;
        known.head.labels.iter().map(move |label| (label.clone(), id)).collect::<Vec<_>>()
    };
    let expected: BTreeSet<(String, u64)> = known.iter().copied().flat_map(of).collect();
    let mut found = db.prepare("SELECT label, stream FROM label ORDER BY label, stream")?;
    let found = found.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned())))?;
    same("label", expected.into_iter(), found)
}

/// Compares what a table should have with what it has, both in the order of its key.
fn same<T: Debug + Ord>(
    table: &str,
    mut expected: impl Iterator<Item = T>,
    found: impl Iterator<Item = rusqlite::Result<T>>,
) -> Result<(), Failure> {
    for found in found {
        let found = found?;
        match expected.next() {
            Some(expected) if expected == found => {}
            Some(expected) if expected < found => {
                return Err(Failure::view(table, format!("row {expected:?} is missing")));
            }
            Some(_) | None => {
                return Err(Failure::view(table, format!("the log knows nothing of row {found:?}")));
            }
        }
    }
    expected.next().map_or(Ok(()), |row| Err(Failure::view(table, format!("row {row:?} is missing"))))
}

fn keys(db: &Connection, expected: &BTreeSet<Pair>) -> Result<(), Failure> {
    let mut segments = Segments::default();
    segments.refresh(db)?;
    let mut found = BTreeSet::new();
    let mut wrong = None;
    segments.each(db, |pair| {
        if !expected.contains(&pair) || !found.insert(pair) {
            wrong = wrong.or(Some(pair));
        }
    })?;
    if let Some((key, position)) = wrong {
        let what = format!("the log knows nothing of the key {key:016x} at position {position}");
        return Err(Failure::view("segment", what));
    }
    if let Some((key, position)) = expected.difference(&found).next() {
        let what = format!("the key {key:016x} of the append at position {position} is missing");
        return Err(Failure::view("segment", what));
    }
    let chunks: i64 = db.query_row("SELECT count(*) FROM chunk", [], |row| row.get(0))?;
    let named = segments.chunks() as u64;
    if chunks.cast_unsigned() == named {
        Ok(())
    } else {
        Err(Failure::view("chunk", format!("it has {chunks} rows, and the segments name {named}")))
    }
}
