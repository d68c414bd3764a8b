//! End: a thread is over. A detour goes back, a branch to its join, the main lane ends the run.

use super::turn::{Move, Turn};
use crate::{Ending, Event, LaneId, Outcome, Reason, Target, Verdict};

/// The thread of a lane is over, with this status.
pub(crate) fn thread(turn: &mut Turn, id: LaneId, outcome: Outcome) {
    let Some(lane) = turn.lane(id) else { return };
    match Turn::thread_end(lane) {
        Target::Back => turn.route(id, &Move::only(Target::Back, Reason::DetourOver)),
        Target::Join => {
            let verdict = outcome.verdict();
            let passed = lane.carried.passed && verdict != Verdict::Blocked;
            branch(turn, id, verdict, passed);
        }
        Target::Step(_)
        | Target::Detour(_)
        | Target::Author
        | Target::Critic
        | Target::Delegate(_)
        | Target::Sender(_)
        | Target::Again
        | Target::Person
        | Target::End
        | Target::Halt => turn.end_run(Ending::Finished(outcome)),
    }
}

/// A branch is over; its join is looked at when the command is through.
pub(crate) fn branch(turn: &mut Turn, id: LaneId, verdict: Verdict, passed: bool) {
    let parent = turn.lane(id).and_then(|lane| lane.parent);
    turn.emit(Event::BranchEnded { lane: id, verdict, passed });
    turn.joins.extend(parent);
}

/// Halts the run and says among what that was chosen.
pub(crate) fn halt_instead(turn: &mut Turn, id: LaneId, candidates: &[Target], reason: Reason) {
    turn.route(id, &Move { candidates, winner: Target::Halt, reason, contradiction: false });
}

/// The lane has come to a halt: a branch ends blocked, and its join knows whether that matters; else the run halts.
pub(crate) fn halt(turn: &mut Turn, id: LaneId, reason: Reason) {
    if turn.lane(id).is_some_and(|lane| lane.parent.is_some()) {
        branch(turn, id, Verdict::Blocked, false);
    } else {
        turn.end_run(Ending::Halted(reason));
    }
}
