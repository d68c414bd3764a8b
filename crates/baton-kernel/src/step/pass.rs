//! Pass: one agent works, and its answer is routed. VERIFIED advances, concerns go along, BLOCKED goes to a person.

use alloc::vec::Vec;

use super::turn::{Move, Turn};
use super::{end, escalation, interrupted};
use crate::{
    Does, Facts, LaneId, OnUnknown, Outcome, Pass, Reason, Recommendation, Rework, StepId, Target, Truth,
    When,
};

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
    // Only a loop can repeat; elsewhere the status wins over that recommendation.
    let contradiction = facts.recommendation == Some(Recommendation::Repeat);
    let way = by_expression(pass, facts);
    let (winner, reason) = match way.taken {
        Some((to, reason)) => (Target::Step(to), reason),
        None => (onward, reason_of(facts.outcome)),
    };
    if way.is_unknown {
        return escalation::ask(turn, id, &candidates, Reason::ExpressionUnknown, Some(winner));
    }
    turn.route(id, &Move { candidates: &candidates, winner, reason, contradiction });
}

/// Decision by the expressions of the routes.
#[derive(Default)]
struct Way {
    /// The first route that is taken, if what a person must decide about did not hold.
    taken: Option<(StepId, Reason)>,
    /// True if a person must decide about a route before that one.
    is_unknown: bool,
}

fn by_expression(pass: &Pass, facts: &Facts) -> Way {
    let mut way = Way::default();
    for route in &pass.routes {
        let When::Holds(name) = &route.when else { continue };
        // What nothing came of was never handed in: it does not hold.
        let truth =
            facts.held.iter().find(|held| held.name == *name).map_or(&Truth::Fails, |held| &held.truth);
        let reason = match (truth, route.on_unknown) {
            (Truth::Holds, _) => Reason::Holds,
            (Truth::Unknown(_), OnUnknown::Holds) => Reason::UnknownHolds,
            (Truth::Unknown(_), OnUnknown::Ask) => {
                way.is_unknown = true;
                continue;
            }
            (Truth::Unknown(_), OnUnknown::Fails) | (Truth::Fails, _) => continue,
        };
        way.taken = Some((route.to, reason));
        break;
    }
    way
}

/// Reason why an answer goes on.
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
