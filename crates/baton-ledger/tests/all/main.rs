//! Tests of the ledger from outside, one binary.

mod conforming;
