//! The courier `http` against a real server on the loopback.

mod callbacks;
mod conformance;
mod ends;
#[cfg(target_os = "linux")]
mod flooding;
mod server;
mod signatures;
