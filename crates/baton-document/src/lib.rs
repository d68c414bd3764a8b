//! Text to handoff and back: carriers, the spanned tree, dialects, rules, reports.
//!
//! Follow one document: [`Checker::check`] → `carrier` (where in the file) → `tree` (text to nodes)
//! → `check/recognise.rs` (which dialect, which kind) → `check/shape.rs` (fields and their faults)
//! → `rules` (what data cannot say) → `report` (findings to text, JSON, SARIF and others).
//!
//! Cannot: open a file, read a clock, know a workflow. What it must know of the files around a
//! document it asks the [`World`] trait.

mod arena_value;
mod bytes;
mod canonical;
pub mod carrier;
mod check;
mod convert;
mod datum;
pub mod dialect;
mod edits;
mod finding;
mod fix;
pub mod flow;
mod handoff;
mod mixed_content;
pub mod page;
mod project_files;
pub mod report;
mod rule;
pub mod rules;
mod scan;
pub mod secrets;
mod span;
mod spelling;
mod timestamp;
pub mod tokens;
pub mod tree;
mod world;
mod write;

pub use arena_value::ArenaValue;
pub use check::{Checked, Checker, Input, Looked, Scratch};
pub use convert::{
    Brief, Carried, Composed, Conversion, Converted, Fate, Gap, OpenReading, Order, Said, Saying, SetError,
};
pub use datum::Datum;
pub use finding::{Edit, Finding, Fix, Level, Related};
pub use fix::{Fixed, Unsettled, Wanted, left_by_redaction};
pub use handoff::{Meaning, Part};
pub use project_files::read_dialect;
pub use rule::{Case, Handoff, LevelSet, Levels, Value};
pub use span::{LineColumn, LineIndex, PlacedSpan, Span};
pub use tree::Limits;
pub use world::{MemoryWorld, NoWorld, Seen, World};
pub use write::{json, xml, yaml};
