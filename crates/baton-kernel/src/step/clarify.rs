//! Clarify: a receiver that does not understand asks the sender, and the handoff goes on with the answer.

use super::turn::{Move, Turn};
use super::{escalation, interrupted};
use crate::state::Delivery;
use crate::{Digest, Event, Facts, LaneId, Reason, Target, bounds};

/// A receiver asks what was meant: the agent that handed it over, or a person where none did.
pub(crate) fn asked(turn: &mut Turn, delivery: &Delivery, content: Digest) {
    let (key, attempt, at) = (delivery.key, delivery.attempt, turn.now);
    turn.emit(Event::Questioned { key, attempt, at, content });
    let asked = turn.lane(key.lane).and_then(|lane| turn.state.counts.get(usize::from(lane.step.0)));
    if asked.is_some_and(|count| count.clarifications > bounds::CLARIFICATIONS) {
        return escalation::ask(turn, key.lane, &[], Reason::ClarificationsExhausted, None);
    }
    // Whoever handed it to itself cannot help itself.
    ask_sender(turn, key.lane, delivery.from.filter(|&from| from != delivery.to));
}

/// Asks the agent that handed something over, or a person where none did.
pub(crate) fn ask_sender(turn: &mut Turn, id: LaneId, from: Option<crate::AgentId>) {
    match from {
        Some(from) => {
            let candidates = [Target::Sender(from), Target::Person];
            let (winner, reason) = (Target::Sender(from), Reason::SenderAsked);
            turn.route(id, &Move { candidates: &candidates, winner, reason, contradiction: false });
        }
        None => escalation::ask(turn, id, &[], Reason::NoSender, None),
    }
}

/// The sender has answered: back to who asked.
pub(crate) fn answered(turn: &mut Turn, id: LaneId, facts: &Facts) {
    if !interrupted(turn, id, facts) {
        turn.route(id, &Move::only(Target::Back, Reason::SenderAnswered));
    }
}
