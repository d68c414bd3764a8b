//! The courier `openclaw`: has the gateway of OpenClaw do the work, through its command line.
//!
//! `openclaw gateway call agent` carries an idempotency key, which `openclaw agent` does not: the same key again gives
//! `in_flight`, and then the result that was stored. Its agents have sessions, so that the handoff is asked for when the
//! work is done, in the session that did it.
//!
//! Invariant: every call is a program of the courier `program`, with its limits and its clean environment.
//! Cannot: end what the gateway does. What is stopped here goes on there, and its result is found by the next attempt.

mod attempt;
mod courier;
mod replies;
mod settings;
mod stop_signal;

pub use courier::OpenclawCourier;
pub use settings::Openclaw;
