//! The one connection of a process that writes: judges appends and leases, and commits them together.
//!
//! Invariant: nothing is judged before what others committed was read, and nothing is answered before the commit is
//! on the disk.

use std::collections::HashMap;
use std::time::Duration;

use baton_kernel::{Digest, Millis};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::ahead::Ahead;
use super::entry::{Held, Home, Spot, erasure, link, pack, payloads, unpack};
use super::files::Files;
use super::keys::{Segments, of_claim, of_payload};
use super::pack::{SUM_BYTES, sum, summed};
use super::tail::{Change, Renewed, Tail, begun, by_id, by_name, unknown};
use super::trouble::Trouble;
use super::views::keep_up;
use crate::{Append, Appended, FIRST, Fence, Lease, NewLease, Refused};

/// How long others may keep erased bytes in the write-ahead log before the next append tries again.
const SCRUB_PATIENCE: Duration = Duration::from_millis(200);
/// How many streams' fences are remembered between commits.
const FENCES_MAX: usize = 10_000;

/// What a caller wants.
pub(super) enum Job {
    Append(Vec<Ahead>),
    Lease(NewLease),
    Release(Lease),
}

/// What came of it.
pub(super) enum Done {
    Appended(Vec<Result<Appended, Refused>>),
    Leased(Result<Lease, Refused>),
    Released,
}

/// The writing connection and what it knows.
pub(super) struct Writer {
    db: Connection,
    files: Files,
    patience: Duration,
    tail: Tail,
    segments: Segments,
    /// The fence of each stream that was looked up since somebody else wrote.
    fences: HashMap<String, Option<Fence>>,
    /// Changes when somebody else wrote; none before the first look.
    version: Option<i64>,
    /// How often erased bytes were to be taken out of the log and were: odd while they are to be.
    scrubs: i64,
}

impl Writer {
    pub(super) fn new(db: Connection, files: Files, patience: Duration) -> Self {
        Self {
            db,
            files,
            patience,
            tail: Tail::default(),
            segments: Segments::default(),
            fences: HashMap::new(),
            version: None,
            scrubs: 0,
        }
    }

    /// Does all jobs in one commit, or none.
    pub(super) fn commit(&mut self, jobs: &[Job]) -> Result<Vec<Done>, Trouble> {
        let done = self.transact(jobs);
        if done.is_err() {
            // What the failed commit left in memory is forgotten; the log says what is true.
            if !self.db.is_autocommit() {
                let _ = self.db.execute_batch("ROLLBACK");
            }
            self.version = None;
            self.tail = Tail::default();
            self.segments = Segments::default();
            self.fences.clear();
            if let Err(Trouble::Gone(_)) = done {
                self.leave_log();
            }
            return done;
        }
        if self.wants_scrub() {
            // The commit stands, whatever comes of this; the next one tries again.
            let _ = self.scrub();
        }
        done
    }

    /// What is left of the log is not copied into the database when this is closed.
    fn leave_log(&self) {
        let _ = self.db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }

    /// Whether the files are those that were opened; if not, closing leaves them as they are.
    pub(super) fn may_close(&self) -> bool {
        let is_there = self.files.see_named().is_ok();
        if !is_there {
            self.leave_log();
        }
        is_there
    }

    fn transact(&mut self, jobs: &[Job]) -> Result<Vec<Done>, Trouble> {
        self.db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        self.look()?;
        let mut done = Vec::with_capacity(jobs.len());
        for job in jobs {
            done.push(match job {
                Job::Append(batch) => {
                    let appended = batch.iter().map(|ahead| self.append(ahead)).collect::<Result<_, _>>()?;
                    Done::Appended(appended)
                }
                Job::Lease(wish) => Done::Leased(self.lease(wish)?),
                Job::Release(lease) => {
                    self.release(lease)?;
                    Done::Released
                }
            });
        }
        keep_up(&self.db, &mut self.tail, &mut self.segments)?;
        self.db.prepare_cached("COMMIT")?.execute([])?;
        self.files.look()?;
        Ok(done)
    }

    /// Reads what others committed, and sees that the index is theirs too and the log is whole.
    fn look(&mut self) -> Result<(), Trouble> {
        // With an index of one's own a write is already the damage.
        self.files.see_shared()?;
        let version: i64 = self.db.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        let scrubs = self.scrubs;
        if self.version != Some(version) {
            self.fences.clear();
            if self.tail.catch_up(&self.db)? == Renewed::Yes || self.version.is_none() {
                self.segments.refresh(&self.db)?;
            }
            self.scrubs = self
                .db
                .prepare_cached("SELECT scrub FROM state WHERE id = 1")?
                .query_row([], |row| row.get(0))?;
            self.version = Some(version);
        }
        // Only scrubbing makes the log shorter, and whoever does it says so before and behind.
        if self.scrubs != scrubs || self.wants_scrub() {
            self.files.measure()
        } else {
            self.files.see_whole()
        }
    }

    /// Whether erased bytes may still be in the write-ahead log.
    fn wants_scrub(&self) -> bool {
        self.scrubs & 1 == 1
    }

    fn append(&mut self, ahead: &Ahead) -> Result<Result<Appended, Refused>, Trouble> {
        let append = &ahead.append;
        let stream = self.tail.brief(&append.stream);
        let unread = if stream.is_none() { by_name(&self.db, &append.stream)? } else { None };
        let stream = stream.or_else(|| unread.as_ref().map(|head| (head.started, head.seq, head.hash)));
        let position = self.tail.end + 1;
        let (id, actual, previous) = stream.unwrap_or((position, 0, FIRST));
        if actual != append.expected {
            let (stream, expected) = (append.stream.clone(), append.expected);
            return Ok(Err(Refused::WrongSequence { stream, expected, actual }));
        }
        if let Some(fence) = append.fence
            && self.fence(&append.stream)? != Some(fence)
        {
            return Ok(Err(Refused::FenceLost { stream: append.stream.clone(), fence }));
        }
        for (index, claim) in append.claims.iter().enumerate() {
            let before = append.claims[..index].contains(claim).then(|| append.stream.clone());
            if let Some(stream) = before.map_or_else(|| self.claimed_by(claim), |stream| Ok(Some(stream)))? {
                return Ok(Err(Refused::ClaimTaken { claim: claim.clone(), stream }));
            }
        }
        let mut erased = Vec::new();
        for &digest in &append.erase {
            let homes = self.homes(digest)?;
            if homes.is_empty() {
                return Ok(Err(Refused::UnknownPayload { digest }));
            }
            erased.extend(homes);
        }

        for home in erased.iter().filter(|home| home.is_present) {
            self.erase(home)?;
        }
        let homes = self.places(position, ahead)?;
        let made;
        let link = match ahead.link_behind(previous, &homes) {
            Some(link) => link,
            None => {
                made = link(append, previous, &homes);
                &made
            }
        };
        let spot = Spot { position, stream: id };
        let data = pack(&append.stream, spot, link);
        self.db.prepare_cached("INSERT INTO entry VALUES (?, ?, ?)")?.execute(params![
            position.cast_signed(),
            data,
            link.payloads
        ])?;
        match unread {
            Some(head) => self.tail.know(head),
            None if stream.is_none() => self.tail.know(begun(append.stream.clone(), position)),
            None => {}
        }
        Ok(Ok(self.note(append, spot, &homes, link.hash, data.len())))
    }

    /// Takes note of what an entry changes.
    fn note(
        &mut self,
        append: &Append,
        spot: Spot,
        homes: &[Option<(Digest, Home)>],
        hash: Digest,
        bytes: usize,
    ) -> Appended {
        let position = spot.position;
        let events = append.events.len() as u64;
        self.tail.keys.extend(append.claims.iter().map(|claim| (of_claim(claim), position)));
        self.tail.keys.extend(homes.iter().filter_map(|payload| match payload {
            Some((digest, Home::Here)) => Some((of_payload(*digest), position)),
            Some((_, Home::Elsewhere { .. })) | None => None,
        }));
        let head = append.head.as_ref();
        self.tail.change(spot.stream, &Change { position, events, bytes, hash, head });
        Appended { seq: append.expected + events, position: self.tail.end, hash }
    }

    /// The stream that made a claim.
    fn claimed_by(&self, claim: &str) -> Result<Option<String>, Trouble> {
        for position in self.positions(of_claim(claim))? {
            let entry = self.entry(position)?;
            if entry.claims.iter().any(|made| made == claim) {
                return self.name(entry.stream, position).map(Some);
            }
        }
        Ok(None)
    }

    fn name(&self, stream: u64, position: u64) -> Result<String, Trouble> {
        if let Some(known) = self.tail.streams.get(&stream) {
            return Ok(known.head.stream.clone());
        }
        let head = by_id(&self.db, stream)?;
        head.map(|head| head.stream).ok_or_else(|| unknown(stream, position))
    }

    /// The entries that may have brought a key, the latest first.
    fn positions(&self, key: u64) -> Result<Vec<u64>, Trouble> {
        let late = self.tail.keys.range((key, 0)..=(key, u64::MAX)).rev().map(|pair| pair.1);
        let mut positions: Vec<u64> = late.collect();
        positions.extend(self.segments.positions(&self.db, key)?);
        Ok(positions)
    }

    fn entry(&self, position: u64) -> Result<super::entry::Entry, Trouble> {
        let damaged = || Trouble::at(position, "it is not what was written");
        let data: Option<Vec<u8>> = self
            .db
            .prepare_cached("SELECT data FROM entry WHERE position = ?")?
            .query_row([position.cast_signed()], |row| row.get(0))
            .optional()?;
        unpack(position, &data.ok_or_else(damaged)?).ok_or_else(damaged)
    }

    /// Where each payload of an append goes: with it, unless its bytes are there already.
    fn places(&self, position: u64, ahead: &Ahead) -> Result<Vec<Option<(Digest, Home)>>, Trouble> {
        let mut places: Vec<Option<(Digest, Home)>> = Vec::with_capacity(ahead.digests.len());
        let mut here: Vec<Digest> = Vec::new();
        for digest in &ahead.digests {
            let Some(digest) = *digest else {
                places.push(None);
                continue;
            };
            let home = match here.iter().position(|&other| other == digest) {
                Some(index) => Home::Elsewhere { position, index: index as u64 },
                None => match self.homes(digest)?.into_iter().find(|home| home.is_present) {
                    Some(home) => Home::Elsewhere { position: home.position, index: home.index },
                    None => {
                        here.push(digest);
                        Home::Here
                    }
                },
            };
            places.push(Some((digest, home)));
        }
        Ok(places)
    }

    /// Where the bytes of a payload lie or lay, the latest first.
    fn homes(&self, digest: Digest) -> Result<Vec<Place>, Trouble> {
        let mut homes = Vec::new();
        for position in self.positions(of_payload(digest))? {
            let Some(index) = self.entry(position)?.index_of(digest) else { continue };
            let blob = self.payloads(position)?;
            let held = payloads(&blob).and_then(|all| {
                let held = all.into_iter().nth(usize::try_from(index).ok()?)?;
                Some(matches!(held, Held::Present(_)))
            });
            let is_present =
                held.ok_or_else(|| Trouble::at(position, "its payload is not what was written"))?;
            homes.push(Place { position, index, is_present });
        }
        Ok(homes)
    }

    fn payloads(&self, position: u64) -> Result<Vec<u8>, Trouble> {
        let mut one = self.db.prepare_cached("SELECT payloads FROM entry WHERE position = ?")?;
        Ok(one.query_row([position.cast_signed()], |row| row.get(0))?)
    }

    /// Writes zeros over a payload, where it lies.
    fn erase(&mut self, home: &Place) -> Result<(), Trouble> {
        let damaged = || Trouble::at(home.position, "its payload is not what was written");
        let (start, over) = erasure(&self.payloads(home.position)?, home.index).ok_or_else(damaged)?;
        self.db
            .blob_open("main", "entry", "payloads", home.position.cast_signed(), false)?
            .write_at(&over, start)?;
        self.scrubs |= 1;
        self.db.prepare_cached("UPDATE state SET scrub = ? WHERE id = 1")?.execute([self.scrubs])?;
        Ok(())
    }

    /// Takes erased bytes out of the write-ahead log too. Somebody who is reading may be in the way; then the next
    /// commit, of whichever process, tries again.
    fn scrub(&mut self) -> Result<(), Trouble> {
        self.db.busy_timeout(SCRUB_PATIENCE)?;
        let busy: Result<i64, _> = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        self.db.busy_timeout(self.patience)?;
        if let Ok(0) = busy {
            let scrubs = self.scrubs.wrapping_add(1);
            self.db.execute("UPDATE state SET scrub = ? WHERE id = 1", [scrubs])?;
            self.scrubs = scrubs;
        }
        self.files.measure()
    }

    fn fence(&mut self, stream: &str) -> Result<Option<Fence>, Trouble> {
        if let Some(&fence) = self.fences.get(stream) {
            return Ok(fence);
        }
        let fence: Option<i64> = self
            .db
            .prepare_cached("SELECT fence FROM lease WHERE stream = ?")?
            .query_row([stream], |row| row.get(0))
            .optional()?;
        let fence = fence.map(|fence| Fence(fence.cast_unsigned()));
        self.remember(stream, fence);
        Ok(fence)
    }

    fn remember(&mut self, stream: &str, fence: Option<Fence>) {
        if self.fences.len() >= FENCES_MAX {
            self.fences.clear();
        }
        self.fences.insert(stream.to_owned(), fence);
    }

    fn lease(&mut self, wish: &NewLease) -> Result<Result<Lease, Refused>, Trouble> {
        let held = self
            .db
            .prepare_cached("SELECT holder, fence, until FROM lease WHERE stream = ?")?
            .query_row([&wish.stream], |row| {
                let (fence, until): (i64, i64) = (row.get(1)?, row.get(2)?);
                Ok((row.get::<_, String>(0)?, Fence(fence.cast_unsigned()), Millis(until.cast_unsigned())))
            })
            .optional()?;
        let fence = match held {
            Some((holder, fence, _)) if holder == wish.holder => fence,
            Some((holder, _, until)) if until > wish.now => {
                return Ok(Err(Refused::Held { stream: wish.stream.clone(), holder, until }));
            }
            Some(_) | None => self.new_fence()?,
        };
        self.db.prepare_cached("INSERT OR REPLACE INTO lease VALUES (?, ?, ?, ?)")?.execute(params![
            wish.stream,
            wish.holder,
            fence.0.cast_signed(),
            wish.until.0.cast_signed()
        ])?;
        self.remember(&wish.stream, Some(fence));
        let NewLease { stream, holder, until, .. } = wish.clone();
        Ok(Ok(Lease { stream, holder, fence, until }))
    }

    fn new_fence(&self) -> Result<Fence, Trouble> {
        let damaged = || Trouble::stored("the count of leases is not what was written");
        let stored: Option<Vec<u8>> = self
            .db
            .prepare_cached("SELECT fence FROM state WHERE id = 1")?
            .query_row([], |row| row.get(0))?;
        let last = match stored {
            None => 0,
            Some(stored) => {
                let number: [u8; SUM_BYTES] =
                    summed(0, &stored).and_then(|bytes| bytes.try_into().ok()).ok_or_else(damaged)?;
                u64::from_be_bytes(number)
            }
        };
        let number = (last + 1).to_be_bytes();
        let mut stored = number.to_vec();
        stored.extend_from_slice(&sum(0, &[&number]));
        self.db.prepare_cached("UPDATE state SET fence = ? WHERE id = 1")?.execute([stored])?;
        Ok(Fence(last + 1))
    }

    fn release(&mut self, lease: &Lease) -> Result<(), Trouble> {
        self.db
            .prepare_cached("DELETE FROM lease WHERE stream = ? AND fence = ?")?
            .execute(params![lease.stream, lease.fence.0.cast_signed()])?;
        self.fences.remove(&lease.stream);
        Ok(())
    }
}

/// Where the bytes of a payload lie, or lay.
struct Place {
    position: u64,
    index: u64,
    is_present: bool,
}
