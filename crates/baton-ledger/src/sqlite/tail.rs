//! The end of the log that the views do not cover yet, in memory.
//!
//! An append writes one row of the log and nothing else; what it changes for streams, claims and payloads is kept
//! here and written into the views together with that of some thousand others. Every connection reads the rows
//! that others appended before it answers.
//!
//! Invariant: views and tail together are exactly the log up to `end`.

use std::collections::{BTreeSet, HashMap};

use baton_kernel::{Digest, Millis};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use rustc_hash::FxHashMap;

use super::entry::{Entry, Home, unpack};
use super::keys::{Pair, of_claim, of_payload};
use super::pack::{Unpack, put_bytes, put_number, put_texts, sum, texts};
use super::trouble::Trouble;
use crate::{FIRST, Head, NewHead};

/// What was appended since the views were written.
#[derive(Default)]
pub(super) struct Tail {
    /// The last position that the views cover.
    pub(super) viewed: u64,
    /// The last position of the log.
    pub(super) end: u64,
    /// How many entries lie between.
    pub(super) entries: usize,
    /// How many bytes their records have.
    pub(super) bytes: usize,
    /// The streams that were appended to, by their id.
    pub(super) streams: FxHashMap<u64, Known>,
    /// Claims and payloads of these entries.
    pub(super) keys: BTreeSet<Pair>,
    names: HashMap<String, u64>,
}

/// A stream in the tail.
pub(super) struct Known {
    pub(super) head: Head,
    /// First sequence and position of each entry in the tail.
    pub(super) places: Vec<(u64, u64)>,
}

/// What an entry changes.
pub(super) struct Change<'a> {
    pub(super) position: u64,
    pub(super) events: u64,
    pub(super) bytes: usize,
    pub(super) hash: Digest,
    pub(super) head: Option<&'a NewHead>,
}

impl Tail {
    /// Reads what was appended since; tells whether the views were written anew by somebody else.
    pub(super) fn catch_up(&mut self, db: &Connection) -> Result<Renewed, Trouble> {
        let viewed: i64 =
            db.prepare_cached("SELECT viewed FROM state WHERE id = 1")?.query_row([], |row| row.get(0))?;
        let renewed = if viewed.cast_unsigned() == self.viewed && self.end >= self.viewed {
            Renewed::No
        } else {
            *self = Self::at(db, viewed.cast_unsigned())?;
            Renewed::Yes
        };
        let mut rows =
            db.prepare_cached("SELECT position, data FROM entry WHERE position > ? ORDER BY position")?;
        let mut rows = rows.query([self.end.cast_signed()])?;
        while let Some(row) = rows.next()? {
            self.next(db, row)?;
        }
        Ok(renewed)
    }

    /// Takes the row of the log that follows: its position and its data.
    pub(super) fn next(&mut self, db: &Connection, row: &Row<'_>) -> Result<(), Trouble> {
        let position = row.get::<_, i64>(0)?.cast_unsigned();
        if position != self.end + 1 {
            return Err(Trouble::at(self.end + 1, "it is missing"));
        }
        let data = row.get_ref(1)?.as_blob().map_err(|_| Trouble::at(position, "it is no record"))?;
        let entry =
            unpack(position, data).ok_or_else(|| Trouble::at(position, "it is not what was written"))?;
        self.take(db, position, data.len(), &entry)
    }

    /// A tail without entries, behind views that end where an entry of the log ends.
    fn at(db: &Connection, viewed: u64) -> Result<Self, Trouble> {
        let last = db
            .prepare_cached(
                "SELECT position, data FROM entry WHERE position <= ? ORDER BY position DESC LIMIT 1",
            )?
            .query_row([viewed.cast_signed()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)))
            .optional()?;
        let end = match last {
            None => 0,
            Some((position, data)) => {
                let position = position.cast_unsigned();
                let entry = unpack(position, &data)
                    .ok_or_else(|| Trouble::at(position, "it is not what was written"))?;
                position + entry.events.len() as u64 - 1
            }
        };
        if end != viewed {
            return Err(Trouble::view("state", format!("it says {viewed}, where no append of the log ends")));
        }
        Ok(Self::behind(viewed))
    }

    /// A tail without entries.
    pub(super) fn behind(viewed: u64) -> Self {
        Self { viewed, end: viewed, ..Self::default() }
    }

    fn take(&mut self, db: &Connection, position: u64, bytes: usize, entry: &Entry) -> Result<(), Trouble> {
        let known = match (self.streams.get(&entry.stream), &entry.name) {
            (Some(known), _) => Some((known.head.seq, known.head.hash)),
            (None, Some(_)) => None,
            (None, None) => {
                let id = entry.stream;
                let head = by_id(db, id)?.ok_or_else(|| unknown(id, position))?;
                if entry.seq != head.seq + 1 || entry.previous != head.hash {
                    let what =
                        format!("row {id} does not end where the record at position {position} follows");
                    return Err(Trouble::view("stream", what));
                }
                let known = (head.seq, head.hash);
                self.know(head);
                Some(known)
            }
        };
        let (seq, hash) = known.unwrap_or((0, FIRST));
        if entry.seq != seq + 1 || entry.previous != hash {
            return Err(Trouble::at(position, "it does not follow the record before it in its stream"));
        }
        if let Some(name) = &entry.name {
            self.know(begun(name.clone(), position));
        }
        let hash = entry.events.last().map_or(hash, |event| event.hash);
        self.keys.extend(entry.claims.iter().map(|claim| (of_claim(claim), position)));
        self.keys.extend(entry.events.iter().filter_map(|event| match event.payload {
            Some((digest, Home::Here)) => Some((of_payload(digest), position)),
            Some((_, Home::Elsewhere { .. })) | None => None,
        }));
        self.change(
            entry.stream,
            &Change { position, events: entry.events.len() as u64, bytes, hash, head: entry.head.as_ref() },
        );
        Ok(())
    }

    /// Puts a stream into the tail as it stands in the views, or as it begins.
    pub(super) fn know(&mut self, head: Head) {
        self.names.insert(head.stream.clone(), head.started);
        self.streams.insert(head.started, Known { head, places: Vec::new() });
    }

    /// Takes note of an entry of a stream that is known.
    pub(super) fn change(&mut self, stream: u64, change: &Change<'_>) {
        self.end = change.position + change.events - 1;
        self.entries += 1;
        self.bytes += change.bytes;
        let Some(known) = self.streams.get_mut(&stream) else { return };
        known.places.push((known.head.seq + 1, change.position));
        known.head.seq += change.events;
        known.head.position = self.end;
        known.head.hash = change.hash;
        if let Some(NewHead { labels, due, summary }) = change.head {
            let mut labels: Vec<&String> = labels.iter().collect();
            labels.sort_unstable();
            labels.dedup();
            // From one append to the next they are mostly the same.
            if !labels.iter().copied().eq(&known.head.labels) {
                known.head.labels = labels.into_iter().cloned().collect();
            }
            known.head.due = *due;
            known.head.summary.clone_from(summary);
        }
    }

    /// A stream as it stands.
    pub(super) fn head(&self, db: &Connection, name: &str) -> Result<Option<Head>, Trouble> {
        match self.names.get(name) {
            Some(id) => Ok(self.streams.get(id).map(|known| known.head.clone())),
            None => by_name(db, name),
        }
    }

    /// The id and the essence of a stream, without its labels.
    pub(super) fn brief(&self, name: &str) -> Option<(u64, u64, Digest)> {
        let known = self.streams.get(self.names.get(name)?)?;
        Some((known.head.started, known.head.seq, known.head.hash))
    }
}

/// Whether the views are others than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Renewed {
    /// They are.
    Yes,
    /// They are not.
    No,
}

/// A stream before its first record.
pub(super) fn begun(stream: String, position: u64) -> Head {
    Head {
        stream,
        started: position,
        seq: 0,
        position,
        hash: FIRST,
        labels: Vec::new(),
        due: None,
        summary: Vec::new(),
    }
}

const COLUMNS: &str = "SELECT id, name, seq, last, hash, labels, due, sum, summary FROM stream WHERE";

/// A stream of the views.
pub(super) fn by_id(db: &Connection, id: u64) -> Result<Option<Head>, Trouble> {
    let mut one = db.prepare_cached(&format!("{COLUMNS} id = ?"))?;
    let mut rows = one.query([id.cast_signed()])?;
    rows.next()?.map(from_row).transpose()
}

/// A stream of the views.
pub(super) fn by_name(db: &Connection, name: &str) -> Result<Option<Head>, Trouble> {
    let mut one = db.prepare_cached(&format!("{COLUMNS} name = ?"))?;
    let mut rows = one.query([name])?;
    rows.next()?.map(from_row).transpose()
}

/// What is wrong if a stream of the log is not among the views.
pub(super) fn unknown(id: u64, position: u64) -> Trouble {
    Trouble::view("stream", format!("row {id}, of the record at position {position}, is missing"))
}

/// The last position that the views name in a row that is what was written: so far the log went.
pub(super) fn furthest(db: &Connection) -> u64 {
    let furthest = || -> Result<u64, Trouble> {
        let mut furthest = 0;
        let mut all = db.prepare(&format!("{COLUMNS} id > 0"))?;
        let mut all = all.query([])?;
        while let Ok(Some(row)) = all.next() {
            furthest = furthest.max(from_row(row).map_or(0, |head| head.position));
        }
        Ok(furthest)
    };
    furthest().unwrap_or(0)
}

fn from_row(row: &Row<'_>) -> Result<Head, Trouble> {
    let id: i64 = row.get(0)?;
    let damaged = || Trouble::view("stream", format!("row {id} is not what was written"));
    let labels: Vec<u8> = row.get(5)?;
    let hash: [u8; 32] = row.get::<_, Vec<u8>>(4)?.try_into().map_err(|_| damaged())?;
    let head = Head {
        started: id.cast_unsigned(),
        stream: row.get(1)?,
        seq: row.get::<_, i64>(2)?.cast_unsigned(),
        position: row.get::<_, i64>(3)?.cast_unsigned(),
        hash: Digest(hash),
        labels: texts(&mut Unpack(&labels)).ok_or_else(damaged)?,
        due: row.get::<_, Option<i64>>(6)?.map(|due| Millis(due.cast_unsigned())),
        summary: row.get(8)?,
    };
    let stored: Vec<u8> = row.get(7)?;
    if stored == sum_of(&head) { Ok(head) } else { Err(damaged()) }
}

/// Writes a stream into the views.
pub(super) fn store(db: &Connection, head: &Head) -> Result<(), Trouble> {
    let mut labels = Vec::new();
    put_texts(&mut labels, &head.labels);
    let sql = "INSERT INTO stream VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
        seq = excluded.seq, last = excluded.last, hash = excluded.hash, labels = excluded.labels,
        due = excluded.due, sum = excluded.sum, summary = excluded.summary";
    db.prepare_cached(sql)?.execute(params![
        head.started.cast_signed(),
        head.stream,
        head.seq.cast_signed(),
        head.position.cast_signed(),
        head.hash.0,
        labels,
        head.due.map(|due| due.0.cast_signed()),
        sum_of(head),
        head.summary,
    ])?;
    Ok(())
}

fn sum_of(head: &Head) -> [u8; 8] {
    let mut rest = Vec::new();
    put_number(&mut rest, head.seq);
    put_number(&mut rest, head.position);
    put_number(&mut rest, head.due.map_or(0, |due| due.0 + 1));
    put_texts(&mut rest, &head.labels);
    // Rows from before there were summaries keep their sum.
    if !head.summary.is_empty() {
        put_bytes(&mut rest, &head.summary);
    }
    sum(head.started, &[head.stream.as_bytes(), &head.hash.0, &rest])
}
