//! The courier `http` against a real server on the loopback.

mod callbacks;
mod conformance;
mod ends;
mod server;
mod signatures;
