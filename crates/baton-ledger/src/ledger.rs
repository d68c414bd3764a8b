//! The trait that every store keeps, and the words it speaks.
//!
//! Invariant: at most six methods, none with a meaning beyond memory. Leases are compared by the store's clock, and no
//! caller brings a time for them; any other time comes in as an argument.

use std::fmt;

use baton_kernel::{Digest, Millis};

use crate::{Error, Record};

/// Memory of events by stream, and of heads by which streams are found.
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

    /// Gives streams to a holder for a time, or renews leases of them: one answer for each, in one commit.
    ///
    /// A holder is one process's life, not its name: two that call themselves the same share a fence.
    fn lease(&self, request: &LeaseRequest) -> Result<Vec<Result<Lease, Refused>>, Error>;

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
    /// Time of the events, as the caller says.
    pub at: Millis,
    /// Events, at least one.
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
    /// Kind of event.
    pub kind: String,
    /// Bytes that the ledger does not read.
    pub body: Vec<u8>,
    /// Content that may be erased later; the record keeps its digest.
    pub payload: Option<Vec<u8>>,
}

/// Labels, due time and summary of a stream, kept with its append.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewHead {
    /// Labels that the stream is found by, each once.
    pub labels: Vec<String>,
    /// Time at which something is due, if anything is.
    pub due: Option<Millis>,
    /// Bytes that a list of streams shows without reading records: at most 4 KiB, opaque to the ledger.
    ///
    /// It stays in the log for good: no content that may have to be erased belongs here.
    pub summary: Vec<u8>,
}

/// Result of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The sequence of its last record.
    pub seq: u64,
    /// The position of its last record in the whole ledger.
    pub position: u64,
    /// The hash of its last record: the stream's head.
    pub hash: Digest,
}

/// Place where reading begins.
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

/// Most entries that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(pub usize);

/// Filter for streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Labels that a stream must all have; none means every stream.
    pub labels: Vec<String>,
    /// Only streams that started before this position: the last one's of the page before.
    pub before: Option<u64>,
    /// Only streams with a record behind this position; 0 leaves none out.
    pub since: u64,
    /// Most streams that are wanted.
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
    /// Time at which something is due, if anything is.
    pub due: Option<Millis>,
    /// The summary of its last append with a head; empty where none was given.
    pub summary: Vec<u8>,
}

/// A number that grows with every new holder of any stream and is never given out twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fence(pub u64);

/// Leases that one holder asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeaseRequest {
    /// Name of the holder.
    pub holder: String,
    /// Time for which no other holder gets them.
    pub for_ms: u64,
    /// The streams, each answered by itself.
    pub wanted: Vec<Wanted>,
}

/// Stream of a [`LeaseRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The stream, which may not have begun yet.
    pub stream: String,
    /// Fence of the lease to be renewed, which must still be the stream's; none takes the stream if it is free, and keeps
    /// the fence if the holder has it already.
    pub renews: Option<Fence>,
}

impl LeaseRequest {
    /// Request for one stream.
    pub fn take(holder: impl Into<String>, stream: impl Into<String>, for_ms: u64) -> Self {
        let wanted = vec![Wanted { stream: stream.into(), renews: None }];
        Self { holder: holder.into(), for_ms, wanted }
    }
}

/// Takes one stream for a holder.
pub fn take_lease(
    ledger: &dyn Ledger,
    holder: &str,
    stream: &str,
    for_ms: u64,
) -> Result<Result<Lease, Refused>, Error> {
    let mut answers = ledger.lease(&LeaseRequest::take(holder, stream, for_ms))?;
    answers.pop().ok_or_else(|| Error::misuse("a lease got no answer"))
}

/// Stream that a holder has for a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The stream.
    pub stream: String,
    /// Name of the holder.
    pub holder: String,
    /// Number that its appends carry.
    pub fence: Fence,
    /// End of the lease by the store's clock.
    pub until: Millis,
}

impl Lease {
    /// Asks for this lease again, and not for another one of its stream.
    pub fn renewal(&self) -> Wanted {
        Wanted { stream: self.stream.clone(), renews: Some(self.fence) }
    }
}

/// Reason why an append or a lease was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Another append came first.
    WrongSequence {
        /// The stream.
        stream: String,
        /// The sequence that the caller expected.
        expected: u64,
        /// The sequence of its last record.
        actual: u64,
    },
    /// The lease was released, or another holder has the stream now.
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
        /// The stream that made the claim.
        stream: String,
    },
    /// No record has this payload.
    UnknownPayload {
        /// The digest that was to be erased.
        digest: Digest,
    },
    /// Another holder has the stream.
    Held {
        /// The stream.
        stream: String,
        /// Its holder.
        holder: String,
        /// End of its lease.
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
    /// Advice for the caller.
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
