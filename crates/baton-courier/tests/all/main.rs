//! Couriers with real programs: nothing sleeps here, and nothing is measured by a clock.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod bench;
mod conformance;
mod ends;
mod files;
mod http;
mod human;
mod ids;
mod openclaw;
mod sandboxed;
mod scripted;
mod sessions;
mod speaking;
mod starting;
mod teeth;
