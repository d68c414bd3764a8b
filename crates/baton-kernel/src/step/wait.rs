//! Wait and timer: nothing is done for a while, or until a signal comes.

use alloc::vec::Vec;

use super::turn::{Move, Turn};
use crate::state::{Doing, Lane};
use crate::{Does, Event, LaneId, Millis, Reason, Refusal, Target, Wait};

/// A lane begins to wait.
pub(crate) fn start(turn: &mut Turn, id: LaneId, of: &Wait) {
    let until = turn.now.after(of.for_ms);
    turn.emit(Event::WaitStarted { lane: id, until });
}

/// A signal comes, for every lane that waits for it and whose time was not over when it came.
pub(crate) fn signal(turn: &mut Turn, name: &str, at: Millis) -> Result<(), Refusal> {
    let waits = |lane: &Lane| {
        let Doing::Wait { until } = lane.doing else { return None };
        let is_it = wait_of(turn, lane.id).is_some_and(|of| of.signal.as_deref() == Some(name));
        is_it.then_some((lane.id, until))
    };
    let waiting: Vec<(LaneId, Millis)> = turn.state.lanes.iter().filter_map(waits).collect();
    if waiting.is_empty() {
        return Err(Refusal::NobodyWaits);
    }
    // It came before it is heard, whatever a clock said that was set back since.
    let came = at.min(turn.now);
    let in_time: Vec<LaneId> =
        waiting.into_iter().filter(|(_, until)| came < *until).map(|(id, _)| id).collect();
    if in_time.is_empty() {
        return Err(Refusal::SignalLate);
    }
    for id in in_time {
        over(turn, id, true);
    }
    Ok(())
}

/// A lane waits no longer.
pub(crate) fn over(turn: &mut Turn, id: LaneId, signalled: bool) {
    let missed = wait_of(turn, id).and_then(|of| of.on_due).filter(|_| !signalled);
    turn.emit(Event::WaitEnded { lane: id, signalled });
    let onward = turn.onward(id);
    let winner = missed.map_or(onward, Target::Step);
    let reason = if signalled { Reason::Signalled } else { Reason::WaitOver };
    turn.route(id, &Move { candidates: &[onward], winner, reason, contradiction: false });
}

fn wait_of(turn: &Turn, id: LaneId) -> Option<&Wait> {
    match &turn.step_of(id)?.does {
        Does::Wait(of) => Some(of),
        Does::Pass(_)
        | Does::Microloop(_)
        | Does::Gate(_)
        | Does::Parallel(_)
        | Does::Escalate
        | Does::End(_) => None,
    }
}
