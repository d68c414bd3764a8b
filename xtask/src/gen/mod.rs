//! The files of this repository that are made and not written.
//!
//! Invariant: each is made the same, byte for byte, as long as what it is made from is the same; a
//! test makes it again and compares.

pub(crate) mod tokens;
