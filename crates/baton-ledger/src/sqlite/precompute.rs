//! Work on an append before its commit: digests of its payloads, hashes of its records.
//!
//! Commits follow each other, and a caller that waits for one has time. Hashes need the record before, so they are made
//! behind the one that this process wrote last.
//!
//! Invariant: nothing here is trusted. The commit compares the record before with the one in the log, and computes again
//! what was computed behind another.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Mutex;

use baton_kernel::Digest;
use rustc_hash::FxHashMap;

use super::entry::{Home, Link, link};
use super::group_commit::open;
use crate::{Append, Appended, FIRST, NewEvent, Refused, digest};

/// Bytes of an append beyond which its records are put together only when they are written: many wait at once.
const LINK_BYTES_MAX: usize = 1 << 20;
/// Most streams that are remembered.
const HEADS_MAX: usize = 10_000;

/// An append with its digests and, where the record before is known, its hashes.
pub(super) struct Precomputed {
    pub(super) append: Append,
    /// Of the payload of each event.
    pub(super) digests: Vec<Option<Digest>>,
    /// Made as if no payload lay elsewhere.
    link: Option<Link>,
}

impl Precomputed {
    fn new(append: Append, previous: Option<Digest>) -> Self {
        let digests: Vec<Option<Digest>> =
            append.events.iter().map(|event| event.payload.as_deref().map(digest)).collect();
        let bytes = |event: &NewEvent| event.body.len() + event.payload.as_ref().map_or(0, Vec::len);
        let is_small = append.events.iter().map(bytes).sum::<usize>() <= LINK_BYTES_MAX;
        let link = previous.filter(|_| is_small).map(|previous| {
            let homes: Vec<_> =
                digests.iter().map(|digest| digest.map(|digest| (digest, Home::Here))).collect();
            link(&append, previous, &homes)
        });
        Self { append, digests, link }
    }

    /// The row that was precomputed, if it follows this record and its payloads lie where it assumed.
    pub(super) fn link_behind(&self, previous: Digest, homes: &[Option<(Digest, Home)>]) -> Option<&Link> {
        let is_here = |home: &Option<(Digest, Home)>| match home {
            Some((_, Home::Here)) | None => true,
            Some((_, Home::Elsewhere { .. })) => false,
        };
        self.link.as_ref().filter(|link| link.previous == previous && homes.iter().all(is_here))
    }
}

/// The last sequence and hash of streams, by a hash of their names: two that share one only lose what was made ahead.
#[derive(Default)]
pub(super) struct KnownHeads {
    last: Mutex<FxHashMap<u64, (u64, Digest)>>,
    hasher: RandomState,
}

impl KnownHeads {
    /// Precomputes appends; also gives the keys that [`KnownHeads::remember`] asks for.
    pub(super) fn precompute(&self, batch: Vec<Append>) -> (Vec<Precomputed>, Vec<u64>) {
        let keys: Vec<u64> = batch.iter().map(|append| self.hasher.hash_one(&append.stream)).collect();
        let previous: Vec<Option<Digest>> = {
            let last = open(&self.last);
            let of = |(append, key): (&Append, &u64)| match last.get(key) {
                Some((seq, hash)) if *seq == append.expected => Some(*hash),
                Some(_) | None => (append.expected == 0).then_some(FIRST),
            };
            batch.iter().zip(&keys).map(of).collect()
        };
        let batch =
            batch.into_iter().zip(previous).map(|(append, previous)| Precomputed::new(append, previous));
        (batch.collect(), keys)
    }

    /// Remembers the last record of streams.
    pub(super) fn remember(&self, keys: &[u64], appended: &[Result<Appended, Refused>]) {
        let mut last = open(&self.last);
        if last.len() >= HEADS_MAX {
            last.clear();
        }
        let appended =
            keys.iter().zip(appended).filter_map(|(key, appended)| Some((*key, appended.as_ref().ok()?)));
        last.extend(appended.map(|(key, appended)| (key, (appended.seq, appended.hash))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_kernel::Millis;

    fn append(expected: u64, payload: &str) -> Append {
        let event = NewEvent { kind: "said".to_owned(), body: Vec::new(), payload: Some(payload.into()) };
        Append {
            stream: "run-1".to_owned(),
            expected,
            at: Millis(1),
            events: vec![event],
            ..Append::default()
        }
    }

    fn appended(seq: u64, hash: Digest) -> Result<Appended, Refused> {
        Ok(Appended { seq, position: 9, hash })
    }

    #[test]
    fn hashes_behind_another_record_are_not_used() {
        let heads = KnownHeads::default();
        let (batch, keys) = heads.precompute(vec![append(4, "a")]);
        let here = [Some((digest(b"a"), Home::Here))];
        assert!(batch[0].link_behind(FIRST, &here).is_none(), "the record before it is unknown");

        let hash = digest(b"the record before");
        heads.remember(&keys, &[appended(5, hash)]);
        let (batch, _) = heads.precompute(vec![append(5, "a"), append(4, "a")]);
        let link = batch[0].link_behind(hash, &here).expect("it was made behind this record");
        assert_eq!(link.hash, super::link(&batch[0].append, hash, &here).hash);
        assert!(batch[0].link_behind(FIRST, &here).is_none(), "another record stands before it");
        assert!(batch[1].link_behind(hash, &here).is_none(), "another append came first");
        let elsewhere = [Some((digest(b"a"), Home::Elsewhere { position: 1, index: 0 }))];
        assert!(batch[0].link_behind(hash, &elsewhere).is_none(), "its payload is there already");
    }
}
