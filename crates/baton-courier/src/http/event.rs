//! Events of an attempt: its request, and the callback that answers later.

use crate::Failure;

/// Event of an attempt.
pub(super) enum Event {
    /// The attempt must end.
    Stop,
    /// The request was sent.
    Sent,
    /// The request ended.
    Replied(Result<Reply, Failure>),
    /// A callback arrived.
    Called(Call),
}

/// Address for a later answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Callback {
    /// URL to post to.
    pub(super) url: String,
    /// Required message id.
    pub(super) id: String,
}

/// Content of a callback.
pub(super) enum Call {
    Answer(Vec<u8>),
    Failure(Vec<u8>),
}

/// Response to a request.
pub(super) struct Reply {
    pub(super) status: u16,
    /// The whole body of a success, else its beginning.
    pub(super) body: Vec<u8>,
}
