//! What a ledger in memory holds.
//!
//! Invariant: a change is a function of the state and of the call, so that a list of calls makes it again.

use std::collections::{BTreeMap, BTreeSet};

use baton_kernel::{Digest, Millis};

use crate::limits::READ_BYTES_MAX;
use crate::record::{Said, hash};
use crate::{
    Append, Appended, FIRST, Fence, Head, Lease, Limit, NewLease, Payload, Query, ReadFrom, Record, Refused,
    digest,
};

/// Everything.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// Records without their payload's bytes; the position is the index plus one.
    records: Vec<Record>,
    streams: BTreeMap<String, Stream>,
    claims: BTreeMap<String, String>,
    /// None where the bytes were erased.
    payloads: BTreeMap<Digest, Option<Vec<u8>>>,
    /// Records whose payload was erased, and stays so for them if the same bytes come again.
    erased: BTreeSet<u64>,
    leases: BTreeMap<String, Lease>,
    fence: u64,
}

#[derive(Clone, Debug)]
struct Stream {
    head: Head,
    /// The positions of its records.
    positions: Vec<u64>,
}

/// A call that changes something.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Append(Vec<Append>),
    Lease(NewLease),
    Release(Lease),
}

impl State {
    pub(super) fn append(&mut self, append: &Append) -> Result<Appended, Refused> {
        let actual = self.streams.get(&append.stream).map_or(0, |stream| stream.head.seq);
        if actual != append.expected {
            let (stream, expected) = (append.stream.clone(), append.expected);
            return Err(Refused::WrongSequence { stream, expected, actual });
        }
        let lease = self.leases.get(&append.stream);
        if let Some(fence) = append.fence.filter(|&fence| lease.map(|lease| lease.fence) != Some(fence)) {
            return Err(Refused::FenceLost { stream: append.stream.clone(), fence });
        }
        for (index, claim) in append.claims.iter().enumerate() {
            let before = append.claims[..index].contains(claim).then_some(&append.stream);
            if let Some(stream) = self.claims.get(claim).or(before) {
                return Err(Refused::ClaimTaken { claim: claim.clone(), stream: stream.clone() });
            }
        }
        if let Some(&digest) = append.erase.iter().find(|digest| !self.payloads.contains_key(digest)) {
            return Err(Refused::UnknownPayload { digest });
        }
        append.erase.iter().for_each(|&digest| self.erase(digest));
        for claim in &append.claims {
            self.claims.insert(claim.clone(), append.stream.clone());
        }
        Ok(self.record(append))
    }

    fn erase(&mut self, digest: Digest) {
        self.payloads.insert(digest, None);
        let of_it =
            |record: &&Record| record.payload.as_ref().is_some_and(|payload| payload.digest == digest);
        self.erased.extend(self.records.iter().filter(of_it).map(|record| record.position));
    }

    fn record(&mut self, append: &Append) -> Appended {
        let started = self.records.len() as u64 + 1;
        let stream = self.streams.entry(append.stream.clone()).or_insert_with(|| Stream {
            head: Head {
                stream: append.stream.clone(),
                started,
                seq: 0,
                position: 0,
                hash: FIRST,
                labels: Vec::new(),
                due: None,
                summary: Vec::new(),
            },
            positions: Vec::new(),
        });
        for event in &append.events {
            let payload = event.payload.as_ref().map(|bytes| {
                let digest = digest(bytes);
                self.payloads.entry(digest).or_default().get_or_insert_with(|| bytes.clone());
                digest
            });
            let previous = stream.head.hash;
            stream.head.seq += 1;
            stream.head.position = self.records.len() as u64 + 1;
            stream.positions.push(stream.head.position);
            stream.head.hash = hash(&Said {
                stream: &append.stream,
                seq: stream.head.seq,
                at: append.at,
                kind: &event.kind,
                body: &event.body,
                payload,
                previous,
            });
            self.records.push(Record {
                stream: append.stream.clone(),
                seq: stream.head.seq,
                position: stream.head.position,
                at: append.at,
                kind: event.kind.clone(),
                body: event.body.clone(),
                payload: payload.map(|digest| Payload { digest, bytes: None }),
                previous,
                hash: stream.head.hash,
            });
        }
        if let Some(new) = &append.head {
            stream.head.labels = new.labels.clone();
            stream.head.labels.sort_unstable();
            stream.head.labels.dedup();
            stream.head.due = new.due;
            stream.head.summary.clone_from(&new.summary);
        }
        Appended { seq: stream.head.seq, position: stream.head.position, hash: stream.head.hash }
    }

    pub(super) fn lease(&mut self, wish: &NewLease) -> Result<Lease, Refused> {
        let fence = match self.leases.get(&wish.stream) {
            Some(held) if held.holder == wish.holder => held.fence,
            Some(held) if held.until > wish.now => {
                let (stream, holder, until) = (wish.stream.clone(), held.holder.clone(), held.until);
                return Err(Refused::Held { stream, holder, until });
            }
            Some(_) | None => {
                self.fence += 1;
                Fence(self.fence)
            }
        };
        let NewLease { stream, holder, until, .. } = wish.clone();
        let lease = Lease { stream, holder, fence, until };
        self.leases.insert(wish.stream.clone(), lease.clone());
        Ok(lease)
    }

    pub(super) fn release(&mut self, lease: &Lease) {
        if self.leases.get(&lease.stream).is_some_and(|held| held.fence == lease.fence) {
            self.leases.remove(&lease.stream);
        }
    }

    /// Gives a stream to somebody else, whoever holds it.
    pub(super) fn rob(&mut self, stream: &str, thief: &str, until: Millis) {
        self.leases.remove(stream);
        let wish = NewLease { stream: stream.to_owned(), holder: thief.to_owned(), now: Millis(0), until };
        // Nobody holds it now, so nobody is in the way.
        let _ = self.lease(&wish);
    }

    /// Does a call again.
    pub(super) fn replay(&mut self, change: &Change) {
        match change {
            Change::Append(batch) => batch.iter().for_each(|append| drop(self.append(append))),
            Change::Lease(wish) => drop(self.lease(wish)),
            Change::Release(lease) => self.release(lease),
        }
    }

    pub(super) fn read(&self, from: &ReadFrom, limit: Limit) -> Vec<Record> {
        let of_stream: &[u64];
        let positions: &mut dyn Iterator<Item = u64> = match from {
            ReadFrom::Position { after } => &mut (after.saturating_add(1)..=self.records.len() as u64),
            ReadFrom::Stream { stream, after } => {
                of_stream =
                    self.streams.get(stream).map(|stream| stream.positions.as_slice()).unwrap_or_default();
                let skipped = usize::try_from(*after).unwrap_or(usize::MAX);
                &mut of_stream.iter().copied().skip(skipped)
            }
        };
        let mut bytes = 0;
        let mut read = Vec::new();
        for record in positions.filter_map(|position| self.records.get(usize::try_from(position).ok()? - 1)) {
            if read.len() >= limit.0 || bytes > READ_BYTES_MAX {
                break;
            }
            let mut record = record.clone();
            if let Some(payload) = record.payload.as_mut().filter(|_| !self.erased.contains(&record.position))
            {
                payload.bytes = self.payloads.get(&payload.digest).cloned().flatten();
            }
            let content = record.payload.as_ref().and_then(|payload| payload.bytes.as_ref());
            bytes += record.body.len() + content.map_or(0, Vec::len);
            read.push(record);
        }
        read
    }

    pub(super) fn find(&self, query: &Query) -> Vec<Head> {
        let mut heads: Vec<&Head> = self.streams.values().map(|stream| &stream.head).collect();
        heads.retain(|head| {
            query.before.is_none_or(|before| head.started < before)
                && head.position > query.since
                && query.labels.iter().all(|label| head.labels.contains(label))
        });
        heads.sort_unstable_by_key(|head| std::cmp::Reverse(head.started));
        heads.into_iter().take(query.limit.0).cloned().collect()
    }

    pub(super) fn due(&self, until: Millis, limit: Limit) -> Vec<Head> {
        let heads = self.streams.values().map(|stream| &stream.head);
        let mut due: Vec<&Head> = heads.filter(|head| head.due.is_some_and(|due| due <= until)).collect();
        due.sort_unstable_by_key(|head| (head.due, head.started));
        due.into_iter().take(limit.0).cloned().collect()
    }
}
