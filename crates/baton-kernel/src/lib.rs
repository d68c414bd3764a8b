//! History to obligations: `decide`, `evolve`, `pending`.
//!
//! Cannot: do I/O, read a clock, run async code, use randomness, evaluate expressions.
//! It is empty until flows are carried; its wall stands from the first day.
#![no_std]
