//! Where a run is in its flow: what is current, what is completed, what remains.
//!
//! Invariant: no step is in two of the three. A step that was done and lies ahead again remains.

use alloc::vec::Vec;

use crate::state::{Frame, State};
use crate::{Does, StepId};

/// Position of a run, each list in the order of the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The steps that lanes are at.
    pub current: Vec<StepId>,
    /// The steps that were left behind.
    pub completed: Vec<StepId>,
    /// The steps that follow if everything goes well.
    pub remaining: Vec<StepId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    Current,
    Ahead,
}

/// Computes the position of a run.
#[must_use]
pub fn position(state: &State) -> Position {
    let mut marks = alloc::vec![Mark::None; state.plan.steps.len()];
    let mut ahead = Vec::new();
    for lane in state.lanes() {
        if let Some(mark) = marks.get_mut(usize::from(lane.step.0)) {
            *mark = Mark::Current;
        }
        ahead.extend(follows(state, lane.step));
        for frame in &lane.frames {
            match frame {
                Frame::Detour { back } => ahead.push(*back),
                Frame::Loop(_) | Frame::Delegation { .. } | Frame::Asked { .. } => {}
            }
        }
    }
    while let Some(step) = ahead.pop() {
        if let Some(mark) = marks.get_mut(usize::from(step.0))
            && *mark == Mark::None
        {
            *mark = Mark::Ahead;
            ahead.extend(follows(state, step));
            if let Some(Does::Parallel(parallel)) = state.plan.step(step).map(|step| &step.does) {
                ahead.extend(&parallel.branches);
            }
        }
    }
    let mut position = Position::default();
    for ((id, mark), count) in (0..).map(StepId).zip(marks).zip(&state.counts) {
        match mark {
            Mark::Current => position.current.push(id),
            Mark::Ahead => position.remaining.push(id),
            Mark::None if count.done => position.completed.push(id),
            Mark::None => {}
        }
    }
    position
}

fn follows(state: &State, step: StepId) -> Option<StepId> {
    state.plan.step(step)?.next
}
