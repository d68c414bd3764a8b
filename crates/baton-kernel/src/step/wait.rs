//! Wait and timer: nothing is done for a while, or until a signal comes.

use alloc::vec::Vec;

use crate::state::Doing;
use crate::turn::{Move, Turn};
use crate::{Does, Event, LaneId, Reason, Refusal, Target, Wait};

/// A lane begins to wait.
pub(crate) fn start(turn: &mut Turn, id: LaneId, of: &Wait) {
    let until = turn.now.after(of.for_ms);
    turn.emit(Event::WaitStarted { lane: id, until });
}

/// A signal comes, for every lane that waits for it.
pub(crate) fn signal(turn: &mut Turn, name: &str) -> Result<(), Refusal> {
    let waits = |id: &LaneId| {
        let waiting = matches!(turn.lane(*id).map(|lane| &lane.doing), Some(Doing::Wait { .. }));
        waiting && wait_of(turn, *id).is_some_and(|of| of.signal.as_deref() == Some(name))
    };
    let lanes: Vec<LaneId> = turn.state.lanes.iter().map(|lane| lane.id).filter(waits).collect();
    if lanes.is_empty() {
        return Err(Refusal::NobodyWaits);
    }
    for id in lanes {
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
