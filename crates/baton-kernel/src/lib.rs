//! History to obligations: `decide`, `evolve`, `pending`.
//!
//! Cannot: do I/O, read a clock, run async code, use randomness, evaluate expressions.
#![no_std]

mod words;

pub use words::{Digest, Millis};
