//! Gate: a person approves, rejects or asks. Three kinds: blocking never passes without an answer, informative goes on
//! if unanswered when the answer is due, automatic passes when its checks hold and is blocking when they do not.
//!
//! Invariant: an answer counts for exactly what it was shown, once, and from a person. A time-out is no answer.

use alloc::string::String;

use super::clarify;
use super::turn::{Move, Turn};
use crate::state::{Doing, OpenGate};
use crate::{Digest, Does, Event, Gate, GateAnswer, GateId, GateKind, Held, LaneId, Reason, Refusal, Target};

/// Opens the gate that a lane has come to.
pub(crate) fn open(turn: &mut Turn, id: LaneId, of: &Gate) {
    let shown = turn.lane(id).and_then(|lane| lane.content());
    let event = Event::GateOpened {
        gate: GateId(turn.number()),
        lane: id,
        at: turn.now,
        checking: matches!(of.kind, GateKind::Auto(_)),
        shown,
        due: of.due_ms.map(|span_ms| turn.now.after(span_ms)),
    };
    turn.emit(event);
}

/// A person answers.
pub(crate) fn answer(
    turn: &mut Turn,
    gate: GateId,
    answer: GateAnswer,
    shown: Digest,
    by: String,
) -> Result<(), Refusal> {
    let (id, open) = find(turn, gate)?;
    match open.shown {
        None => return Err(Refusal::NothingShown { gate }),
        Some(showing) if showing != shown => return Err(Refusal::ContentChanged { gate }),
        Some(_) => {}
    }
    let Some(of) = kind_of(turn, id) else { return Err(Refusal::UnknownGate { gate }) };
    turn.emit(Event::GateAnswered { gate, answer, by, shown, at: turn.now });
    let onward = turn.onward(id);
    let rejected = of.on_reject.map_or(Target::Halt, Target::Step);
    let candidates = [onward, rejected];
    match answer {
        GateAnswer::Approve => {
            let reason = Reason::GateApproved;
            turn.route(id, &Move { candidates: &candidates, winner: onward, reason, contradiction: false });
        }
        GateAnswer::Reject => {
            let reason = Reason::GateRejected;
            turn.route(id, &Move { candidates: &candidates, winner: rejected, reason, contradiction: false });
        }
        GateAnswer::Question => {
            let from = turn.lane(id).and_then(|lane| lane.carried.from);
            clarify::ask_sender(turn, id, from);
        }
    }
    Ok(())
}

/// Something else is shown: an answer to what was shown before no longer counts, and checks of it neither.
pub(crate) fn show(turn: &mut Turn, gate: GateId, shown: Digest) -> Result<(), Refusal> {
    find(turn, gate)?;
    turn.emit(Event::GateShows { gate, shown });
    Ok(())
}

/// The checks of an automatic gate ran. One that is missing did not hold, and one that could not be evaluated blocks too.
pub(crate) fn checked(
    turn: &mut Turn,
    gate: GateId,
    shown: Option<Digest>,
    checks: &[Held],
) -> Result<(), Refusal> {
    let (id, open) = find(turn, gate)?;
    if !open.checking {
        return Err(Refusal::NoChecksAwaited { gate });
    }
    if open.shown != shown {
        return Err(Refusal::ContentChanged { gate });
    }
    let Some(GateKind::Auto(wanted)) = kind_of(turn, id).map(|of| of.kind) else {
        return Err(Refusal::NoChecksAwaited { gate });
    };
    let holds = |name: &String| checks.iter().any(|check| check.name == *name && check.truth.holds());
    let held = wanted.iter().all(holds) && checks.iter().all(|check| check.truth.holds());
    turn.emit(Event::GateChecked { gate, held, checks: checks.to_vec(), at: turn.now });
    if held {
        let onward = turn.onward(id);
        turn.route(id, &Move::only(onward, Reason::GateChecksHeld));
    }
    Ok(())
}

/// The answer may be due.
pub(crate) fn due(turn: &mut Turn, id: LaneId, open: &OpenGate) {
    if open.overdue || open.due.is_none_or(|due| due > turn.now) {
        return;
    }
    let gate = open.gate;
    match kind_of(turn, id).map(|of| of.kind) {
        Some(GateKind::Informative) => {
            turn.emit(Event::GateUnanswered { gate, at: turn.now });
            let onward = turn.onward(id);
            turn.route(id, &Move::only(onward, Reason::GateUnanswered));
        }
        Some(GateKind::Blocking | GateKind::Auto(_)) | None => turn.emit(Event::GateOverdue { gate }),
    }
}

fn find(turn: &Turn, gate: GateId) -> Result<(LaneId, OpenGate), Refusal> {
    let found = turn.state.lanes.iter().find_map(|lane| match &lane.doing {
        Doing::Gate(open) if open.gate == gate => Some((lane.id, open.clone())),
        Doing::Gate(_)
        | Doing::Between
        | Doing::Delivery(_)
        | Doing::Wait { .. }
        | Doing::Join(_)
        | Doing::Person(_) => None,
    });
    let over = gate.0 < turn.state.next_number;
    found.ok_or(if over { Refusal::GateOver { gate } } else { Refusal::UnknownGate { gate } })
}

fn kind_of(turn: &Turn, id: LaneId) -> Option<Gate> {
    match &turn.step_of(id)?.does {
        Does::Gate(of) => Some(of.clone()),
        Does::Pass(_)
        | Does::Microloop(_)
        | Does::Parallel(_)
        | Does::Wait(_)
        | Does::Escalate
        | Does::End(_) => None,
    }
}
