//! A command into events, or a refusal: the door of the kernel.
//!
//! Cannot: change anything. What it gives back is a proposal until it is recorded; a refused command leaves no trace.

use alloc::string::String;
use alloc::vec::Vec;

use crate::length::{self, fits, held_fits};
use crate::state::{Delivery, Phase, Standing, State, what_lacks};
use crate::step::turn::{Move, Turn};
use crate::step::{self, clarify, escalation, gate, parallel, retry, wait};
use crate::{
    By, Command, CourierKind, Ending, Event, How, Key, Millis, Plan, Reason, Refusal, Report, Stage, Target,
    What, bounds,
};

/// Decides a command.
///
/// # Errors
/// What the state does not allow; nothing is changed then.
pub fn decide(state: &State, command: &Command, now: Millis) -> Result<Vec<Event>, Refusal> {
    if command.fence < state.fence {
        return Err(Refusal::FenceLost { held: state.fence });
    }
    let starts = matches!(command.what, What::Start { .. });
    match &state.phase {
        Phase::New if !starts => return Err(Refusal::NotStarted),
        Phase::Running if starts => return Err(Refusal::Started),
        Phase::Ended(_) => return Err(if starts { Refusal::Started } else { Refusal::Ended }),
        Phase::New | Phase::Running => {}
    }
    let mut turn = Turn::new(state, command.fence, now);
    match &command.what {
        What::Start { run, plan, pins, input } => {
            fits(run, bounds::NAME_BYTES_MAX)?;
            plan.check().map_err(Refusal::Plan)?;
            let start = plan.start;
            turn.emit(Event::RunStarted {
                run: run.clone(),
                at: now,
                fence: command.fence,
                pins: *pins,
                input: *input,
                plan: plan.clone(),
            });
            turn.route(crate::LaneId(0), &Move::only(Target::Step(start), Reason::Started));
        }
        What::Report { key, attempt, report } => reported(&mut turn, *key, *attempt, report)?,
        What::Found { key, attempt, courier } => found(&mut turn, *key, *attempt, *courier)?,
        What::AnswerGate { gate, answer, shown, by } => {
            gate::answer(&mut turn, *gate, *answer, *shown, person(by)?)?;
        }
        What::ShowAtGate { gate, shown } => gate::show(&mut turn, *gate, *shown)?,
        What::CheckGate { gate, shown, checks } => {
            held_fits(checks)?;
            gate::checked(&mut turn, *gate, *shown, checks)?;
        }
        What::AnswerPerson { ask, choice, by, content, more } => {
            let (choice, content, more) = (*choice, *content, *more);
            let answer = escalation::Answer { choice, by: person(by)?, content, more, kept: None };
            escalation::answer(&mut turn, *ask, answer)?;
        }
        What::Retry { key, by } => escalation::retry(&mut turn, *key, person(by)?)?,
        What::JoinValue { lane, truth } => {
            length::of_truth(truth)?;
            parallel::value(&mut turn, *lane, truth)?;
        }
        What::Signal { name, at } => wait::signal(&mut turn, name, *at)?,
        What::Tick => tick(&mut turn),
        What::ChangePlan { plan, pins, by } => change(&mut turn, plan, *pins, person(by)?)?,
        What::Cancel { by } => {
            let (By::Person(name) | By::Agent(name)) = by;
            fits(name, bounds::NAME_BYTES_MAX)?;
            turn.end_run(Ending::Cancelled(name.clone()));
        }
    }
    while let Some(lane) = turn.joins.pop() {
        parallel::look(&mut turn, lane);
    }
    Ok(turn.events)
}

/// The person who asks; agents are refused.
fn person(by: &By) -> Result<String, Refusal> {
    match by {
        By::Person(name) => {
            fits(name, bounds::NAME_BYTES_MAX)?;
            Ok(name.clone())
        }
        By::Agent(_) => Err(Refusal::OnlyAPerson),
    }
}

/// Standing of a report's attempt.
enum Attempt {
    /// It is the one that counts.
    Current,
    /// It was replaced or given up.
    Late,
}

fn reported(turn: &mut Turn, key: Key, attempt: u16, report: &Report) -> Result<(), Refusal> {
    match report {
        Report::Session(session) => fits(session, bounds::TEXT_BYTES_MAX)?,
        Report::Answer(facts) => length::of_facts(facts)?,
        Report::Failure(failure) => length::of_failure(failure)?,
        Report::Acknowledge(_) | Report::Progress | Report::Draft(_) | Report::Question(_) => {}
    }
    let (delivery, standing) = find(turn, key, attempt)?;
    let delivery = delivery.clone();
    match standing {
        Attempt::Current => {}
        Attempt::Late => {
            let ends = matches!(report, Report::Question(_) | Report::Answer(_) | Report::Failure(_));
            if ends && !delivery.late.contains(&attempt) {
                turn.emit(Event::LateReport { key, attempt });
                return Ok(());
            }
            return Err(Refusal::Superseded { key, attempt, current: delivery.attempt });
        }
    }
    // An attempt whose time ran out may still answer until the next one begins; nothing else it says is of use.
    match (delivery.standing, report) {
        (Standing::Out, _) | (Standing::Paused { timed_out: true, .. }, Report::Answer(_)) => {}
        (Standing::Paused { .. } | Standing::Failed { .. }, _) => return Err(Refusal::Repeated { key }),
    }
    match report {
        Report::Session(session) => {
            if delivery.session.as_ref() == Some(session) {
                return Err(Refusal::Repeated { key });
            }
            turn.emit(Event::SessionKnown { key, attempt, session: session.clone() });
        }
        Report::Acknowledge(stage) => acknowledged(turn, &delivery, *stage)?,
        Report::Progress => turn.emit(Event::Progressed { key, attempt }),
        Report::Draft(content) => {
            if delivery.draft == Some(*content) {
                return Err(Refusal::Repeated { key });
            }
            turn.emit(Event::DraftTaken { key, attempt, content: *content });
        }
        Report::Question(content) => clarify::asked(turn, &delivery, *content),
        Report::Answer(facts) => step::answered(turn, &delivery, facts),
        Report::Failure(failure) => retry::failed(turn, &delivery, failure),
    }
    Ok(())
}

fn acknowledged(turn: &mut Turn, delivery: &Delivery, stage: Stage) -> Result<(), Refusal> {
    let mut stages = delivery.stages;
    if *stages.at(stage) {
        return Err(Refusal::Repeated { key: delivery.key });
    }
    turn.emit(Event::Acknowledged { key: delivery.key, attempt: delivery.attempt, stage });
    Ok(())
}

/// The delivery of a key, open or dead, and how the attempt stands to it.
fn find(turn: &Turn, key: Key, attempt: u16) -> Result<(&Delivery, Attempt), Refusal> {
    let state = &turn.state;
    let dead = || state.lane(key.lane).and_then(|lane| lane.dead.as_ref()).filter(|dead| dead.key == key);
    let (delivery, is_dead) = match state.delivery(key) {
        Some(delivery) => (delivery, false),
        None => match dead() {
            Some(delivery) => (delivery, true),
            None if key.number < state.next_number => return Err(Refusal::DeliveryOver { key }),
            None => return Err(Refusal::UnknownDelivery { key }),
        },
    };
    if attempt == 0 || attempt > delivery.attempt {
        return Err(Refusal::UnknownAttempt { key, attempt });
    }
    let late = is_dead || attempt < delivery.attempt;
    Ok((delivery, if late { Attempt::Late } else { Attempt::Current }))
}

/// Decides about an orphaned attempt, by the retry class of its courier.
fn found(turn: &mut Turn, key: Key, attempt: u16, courier: CourierKind) -> Result<(), Refusal> {
    let (delivery, standing) = find(turn, key, attempt)?;
    match standing {
        Attempt::Current => {}
        Attempt::Late => return Err(Refusal::Superseded { key, attempt, current: delivery.attempt }),
    }
    if delivery.standing != Standing::Out {
        return Err(Refusal::Repeated { key });
    }
    let is_over = turn.now >= turn.state.deadline || delivery.expires.is_some_and(|at| at <= turn.now);
    if is_over {
        // Nobody begins again what is given up at once. That only its own time is over is left aside here: a retry would begin
        // work of which nobody knows how far it came.
        step::due(turn, key.lane);
        return Ok(());
    }
    let restart = turn.state.plan.may_restart(delivery.to).then_some(How::Resent);
    let how = match courier {
        CourierKind::Idempotent => Some(How::Resent),
        CourierKind::Resumable if delivery.session.is_some() => Some(How::Resumed),
        CourierKind::Resumable | CourierKind::Neither => restart,
    };
    match how {
        Some(_) if attempt >= bounds::ATTEMPTS_MAX => {
            retry::give_up(turn, key, Reason::AttemptsExhausted);
        }
        Some(how) => turn.attempt_again(key, how),
        None => retry::give_up(turn, key, Reason::MayHaveBegun),
    }
    Ok(())
}

/// Whatever is due by now happens, lane by lane.
fn tick(turn: &mut Turn) {
    let lanes: Vec<_> = turn.state.lanes.iter().map(|lane| lane.id).collect();
    for lane in lanes {
        step::due(turn, lane);
    }
}

fn change(turn: &mut Turn, plan: &Plan, pins: crate::Digest, by: String) -> Result<(), Refusal> {
    plan.check().map_err(Refusal::Plan)?;
    if let Some(name) = what_lacks(&turn.state, plan) {
        return Err(Refusal::PlanLacks { name });
    }
    turn.emit(Event::PlanChanged { by, pins, plan: alloc::boxed::Box::new(plan.clone()) });
    Ok(())
}
