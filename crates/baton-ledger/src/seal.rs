//! Seals: one record that names the head of every stream that changed since the last one.
//!
//! A chain binds the records of one stream; whoever keeps the hash of a seal can tell later whether anything in the
//! whole ledger before it was changed, left out or added. A seal is a record of the stream [`SEALS`], which no run
//! is called. Its body is text:
//!
//! ```text
//! baton seal 1
//! until 1234
//! <hash> <sequence> <stream>
//! ```
//!
//! with one line for each stream, sorted by its name; `until` is the last position that it and the seals before it
//! cover. A store knows its heads, so no record is read for a seal.

use std::collections::BTreeMap;

use baton_kernel::{Digest, Millis};

use crate::{Append, Error, Head, Ledger, Limit, NewEvent, NewHead, Query, ReadFrom, Refused};

/// The stream that holds the seals.
pub const SEALS: &str = "baton/seals";

const KIND: &str = "seal";
/// So many streams are in one seal at most; the rest goes into the next.
const STREAMS_MAX: usize = 10_000;
/// How often somebody else may be faster.
const ATTEMPTS: usize = 100;

/// What a seal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seal {
    /// The last position it covers.
    pub until: u64,
    /// The head of each stream that changed: its last sequence, and its hash.
    pub heads: BTreeMap<String, (u64, Digest)>,
}

/// Seals what changed since the last seal; tells the hash to keep, or none if nothing changed.
pub fn seal(ledger: &dyn Ledger, at: Millis) -> Result<Option<Digest>, Error> {
    let mut last = None;
    let mut part = None;
    for _ in 0..ATTEMPTS {
        let Part { expected, since, end, before } = match part.take() {
            Some(part) => part,
            None => {
                let (expected, since) = newest(ledger)?;
                Part { expected, since, end: since, before: None }
            }
        };
        let query = Query { labels: Vec::new(), before, since, limit: Limit(STREAMS_MAX + 1) };
        let mut heads = ledger.find(&query)?;
        // All heads of the first part are of one moment, and those of the others of later ones: whatever was recorded
        // by then is at one of them or before it.
        let end = heads.iter().map(|head| head.position).filter(|_| before.is_none()).fold(end, u64::max);
        let is_last = heads.len() <= STREAMS_MAX;
        heads.truncate(STREAMS_MAX);
        let next = heads.last().map(|head| head.started);
        heads.retain(|head| head.stream != SEALS);
        if heads.is_empty() {
            return Ok(last);
        }
        let heads = heads.into_iter().map(|head| (head.stream, (head.seq, head.hash))).collect();
        let seal = Seal { until: if is_last { end } else { since }, heads };
        let append = Append {
            stream: SEALS.to_owned(),
            expected,
            at,
            events: vec![NewEvent { kind: KIND.to_owned(), body: seal.text().into_bytes(), payload: None }],
            head: Some(NewHead { labels: vec![SEALS.to_owned()], ..NewHead::default() }),
            ..Append::default()
        };
        match ledger.append(vec![append])?.pop() {
            Some(Ok(appended)) => {
                last = Some(appended.hash);
                if is_last {
                    break;
                }
                part = Some(Part { expected: appended.seq, since, end, before: next });
            }
            // Somebody else sealed; what is left is sealed behind it.
            Some(Err(Refused::WrongSequence { .. })) => {}
            Some(Err(refused)) => return Err(Error::misuse(format!("a seal was refused: {refused}"))),
            None => return Err(Error::misuse("a seal got no answer")),
        }
    }
    Ok(last)
}

/// Where sealing goes on: where too many streams changed, only the last seal of them covers what is new.
struct Part {
    expected: u64,
    since: u64,
    end: u64,
    before: Option<u64>,
}

/// The head of the seals, if there are any.
pub(crate) fn head(ledger: &dyn Ledger) -> Result<Option<Head>, Error> {
    let query = Query { labels: vec![SEALS.to_owned()], before: None, since: 0, limit: Limit(10) };
    Ok(ledger.find(&query)?.into_iter().find(|head| head.stream == SEALS))
}

/// The sequence of the last seal, and what it covers.
fn newest(ledger: &dyn Ledger) -> Result<(u64, u64), Error> {
    let Some(head) = head(ledger)? else { return Ok((0, 0)) };
    let from = ReadFrom::Stream { stream: SEALS.to_owned(), after: head.seq - 1 };
    let record = ledger.read(&from, Limit(1))?.pop();
    let seal = record.as_ref().and_then(|record| Seal::from_text(&record.body));
    let seal = seal.ok_or_else(|| Error::Damaged {
        ledger: SEALS.into(),
        position: Some(head.position),
        what: "the last seal is none".to_owned(),
    })?;
    Ok((head.seq, seal.until))
}

impl Seal {
    /// The body of its record.
    pub fn text(&self) -> String {
        let mut text = format!("baton seal 1\nuntil {}\n", self.until);
        for (stream, (seq, hash)) in &self.heads {
            text.push_str(&format!("{hash} {seq} {stream}\n"));
        }
        text
    }

    /// Reads the body of a seal's record; `None` if it is none.
    pub fn from_text(body: &[u8]) -> Option<Self> {
        let mut lines = str::from_utf8(body).ok()?.strip_prefix("baton seal 1\nuntil ")?.lines();
        let until = lines.next()?.parse().ok()?;
        let heads = lines.map(line).collect::<Option<_>>()?;
        Some(Self { until, heads })
    }
}

fn line(line: &str) -> Option<(String, (u64, Digest))> {
    let (hash, rest) = line.split_once(' ')?;
    let (seq, stream) = rest.split_once(' ')?;
    Some((stream.to_owned(), (seq.parse().ok()?, from_hex(hash)?)))
}

fn from_hex(hex: &str) -> Option<Digest> {
    let mut digest = [0; 32];
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    if !rest.is_empty() || pairs.len() != digest.len() {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(pairs) {
        *byte = u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(Digest(digest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // proves S-02: a seal that was kept stays readable.
    #[test]
    fn the_text_of_a_seal_is_the_one_that_was_promised() {
        let heads = [("run b".to_owned(), (2, Digest([0xab; 32]))), ("a".to_owned(), (1, Digest([1; 32])))];
        let seal = Seal { until: 9, heads: heads.into() };
        let (ab, one) = ("ab".repeat(32), "01".repeat(32));
        assert_eq!(seal.text(), format!("baton seal 1\nuntil 9\n{one} 1 a\n{ab} 2 run b\n"));
        assert_eq!(Seal::from_text(seal.text().as_bytes()), Some(seal));
    }

    proptest! {
        #[test]
        fn any_text_is_a_seal_or_none(text: String) {
            let _ = Seal::from_text(text.as_bytes());
            let _ = Seal::from_text(format!("baton seal 1\nuntil 9\n{text}").as_bytes());
        }
    }
}
