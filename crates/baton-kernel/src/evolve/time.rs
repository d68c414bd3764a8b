//! The clock of a run, and its deadline, which stands still while people are awaited.

use crate::state::{Doing, Lane, Phase, State};
use crate::{Event, Millis};

/// Time of an event, where it moves the clock of the run.
pub(super) fn of(event: &Event) -> Option<Millis> {
    match event {
        Event::RunStarted { at, .. }
        | Event::Questioned { at, .. }
        | Event::Answered { at, .. }
        | Event::AttemptFailed { at, .. }
        | Event::GateOpened { at, .. }
        | Event::GateChecked { at, .. }
        | Event::GateUnanswered { at, .. }
        | Event::GateAnswered { at, .. }
        | Event::PersonAsked { at, .. }
        | Event::PersonAnswered { at, .. }
        | Event::RunEnded { at, .. } => Some(*at),
        Event::PlanChanged { .. }
        | Event::Routed { .. }
        | Event::DeliveryStarted { .. }
        | Event::SessionKnown { .. }
        | Event::Acknowledged { .. }
        | Event::Progressed { .. }
        | Event::DraftTaken { .. }
        | Event::RetryPlanned { .. }
        | Event::LateReport { .. }
        | Event::DeadLettered { .. }
        | Event::DeliveryStopped { .. }
        | Event::Bounced { .. }
        | Event::GateShows { .. }
        | Event::GateOverdue { .. }
        | Event::Forked { .. }
        | Event::BranchEnded { .. }
        | Event::ValueAwaited { .. }
        | Event::Joined { .. }
        | Event::WaitStarted { .. }
        | Event::WaitEnded { .. } => None,
    }
}

/// Stops the time of a run that waits for people only, and lets it go on afterwards.
pub(super) fn keep(state: &mut State) {
    let waits = state.phase == Phase::Running
        && state.lanes.iter().any(Lane::waits_for_person)
        && state.lanes.iter().all(|lane| lane.waits_for_person() || matches!(lane.doing, Doing::Join(_)));
    match state.people_since {
        None if waits => state.people_since = Some(state.clock),
        Some(since) if !waits => {
            state.deadline = state.deadline.after(state.clock.0.saturating_sub(since.0));
            state.people_since = None;
        }
        None | Some(_) => {}
    }
}
