//! What forks, ends of branches and joins change.

use super::does;
use crate::state::{BranchResult, Doing, Joining, State};
use crate::{Does, LaneId, Verdict};

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
    let (ended, answers) = (alloc::vec::Vec::new(), alloc::vec::Vec::new());
    does(state, id, Doing::Join(Joining { first, results, value_awaited: false, ended, answers, kept }));
    for (number, &start) in (first.0..).zip(starts.iter().take(usize::from(branches))) {
        state.lanes.push(super::lane(LaneId(number), Some(id), start, carried.clone()));
        state.next_lane = state.next_lane.max(number.saturating_add(1));
    }
}

pub(super) fn ended(state: &mut State, lane: LaneId, verdict: Verdict, passed: bool) {
    let ended = state.ends_with(lane, verdict);
    let parent = state.lane(lane).and_then(|lane| lane.parent);
    state.lanes.retain(|open| open.id != lane);
    let Some(joining) = parent.and_then(|parent| joining_mut(state, parent)) else { return };
    joining.ended.extend(ended);
    if let Some(place) = lane.0.checked_sub(joining.first.0)
        && let Some(result) = joining.results.get_mut(place as usize)
    {
        *result = Some(BranchResult { verdict, passed });
    }
}

pub(super) fn value_awaited(state: &mut State, lane: LaneId) {
    if let Some(joining) = joining_mut(state, lane) {
        joining.value_awaited = true;
    }
}

pub(super) fn joined(state: &mut State, lane: LaneId, verdict: Verdict, passed: bool) {
    state.idle_joins = state.idle_joins.saturating_add(1);
    let below = state.below(lane);
    state.lanes.retain(|open| !below.contains(&open.id));
    state.join(lane, verdict.outcome(), passed);
}

fn joining_mut(state: &mut State, lane: LaneId) -> Option<&mut Joining> {
    match &mut state.lane_mut(lane)?.doing {
        Doing::Join(joining) => Some(joining),
        Doing::Between | Doing::Delivery(_) | Doing::Gate(_) | Doing::Wait { .. } | Doing::Person(_) => None,
    }
}
