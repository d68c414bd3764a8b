//! Going on with changed files: what the run uses of the old plan is found in the new one by its name.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::discriminant;

use super::{Content, Doing, Frame, Lane, State, StepCount};
use crate::{AgentId, Choice, Does, Plan, StepId, Target};

/// Name of a step or agent that the run uses and the new plan lacks.
pub(crate) fn what_lacks(state: &State, new: &Plan) -> Option<String> {
    let old = &state.plan;
    let step_lacks = |id: StepId| {
        let step = old.step(id)?;
        let same = new.step_named(&step.name).and_then(|id| new.step(id));
        let fits = same.is_some_and(|same| discriminant(&same.does) == discriminant(&step.does));
        (!fits).then(|| step.name.clone())
    };
    let agent_lacks = |id: AgentId| {
        let agent = old.agents.get(usize::from(id.0))?;
        new.agent_named(&agent.name).is_none().then(|| agent.name.clone())
    };
    for lane in &state.lanes {
        let frames = lane.frames.iter().find_map(|frame| match frame {
            Frame::Loop(_) => None,
            Frame::Detour { back } => step_lacks(*back),
            Frame::Delegation { to } | Frame::Asked { to } => agent_lacks(*to),
        });
        let doing = match &lane.doing {
            Doing::Delivery(delivery) => agent_lacks(delivery.to),
            Doing::Join(joining) => {
                let step = old.step(lane.step)?;
                let branches = match new.step_named(&step.name).and_then(|id| new.step(id)).map(|s| &s.does) {
                    Some(Does::Parallel(parallel)) => parallel.branches.len(),
                    Some(
                        Does::Pass(_)
                        | Does::Microloop(_)
                        | Does::Gate(_)
                        | Does::Wait(_)
                        | Does::Escalate
                        | Does::End(_),
                    )
                    | None => 0,
                };
                (branches != joining.results.len()).then(|| step.name.to_string())
            }
            Doing::Between | Doing::Gate(_) | Doing::Wait { .. } | Doing::Person(_) => None,
        };
        let dead = lane.dead.as_ref().and_then(|dead| agent_lacks(dead.to));
        let lacks = step_lacks(lane.step).or(frames).or(doing).or(dead);
        let lacks = lacks.or_else(|| left_branch(state, lane, new));
        if lacks.is_some() {
            return lacks;
        }
    }
    None
}

/// The step that a branch is at, if the new plan does not lead there from where that branch begins: what follows it would be
/// done in the branch and behind its join.
fn left_branch(state: &State, lane: &Lane, new: &Plan) -> Option<String> {
    let parent = state.lane(lane.parent?)?;
    let Doing::Join(joining) = &parent.doing else { return None };
    let named = |id: StepId| new.step_named(&state.plan.step(id)?.name);
    let Does::Parallel(of) = &new.step(named(parent.step)?)?.does else { return None };
    let number = usize::try_from(lane.id.0.checked_sub(joining.first.0)?).ok()?;
    let is_left = !new.leads_to(*of.branches.get(number)?, named(lane.step)?);
    is_left.then(|| state.plan.step(lane.step).map(|step| step.name.clone())).flatten()
}

/// Makes the new plan the run's own. Whatever it lacks keeps its number, so that this never fails; `decide` refuses such
/// a plan before.
pub(crate) fn remap(state: &mut State, new: &Plan) {
    let old = Arc::clone(&state.plan);
    let step = |id: StepId| old.step(id).and_then(|step| new.step_named(&step.name)).unwrap_or(id);
    let known =
        |id: AgentId| old.agents.get(usize::from(id.0)).and_then(|agent| new.agent_named(&agent.name));
    let agent = |id: AgentId| known(id).unwrap_or(id);
    for lane in &mut state.lanes {
        lane.step = step(lane.step);
        lane.carried.from = lane.carried.from.and_then(known);
        let move_to = |content: &mut Content| *content = content.in_plan(&old, new);
        lane.carried.contents.joined_mut().for_each(move_to);
        // The step that what is looked at lies in: a detour leads back into that of the frames below it.
        let mut at = lane.step;
        for frame in lane.frames.iter_mut().rev() {
            match frame {
                Frame::Loop(frame) => {
                    if let Some(Does::Microloop(microloop)) = new.step(at).map(|step| &step.does) {
                        frame.rounds_max = frame.rounds_max.max(microloop.rounds_max);
                    }
                }
                Frame::Detour { back } => {
                    *back = step(*back);
                    at = *back;
                }
                Frame::Delegation { to } | Frame::Asked { to } => *to = agent(*to),
            }
        }
        match &mut lane.doing {
            Doing::Delivery(delivery) => {
                delivery.to = agent(delivery.to);
                delivery.from = delivery.from.and_then(known);
            }
            // What stood in the way is asked again where the plan leads now.
            Doing::Person(question) => {
                question.wanted = question.wanted.and_then(|wanted| still(&old, new, wanted));
            }
            Doing::Join(joining) => {
                joining.ended.iter_mut().for_each(move_to);
                move_answers(&old, new, &mut joining.answers);
                move_answers(&old, new, &mut joining.kept);
            }
            Doing::Between | Doing::Gate(_) | Doing::Wait { .. } => {}
        }
        lane.seen.retain_mut(|seen| {
            let (Some(from), Some(to)) = (known(seen.from), known(seen.to)) else { return false };
            (seen.from, seen.to) = (from, to);
            true
        });
        if let Some(before) = &mut lane.before {
            before.given.from = before.given.from.and_then(known);
            before.given.contents.joined_mut().for_each(move_to);
            move_answers(&old, new, &mut before.answers);
        }
        if let Some(dead) = &mut lane.dead {
            dead.to = agent(dead.to);
            dead.from = dead.from.and_then(known);
        }
    }
    let counts = new.steps.iter().map(|step| counted(state, &old, step)).collect();
    state.counts = counts;
    let pairs = core::mem::take(&mut state.pairs);
    for pair in pairs {
        if let (Some(low), Some(high)) = (known(pair.low), known(pair.high)) {
            state.pairs.push(super::Pair { low: low.min(high), high: low.max(high), ..pair });
        }
    }
    // What people allowed stays allowed; what the new plan allows is allowed too.
    state.caps.handoffs = state.caps.handoffs.max(new.caps.handoffs);
    state.caps.pair = state.caps.pair.max(new.caps.pair);
    state.caps.detours = state.caps.detours.max(new.caps.detours);
    state.caps.retries = new.caps.retries;
    let longer = new.caps.time_ms.saturating_sub(state.caps.time_ms);
    state.caps.time_ms = state.caps.time_ms.saturating_add(longer);
    state.deadline = state.deadline.after(longer);
    state.caps.tokens = match (state.caps.tokens, new.caps.tokens) {
        (Some(had), Some(has)) => Some(had.max(has)),
        (_, has) => has,
    };
    state.plan = Arc::new(new.clone());
}

/// Moves kept answers to the steps of the new plan; what was asked or sent where it has no step is asked again.
fn move_answers(old: &Plan, new: &Plan, answers: &mut Vec<super::Answer>) {
    let moved = |id: StepId| old.step(id).and_then(|step| new.step_named(&step.name));
    answers.retain_mut(|answer| {
        let Some(step) = moved(answer.place.step) else { return false };
        answer.place.step = step;
        match &mut answer.choice {
            Choice::Go(to) => moved(*to).is_some_and(|step| {
                *to = step;
                true
            }),
            Choice::Again | Choice::GoOn | Choice::Halt => true,
        }
    });
}

/// A stopped move in the new plan; detours are only known by their kind, and are asked for again.
fn still(old: &Plan, new: &Plan, wanted: Target) -> Option<Target> {
    match wanted {
        Target::Step(id) => old.step(id).and_then(|step| new.step_named(&step.name)).map(Target::Step),
        Target::Delegate(id) => old
            .agents
            .get(usize::from(id.0))
            .and_then(|agent| new.agent_named(&agent.name))
            .map(Target::Delegate),
        Target::Sender(id) => old
            .agents
            .get(usize::from(id.0))
            .and_then(|agent| new.agent_named(&agent.name))
            .map(Target::Sender),
        Target::Detour(_) => None,
        Target::Author
        | Target::Critic
        | Target::Back
        | Target::Again
        | Target::Person
        | Target::Join
        | Target::End
        | Target::Halt => Some(wanted),
    }
}

fn counted(state: &State, old: &Plan, step: &crate::Step) -> StepCount {
    let Some(id) = old.step_named(&step.name) else { return StepCount::default() };
    let (Some(before), Some(count)) = (old.step(id), state.counts.get(usize::from(id.0))) else {
        return StepCount::default();
    };
    let taken = |kind: &str| {
        let place = before.detours.iter().position(|detour| detour.kind == kind)?;
        count.detours.get(place).copied()
    };
    let detours: Vec<u16> = if count.detours.is_empty() {
        Vec::new()
    } else {
        step.detours.iter().map(|detour| taken(&detour.kind).unwrap_or(0)).collect()
    };
    StepCount { detours, ..count.clone() }
}
