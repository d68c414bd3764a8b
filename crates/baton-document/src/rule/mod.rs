//! Definition of a rule, its view of a handoff, and the levels of its findings.
//!
//! The rules themselves are in `rules`, the pass that runs them in `check`.

mod case;
mod definition;
mod handoff;
mod levels;

pub(crate) use case::Slot;
pub use case::{Case, Value};
pub use definition::{Check, Rule};
pub use handoff::Handoff;
#[cfg(test)]
pub(crate) use levels::TOO_MANY;
pub(crate) use levels::names;
pub use levels::{LevelSet, Levels};
