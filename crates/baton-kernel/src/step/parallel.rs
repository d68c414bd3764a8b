//! Parallel: branches run side by side, and a rule joins them. A join is decided as soon as nothing that is still open
//! could change it; the branches that are still open then are closed: their agents are stopped, and nobody is asked about
//! them any more.

use alloc::string::String;

use super::turn::{Move, Turn};
use super::{end, escalation};
use crate::state::{Doing, Joining};
use crate::{
    Counts, Does, Ending, Event, Join, LaneId, OnFail, OnUnknown, Parallel, Reason, Refusal, Status, Target,
    Truth, Verdict, bounds,
};

/// Opens the branches.
pub(crate) fn fork(turn: &mut Turn, id: LaneId, of: &Parallel) {
    let Some(lane) = turn.lane(id) else { return };
    if turn.state.depth(lane) >= bounds::NESTING_MAX {
        return escalation::ask(turn, id, &[], Reason::NestingExhausted, None);
    }
    if turn.state.lanes.len() + of.branches.len() > bounds::LANES_MAX {
        return escalation::ask(turn, id, &[], Reason::LanesExhausted, None);
    }
    let first = LaneId(turn.state.next_lane);
    let branches = u16::try_from(of.branches.len()).unwrap_or(u16::MAX);
    turn.emit(Event::Forked { lane: id, first, branches });
    for (number, &start) in (first.0..).zip(&of.branches) {
        turn.route(LaneId(number), &Move::only(Target::Step(start), Reason::Forked));
    }
}

/// A branch has ended in this lane: its join may be decided.
pub(crate) fn look(turn: &mut Turn, id: LaneId) {
    let Some((of, joining)) = joining(turn, id) else { return };
    match judge(of.join, &joining) {
        Judged::Open => {}
        Judged::Value if joining.value_awaited => {}
        Judged::Value => turn.emit(Event::ValueAwaited { lane: id }),
        Judged::Passed => decided(turn, id, &of, &joining, &Truth::Holds),
        Judged::Failed => decided(turn, id, &of, &joining, &Truth::Fails),
    }
}

/// Takes the value of the expression over the branches.
pub(crate) fn value(turn: &mut Turn, id: LaneId, truth: &Truth) -> Result<(), Refusal> {
    match joining(turn, id) {
        Some((of, joining)) if joining.value_awaited => {
            decided(turn, id, &of, &joining, truth);
            Ok(())
        }
        Some(_) | None => Err(Refusal::NoValueAwaited),
    }
}

enum Judged {
    Open,
    Value,
    Passed,
    Failed,
}

/// Judges the branches that have ended by a rule.
fn judge(rule: Join, joining: &Joining) -> Judged {
    let counts = count(joining);
    let not_blocked = ended(joining).filter(|result| result.verdict != Verdict::Blocked).count();
    let not_blocked = u16::try_from(not_blocked).unwrap_or(u16::MAX);
    // The rule wants so many, has so many, and has lost so many.
    let of = |wanted: u16, has: u16, lost: u16| {
        if has >= wanted {
            Judged::Passed
        } else if counts.total - lost < wanted {
            Judged::Failed
        } else {
            Judged::Open
        }
    };
    let unverified = counts.ended - counts.verified;
    match rule {
        Join::AllComplete => of(counts.total, counts.ended, 0),
        Join::AllVerified => of(counts.total, counts.verified, unverified),
        Join::AnyVerified => of(1, counts.verified, unverified),
        Join::First => of(1, not_blocked, counts.ended - not_blocked),
        Join::Quorum(quorum) => of(quorum, counts.verified, unverified),
        Join::AllMustPass => of(counts.total, counts.passed, counts.failed),
        Join::AnyPass => of(1, counts.passed, counts.failed),
        Join::MajorityPass => of(counts.total / 2 + 1, counts.passed, counts.failed),
        Join::Expression if counts.ended == counts.total => Judged::Value,
        Join::Expression => Judged::Open,
    }
}

fn ended(joining: &Joining) -> impl Iterator<Item = &crate::state::BranchResult> {
    joining.results.iter().flatten()
}

fn count(joining: &Joining) -> Counts {
    let mut counts =
        Counts { total: u16::try_from(joining.results.len()).unwrap_or(u16::MAX), ..Counts::default() };
    for result in ended(joining) {
        counts.ended += 1;
        counts.verified += u16::from(result.verdict == Verdict::Verified);
        counts.passed += u16::from(result.passed);
        counts.failed += u16::from(!result.passed);
    }
    counts
}

fn decided(turn: &mut Turn, id: LaneId, of: &Parallel, joining: &Joining, truth: &Truth) {
    let (passed, asks) = match (truth, of.on_unknown) {
        (Truth::Holds, _) | (Truth::Unknown(_), OnUnknown::Holds) => (true, false),
        (Truth::Fails, _) | (Truth::Unknown(_), OnUnknown::Fails) => (false, false),
        (Truth::Unknown(_), OnUnknown::Ask) => (false, true),
    };
    // Where one was first, those that were blocked before it are of no more interest than those that still work.
    let is_needed = |verdict: &Verdict| !(passed && of.join == Join::First && *verdict == Verdict::Blocked);
    let verdicts = ended(joining).map(|result| result.verdict).filter(is_needed);
    let verdict = match of.status {
        Status::Worst => verdicts.min(),
        Status::Best => verdicts.max(),
    };
    let verdict = verdict.unwrap_or(Verdict::Blocked);
    let open = turn.state.below(id);
    turn.stop_deliveries(&open);
    let unknown = truth.unknown().map(String::from);
    turn.emit(Event::Joined { lane: id, passed, verdict, counts: count(joining), unknown });
    if turn.state.idle_joins > bounds::IDLE_JOINS_MAX {
        return turn.end_run(Ending::Halted(Reason::Runaway));
    }
    let onward = turn.onward(id);
    if asks {
        return escalation::ask(turn, id, &[onward], Reason::ExpressionUnknown, None);
    }
    // Rules that look at no status leave the decision to it; the others have decided.
    let by_status = match of.join {
        Join::AllComplete => true,
        Join::First
        | Join::AllVerified
        | Join::AnyVerified
        | Join::Quorum(_)
        | Join::AllMustPass
        | Join::AnyPass
        | Join::MajorityPass
        | Join::Expression => false,
    };
    if passed && by_status && verdict == Verdict::Blocked {
        escalation::ask(turn, id, &[onward], Reason::JoinBlocked, None);
    } else if passed {
        turn.route(id, &Move::only(onward, Reason::JoinPassed));
    } else {
        match of.on_fail {
            OnFail::Ask => escalation::ask(turn, id, &[onward], Reason::JoinFailed, None),
            OnFail::Halt => end::halt_instead(turn, id, &[onward], Reason::JoinFailed),
            OnFail::Step(to) => {
                let (winner, reason) = (Target::Step(to), Reason::JoinFailed);
                turn.route(id, &Move { candidates: &[onward], winner, reason, contradiction: false });
            }
        }
    }
}

fn joining(turn: &Turn, id: LaneId) -> Option<(Parallel, Joining)> {
    let Some(Does::Parallel(of)) = turn.step_of(id).map(|step| &step.does) else { return None };
    match &turn.lane(id)?.doing {
        Doing::Join(joining) => Some((of.clone(), joining.clone())),
        Doing::Between | Doing::Delivery(_) | Doing::Gate(_) | Doing::Wait { .. } | Doing::Person(_) => None,
    }
}
