//! Microloop: an author works and a critic looks at it, in rounds.
//!
//! The critic's status and its word on further help decide; where its recommendation says otherwise, those two win and
//! the event says that there was a contradiction. A stall is found before the cap.

use super::turn::{Move, Turn};
use super::{detour, escalation, interrupted, pass};
use crate::state::{Frame, LoopFrame};
use crate::{Does, Facts, LaneId, Microloop, OnCap, Outcome, Reason, Recommendation, Target};

/// True if the failure of this answer is that of the round before.
pub(crate) fn is_stalled(turn: &Turn, id: LaneId, facts: &Facts) -> bool {
    let last = frame(turn, id).and_then(|frame| frame.signature.as_ref());
    facts.signature.is_some() && last == facts.signature.as_ref()
}

/// The author has answered: the critic looks at it.
pub(crate) fn written(turn: &mut Turn, id: LaneId, facts: &Facts) {
    if interrupted(turn, id, facts) {
        return;
    }
    let onward = turn.onward(id);
    let candidates = [Target::Critic, onward];
    // Only a person's answer to a stall lets the author work though no round is left for the critic.
    if facts.outcome != Outcome::Skipped && rounds_left(turn, id) == 0 {
        return exhausted(turn, id, &candidates, Target::Critic);
    }
    let (winner, reason) = match facts.outcome {
        Outcome::Skipped => (onward, Reason::Skipped),
        Outcome::Done | Outcome::Concerns | Outcome::Partial => (Target::Critic, Reason::Review),
        // Answered by `interrupted` or before; the critic may look at whatever is left.
        Outcome::Blocked | Outcome::Failed | Outcome::Running => (Target::Critic, Reason::Review),
    };
    turn.route(id, &Move { candidates: &candidates, winner, reason, contradiction: false });
}

/// The critic has answered: the loop is left or goes round.
pub(crate) fn reviewed(turn: &mut Turn, id: LaneId, facts: &Facts, stalled: bool) {
    let Some(Does::Microloop(of)) = turn.step_of(id).map(|step| step.does.clone()) else { return };
    let onward = turn.onward(id);
    let candidates = [Target::Author, onward, Target::Person];
    let said = facts.recommendation;
    let leave = |turn: &mut Turn, reason: Reason, contradiction: bool| {
        turn.route(id, &Move { candidates: &candidates, winner: onward, reason, contradiction });
    };
    match facts.outcome {
        Outcome::Done | Outcome::Skipped => {
            let ends = matches!(said, Some(Recommendation::Stop | Recommendation::Ask));
            if (ends || facts.delegate.is_some()) && interrupted(turn, id, facts) {
                return;
            }
            let loops = matches!(
                said,
                Some(Recommendation::Repeat | Recommendation::Detour | Recommendation::Escalate)
            );
            let reason = if facts.outcome == Outcome::Done { Reason::Verified } else { Reason::Skipped };
            leave(turn, reason, loops || facts.further_help == Some(true));
        }
        Outcome::Blocked | Outcome::Failed | Outcome::Running => {
            if !interrupted(turn, id, facts) {
                escalation::ask(turn, id, &candidates, pass::reason_of(facts.outcome), None);
            }
        }
        Outcome::Concerns | Outcome::Partial => {
            let helps = facts.further_help.unwrap_or(said == Some(Recommendation::Repeat));
            let rounds = rounds_left(turn, id);
            // A critic that says that another round helps and wants a person contradicts itself; the round wins.
            let contradicts = helps && said == Some(Recommendation::Escalate);
            let detours_late = said == Some(Recommendation::Detour) && rounds == 0;
            if !contradicts && !detours_late && interrupted(turn, id, facts) {
                return;
            }
            if !helps && !detours_late {
                return leave(turn, Reason::NoFurtherHelp, said == Some(Recommendation::Repeat));
            }
            if stalled {
                return stall(turn, id, &of, &candidates, rounds);
            }
            if rounds == 0 {
                return exhausted(turn, id, &candidates, Target::Author);
            }
            let contradiction = contradicts || said == Some(Recommendation::Continue);
            let (winner, reason) = (Target::Author, Reason::FurtherHelp);
            turn.route(id, &Move { candidates: &candidates, winner, reason, contradiction });
        }
    }
}

/// The same failure came twice in a row: something else is needed, not another round. The detour comes back to the
/// author, and is of use only while rounds are left for the critic to look at what the author then makes.
fn stall(turn: &mut Turn, id: LaneId, of: &Microloop, candidates: &[Target], rounds: u16) {
    let kind = of.on_stall.as_deref().filter(|_| rounds > 0);
    let detour = kind.and_then(|kind| detour::left(turn, id, kind));
    match detour {
        Some(winner) => {
            let reason = Reason::Stalled;
            turn.route(id, &Move { candidates, winner, reason, contradiction: false });
        }
        None => escalation::ask(turn, id, candidates, Reason::Stalled, None),
    }
}

/// No round is left for the critic: the loop is left, or a person is asked, who may allow more for what is wanted.
fn exhausted(turn: &mut Turn, id: LaneId, candidates: &[Target], wanted: Target) {
    let reason = Reason::RoundsExhausted;
    let Some(Does::Microloop(of)) = turn.step_of(id).map(|step| &step.does) else { return };
    match of.on_cap {
        OnCap::GoOn => {
            let winner = turn.onward(id);
            turn.route(id, &Move { candidates, winner, reason, contradiction: false });
        }
        OnCap::Ask => escalation::ask(turn, id, candidates, reason, Some(wanted)),
    }
}

/// Rounds that the critic may still have.
fn rounds_left(turn: &Turn, id: LaneId) -> u16 {
    frame(turn, id).map_or(0, |frame| frame.rounds_max.saturating_sub(frame.rounds))
}

fn frame(turn: &Turn, id: LaneId) -> Option<&LoopFrame> {
    match turn.lane(id)?.frames.last() {
        Some(Frame::Loop(frame)) => Some(frame),
        Some(Frame::Detour { .. } | Frame::Delegation { .. } | Frame::Asked { .. }) | None => None,
    }
}
