//! Where a lane is after it was routed: its step, what it is inside of, and what is counted for that.

use alloc::sync::Arc;

use super::does;
use crate::state::{Doing, Frame, Joining, Lane, LoopFrame, Side, State};
use crate::{Does, LaneId, Plan, Reason, StepId, Target};

pub(super) fn routed(state: &mut State, id: LaneId, winner: Target, reason: Reason) {
    let plan = Arc::clone(&state.plan);
    let Some(lane) = state.lane_mut(id) else { return };
    let left = lane.step;
    lane.doing = Doing::Between;
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
            let Some(detour) = plan.step(left).and_then(|step| step.detours.get(usize::from(kind))) else {
                return;
            };
            // After a stall the author begins a new round; else whoever asked gets what came of the detour.
            if reason == Reason::Stalled
                && let Some(frame) = lane.loop_mut()
            {
                frame.side = Side::Author;
            }
            lane.frames.push(Frame::Detour { back: left });
            arrive(lane, &plan, detour.to);
            if let Some(count) = state.count_mut(left) {
                if count.detours.len() <= usize::from(kind) {
                    count.detours.resize(usize::from(kind) + 1, 0);
                }
                if let Some(taken) = count.detours.get_mut(usize::from(kind)) {
                    *taken = taken.saturating_add(1);
                }
            }
            visited(state, detour.to, reason, left);
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
        Target::Back => {
            let (step, frames) = lane.after_back();
            let kept = frames.len();
            let from_detour = matches!(lane.frames.get(kept), Some(Frame::Detour { .. }));
            lane.frames.truncate(kept);
            lane.step = step;
            // The critic looks once more after a detour of its own, and that is a round.
            if from_detour
                && let Some(frame) = lane.loop_mut()
                && frame.side == Side::Critic
            {
                frame.rounds = frame.rounds.saturating_add(1);
            }
            if from_detour {
                done(state, left);
            }
        }
        Target::Again => {
            // Branches that are done again get what they were given, or what a person says about it.
            if let Some(before) = &lane.before {
                let said = lane.carried.content;
                lane.carried = before.given.clone();
                lane.carried.from = None;
                lane.carried.signature = None;
                lane.carried.content = said.or(before.given.content);
            }
        }
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

pub(super) fn forked(state: &mut State, id: LaneId, first: LaneId, branches: u16) {
    let Some(parent) = state.lane(id) else { return };
    let starts = match state.plan.step(parent.step).map(|step| &step.does) {
        Some(Does::Parallel(parallel)) => parallel.branches.clone(),
        Some(
            Does::Pass(_)
            | Does::Microloop(_)
            | Does::Gate(_)
            | Does::Wait(_)
            | Does::Escalate
            | Does::End(_),
        )
        | None => return,
    };
    let carried = parent.carried.clone();
    let results = alloc::vec![None; usize::from(branches).min(starts.len())];
    let before = state.lane_mut(id).and_then(|lane| lane.before.take());
    let kept = before.map(|before| before.answers).unwrap_or_default();
    let answers = alloc::vec::Vec::new();
    does(state, id, Doing::Join(Joining { first, results, value_awaited: false, answers, kept }));
    for (number, &start) in (first.0..).zip(starts.iter().take(usize::from(branches))) {
        state.lanes.push(super::lane(LaneId(number), Some(id), start, carried.clone()));
        state.next_lane = state.next_lane.max(number.saturating_add(1));
    }
}
