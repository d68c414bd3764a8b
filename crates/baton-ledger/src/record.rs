//! One record, its hash, and the bytes that are hashed.
//!
//! Invariant: the form below was promised with every hash that was kept. A change is a new form with a
//! new first line, and old records keep theirs.
//!
//! ```text
//! "baton record 1\n"
//! length of the stream's name (8 bytes, big end first), the name
//! sequence (8), moment in milliseconds (8)
//! length of the kind (8), the kind
//! length of the body (8), the body
//! 0, or 1 and the SHA-256 of the payload (32)
//! hash of the record before it in the stream (32; zeros for the first)
//! ```
//!
//! The position in the whole ledger is not in it: it is the order in which a store took streams up, and seals
//! are what binds streams together. Payload bytes are not in it either, so that they can go.

use baton_kernel::{Digest, Millis};
use sha2::{Digest as _, Sha256};

/// Hash of the predecessor in the first record of a stream.
pub const FIRST: Digest = Digest([0; 32]);

/// An event as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The stream it belongs to.
    pub stream: String,
    /// Its number in the stream, from 1 without gaps.
    pub seq: u64,
    /// Its number in the whole ledger, from 1 without gaps.
    pub position: u64,
    /// Time of the event, as the caller said.
    pub at: Millis,
    /// Kind of event.
    pub kind: String,
    /// Bytes of the event.
    pub body: Vec<u8>,
    /// Content that can be erased.
    pub payload: Option<Payload>,
    /// The hash of the record before it in the stream.
    pub previous: Digest,
    /// Its own hash, as stored; [`Record::computed`] is what it must be.
    pub hash: Digest,
}

/// Content that a record names and does not need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The name of the content.
    pub digest: Digest,
    /// The content, unless it was erased.
    pub bytes: Option<Vec<u8>>,
}

impl Record {
    /// The hash that follows from what the record says.
    pub fn computed(&self) -> Digest {
        hash(&HashedFields {
            stream: &self.stream,
            seq: self.seq,
            at: self.at,
            kind: &self.kind,
            body: &self.body,
            payload: self.payload.as_ref().map(|payload| payload.digest),
            previous: self.previous,
        })
    }
}

/// Names a content.
pub fn digest(content: &[u8]) -> Digest {
    Digest(Sha256::digest(content).into())
}

/// Fields that a record's hash covers.
pub(crate) struct HashedFields<'a> {
    pub(crate) stream: &'a str,
    pub(crate) seq: u64,
    pub(crate) at: Millis,
    pub(crate) kind: &'a str,
    pub(crate) body: &'a [u8],
    pub(crate) payload: Option<Digest>,
    pub(crate) previous: Digest,
}

/// The hash of a record.
pub(crate) fn hash(said: &HashedFields<'_>) -> Digest {
    let mut hasher = Sha256::new();
    canonical(said, |bytes| hasher.update(bytes));
    Digest(hasher.finalize().into())
}

/// Bytes before the length of the stream's name.
const FORM: &[u8; 15] = b"baton record 1\n";

/// Gives the bytes that are hashed, in few pieces: what has a known length goes together.
fn canonical(said: &HashedFields<'_>, mut out: impl FnMut(&[u8])) {
    let numbers = |numbers: [u64; 3]| numbers.map(u64::to_be_bytes);
    let length = |bytes: &[u8]| bytes.len() as u64;
    let mut begin = [0; FORM.len() + 8];
    begin[..FORM.len()].copy_from_slice(FORM);
    begin[FORM.len()..].copy_from_slice(&length(said.stream.as_bytes()).to_be_bytes());
    out(&begin);
    out(said.stream.as_bytes());
    out(numbers([said.seq, said.at.0, length(said.kind.as_bytes())]).as_flattened());
    out(said.kind.as_bytes());
    out(&length(said.body).to_be_bytes());
    out(said.body);
    match said.payload {
        None => {
            let mut end = [0; 33];
            end[1..].copy_from_slice(&said.previous.0);
            out(&end);
        }
        Some(digest) => {
            let mut end = [1; 65];
            end[1..33].copy_from_slice(&digest.0);
            end[33..].copy_from_slice(&said.previous.0);
            out(&end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said() -> HashedFields<'static> {
        HashedFields {
            stream: "run-1",
            seq: 2,
            at: Millis(258),
            kind: "sent",
            body: b"{}",
            payload: Some(Digest([0xab; 32])),
            previous: Digest([0xcd; 32]),
        }
    }

    // proves S-02: the bytes that are hashed never change under a hash that was kept.
    #[test]
    fn the_hashed_form_is_the_one_that_was_promised() {
        let mut bytes = Vec::new();
        canonical(&said(), |part| bytes.extend_from_slice(part));
        let mut golden = b"baton record 1\n\0\0\0\0\0\0\0\x05run-1".to_vec();
        golden.extend_from_slice(b"\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\x01\x02");
        golden.extend_from_slice(b"\0\0\0\0\0\0\0\x04sent\0\0\0\0\0\0\0\x02{}\x01");
        golden.extend_from_slice(&[0xab; 32]);
        golden.extend_from_slice(&[0xcd; 32]);
        assert_eq!(bytes, golden);
        assert_eq!(hash(&said()), digest(&golden));
        assert_eq!(
            hash(&said()).to_string(),
            "643f3c73eec70ec636d6bf2c09edf52d92dcaf8dab0962535fb6e5ba17cb88cd"
        );
    }

    #[test]
    fn no_part_can_be_moved_into_the_next() {
        let moved = HashedFields { kind: "sent{", body: b"}", ..said() };
        assert_ne!(hash(&said()), hash(&moved));
        assert_ne!(hash(&said()), hash(&HashedFields { payload: None, ..said() }));
    }
}
