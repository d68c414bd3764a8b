//! Where a lane is after it was routed: its step, what it is inside of, and what is counted for that.

use alloc::sync::Arc;

use crate::state::{Contents, Doing, Frame, Lane, LoopFrame, Side, State};
use crate::{Does, LaneId, Plan, Reason, StepId, Target};

pub(super) fn routed(state: &mut State, id: LaneId, winner: Target, reason: Reason) {
    let plan = Arc::clone(&state.plan);
    let Some(lane) = state.lane_mut(id) else { return };
    let left = lane.step;
    lane.doing = Doing::Between;
    lane.course.routed = Some(reason);
    match winner {
        Target::Step(step) => {
            if lane.loop_mut().is_some() {
                lane.frames.pop();
            }
            arrive(lane, &plan, step);
            if !matches!(reason, Reason::Started | Reason::Forked) {
                done(state, left);
            }
            visited(state, step, reason, left);
        }
        Target::Detour(kind) => {
            if !detour(state, &plan, id, kind, reason) {
                return;
            }
        }
        Target::Author => {
            if let Some(frame) = lane.loop_mut() {
                frame.side = Side::Author;
            }
        }
        Target::Critic => {
            if let Some(frame) = lane.loop_mut() {
                frame.side = Side::Critic;
                frame.rounds = frame.rounds.saturating_add(1);
            }
        }
        Target::Delegate(to) => lane.frames.push(Frame::Delegation { to }),
        Target::Sender(to) => lane.frames.push(Frame::Asked { to }),
        Target::Back => back(state, id),
        Target::Again => again(lane),
        Target::Person | Target::Halt => {}
        Target::Join | Target::End => done(state, left),
    }
    let Some(lane) = state.lane_mut(id) else { return };
    if winner != Target::Person {
        lane.dead = None;
    }
    if !matches!(winner, Target::Person | Target::Again) {
        lane.before = None;
    }
}

/// Takes a detour; says whether the plan has it.
fn detour(state: &mut State, plan: &Plan, id: LaneId, kind: u16, reason: Reason) -> bool {
    let Some(lane) = state.lane_mut(id) else { return false };
    let left = lane.step;
    let detours = plan.step(left).map(|step| step.detours.as_slice()).unwrap_or_default();
    let Some(detour) = detours.get(usize::from(kind)) else { return false };
    // After a stall the author begins a new round; else whoever asked gets what came of the detour.
    if reason == Reason::Stalled
        && let Some(frame) = lane.loop_mut()
    {
        frame.side = Side::Author;
    }
    lane.frames.push(Frame::Detour { back: left });
    arrive(lane, plan, detour.to);
    if let Some(count) = state.count_mut(left) {
        if count.detours.len() <= usize::from(kind) {
            count.detours.resize(usize::from(kind) + 1, 0);
        }
        if let Some(taken) = count.detours.get_mut(usize::from(kind)) {
            *taken = taken.saturating_add(1);
        }
    }
    visited(state, detour.to, reason, left);
    true
}

/// Goes back to where a detour, a delegation or a question left.
fn back(state: &mut State, id: LaneId) {
    let Some(lane) = state.lane_mut(id) else { return };
    let left = lane.step;
    let (step, frames) = lane.after_back();
    let kept = frames.len();
    let from_detour = matches!(lane.frames.get(kept), Some(Frame::Detour { .. }));
    lane.frames.truncate(kept);
    lane.step = step;
    if !from_detour {
        return;
    }
    // The critic looks once more after a detour of its own, and that is a round.
    if let Some(frame) = lane.loop_mut()
        && frame.side == Side::Critic
    {
        frame.rounds = frame.rounds.saturating_add(1);
    }
    done(state, left);
}

/// Gives branches that are done again what they were given, or what a person says about it.
fn again(lane: &mut Lane) {
    let Some(before) = &lane.before else { return };
    let said = lane.carried.contents.one();
    lane.carried = before.given.clone();
    lane.carried.from = None;
    lane.carried.signature = None;
    if let Some(said) = said {
        lane.carried.contents = Contents::One(said);
    }
}

fn arrive(lane: &mut Lane, plan: &Plan, step: StepId) {
    lane.step = step;
    if let Some(Does::Microloop(microloop)) = plan.step(step).map(|step| &step.does) {
        let rounds_max = microloop.rounds_max;
        lane.frames.push(Frame::Loop(LoopFrame {
            side: Side::Author,
            rounds: 0,
            rounds_max,
            signature: None,
        }));
    }
}

fn done(state: &mut State, step: StepId) {
    if let Some(count) = state.count_mut(step) {
        count.done = true;
    }
}

fn visited(state: &mut State, step: StepId, reason: Reason, left: StepId) {
    if let Some(count) = state.count_mut(step) {
        count.visits = count.visits.saturating_add(1);
    }
    if reason == Reason::Rework
        && let Some(count) = state.count_mut(left)
    {
        count.reworks = count.reworks.saturating_add(1);
    }
}
