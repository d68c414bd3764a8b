//! What questions to people and their answers change: the lane goes on with an answer, and the cap that had stopped it is
//! raised.

use super::does;
use crate::state::{Answer, Contents, Doing, Lane, OpenQuestion, State};
use crate::{AskId, Choice, Digest, LaneId, Millis, Reason, Target};

pub(super) fn asked(state: &mut State, ask: AskId, lane: LaneId, reason: Reason, wanted: Option<Target>) {
    state.next_number = state.next_number.max(ask.0.saturating_add(1));
    does(state, lane, Doing::Person(OpenQuestion { ask, reason, wanted }));
}

/// Keeps what is answered in a branch, so that the same is not asked when the branches are done again.
pub(super) fn keep(
    state: &mut State,
    ask: AskId,
    choice: Choice,
    content: Option<Digest>,
    (by, repeats): (&str, Option<AskId>),
) {
    let asked = state.lanes.iter().find_map(|lane| match &lane.doing {
        Doing::Person(question) if question.ask == ask => Some((lane.id, question.reason)),
        Doing::Person(_)
        | Doing::Between
        | Doing::Delivery(_)
        | Doing::Gate(_)
        | Doing::Wait { .. }
        | Doing::Join(_) => None,
    });
    if let Some((outer, place)) = asked.and_then(|(lane, reason)| state.place(lane, reason)) {
        state.keep_answer(outer, Answer { ask, place, choice, by: by.into(), content }, repeats);
    }
}

pub(super) fn answered(
    state: &mut State,
    ask: AskId,
    choice: Choice,
    content: Option<Digest>,
    more: Option<u64>,
    at: Millis,
) {
    let is_asked = |lane: &&mut Lane| matches!(&lane.doing, Doing::Person(question) if question.ask == ask);
    let Some(lane) = state.lanes.iter_mut().find(is_asked) else { return };
    let id = lane.id;
    // Who lets it go on without an answer has decided on what there is.
    lane.course.lost = None;
    let Doing::Person(question) = core::mem::replace(&mut lane.doing, Doing::Between) else { return };
    // What a person gives comes from no agent: no pair of agents has handed it over.
    lane.carried.from = None;
    lane.carried.signature = None;
    if let Some(content) = content {
        lane.carried.contents = Contents::One(content);
    }
    if matches!(choice, Choice::Go(_)) {
        lane.frames.clear();
    }
    if question.reason == Reason::PingPong {
        lane.seen.clear();
    }
    // What stalled begins anew with what a person says.
    if question.reason == Reason::Stalled
        && let Some(frame) = lane.loop_mut()
    {
        frame.signature = None;
    }
    // The time that stood still is given back before more is added to it.
    super::time::keep(state);
    let Some(more) = more else { return };
    raise(state, id, &question, more, at);
}

/// Raises the cap that had stopped a lane.
fn raise(state: &mut State, id: LaneId, question: &OpenQuestion, more: u64, at: Millis) {
    let few = u32::try_from(more).unwrap_or(u32::MAX);
    let fewer = u16::try_from(more).unwrap_or(u16::MAX);
    if question.reason == Reason::HandoffsExhausted {
        state.caps.handoffs = state.caps.handoffs.saturating_add(few);
    } else if question.reason == Reason::PairExhausted {
        state.caps.pair = state.caps.pair.saturating_add(few);
    } else if question.reason == Reason::TokensExhausted {
        state.caps.tokens = state.caps.tokens.map(|tokens| tokens.max(state.tokens).saturating_add(more));
    } else if question.reason == Reason::TimeExhausted {
        let had = state.deadline;
        state.deadline = had.max(at).after(more);
        state.caps.time_ms = state.caps.time_ms.saturating_add(state.deadline.0.saturating_sub(had.0));
    } else if question.reason == Reason::DetoursExhausted {
        state.caps.detours = state.caps.detours.saturating_add(fewer);
    } else if question.reason == Reason::VisitsExhausted
        && let Some(step) = question.wanted.and_then(|wanted| state.entered(id, wanted))
        && let Some(count) = state.count_mut(step)
    {
        count.visits_more = count.visits_more.saturating_add(fewer);
    } else if question.reason == Reason::RoundsExhausted
        && let Some(frame) = state.lane_mut(id).and_then(Lane::loop_mut)
    {
        frame.rounds_max = frame.rounds_max.saturating_add(fewer);
    }
}
