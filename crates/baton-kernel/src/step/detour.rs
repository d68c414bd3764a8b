//! Detour: to a named side step and back to where it left, at most so many times per kind and step.

use super::escalation;
use super::turn::{Move, Turn};
use crate::{LaneId, Reason, Target};

/// An agent asks for a detour; without a kind, for the only one that its step has.
pub(crate) fn asked(turn: &mut Turn, id: LaneId, kind: Option<&str>) {
    let detours = turn.step_of(id).map_or(&[][..], |step| step.detours.as_slice());
    let all = (0..).take(detours.len()).map(Target::Detour).collect::<alloc::vec::Vec<_>>();
    let place = match kind {
        Some(kind) => detours.iter().position(|detour| detour.kind == kind),
        None => (detours.len() == 1).then_some(0),
    };
    let Some(&winner) = place.and_then(|place| all.get(place)) else {
        return escalation::ask(turn, id, &all, Reason::DetourUnknown, None);
    };
    if is_used_up(turn, id, winner) {
        return escalation::ask(turn, id, &all, Reason::DetoursExhausted, Some(winner));
    }
    let reason = Reason::DetourAsked;
    turn.route(id, &Move { candidates: &all, winner, reason, contradiction: false });
}

/// The detour of this kind, if it may still be taken.
pub(crate) fn left(turn: &Turn, id: LaneId, kind: &str) -> Option<Target> {
    let place = turn.step_of(id)?.detours.iter().position(|detour| detour.kind == kind)?;
    let target = Target::Detour(u16::try_from(place).ok()?);
    (!is_used_up(turn, id, target)).then_some(target)
}

fn is_used_up(turn: &Turn, id: LaneId, target: Target) -> bool {
    let Target::Detour(kind) = target else { return false };
    let count = turn.lane(id).and_then(|lane| turn.state.counts.get(usize::from(lane.step.0)));
    let taken = count.and_then(|count| count.detours.get(usize::from(kind))).copied();
    taken.unwrap_or(0) >= turn.state.caps.detours
}
