//! A hop of the real program: C programs as agents, and the time between the end of one and the start of the next.

mod measure;
mod play;

pub(super) use measure::{TITLE, measure};
