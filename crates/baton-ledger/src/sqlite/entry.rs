//! One append as a row of the log: its records packed in one blob, its payloads in another.
//!
//! Invariant: the blob of records is never changed. Its form is version 1 in its first byte:
//!
//! ```text
//! 1
//! id of the stream; its name too if this is its first entry (then the id is the row's own position)
//! sequence of the first record, moment, hash of the record before (32 bytes)
//! records: kind, body, payload (0 none, 1 here, 2 elsewhere), digest (32), where elsewhere, hash (32)
//! 0, or 1 and the labels and the due time plus one (0 for none); 2 for these and a summary that is not empty
//! claims
//! sum of all this and the position (8 bytes)
//! ```
//!
//! Numbers have seven bits to a byte, strings stand behind their length. The blob of payloads holds for each
//! payload that is here 1, its length and its bytes, or 0xe0, its length and zeros where it was erased.

use baton_kernel::{Digest, Millis};

use super::pack::{Unpack, put_bytes, put_number, put_texts, sum, summed, texts};
use crate::record::{Said, hash};
use crate::{Append, NewHead};

const VERSION: u8 = 1;
const NOWHERE: u8 = 0;
const HERE: u8 = 1;
const ELSEWHERE: u8 = 2;
const ERASED: u8 = 0xe0;
const PRESENT: u8 = 1;
const NO_HEAD: u8 = 0;
const HEAD: u8 = 1;
const HEAD_AND_SUMMARY: u8 = 2;

/// A row of the log.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) stream: u64,
    /// Only in the first entry of a stream.
    pub(super) name: Option<String>,
    pub(super) seq: u64,
    pub(super) at: Millis,
    pub(super) previous: Digest,
    pub(super) events: Vec<Event>,
    pub(super) head: Option<NewHead>,
    pub(super) claims: Vec<String>,
}

/// A record in a row.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) kind: String,
    pub(super) body: Vec<u8>,
    pub(super) payload: Option<(Digest, Home)>,
    pub(super) hash: Digest,
}

/// Where the bytes of a payload lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// In the same row, behind those before it.
    Here,
    /// In another row, or earlier in this one.
    Elsewhere {
        /// The row.
        position: u64,
        /// Its number there.
        index: u64,
    },
}

/// Where an append goes.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub(super) position: u64,
    pub(super) stream: u64,
}

/// An append behind a record of its stream: all of its row that does not depend on where in the log it lies.
pub(super) struct Link {
    /// The hash of the record before.
    pub(super) previous: Digest,
    /// The hash of its last record.
    pub(super) hash: Digest,
    data: Vec<u8>,
    /// The payloads that lie in the row.
    pub(super) payloads: Option<Vec<u8>>,
}

/// Makes the link of an append: for each event its payload's digest, and where the bytes are if they are there already.
pub(super) fn link(append: &Append, previous: Digest, homes: &[Option<(Digest, Home)>]) -> Link {
    let bodies: usize = append.events.iter().map(|event| event.body.len() + event.kind.len() + 72).sum();
    let mut data = Vec::with_capacity(bodies + 256);
    let mut payloads = None;
    put_number(&mut data, append.expected + 1);
    put_number(&mut data, append.at.0);
    data.extend_from_slice(&previous.0);
    put_number(&mut data, append.events.len() as u64);
    let mut last = previous;
    for ((event, payload), seq) in append.events.iter().zip(homes).zip(append.expected + 1..) {
        put_bytes(&mut data, event.kind.as_bytes());
        put_bytes(&mut data, &event.body);
        match payload {
            None => data.push(NOWHERE),
            Some((digest, Home::Here)) => {
                data.push(HERE);
                data.extend_from_slice(&digest.0);
                let bytes = event.payload.as_deref().unwrap_or_default();
                let all = payloads.get_or_insert_with(|| Vec::with_capacity(bytes.len() + 8));
                all.push(PRESENT);
                put_bytes(all, bytes);
            }
            Some((digest, Home::Elsewhere { position, index })) => {
                data.push(ELSEWHERE);
                data.extend_from_slice(&digest.0);
                put_number(&mut data, *position);
                put_number(&mut data, *index);
            }
        }
        last = hash(&Said {
            stream: &append.stream,
            seq,
            at: append.at,
            kind: &event.kind,
            body: &event.body,
            payload: payload.map(|(digest, _)| digest),
            previous: last,
        });
        data.extend_from_slice(&last.0);
    }
    match &append.head {
        None => data.push(NO_HEAD),
        Some(head) => {
            data.push(if head.summary.is_empty() { HEAD } else { HEAD_AND_SUMMARY });
            put_texts(&mut data, &head.labels);
            put_number(&mut data, head.due.map_or(0, |due| due.0 + 1));
            if !head.summary.is_empty() {
                put_bytes(&mut data, &head.summary);
            }
        }
    }
    put_texts(&mut data, &append.claims);
    Link { previous, hash: last, data, payloads }
}

/// The records of an append as they are written.
pub(super) fn pack(stream: &str, spot: Spot, link: &Link) -> Vec<u8> {
    let mut data = Vec::with_capacity(link.data.len() + stream.len() + 32);
    data.push(VERSION);
    put_number(&mut data, spot.stream);
    if spot.stream == spot.position {
        put_bytes(&mut data, stream.as_bytes());
    }
    data.extend_from_slice(&link.data);
    let sum = sum(spot.position, &[&data]);
    data.extend_from_slice(&sum);
    data
}

/// Reads a row; `None` if it is not what was written at this position.
pub(super) fn unpack(position: u64, data: &[u8]) -> Option<Entry> {
    let mut from = Unpack(summed(position, data)?);
    if from.byte()? != VERSION {
        return None;
    }
    let stream = from.number()?;
    let name = if stream == position { Some(from.text()?.to_owned()) } else { None };
    let seq = from.number()?;
    let at = Millis(from.number()?);
    let previous = from.digest()?;
    let events = from.list(event)?;
    let head = match from.byte()? {
        NO_HEAD => None,
        sort => {
            let labels = texts(&mut from)?;
            let due = from.number()?.checked_sub(1).map(Millis);
            let summary = if sort == HEAD_AND_SUMMARY { from.bytes()?.to_vec() } else { Vec::new() };
            Some(NewHead { labels, due, summary })
        }
    };
    let claims = texts(&mut from)?;
    let entry = Entry { stream, name, seq, at, previous, events, head, claims };
    (from.0.is_empty() && !entry.events.is_empty()).then_some(entry)
}

fn event(from: &mut Unpack<'_>) -> Option<Event> {
    let kind = from.text()?.to_owned();
    let body = from.bytes()?.to_vec();
    let payload = match from.byte()? {
        NOWHERE => None,
        HERE => Some((from.digest()?, Home::Here)),
        ELSEWHERE => {
            let digest = from.digest()?;
            Some((digest, Home::Elsewhere { position: from.number()?, index: from.number()? }))
        }
        _ => return None,
    };
    Some(Event { kind, body, payload, hash: from.digest()? })
}

impl Entry {
    /// The number of a payload among those that lie in this row.
    pub(super) fn index_of(&self, digest: Digest) -> Option<u64> {
        let here = self.events.iter().filter_map(|event| match event.payload {
            Some((digest, Home::Here)) => Some(digest),
            Some((_, Home::Elsewhere { .. })) | None => None,
        });
        here.zip(0..).find_map(|(held, index)| (held == digest).then_some(index))
    }
}

/// A payload among those of a row.
pub(super) enum Held<'a> {
    /// Its bytes.
    Present(&'a [u8]),
    /// Nothing but zeros.
    Erased,
}

/// The payloads of a row, in their order; `None` if they are not what was written.
pub(super) fn payloads(blob: &[u8]) -> Option<Vec<Held<'_>>> {
    let mut from = Unpack(blob);
    let mut all = Vec::new();
    while !from.0.is_empty() {
        all.push(match from.byte()? {
            PRESENT => Held::Present(from.bytes()?),
            ERASED if from.bytes()?.iter().all(|&byte| byte == 0) => Held::Erased,
            _ => return None,
        });
    }
    Some(all)
}

/// What erasing a payload writes over a row's payloads, and where.
pub(super) fn erasure(blob: &[u8], index: u64) -> Option<(usize, Vec<u8>)> {
    let mut from = Unpack(blob);
    for at in 0.. {
        let start = blob.len() - from.0.len();
        from.byte()?;
        let length = from.bytes()?.len();
        if at == index {
            let mut over = vec![ERASED];
            put_bytes(&mut over, &vec![0; length]);
            return Some((start, over));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FIRST, NewEvent, digest};
    use proptest::prelude::*;

    fn append() -> Append {
        Append {
            stream: "run-1".to_owned(),
            expected: 0,
            at: Millis(300),
            events: vec![
                NewEvent { kind: "sent".into(), body: b"{}".to_vec(), payload: Some(b"text".to_vec()) },
                NewEvent { kind: "seen".into(), body: b"[]".to_vec(), payload: Some(b"old".to_vec()) },
            ],
            head: Some(NewHead { labels: vec!["open".into()], due: Some(Millis(9)), ..NewHead::default() }),
            claims: vec!["key".into()],
            ..Append::default()
        }
    }

    fn linked() -> Link {
        let homes = [
            Some((digest(b"text"), Home::Here)),
            Some((digest(b"old"), Home::Elsewhere { position: 3, index: 1 })),
        ];
        link(&append(), FIRST, &homes)
    }

    fn packed() -> Vec<u8> {
        pack("run-1", Spot { position: 7, stream: 7 }, &linked())
    }

    #[test]
    fn what_is_packed_comes_back() {
        let entry = unpack(7, &packed()).expect("it was just packed");
        assert_eq!(entry.name.as_deref(), Some("run-1"));
        assert_eq!((entry.stream, entry.seq, entry.at), (7, 1, Millis(300)));
        assert_eq!(
            entry.events[1].payload.map(|(_, home)| home),
            Some(Home::Elsewhere { position: 3, index: 1 })
        );
        assert_eq!(entry.events[1].hash, linked().hash);
        assert_eq!(entry.head, append().head);
        assert_eq!(entry.claims, append().claims);
        assert_eq!(linked().payloads.as_deref(), Some(b"\x01\x04text".as_slice()));
    }

    // proves S-02: what an older Baton wrote is read by this one.
    #[test]
    fn the_stored_form_is_the_one_that_was_promised() {
        let hex: String = packed().iter().map(|byte| format!("{byte:02x}")).collect();
        let golden = concat!(
            "01070572756e2d3101ac020000000000000000000000000000000000000000000000000000000000000000020473656e",
            "74027b7d01982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1d687f2a24e589379663084",
            "1b2f932284c3116e3d37cafdee78f8251b1483b990047365656e025b5d02cba06b5736faf67e54b07b561eae94395e77",
            "4c517a7d910a54369e1263ccfbd403016b7182c77f67da02f5448ca4a72e90331435a81f95713d22dd202fe0386c8185",
            "0101046f70656e0a01036b65797ccf312eff8b2781",
        );
        assert_eq!(hex, golden);
    }

    #[test]
    fn a_summary_stands_behind_the_due_time() {
        let head = NewHead { summary: b"three".to_vec(), ..append().head.expect("it has one") };
        let with = Append { head: Some(head.clone()), ..append() };
        let homes = [None, None];
        let at = |append| pack("run-1", Spot { position: 7, stream: 7 }, &link(append, FIRST, &homes));
        let (without, with) = (at(&append()), at(&with));
        let (head_at, end) = (without.len() - 21, without.len() - 13);
        assert_eq!(without[head_at..end], *b"\x01\x01\x04open\x0a");
        assert_eq!(with[head_at..end + 6], *b"\x02\x01\x04open\x0a\x05three");
        assert_eq!(unpack(7, &with).and_then(|entry| entry.head), Some(head));
    }

    #[test]
    fn a_row_at_another_place_or_with_one_bit_changed_is_not_read() {
        let data = packed();
        assert_eq!(unpack(8, &data), None);
        for bit in 0..data.len() * 8 {
            let mut flipped = data.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(unpack(7, &flipped), None);
        }
    }

    #[test]
    fn erasing_leaves_the_others() {
        let mut blob = b"\x01\x02ab\x01\x03cde\x01\x00".to_vec();
        let (start, over) = erasure(&blob, 1).expect("there are three");
        blob[start..start + over.len()].copy_from_slice(&over);
        assert_eq!(blob, b"\x01\x02ab\xe0\x03\0\0\0\x01\x00");
        assert!(matches!(
            payloads(&blob).as_deref(),
            Some([Held::Present(b"ab"), Held::Erased, Held::Present(b"")])
        ));
        assert!(erasure(&blob, 3).is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_row_or_refused(position: u64, bytes: Vec<u8>) {
            let _ = unpack(position, &bytes);
            let _ = payloads(&bytes);
            let _ = erasure(&bytes, 2);
        }
    }
}
