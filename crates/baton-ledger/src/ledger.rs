//! The trait that every store keeps, and the words it speaks.
//!
//! Invariant: at most six methods, none with a meaning beyond memory; time comes in as an argument.

use std::fmt;

use baton_kernel::{Digest, Millis};

use crate::{Error, Record};

/// Remembers events by stream, and what is needed to find them again.
pub trait Ledger: Send + Sync {
    /// Appends each entry if its conditions hold, all in one durable commit; those of other callers may share it.
    ///
    /// Entries are judged in their order and apart: one that is refused leaves the others as they are. After an
    /// error nothing of the batch is acknowledged; whether it was kept shows when the ledger is opened again.
    fn append(&self, batch: Vec<Append>) -> Result<Vec<Result<Appended, Refused>>, Error>;

    /// Reads records in their order. Fewer than asked for may come; none means that there are no more.
    fn read(&self, from: &ReadFrom, limit: Limit) -> Result<Vec<Record>, Error>;

    /// Finds streams by their current labels, the one that started last first.
    fn find(&self, query: &Query) -> Result<Vec<Head>, Error>;

    /// Finds streams that are due at `until` or before, the longest due first.
    fn due(&self, until: Millis, limit: Limit) -> Result<Vec<Head>, Error>;

    /// Gives a stream to a holder until a moment; the holder who has it renews it and keeps its fence.
    ///
    /// A holder is one process's life, not its name: two that call themselves the same share a fence.
    fn lease(&self, wish: &NewLease) -> Result<Result<Lease, Refused>, Error>;

    /// Gives a stream back. A lease that was lost meanwhile is left alone.
    fn release(&self, lease: &Lease) -> Result<(), Error>;
}

/// One append to one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Append {
    /// The stream, which begins with its first append.
    pub stream: String,
    /// The sequence of the stream's last record, 0 before the first.
    pub expected: u64,
    /// The fence of a lease that must still be the stream's; none asks for none.
    pub fence: Option<Fence>,
    /// When the events happened, as the caller says.
    pub at: Millis,
    /// What happened, at least one event.
    pub events: Vec<NewEvent>,
    /// Replaces the stream's labels, due time and summary; none leaves them.
    pub head: Option<NewHead>,
    /// Strings that must be new in the whole ledger.
    pub claims: Vec<String>,
    /// Payloads whose bytes go, in every stream that has them. An [`Erasure`](crate::Erasure) among the events names
    /// each of them.
    pub erase: Vec<Digest>,
}

/// An event to be recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewEvent {
    /// What sort of event it is.
    pub kind: String,
    /// What it says, as bytes.
    pub body: Vec<u8>,
    /// Content that may be erased later; the record keeps its digest.
    pub payload: Option<Vec<u8>>,
}

/// Labels, due time and summary of a stream, kept with its append.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewHead {
    /// Labels that the stream is found by, each once.
    pub labels: Vec<String>,
    /// When something is due, if anything is.
    pub due: Option<Millis>,
    /// What a list of streams shows without reading records: at most 4 KiB, opaque to the ledger.
    ///
    /// It stays in the log for good: no content that may have to be erased belongs here.
    pub summary: Vec<u8>,
}

/// What an append came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The sequence of its last record.
    pub seq: u64,
    /// The position of its last record in the whole ledger.
    pub position: u64,
    /// The hash of its last record: the stream's head.
    pub hash: Digest,
}

/// Where reading begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadFrom {
    /// Behind a sequence of one stream.
    Stream {
        /// The stream.
        stream: String,
        /// The sequence that was read last, 0 for none.
        after: u64,
    },
    /// Behind a position of the whole ledger.
    Position {
        /// The position that was read last, 0 for none.
        after: u64,
    },
}

/// How many at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(pub usize);

/// Which streams are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Labels that a stream must all have; none means every stream.
    pub labels: Vec<String>,
    /// Only streams that started before this position: the last one's of the page before.
    pub before: Option<u64>,
    /// Only streams with a record behind this position; 0 leaves none out.
    pub since: u64,
    /// How many at most.
    pub limit: Limit,
}

/// A stream as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its name.
    pub stream: String,
    /// The position of its first record.
    pub started: u64,
    /// The sequence of its last record.
    pub seq: u64,
    /// The position of its last record.
    pub position: u64,
    /// The hash of its last record.
    pub hash: Digest,
    /// Its current labels, sorted.
    pub labels: Vec<String>,
    /// When something is due, if anything is.
    pub due: Option<Millis>,
    /// The summary of its last append with a head; empty where none was given.
    pub summary: Vec<u8>,
}

/// A number that grows with every new holder of any stream and is never given out twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fence(pub u64);

/// What a holder asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLease {
    /// The stream, which may not have begun yet.
    pub stream: String,
    /// Who wants it.
    pub holder: String,
    /// The moment, as the holder sees it.
    pub now: Millis,
    /// Until when nobody else gets it.
    pub until: Millis,
}

/// A stream in somebody's hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The stream.
    pub stream: String,
    /// Who has it.
    pub holder: String,
    /// What its appends carry.
    pub fence: Fence,
    /// Until when nobody else gets it.
    pub until: Millis,
}

/// Why an append or a lease was not made: the state of things does not allow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Somebody else appended first.
    WrongSequence {
        /// The stream.
        stream: String,
        /// The sequence that the caller expected.
        expected: u64,
        /// The sequence of its last record.
        actual: u64,
    },
    /// The lease was released, or somebody else has it now.
    FenceLost {
        /// The stream.
        stream: String,
        /// The fence that no longer counts.
        fence: Fence,
    },
    /// A claim is not new.
    ClaimTaken {
        /// The claim.
        claim: String,
        /// The stream that made it.
        stream: String,
    },
    /// No record has this payload.
    UnknownPayload {
        /// What was to be erased.
        digest: Digest,
    },
    /// Somebody else holds the stream.
    Held {
        /// The stream.
        stream: String,
        /// Who holds it.
        holder: String,
        /// Until when.
        until: Millis,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongSequence { stream, expected, actual } => {
                write!(out, "{stream} is at record {actual}, not at {expected}")
            }
            Self::FenceLost { stream, fence } => write!(out, "the lease {} on {stream} is lost", fence.0),
            Self::ClaimTaken { claim, stream } => write!(out, "{claim:?} was already used by {stream}"),
            Self::UnknownPayload { digest } => write!(out, "no record has the payload {digest}"),
            Self::Held { stream, holder, until } => {
                write!(out, "{stream} is held by {holder} until {} ms", until.0)
            }
        }
    }
}

impl Refused {
    /// What the caller can do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::WrongSequence { .. } => {
                "read what was appended meanwhile, decide again and append behind it"
            }
            Self::FenceLost { .. } => "stop working on this stream; whoever holds it now goes on",
            Self::ClaimTaken { .. } => "this was already done once: look at that stream instead",
            Self::UnknownPayload { .. } => "the digest stands in the record whose payload is meant",
            Self::Held { .. } => "wait until it is released or its time is over",
        }
    }
}
