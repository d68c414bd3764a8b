//! Escalation: a person is asked, with everything needed to decide, and what they choose is done.
//!
//! In a branch, what cannot go on by itself ends the branch as blocked: its join knows whether that matters. Only what
//! somebody asked a person for is asked there too.

use alloc::string::String;
use alloc::vec::Vec;

use super::end;
use super::turn::{Move, Turn};
use crate::state::{Doing, Lane, OpenQuestion};
use crate::{
    AskId, Choice, Digest, Does, Ending, Event, How, Key, LaneId, Reason, Refusal, StepId, Target, Verdict,
    bounds,
};

/// Asks a person about a lane. `wanted` is where it would have gone.
pub(crate) fn ask(
    turn: &mut Turn,
    id: LaneId,
    candidates: &[Target],
    reason: Reason,
    wanted: Option<Target>,
) {
    let Some(lane) = turn.lane(id) else { return };
    let mut candidates: Vec<Target> = candidates.to_vec();
    candidates.extend(wanted.filter(|wanted| !candidates.contains(wanted)));
    if lane.parent.is_some() && !is_for_a_person(reason) {
        let winner = Target::Join;
        turn.routed(id, &Move { candidates: &candidates, winner, reason, contradiction: false });
        return end::branch(turn, id, Verdict::Blocked, false);
    }
    let winner = Target::Person;
    turn.routed(id, &Move { candidates: &candidates, winner, reason, contradiction: false });
    let ask = AskId(turn.number());
    let kept = turn.state.kept_answer(id, reason).cloned();
    turn.emit(Event::PersonAsked { ask, lane: id, at: turn.now, reason, wanted });
    if let Some(kept) = kept {
        let (choice, by, content) = (kept.choice, kept.by, kept.content);
        let said = Answer { choice, by, content, more: None, kept: Some(kept.ask) };
        // What no longer fits the plan leaves the question open.
        answer(turn, ask, said).unwrap_or(());
    }
}

/// True if a person must hear of it, in a branch too.
fn is_for_a_person(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::Clarify
            | Reason::EscalationAsked
            | Reason::PlanEscalates
            | Reason::NoSender
            | Reason::ClarificationsExhausted
            | Reason::MayHaveBegun
            | Reason::PermissionAsked
            | Reason::UnknownReceiver
            | Reason::ExpressionUnknown
    )
}

/// A person's answer.
pub(crate) struct Answer {
    pub choice: Choice,
    pub by: String,
    pub content: Option<Digest>,
    /// By how much the cap is raised that stopped the lane; of time, in milliseconds.
    pub more: Option<u64>,
    /// The question that it was given to, if the same was asked before.
    pub kept: Option<AskId>,
}

/// Does what a person chose.
pub(crate) fn answer(turn: &mut Turn, ask: AskId, answer: Answer) -> Result<(), Refusal> {
    let (id, question) = find(turn, ask)?;
    let more = answer.more.filter(|&more| more > 0);
    if more.is_none() && question.reason.holds_against(answer.choice) && turn.is_used_up(id, &question) {
        return Err(Refusal::CapHolds);
    }
    if let Choice::Go(step) = answer.choice
        && turn.state.plan.step(step).is_none()
    {
        return Err(Refusal::UnknownStep);
    }
    if let Choice::Go(step) = answer.choice
        && !is_of_branch(turn, id, step)
    {
        return Err(Refusal::OutsideBranch);
    }
    let dead = turn.lane(id).and_then(|lane| lane.dead.as_ref()).map(|dead| (dead.key, dead.attempt));
    if let (Choice::Again, Some((key, attempt))) = (answer.choice, dead)
        && attempt >= bounds::ATTEMPTS_MAX
    {
        return Err(Refusal::AttemptsExhausted { key });
    }
    let Answer { choice, by, content, kept, .. } = answer;
    turn.emit(Event::PersonAnswered { ask, choice, by, at: turn.now, content, more, kept });
    let reason = Reason::PersonSaid;
    match (choice, dead) {
        (Choice::Again, Some((key, _))) if question.reason == Reason::PermissionAsked => {
            turn.attempt_again(key, How::Answered);
        }
        (Choice::Again, Some((key, _))) => turn.attempt_again(key, How::Asked),
        // What stalled is of no use to the critic once more: the author begins another round.
        (Choice::Again, None) if question.reason == Reason::Stalled => {
            turn.route(id, &Move::only(Target::Author, reason));
        }
        (Choice::Again, None) => turn.route(id, &Move::only(Target::Again, reason)),
        (Choice::GoOn, _) => {
            // A cap of rounds or detours is left behind, unless it was raised; what lies too deep already is left for good.
            let left_behind = matches!(
                question.reason,
                Reason::RoundsExhausted | Reason::DetoursExhausted | Reason::NestingExhausted
            );
            let wanted = question.wanted.filter(|_| !left_behind || more.is_some());
            let onward = on_from(turn, id);
            turn.route(id, &Move::only(wanted.unwrap_or(onward), reason));
        }
        (Choice::Go(step), _) => turn.route(id, &Move::only(Target::Step(step), reason)),
        // A person's word halts the whole run, in a branch too.
        (Choice::Halt, _) => {
            turn.routed(id, &Move::only(Target::Halt, reason));
            turn.end_run(Ending::Halted(reason));
        }
    }
    Ok(())
}

/// True if the lane may go to a step: a branch only to its own, because what lies behind its join is done there.
fn is_of_branch(turn: &Turn, id: LaneId, step: StepId) -> bool {
    let Some(parent) = turn.lane(id).and_then(|lane| lane.parent) else { return true };
    let (Some(Doing::Join(joining)), Some(Does::Parallel(of))) =
        (turn.lane(parent).map(|lane| &lane.doing), turn.step_of(parent).map(|step| &step.does))
    else {
        return true;
    };
    let number = id.0.checked_sub(joining.first.0).and_then(|number| usize::try_from(number).ok());
    let begins = number.and_then(|number| of.branches.get(number));
    begins.is_some_and(|&begins| turn.state.plan.leads_to(begins, step))
}

/// Where going on leads: back, where somebody waits for what came of it; to the gate itself, which only its own answer
/// passes; else to what follows.
fn on_from(turn: &Turn, id: LaneId) -> Target {
    if turn.lane(id).is_some_and(Lane::is_asked_or_delegated) {
        Target::Back
    } else if matches!(turn.step_of(id).map(|step| &step.does), Some(Does::Gate(_))) {
        Target::Again
    } else {
        turn.onward(id)
    }
}

/// A person has a dead letter sent again, with its key.
pub(crate) fn retry(turn: &mut Turn, key: Key, by: String) -> Result<(), Refusal> {
    let lane = turn.lane(key.lane).filter(|lane| lane.dead.as_ref().is_some_and(|dead| dead.key == key));
    match lane.map(|lane| &lane.doing) {
        Some(Doing::Person(question)) => {
            let ask = question.ask;
            answer(turn, ask, Answer { choice: Choice::Again, by, content: None, more: None, kept: None })
        }
        Some(Doing::Between | Doing::Delivery(_) | Doing::Gate(_) | Doing::Wait { .. } | Doing::Join(_))
        | None => Err(Refusal::NotDead { key }),
    }
}

fn find(turn: &Turn, ask: AskId) -> Result<(LaneId, OpenQuestion), Refusal> {
    let found = turn.state.lanes.iter().find_map(|lane| match &lane.doing {
        Doing::Person(question) if question.ask == ask => Some((lane.id, question.clone())),
        Doing::Person(_)
        | Doing::Between
        | Doing::Delivery(_)
        | Doing::Gate(_)
        | Doing::Wait { .. }
        | Doing::Join(_) => None,
    });
    let over = ask.0 < turn.state.next_number;
    found.ok_or(if over { Refusal::QuestionOver { ask } } else { Refusal::UnknownQuestion { ask } })
}
