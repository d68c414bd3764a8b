//! Checks one file: carriers, trees, dialect and kind, shape, rules; all findings in one go.
//!
//! Invariant: no input makes it panic, and what it says is in the order of the text.

mod checker;
mod forms;
mod given;
mod look;
mod recognise;
mod run;
mod shape;
mod template;

pub use checker::{Checked, Checker, Input, Looked, Scratch};
pub(crate) use forms::{CONFIG, DIALECT, FLOW};
pub(crate) use recognise::Candidate;
pub(crate) use shape::Walk;
