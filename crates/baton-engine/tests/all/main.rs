//! The tests of the engine, in one binary.
#![expect(clippy::print_stderr, reason = "the simulator says how much it did")]

mod changed;
mod environments;
mod finalize;
mod flow;
mod homes;
mod ids;
mod killed;
mod mail;
mod mirrors;
mod programs;
mod recipes;
mod scenes;
mod sim;
mod still;
mod stories;
mod troubled;
mod writing;
