//! Claims and payload digests: which are there, and in which entry.
//!
//! A key is eight bytes of a hash, so keys come in no order. In one sorted table every append would change a page
//! of its own, and the rate would fall as the ledger grows. So the keys of some thousand appends are written
//! together as a sorted run, a *segment*; four of one level become one of the next. A filter in memory says of
//! nearly every new key that no segment has it.
//!
//! Invariant: a key only says where to look. What decides is the entry it leads to.

use baton_kernel::Digest;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::codec::{sum, summed};
use super::failure::Failure;

/// Number of segments of a level that are kept apart.
const FANOUT: usize = 4;
/// Segments of this level stay as they are, so that no merge takes long.
const LEVEL_MAX: u32 = 3;
/// So many keys fill a page of the database.
const CHUNK_KEYS: usize = 280;
const KEY_BYTES: usize = 8;
const PAIR_BYTES: usize = KEY_BYTES + 6;
const FILTER_BITS_PER_KEY: usize = 10;
const FILTER_PROBES: u32 = 6;

/// The key of a claim; the last bit keeps claims and digests apart.
pub(super) fn of_claim(claim: &str) -> u64 {
    first_bytes(crate::digest(claim.as_bytes())) & !1
}

/// The key of a payload.
pub(super) fn of_payload(digest: Digest) -> u64 {
    first_bytes(digest) | 1
}

fn first_bytes(digest: Digest) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = digest.0;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// A key, and the position of the entry that brought it.
pub(super) type Pair = (u64, u64);

/// Part of all segments that is kept in memory.
#[derive(Default)]
pub(super) struct Segments(Vec<Segment>);

struct Segment {
    id: i64,
    level: u32,
    keys: usize,
    first_chunk: i64,
    /// The first key of each chunk.
    fences: Vec<u64>,
    filter: Filter,
}

impl Segments {
    /// Takes note of the segments that are new and those that are gone.
    pub(super) fn refresh(&mut self, db: &Connection) -> Result<(), Failure> {
        let mut all = db.prepare_cached("SELECT id FROM segment ORDER BY id")?;
        let ids: Vec<i64> = all.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        self.0.retain(|segment| ids.contains(&segment.id));
        for id in ids {
            if !self.0.iter().any(|segment| segment.id == id) {
                self.0.push(Segment::load(db, id)?);
            }
        }
        Ok(())
    }

    /// The entries that may have brought a key, the latest first.
    pub(super) fn positions(&self, db: &Connection, key: u64) -> Result<Vec<u64>, Failure> {
        let mut found = Vec::new();
        for segment in self.0.iter().filter(|segment| segment.filter.may_have(key)) {
            // Equal keys may reach over the border of two chunks.
            let from = segment.fences.partition_point(|&first| first < key).saturating_sub(1);
            let to = segment.fences.partition_point(|&first| first <= key);
            for chunk in from..to {
                let pairs = segment.chunk(db, chunk)?;
                found.extend(pairs.iter().filter(|pair| pair.0 == key).map(|pair| pair.1));
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        Ok(found)
    }

    /// Writes sorted pairs as a segment, and merges where there are enough.
    pub(super) fn add(&mut self, db: &Connection, pairs: &[Pair]) -> Result<(), Failure> {
        if pairs.is_empty() {
            return Ok(());
        }
        let mut writer = SegmentWriter::new(db, 0, pairs.len())?;
        pairs.iter().try_for_each(|&pair| writer.push(pair))?;
        self.0.push(writer.finish()?);
        for level in 0..LEVEL_MAX {
            if self.0.iter().filter(|segment| segment.level == level).count() >= FANOUT {
                self.merge(db, level)?;
            }
        }
        Ok(())
    }

    fn merge(&mut self, db: &Connection, level: u32) -> Result<(), Failure> {
        let (old, kept): (Vec<_>, Vec<_>) = self.0.drain(..).partition(|segment| segment.level == level);
        self.0 = kept;
        let mut writer = SegmentWriter::new(db, level + 1, old.iter().map(|segment| segment.keys).sum())?;
        let mut cursors: Vec<Cursor<'_>> = old.iter().map(Cursor::new).collect();
        loop {
            let mut least: Option<(Pair, usize)> = None;
            for (index, cursor) in cursors.iter_mut().enumerate() {
                if let Some(pair) = cursor.peek(db)?
                    && least.is_none_or(|(other, _)| pair < other)
                {
                    least = Some((pair, index));
                }
            }
            let Some((pair, index)) = least else { break };
            writer.push(pair)?;
            cursors[index].at += 1;
        }
        self.0.push(writer.finish()?);
        for segment in &old {
            let end = segment.first_chunk + signed(segment.fences.len());
            db.prepare_cached("DELETE FROM chunk WHERE id >= ? AND id < ?")?
                .execute(params![segment.first_chunk, end])?;
            db.prepare_cached("DELETE FROM segment WHERE id = ?")?.execute([segment.id])?;
        }
        Ok(())
    }

    /// Number of their chunks.
    pub(super) fn chunks(&self) -> usize {
        self.0.iter().map(|segment| segment.fences.len()).sum()
    }

    /// All pairs, segment by segment.
    pub(super) fn each(&self, db: &Connection, mut take: impl FnMut(Pair)) -> Result<(), Failure> {
        for segment in &self.0 {
            for chunk in 0..segment.fences.len() {
                segment.chunk(db, chunk)?.into_iter().for_each(&mut take);
            }
        }
        Ok(())
    }
}

impl Segment {
    fn load(db: &Connection, id: i64) -> Result<Self, Failure> {
        let damaged = || Failure::view("segment", format!("row {id} is not what was written"));
        let mut one =
            db.prepare_cached("SELECT level, keys, first_chunk, fences, filter FROM segment WHERE id = ?")?;
        let (level, keys, first_chunk, fences, filter) = one.query_row([id], |row| {
            let (fences, filter): (Vec<u8>, Vec<u8>) = (row.get(3)?, row.get(4)?);
            Ok((row.get::<_, u32>(0)?, row.get::<_, u32>(1)?, row.get(2)?, fences, filter))
        })?;
        let place = place_of(level, keys, first_chunk);
        let fences = summed(place, &fences).ok_or_else(damaged)?;
        let filter = summed(place, &filter).ok_or_else(damaged)?.to_vec();
        let (fences, rest) = fences.as_chunks::<KEY_BYTES>();
        if !rest.is_empty() || filter.is_empty() {
            return Err(damaged());
        }
        let fences = fences.iter().map(|&bytes| u64::from_be_bytes(bytes)).collect();
        Ok(Self { id, level, keys: keys as usize, first_chunk, fences, filter: Filter(filter) })
    }

    fn chunk(&self, db: &Connection, index: usize) -> Result<Vec<Pair>, Failure> {
        let id = self.first_chunk + signed(index);
        let damaged = || Failure::view("chunk", format!("row {id} is not what was written"));
        let data: Option<Vec<u8>> = db
            .prepare_cached("SELECT data FROM chunk WHERE id = ?")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        let data = data.ok_or_else(damaged)?;
        let (pairs, rest) = summed(id.cast_unsigned(), &data).ok_or_else(damaged)?.as_chunks::<PAIR_BYTES>();
        if !rest.is_empty() {
            return Err(damaged());
        }
        Ok(pairs.iter().map(pair).collect())
    }
}

/// Binds the small numbers of a segment into the sums of its blobs.
fn place_of(level: u32, keys: u32, first_chunk: i64) -> u64 {
    first_chunk.cast_unsigned() << 24 ^ u64::from(keys) << 4 ^ u64::from(level)
}

fn pair([a, b, c, d, e, f, g, h, position @ ..]: &[u8; PAIR_BYTES]) -> Pair {
    let [i, j, k, l, m, n] = *position;
    (u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]), u64::from_be_bytes([0, 0, i, j, k, l, m, n]))
}

fn signed(count: usize) -> i64 {
    (count as u64).cast_signed()
}

/// A place in a segment that is being merged.
struct Cursor<'a> {
    segment: &'a Segment,
    chunk: usize,
    pairs: Vec<Pair>,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn new(segment: &'a Segment) -> Self {
        Self { segment, chunk: 0, pairs: Vec::new(), at: 0 }
    }

    fn peek(&mut self, db: &Connection) -> Result<Option<Pair>, Failure> {
        if self.at == self.pairs.len() && self.chunk < self.segment.fences.len() {
            self.pairs = self.segment.chunk(db, self.chunk)?;
            self.chunk += 1;
            self.at = 0;
        }
        Ok(self.pairs.get(self.at).copied())
    }
}

/// A segment that is being written, chunk by chunk.
struct SegmentWriter<'a> {
    db: &'a Connection,
    level: u32,
    keys: usize,
    first_chunk: i64,
    fences: Vec<u64>,
    filter: Filter,
    chunk: Vec<u8>,
}

impl<'a> SegmentWriter<'a> {
    fn new(db: &'a Connection, level: u32, keys: usize) -> Result<Self, Failure> {
        let first_chunk = db
            .prepare_cached("SELECT coalesce(max(id), 0) + 1 FROM chunk")?
            .query_row([], |row| row.get(0))?;
        let filter = Filter(vec![0; (keys * FILTER_BITS_PER_KEY).div_ceil(8).max(1)]);
        let chunk = Vec::with_capacity(CHUNK_KEYS * PAIR_BYTES + 8);
        Ok(Self { db, level, keys: 0, first_chunk, fences: Vec::new(), filter, chunk })
    }

    fn push(&mut self, (key, position): Pair) -> Result<(), Failure> {
        if self.chunk.is_empty() {
            self.fences.push(key);
        }
        self.keys += 1;
        self.filter.add(key);
        self.chunk.extend_from_slice(&key.to_be_bytes());
        self.chunk.extend_from_slice(&position.to_be_bytes()[2..]);
        if self.chunk.len() == CHUNK_KEYS * PAIR_BYTES { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), Failure> {
        let id = self.first_chunk + signed(self.fences.len()) - 1;
        let sum = sum(id.cast_unsigned(), &[&self.chunk]);
        self.chunk.extend_from_slice(&sum);
        self.db.prepare_cached("INSERT INTO chunk VALUES (?, ?)")?.execute(params![id, self.chunk])?;
        self.chunk.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<Segment, Failure> {
        if !self.chunk.is_empty() {
            self.write()?;
        }
        let keys =
            u32::try_from(self.keys).map_err(|_| Failure::stored("a segment of claims is too large"))?;
        let place = place_of(self.level, keys, self.first_chunk);
        let mut fences: Vec<u8> = self.fences.iter().flat_map(|first| first.to_be_bytes()).collect();
        fences.extend_from_slice(&sum(place, &[&fences]));
        let mut filter = self.filter.0.clone();
        filter.extend_from_slice(&sum(place, &[&filter]));
        self.db
            .prepare_cached(
                "INSERT INTO segment (level, keys, first_chunk, fences, filter) VALUES (?, ?, ?, ?, ?)",
            )?
            .execute(params![self.level, keys, self.first_chunk, fences, filter])?;
        let id = self.db.last_insert_rowid();
        let Self { level, keys, first_chunk, fences, filter, .. } = self;
        Ok(Segment { id, level, keys, first_chunk, fences, filter })
    }
}

/// Says of most keys that were not added that they were not.
struct Filter(Vec<u8>);

impl Filter {
    fn add(&mut self, key: u64) {
        for bit in bits(key, self.0.len()) {
            self.0[bit / 8] |= 1 << (bit % 8);
        }
    }

    fn may_have(&self, key: u64) -> bool {
        bits(key, self.0.len()).all(|bit| self.0[bit / 8] & (1 << (bit % 8)) != 0)
    }
}

fn bits(key: u64, bytes: usize) -> impl Iterator<Item = usize> {
    let count = bytes * 8;
    // A key is a hash already; an odd multiple of it is a second one.
    let step = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..FILTER_PROBES).map(move |probe| {
        let hash = key.wrapping_add(step.wrapping_mul(u64::from(probe)));
        // The upper half of the product is a number below `count`, without a division.
        usize::try_from((u128::from(hash) * count as u128) >> 64).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> Connection {
        let db = Connection::open_in_memory().expect("memory is there");
        db.execute_batch(include_str!("migrations/0001.sql")).expect("the schema is right");
        db
    }

    fn key(number: u64) -> u64 {
        of_claim(&number.to_string())
    }

    #[test]
    fn every_key_is_found_after_any_number_of_merges_and_hardly_any_other() {
        let db = database();
        let mut segments = Segments::default();
        for round in 0..100_u64 {
            let mut pairs: Vec<Pair> = (round * 90..(round + 1) * 90).map(|n| (key(n), n + 1)).collect();
            pairs.sort_unstable();
            segments.add(&db, &pairs).expect("memory does not fail");
        }
        assert!(segments.0.len() <= 3 * FANOUT, "{} segments", segments.0.len());
        let mut again = Segments::default();
        again.refresh(&db).expect("they were just written");
        for number in 0..9000 {
            assert_eq!(segments.positions(&db, key(number)).expect("readable"), [number + 1]);
            assert_eq!(again.positions(&db, key(number)).expect("readable"), [number + 1]);
        }
        let wrong = (9000..19_000).filter(|&n| again.0.iter().any(|one| one.filter.may_have(key(n)))).count();
        assert!(wrong < 1500, "{wrong} of 10000 looked for in vain");
    }

    #[test]
    fn equal_keys_are_all_found_the_latest_first() {
        let db = database();
        let mut segments = Segments::default();
        let pairs: Vec<Pair> = (1..=1000).map(|position| (4, position)).collect();
        segments.add(&db, &pairs).expect("memory does not fail");
        segments.add(&db, &[(2, 1), (4, 2000)]).expect("memory does not fail");
        let found = segments.positions(&db, 4).expect("readable");
        assert_eq!(found.len(), 1001);
        assert_eq!(found[0], 2000);
    }

    #[test]
    fn a_changed_or_missing_part_is_noticed() {
        let db = database();
        let mut segments = Segments::default();
        segments.add(&db, &[(2, 1), (4, 2)]).expect("memory does not fail");
        let first = |byte: &str| {
            let sql = format!("UPDATE chunk SET data = CAST(x'{byte}' || substr(data, 2) AS BLOB)");
            db.execute(&sql, []).expect("there is one");
        };
        // The first byte of a small key is zero anyway.
        first("00");
        assert_eq!(segments.positions(&db, 4).expect("unchanged"), [2]);
        first("01");
        assert!(segments.positions(&db, 4).is_err());
        db.execute("DELETE FROM chunk", []).expect("there is one");
        assert!(segments.positions(&db, 4).is_err());
        db.execute("UPDATE segment SET keys = 3", []).expect("there is one");
        assert!(Segments::default().refresh(&db).is_err());
    }
}
