//! Text to handoff and back: carriers, the spanned tree, dialects, rules, reports.
//!
//! Follow one document: [`Checker::check`] → `carrier` (where in the file) → `tree` (text to nodes)
//! → `check/recognise.rs` (which dialect, which kind) → `check/shape.rs` (fields and their faults)
//! → `rules` (what data cannot say) → `report` (findings to text, JSON, SARIF and others).
//!
//! Cannot: open a file, read a clock, know a workflow. What it must know of the files around a
//! document it asks the [`World`] trait.

mod bytes;
mod canonical;
pub mod carrier;
mod check;
mod convert;
mod datum;
pub mod dialect;
mod finding;
mod fix;
pub mod flow;
mod handoff;
mod mixed;
pub mod page;
mod plain;
pub mod report;
pub mod rules;
mod scan;
pub mod secrets;
mod span;
pub mod tokens;
pub mod tree;
mod world;
mod write;

pub use check::{Case, Checked, Checker, Handoff, Input, LevelSet, Levels, Looked, Scratch, Value};
pub use convert::{
    Brief, Carried, Composed, Conversion, Converted, Fate, Gap, Order, Said, Saying, SetError, Telling,
};
pub use datum::Datum;
pub use finding::{Edit, Finding, Fix, Level, Related};
pub use fix::{Fixed, Unsettled, Wanted, left_by_redaction};
pub use handoff::{Meaning, Part};
pub use plain::Plain;
pub use span::{LineIndex, Place, PlacedSpan, Span};
pub use tree::Limits;
pub use world::{MemoryWorld, NoWorld, Seen, World};
pub use write::{json, xml, yaml};
