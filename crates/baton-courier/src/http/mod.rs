//! The courier `http`: posts a delivery to a URL, signed as the Standard Webhooks say, and takes the answer from the
//! response or from a callback.
//!
//! Invariant: the URL is the one of the agent's definition. Nothing in a handoff or in a response leads elsewhere:
//! redirects are not followed.
//! Invariant: only what came whole counts. An answer whose end cannot be told from a cut is not taken.
//! Invariant: a callback counts once, for the one attempt it was offered to, and only with a signature of the secret.
//! Invariant: time, memory and threads are bounded, whatever the receiver and other peers do.
//! Cannot: be called from another machine. The listener for callbacks is on the loopback.

mod attempt;
mod callback_server;
mod connections;
mod courier;
mod event;
mod hook;
mod post;
mod sign;

pub use courier::HttpCourier;
pub use hook::{Hook, HookFault};
pub use sign::{Refused, Secrets, Stamp};
