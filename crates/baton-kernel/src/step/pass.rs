//! Pass: one agent works, and its answer is routed. VERIFIED advances, concerns go along, BLOCKED goes to a person.

use alloc::vec::Vec;

use super::{end, interrupted};
use crate::turn::{Move, Turn};
use crate::{Does, Facts, LaneId, Outcome, Pass, Reason, Recommendation, Rework, StepId, Target, When};

/// The route of the plan that an answer fits by its word or its outcome.
pub(crate) fn route(turn: &Turn, id: LaneId, facts: &Facts) -> Option<(StepId, Reason)> {
    let Some(Does::Pass(pass)) = turn.step_of(id).map(|step| &step.does) else { return None };
    if facts.outcome == Outcome::Blocked {
        return None;
    }
    pass.routes.iter().find_map(|route| match &route.when {
        When::Decision(word) => {
            let decided = facts.decision.as_ref().is_some_and(|said| said.eq_ignore_ascii_case(word));
            decided.then_some((route.to, Reason::Decision))
        }
        When::Outcome(outcome) => (facts.outcome == *outcome).then_some((route.to, Reason::Outcome)),
        When::Holds(_) => None,
    })
}

/// Routes the answer of the agent that works here.
pub(crate) fn answered(
    turn: &mut Turn,
    id: LaneId,
    pass: &Pass,
    facts: &Facts,
    route: Option<(StepId, Reason)>,
) {
    // A stop halts wherever the plan does not say by that very word where it leads.
    let is_routed = matches!(route, Some((_, Reason::Decision)));
    if facts.recommendation == Some(Recommendation::Stop) && !is_routed {
        return stopped(turn, id, pass.rework, facts);
    }
    let onward = turn.onward(id);
    let mut candidates: Vec<Target> = pass.routes.iter().map(|route| Target::Step(route.to)).collect();
    candidates.push(onward);
    candidates.dedup();
    if let Some((to, reason)) = route {
        let winner = Target::Step(to);
        return turn.route(id, &Move { candidates: &candidates, winner, reason, contradiction: false });
    }
    if interrupted(turn, id, facts) {
        return;
    }
    let holds = pass.routes.iter().find(|route| match &route.when {
        When::Holds(name) => facts.held.iter().any(|held| held.holds && held.name == *name),
        When::Decision(_) | When::Outcome(_) => false,
    });
    // Only a loop can repeat; elsewhere the status wins over that recommendation.
    let contradiction = facts.recommendation == Some(Recommendation::Repeat);
    let (winner, reason) = match holds {
        Some(route) => (Target::Step(route.to), Reason::Holds),
        None => (onward, reason_of(facts.outcome)),
    };
    turn.route(id, &Move { candidates: &candidates, winner, reason, contradiction });
}

/// Why an answer goes on.
pub(crate) fn reason_of(outcome: Outcome) -> Reason {
    match outcome {
        Outcome::Done => Reason::Done,
        Outcome::Skipped => Reason::Skipped,
        Outcome::Concerns | Outcome::Partial => Reason::Concerns,
        // These never go on by themselves.
        Outcome::Blocked | Outcome::Failed | Outcome::Running => Reason::Blocked,
    }
}

/// A stop halts, unless all that blocks can be mended and rework is left.
fn stopped(turn: &mut Turn, id: LaneId, rework: Option<Rework>, facts: &Facts) {
    let Some(rework) = rework.filter(|_| facts.mendable) else {
        return end::halt_instead(turn, id, &[], Reason::Stop);
    };
    let done = turn.lane(id).and_then(|lane| turn.state.counts.get(usize::from(lane.step.0)));
    let candidates = [Target::Step(rework.to), Target::Halt];
    if done.is_some_and(|count| count.reworks >= rework.max) {
        return end::halt_instead(turn, id, &candidates, Reason::ReworkExhausted);
    }
    let winner = Target::Step(rework.to);
    turn.route(id, &Move { candidates: &candidates, winner, reason: Reason::Rework, contradiction: false });
}
