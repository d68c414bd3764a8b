//! Text to handoff and back: carriers, the spanned tree, dialects, rules, reports.
//!
//! Cannot: open a file, read a clock, know a workflow. What it must know of the files around a
//! document it asks the `World` trait.

pub mod tokens;
