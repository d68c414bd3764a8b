//! Delegate and return: an agent has another one do a part and gets back what came of it. Delegations may lie in each
//! other, and return in order.

use alloc::string::ToString;

use super::turn::{Move, Turn};
use super::{escalation, interrupted};
use crate::{Event, Facts, LaneId, Reason, Target};

/// An agent delegates to the one of this name. An unknown name bounces, and a person hears of it.
pub(crate) fn asked(turn: &mut Turn, id: LaneId, receiver: &str) {
    match turn.state.plan.agent_named(receiver) {
        Some(to) => turn.route(id, &Move::only(Target::Delegate(to), Reason::DelegationAsked)),
        None => {
            turn.emit(Event::Bounced { lane: id, receiver: receiver.to_string() });
            escalation::ask(turn, id, &[], Reason::UnknownReceiver, None);
        }
    }
}

/// Goes back with the answer to the agent that delegated.
pub(crate) fn answered(turn: &mut Turn, id: LaneId, facts: &Facts) {
    if !interrupted(turn, id, facts) {
        turn.route(id, &Move::only(Target::Back, Reason::DelegationOver));
    }
}
