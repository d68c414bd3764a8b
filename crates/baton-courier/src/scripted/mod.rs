//! An agent that plays a script: for tests, and to show what Baton does without a model.
//!
//! Invariant: the same script, call and handoff give the same bytes.
//! Cannot: understand a handoff. Fields are found in it as plain text, whatever its dialect.

mod calls;
mod fields;
mod play;
mod run;
mod script;

pub use play::{Ending, Stage, play};
pub use run::run;
pub use script::{Act, Call, Death, Fault, Script};
