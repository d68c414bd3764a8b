//! Writes what the tail holds into the views, a few thousand entries at a time.
//!
//! Rows of one stream lie beside each other and many entries share a page, so this costs a small part of what
//! writing them with every append would.

use rusqlite::{Connection, params, params_from_iter};

use super::failure::Failure;
use super::key_index::{Pair, Segments};
use super::unflushed::{Unflushed, UnflushedStream, by_id, store};

/// The tables that are views, which can all be made again from the log.
pub(super) const TABLES: [&str; 5] = ["stream", "label", "place", "segment", "chunk"];

/// After so many entries the views are written: what opening a ledger has to read.
const ENTRIES_MAX: usize = 2048;
/// Or after so many bytes.
const BYTES_MAX: usize = 16 << 20;

/// Places that are written at once: half of what each takes alone is the statement.
const SEVERAL: usize = 16;

/// Brings the views up to the end of the log if it is time.
pub(super) fn keep_up(
    db: &Connection,
    unflushed: &mut Unflushed,
    segments: &mut Segments,
) -> Result<(), Failure> {
    if unflushed.entries < ENTRIES_MAX && unflushed.bytes < BYTES_MAX {
        return Ok(());
    }
    let mut streams: Vec<(&u64, &UnflushedStream)> = unflushed.streams.iter().collect();
    streams.sort_unstable_by_key(|(id, _)| **id);
    let mut one = db.prepare_cached(&places(1))?;
    let mut several = db.prepare_cached(&places(SEVERAL))?;
    for (_, known) in streams {
        relabel(db, known)?;
        store(db, &known.head)?;
        let stream = known.head.started;
        let row = |(seq, position): &(u64, u64)| [stream, *seq, *position].map(u64::cast_signed);
        let (many, rest) = known.places.as_chunks::<SEVERAL>();
        for rows in many {
            several.execute(params_from_iter(rows.iter().flat_map(row)))?;
        }
        for place in rest {
            one.execute(row(place))?;
        }
    }
    drop((one, several));
    let keys: Vec<Pair> = unflushed.keys.iter().copied().collect();
    segments.add(db, &keys)?;
    db.prepare_cached("UPDATE state SET viewed = ? WHERE id = 1")?.execute([unflushed.end.cast_signed()])?;
    *unflushed = Unflushed::behind(unflushed.end);
    Ok(())
}

/// Writes so many places.
fn places(count: usize) -> String {
    format!("INSERT INTO place VALUES {}", vec!["(?, ?, ?)"; count].join(", "))
}

fn relabel(db: &Connection, known: &UnflushedStream) -> Result<(), Failure> {
    let id = known.head.started;
    let old = by_id(db, id)?.map(|head| head.labels).unwrap_or_default();
    let new = &known.head.labels;
    for label in old.iter().filter(|label| !new.contains(label)) {
        db.prepare_cached("DELETE FROM label WHERE label = ? AND stream = ?")?
            .execute(params![label, id.cast_signed()])?;
    }
    for label in new.iter().filter(|label| !old.contains(label)) {
        db.prepare_cached("INSERT INTO label VALUES (?, ?)")?.execute(params![label, id.cast_signed()])?;
    }
    Ok(())
}
