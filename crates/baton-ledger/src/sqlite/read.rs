//! The connection of a process that reads: records, heads, what is due.
//!
//! Invariant: every answer is of one moment, and every record is compared with its sum, its stream and its digest
//! before it is given out.

use std::collections::HashMap;

use baton_kernel::{Digest, Millis};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::entry::{Entry, Held, Home, payloads, unpack};
use super::examine;
use super::failure::Failure;
use super::unflushed::{Unflushed, by_id, unknown};
use crate::limits::READ_BYTES_MAX;
use crate::{Head, Limit, Payload, Query, ReadFrom, Record};

/// The reading connection and what it knows.
pub(super) struct Reader {
    db: Connection,
    unflushed: Unflushed,
}

impl Reader {
    pub(super) fn new(db: Connection) -> Self {
        Self { db, unflushed: Unflushed::default() }
    }

    /// Leaves the write-ahead log as it is when this closes.
    pub(super) fn leave_log(&self) {
        // Where that cannot be said, closing finds for itself that the log cannot be read.
        let _ = self.db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }

    /// Asks at one moment.
    fn snapshot<T>(
        &mut self,
        ask: impl FnOnce(&Connection, &Unflushed) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.db.prepare_cached("BEGIN")?.execute([])?;
        let answer = match self.unflushed.catch_up(&self.db) {
            Ok(_) => {
                // The reader looks up no keys.
                self.unflushed.keys.clear();
                ask(&self.db, &self.unflushed)
            }
            Err(failure) => {
                self.unflushed = Unflushed::default();
                Err(failure)
            }
        };
        self.end();
        answer
    }

    /// Compares everything at one moment.
    pub(super) fn examine(&mut self) -> Result<(), Failure> {
        self.db.prepare_cached("BEGIN")?.execute([])?;
        let answer = examine::all(&self.db);
        self.end();
        answer
    }

    fn end(&self) {
        let ended = self.db.prepare_cached("COMMIT").and_then(|mut end| end.execute([]));
        if ended.is_err() && !self.db.is_autocommit() {
            let _ = self.db.execute_batch("ROLLBACK");
        }
    }

    pub(super) fn read(&mut self, from: &ReadFrom, limit: Limit) -> Result<Vec<Record>, Failure> {
        if limit.0 == 0 {
            return Ok(Vec::new());
        }
        self.snapshot(|db, unflushed| match from {
            ReadFrom::Stream { stream, after } => of_stream(db, unflushed, stream, *after, limit),
            ReadFrom::Position { after } => of_all(db, unflushed, *after, limit),
        })
    }

    pub(super) fn find(&mut self, query: &Query) -> Result<Vec<Head>, Failure> {
        self.snapshot(|db, unflushed| found(db, unflushed, query))
    }

    pub(super) fn holder(&mut self, stream: &str, now: Millis) -> Result<Option<String>, Failure> {
        let mut one = self.db.prepare_cached("SELECT holder FROM lease WHERE stream = ? AND until > ?")?;
        Ok(one.query_row(params![stream, now.0.cast_signed()], |row| row.get(0)).optional()?)
    }

    pub(super) fn due(&mut self, until: Millis, limit: Limit) -> Result<Vec<Head>, Failure> {
        self.snapshot(|db, unflushed| due(db, unflushed, until, limit))
    }
}

/// Records that are being gathered.
struct Gather<'a> {
    db: &'a Connection,
    unflushed: &'a Unflushed,
    limit: usize,
    bytes: usize,
    records: Vec<Record>,
    names: HashMap<u64, String>,
}

impl<'a> Gather<'a> {
    fn new(db: &'a Connection, unflushed: &'a Unflushed, limit: Limit) -> Self {
        Self { db, unflushed, limit: limit.0, bytes: 0, records: Vec::new(), names: HashMap::new() }
    }

    fn is_full(&self) -> bool {
        self.records.len() >= self.limit || self.bytes > READ_BYTES_MAX
    }

    /// Takes the records of an entry that `wanted` takes, until there are enough.
    fn take(&mut self, row: &Stored, wanted: impl Fn(u64, u64) -> bool) -> Result<(), Failure> {
        let stream = self.name(row.entry.stream, row.position)?;
        let mut here = 0;
        let mut previous = row.entry.previous;
        for (event, offset) in row.entry.events.iter().zip(0_u64..) {
            let (seq, position) = (row.entry.seq + offset, row.position + offset);
            let home = match event.payload {
                None => None,
                Some((digest, Home::Here)) => {
                    here += 1;
                    Some((digest, row.position, here - 1))
                }
                Some((digest, Home::Elsewhere { position, index })) => Some((digest, position, index)),
            };
            if wanted(seq, position) && !self.is_full() {
                let payload = home.map(|home| self.payload(row, position, home)).transpose()?;
                self.bytes += event.body.len();
                self.records.push(Record {
                    stream: stream.clone(),
                    seq,
                    position,
                    at: row.entry.at,
                    kind: event.kind.clone(),
                    body: event.body.clone(),
                    payload,
                    previous,
                    hash: event.hash,
                });
            }
            previous = event.hash;
        }
        Ok(())
    }

    fn payload(
        &mut self,
        row: &Stored,
        record: u64,
        (digest, position, index): (Digest, u64, u64),
    ) -> Result<Payload, Failure> {
        let other: Vec<u8>;
        let blob = if position == row.position {
            row.payloads.as_slice()
        } else {
            let mut one = self.db.prepare_cached("SELECT payloads FROM entry WHERE position = ?")?;
            other = one.query_row([position.cast_signed()], |row| row.get(0)).optional()?.unwrap_or_default();
            &other
        };
        let damaged = || Failure::at(record, "its payload is not what was written");
        let held = payloads(blob).and_then(|all| all.into_iter().nth(usize::try_from(index).ok()?));
        let bytes = match held.ok_or_else(damaged)? {
            Held::Erased => None,
            Held::Present(bytes) if crate::digest(bytes) == digest => Some(bytes.to_vec()),
            Held::Present(_) => return Err(damaged()),
        };
        self.bytes += bytes.as_ref().map_or(0, Vec::len);
        Ok(Payload { digest, bytes })
    }

    fn name(&mut self, stream: u64, position: u64) -> Result<String, Failure> {
        if let Some(name) = self.names.get(&stream) {
            return Ok(name.clone());
        }
        let head = match self.unflushed.streams.get(&stream) {
            Some(known) => known.head.clone(),
            None => by_id(self.db, stream)?.ok_or_else(|| unknown(stream, position))?,
        };
        self.names.insert(stream, head.stream.clone());
        Ok(head.stream)
    }
}

/// A row of the log.
struct Stored {
    position: u64,
    entry: Entry,
    payloads: Vec<u8>,
}

impl Stored {
    fn new(position: u64, data: &[u8], payloads: Option<Vec<u8>>) -> Result<Self, Failure> {
        let entry =
            unpack(position, data).ok_or_else(|| Failure::at(position, "it is not what was written"))?;
        Ok(Self { position, entry, payloads: payloads.unwrap_or_default() })
    }

    fn load(db: &Connection, position: u64) -> Result<Self, Failure> {
        let mut one = db.prepare_cached("SELECT data, payloads FROM entry WHERE position = ?")?;
        let row = one.query_row([position.cast_signed()], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get(1)?)));
        let (data, payloads) = row.optional()?.ok_or_else(|| Failure::at(position, "it is missing"))?;
        Self::new(position, &data, payloads)
    }
}

fn of_stream(
    db: &Connection,
    unflushed: &Unflushed,
    name: &str,
    after: u64,
    limit: Limit,
) -> Result<Vec<Record>, Failure> {
    let Some(head) = unflushed.head(db, name)?.filter(|head| head.seq > after) else {
        return Ok(Vec::new());
    };
    let mut gather = Gather::new(db, unflushed, limit);
    let id = head.started.cast_signed();
    // The entry that holds the first record that is wanted may begin before it.
    let from: Option<i64> = db
        .prepare_cached("SELECT max(seq) FROM place WHERE stream = ? AND seq <= ?")?
        .query_row(params![id, after.saturating_add(1).cast_signed()], |row| row.get(0))?;
    let mut viewed =
        db.prepare_cached("SELECT seq, position FROM place WHERE stream = ? AND seq >= ? ORDER BY seq")?;
    let viewed = viewed.query_map(params![id, from.unwrap_or(0)], |row| {
        Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get::<_, i64>(1)?.cast_unsigned()))
    })?;
    let late = unflushed.streams.get(&head.started).map(|known| known.places.as_slice()).unwrap_or_default();
    let mut next = None;
    for place in viewed.chain(late.iter().map(|&place| Ok(place))) {
        let (seq, position) = place?;
        if gather.is_full() {
            break;
        }
        let row = Stored::load(db, position)?;
        let end = row.entry.seq + row.entry.events.len() as u64;
        let follows = next.is_none_or(|next| next == seq) && row.entry.seq == seq;
        if row.entry.stream != head.started || !follows {
            let what = format!("row ({id}, {seq}) does not lead to that record");
            return Err(Failure::view("place", what));
        }
        next = Some(end);
        if end > after + 1 {
            gather.take(&row, |seq, _| seq > after)?;
        }
    }
    let expected = after + gather.records.len() as u64;
    let last = gather.records.last().map(|record| record.seq);
    if last != Some(expected) || (!gather.is_full() && expected != head.seq) {
        return Err(Failure::view("place", format!("rows of {name} behind {after} are missing")));
    }
    Ok(gather.records)
}

fn of_all(db: &Connection, unflushed: &Unflushed, after: u64, limit: Limit) -> Result<Vec<Record>, Failure> {
    if after >= unflushed.end {
        return Ok(Vec::new());
    }
    let mut gather = Gather::new(db, unflushed, limit);
    let from: Option<i64> = db
        .prepare_cached("SELECT max(position) FROM entry WHERE position <= ?")?
        .query_row([(after + 1).cast_signed()], |row| row.get(0))?;
    let mut rows = db
        .prepare_cached("SELECT position, data, payloads FROM entry WHERE position >= ? ORDER BY position")?;
    let mut rows = rows.query([from.unwrap_or(0)])?;
    let mut next = None;
    while let Some(row) = rows.next()?
        && !gather.is_full()
    {
        let position = row.get::<_, i64>(0)?.cast_unsigned();
        if next.unwrap_or(position.min(after + 1)) != position {
            return Err(Failure::at(next.unwrap_or(after + 1), "it is missing"));
        }
        let data = row.get_ref(1)?.as_blob().map_err(|_| Failure::at(position, "it is no record"))?;
        let row = Stored::new(position, data, row.get(2)?)?;
        next = Some(position + row.entry.events.len() as u64);
        gather.take(&row, |_, position| position > after)?;
    }
    let expected = after + gather.records.len() as u64;
    let last = gather.records.last().map(|record| record.position);
    if last != Some(expected) || (!gather.is_full() && expected != unflushed.end) {
        return Err(Failure::at(expected + 1, "it is missing"));
    }
    Ok(gather.records)
}

/// Goes down the viewed streams and those of the tail side by side, from the one that started last.
fn found(db: &Connection, unflushed: &Unflushed, query: &Query) -> Result<Vec<Head>, Failure> {
    let mut below = query.before.unwrap_or(u64::MAX >> 1);
    let has_all = |head: &Head| query.labels.iter().all(|label| head.labels.contains(label));
    let mut late: Vec<&Head> = unflushed.streams.values().map(|known| &known.head).collect();
    late.retain(|head| head.started < below && head.position > query.since && has_all(head));
    late.sort_unstable_by_key(|head| head.started);
    if query.since > 0 {
        return changed(db, unflushed, query, late, has_all);
    }
    let mut heads = Vec::new();
    let mut viewed = viewed_below(db, unflushed, &query.labels, below)?;
    while heads.len() < query.limit.0 {
        let head = match (viewed, late.last()) {
            (None, None) => break,
            (Some(id), Some(head)) if id < head.started => late.pop().cloned(),
            (None, Some(_)) => late.pop().cloned(),
            (Some(id), _) => {
                below = id;
                viewed = viewed_below(db, unflushed, &query.labels, below)?;
                let head = by_id(db, id)?.filter(has_all);
                Some(head.ok_or_else(|| Failure::view("label", format!("the stream {id} has other labels")))?)
            }
        };
        heads.extend(head);
    }
    Ok(heads)
}

/// The same for streams that changed behind a position: those of the tail that are wanted, and what the views have.
fn changed(
    db: &Connection,
    unflushed: &Unflushed,
    query: &Query,
    mut late: Vec<&Head>,
    has_all: impl Fn(&Head) -> bool,
) -> Result<Vec<Head>, Failure> {
    let mut viewed: Vec<u64> = Vec::new();
    // Behind the views there is only the tail.
    if query.since < unflushed.viewed {
        let below = query.before.unwrap_or(u64::MAX).min(i64::MAX as u64);
        let mut ids = db.prepare_cached("SELECT id FROM stream WHERE last > ? AND id < ?")?;
        let mut ids = ids.query([query.since.cast_signed(), below.cast_signed()])?;
        while let Some(row) = ids.next()? {
            viewed.push(row.get::<_, i64>(0)?.cast_unsigned());
        }
        viewed.retain(|id| !unflushed.streams.contains_key(id));
        viewed.sort_unstable();
    }
    let mut heads = Vec::new();
    while heads.len() < query.limit.0 {
        match (viewed.last(), late.last()) {
            (None, None) => break,
            (Some(&id), head) if head.is_none_or(|head| head.started < id) => {
                viewed.pop();
                heads.extend(by_id(db, id)?.filter(&has_all));
            }
            _ => heads.extend(late.pop().cloned()),
        }
    }
    Ok(heads)
}

/// The viewed stream that started last before a position, has all labels and is not in the tail.
fn viewed_below(
    db: &Connection,
    unflushed: &Unflushed,
    labels: &[String],
    mut below: u64,
) -> Result<Option<u64>, Failure> {
    let mut any = db.prepare_cached("SELECT max(id) FROM stream WHERE id < ?")?;
    let mut labelled = db.prepare_cached("SELECT max(stream) FROM label WHERE label = ? AND stream < ?")?;
    loop {
        // Each label lowers the bound to what it has; a stream that lowers nothing has them all.
        let first: Option<i64> = match labels.first() {
            None => any.query_row([below.cast_signed()], |row| row.get(0))?,
            Some(label) => labelled.query_row(params![label, below.cast_signed()], |row| row.get(0))?,
        };
        let Some(candidate) = first.map(i64::cast_unsigned) else { return Ok(None) };
        let mut lowest = candidate;
        for label in labels.iter().skip(1) {
            let here: Option<i64> =
                labelled.query_row(params![label, lowest.cast_signed() + 1], |row| row.get(0))?;
            let Some(here) = here.map(i64::cast_unsigned) else { return Ok(None) };
            lowest = here;
        }
        if lowest == candidate && !unflushed.streams.contains_key(&candidate) {
            return Ok(Some(candidate));
        }
        below = if lowest == candidate { candidate } else { lowest + 1 };
    }
}

fn due(db: &Connection, unflushed: &Unflushed, until: Millis, limit: Limit) -> Result<Vec<Head>, Failure> {
    let late = unflushed.streams.values().map(|known| &known.head);
    let mut heads: Vec<Head> =
        late.filter(|head| head.due.is_some_and(|due| due <= until)).cloned().collect();
    let until = until.0.min(i64::MAX as u64).cast_signed();
    let mut viewed = db.prepare_cached("SELECT id FROM stream WHERE due <= ? ORDER BY due, id")?;
    let mut viewed = viewed.query([until])?;
    let mut count = 0;
    while count < limit.0
        && let Some(row) = viewed.next()?
    {
        let id = row.get::<_, i64>(0)?.cast_unsigned();
        if !unflushed.streams.contains_key(&id) {
            heads.extend(by_id(db, id)?);
            count += 1;
        }
    }
    heads.sort_unstable_by_key(|head| (head.due, head.started));
    heads.truncate(limit.0);
    Ok(heads)
}
