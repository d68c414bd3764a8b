//! What the couriers of agents that work in sessions share: what an agent is told, how its handoff is taken out of what
//! it says, and that one session has one turn at a time.

mod extract;
mod hold;
mod text;
mod turns;

pub(crate) use extract::extract;
pub(crate) use hold::Hold;
pub(crate) use text::{finalizes, for_finalization, for_work, go_on, is_lost};
pub(crate) use turns::{Arguments, Line, Speaks, Turns};
