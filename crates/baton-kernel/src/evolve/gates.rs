//! What the events of gates change.

use super::does;
use crate::state::{Doing, OpenGate, State};
use crate::{Event, GateId};

#[expect(clippy::wildcard_enum_match_arm, reason = "`evolve` gives the events of gates alone")]
pub(super) fn evolve(state: &mut State, event: &Event) {
    match event {
        Event::GateOpened { gate, lane, at: _, checking, shown, due } => {
            state.next_number = state.next_number.max(gate.0.saturating_add(1));
            let gate =
                OpenGate { gate: *gate, shown: *shown, due: *due, checking: *checking, overdue: false };
            does(state, *lane, Doing::Gate(gate));
        }
        Event::GateShows { gate, shown } => on_gate(state, *gate, |gate| gate.shown = Some(*shown)),
        Event::GateChecked { gate, held, checks: _, at: _ } => {
            on_gate(state, *gate, |gate| gate.checking = false);
            if *held {
                close(state, *gate);
            }
        }
        Event::GateOverdue { gate } => on_gate(state, *gate, |gate| gate.overdue = true),
        Event::GateUnanswered { gate, .. } | Event::GateAnswered { gate, .. } => close(state, *gate),
        _ => {}
    }
}

fn on_gate(state: &mut State, id: GateId, change: impl FnOnce(&mut OpenGate)) {
    for lane in &mut state.lanes {
        if let Doing::Gate(gate) = &mut lane.doing
            && gate.gate == id
        {
            return change(gate);
        }
    }
}

fn close(state: &mut State, id: GateId) {
    for lane in &mut state.lanes {
        if matches!(&lane.doing, Doing::Gate(gate) if gate.gate == id) {
            lane.doing = Doing::Between;
        }
    }
}
