//! One command being decided: a copy of the state that every event is applied to as soon as it is made.
//!
//! Invariant: a lane moves only through `route`, so that every move is an event with its candidates, its winner and its
//! reason, and no move passes a cap.

use alloc::vec::Vec;

use super::{self as step, escalation};
use crate::state::{Lane, OpenQuestion, Phase, State, agent_at};
use crate::{
    AgentId, Does, Ending, Event, Fence, How, Key, LaneId, Limits, Millis, Reason, Role, Step, StepId,
    Target, bounds, evolve,
};

/// A command being decided.
pub(crate) struct Turn {
    pub(crate) state: State,
    pub(crate) events: Vec<Event>,
    pub(crate) now: Millis,
    pub(crate) fence: Fence,
    /// Lanes one of whose branches has ended, and whose join must be looked at.
    pub(crate) joins: Vec<LaneId>,
    routes: u32,
}

/// A move that is to be made.
pub(crate) struct Move<'a> {
    pub(crate) candidates: &'a [Target],
    pub(crate) winner: Target,
    pub(crate) reason: Reason,
    pub(crate) contradiction: bool,
}

impl Move<'_> {
    /// A move without alternatives.
    pub(crate) fn only(winner: Target, reason: Reason) -> Self {
        Move { candidates: &[], winner, reason, contradiction: false }
    }
}

impl Turn {
    pub(crate) fn new(state: &State, fence: Fence, now: Millis) -> Self {
        let state = state.clone();
        Self { state, events: Vec::with_capacity(3), now, fence, joins: Vec::new(), routes: 0 }
    }

    pub(crate) fn emit(&mut self, event: Event) {
        evolve(&mut self.state, &event);
        self.events.push(event);
    }

    pub(crate) fn lane(&self, id: LaneId) -> Option<&Lane> {
        self.state.lane(id)
    }

    pub(crate) fn step_of(&self, id: LaneId) -> Option<&Step> {
        self.state.plan.step(self.lane(id)?.step)
    }

    /// Moves a lane, or has a person asked if something stands in the way.
    pub(crate) fn route(&mut self, id: LaneId, to: &Move<'_>) {
        if self.state.phase != Phase::Running || self.lane(id).is_none() {
            return;
        }
        self.routes += 1;
        if self.routes > bounds::ROUTES_PER_COMMAND_MAX {
            return self.end_run(Ending::Halted(Reason::Runaway));
        }
        if let Some(obstacle) = self.obstacle(id, to.winner) {
            return escalation::ask(self, id, to.candidates, obstacle, Some(to.winner));
        }
        self.routed(id, to);
        match to.winner {
            Target::Step(_)
            | Target::Detour(_)
            | Target::Author
            | Target::Critic
            | Target::Delegate(_)
            | Target::Sender(_)
            | Target::Back
            | Target::Again => step::enter(self, id),
            Target::Join | Target::End => {
                let outcome = self.lane(id).map(|lane| lane.carried.outcome);
                step::end::thread(self, id, outcome.unwrap_or(crate::Outcome::Done));
            }
            Target::Halt => step::end::halt(self, id, to.reason),
            // Whoever wants a person asked goes through `escalation::ask`.
            Target::Person => {}
        }
    }

    /// Records a move.
    pub(crate) fn routed(&mut self, lane: LaneId, to: &Move<'_>) {
        let mut candidates = to.candidates.to_vec();
        if !candidates.contains(&to.winner) {
            candidates.push(to.winner);
        }
        let &Move { winner, reason, contradiction, .. } = to;
        self.emit(Event::Routed { lane, candidates, winner, reason, contradiction });
    }

    /// Target of a lane when its step is over: the next step, back, the join, or the end.
    pub(crate) fn onward(&self, id: LaneId) -> Target {
        let Some(lane) = self.lane(id) else { return Target::End };
        match self.step_of(id).and_then(|step| step.next) {
            Some(next) => Target::Step(next),
            None => Self::thread_end(lane),
        }
    }

    /// Target of a lane when nothing follows.
    pub(crate) fn thread_end(lane: &Lane) -> Target {
        if lane.is_on_detour() {
            Target::Back
        } else if lane.parent.is_some() {
            Target::Join
        } else {
            Target::End
        }
    }

    /// True if the cap that stopped a lane still would: a changed plan may have raised it meanwhile.
    pub(crate) fn is_used_up(&self, id: LaneId, question: &OpenQuestion) -> bool {
        let state = &self.state;
        if question.reason == Reason::HandoffsExhausted {
            state.handoffs >= state.caps.handoffs
        } else if question.reason == Reason::TokensExhausted {
            state.caps.tokens.is_some_and(|max| state.tokens >= max)
        } else if question.reason == Reason::TimeExhausted {
            // What stood still is given back with the answer.
            let stood = state.people_since.map_or(0, |since| self.now.0.saturating_sub(since.0));
            self.now >= state.deadline.after(stood)
        } else if let Some(wanted) = question.wanted {
            self.obstacle(id, wanted) == Some(question.reason)
        } else {
            true
        }
    }

    /// Obstacle to a move, found before any agent is started.
    fn obstacle(&self, id: LaneId, target: Target) -> Option<Reason> {
        let lane = self.lane(id)?;
        if matches!(target, Target::Person | Target::Join | Target::End | Target::Halt) {
            return None;
        }
        let entered = self.state.entered(id, target);
        let is_end = entered.is_some_and(|step| self.is_end(step));
        if self.now >= self.state.deadline && !is_end {
            return Some(Reason::TimeExhausted);
        }
        if entered.is_some_and(|step| self.visits_left(step) == Some(0)) {
            return Some(Reason::VisitsExhausted);
        }
        if matches!(target, Target::Detour(_) | Target::Delegate(_) | Target::Sender(_))
            && lane.nesting() >= bounds::NESTING_MAX
        {
            return Some(Reason::NestingExhausted);
        }
        let (receiver, _) = self.receiver(lane, target, entered)?;
        self.exhausted(lane, receiver)
    }

    /// The cap that a handoff to this agent would break.
    fn exhausted(&self, lane: &Lane, to: AgentId) -> Option<Reason> {
        let state = &self.state;
        if state.handoffs >= state.caps.handoffs {
            return Some(Reason::HandoffsExhausted);
        }
        if state.caps.tokens.is_some_and(|max| state.tokens >= max) {
            return Some(Reason::TokensExhausted);
        }
        let from = lane.carried.from.filter(|&from| from != to)?;
        let pair = state.pair(from, to)?;
        if pair.handoffs >= state.caps.pair {
            return Some(Reason::PairExhausted);
        }
        // Ping-pong is not mere alternation: both directions repeat what they handed over before.
        lane.is_ping_pong(from, to).then_some(Reason::PingPong)
    }

    fn visits_left(&self, step: StepId) -> Option<u16> {
        let max = self.state.plan.step(step)?.visits_max?;
        let count = self.state.counts.get(usize::from(step.0))?;
        Some(max.saturating_add(count.visits_more).saturating_sub(count.visits))
    }

    fn is_end(&self, step: StepId) -> bool {
        matches!(self.state.plan.step(step).map(|step| &step.does), Some(Does::End(_)))
    }

    /// The agent that would work if the lane moved there, if one would.
    fn receiver(&self, lane: &Lane, target: Target, entered: Option<StepId>) -> Option<(AgentId, Role)> {
        let plan = &self.state.plan;
        match target {
            Target::Step(_) | Target::Detour(_) => agent_at(plan, entered?, &[]),
            Target::Author | Target::Critic => match &plan.step(lane.step)?.does {
                Does::Microloop(microloop) if target == Target::Author => {
                    Some((microloop.author, Role::Work))
                }
                Does::Microloop(microloop) => Some((microloop.critic, Role::Review)),
                Does::Pass(_)
                | Does::Gate(_)
                | Does::Parallel(_)
                | Does::Wait(_)
                | Does::Escalate
                | Does::End(_) => None,
            },
            Target::Delegate(to) => Some((to, Role::Delegated)),
            Target::Sender(to) => Some((to, Role::Question)),
            Target::Back => {
                let (step, frames) = lane.after_back();
                agent_at(plan, step, frames)
            }
            Target::Again => agent_at(plan, lane.step, &lane.frames),
            Target::Person | Target::Join | Target::End | Target::Halt => None,
        }
    }

    /// A number that was never given in this run.
    pub(crate) fn number(&self) -> u32 {
        self.state.next_number
    }

    /// Hands the lane's work to an agent.
    pub(crate) fn deliver(&mut self, id: LaneId, to: AgentId, role: Role) {
        let Some(lane) = self.lane(id) else { return };
        let key = Key { number: self.number(), lane: id, step: lane.step };
        let limits = self.step_of(id).map(|step| step.limits);
        let event = Event::DeliveryStarted {
            key,
            attempt: 1,
            fence: self.fence,
            to,
            role,
            how: How::First,
            due: self.due(limits),
            expires: self.expires(limits),
        };
        self.emit(event);
    }

    fn due(&self, limits: Option<Limits>) -> Option<Millis> {
        limits.and_then(|limits| limits.attempt_ms).map(|span_ms| self.now.after(span_ms))
    }

    fn expires(&self, limits: Option<Limits>) -> Option<Millis> {
        limits.and_then(|limits| limits.expires_ms).map(|span_ms| self.now.after(span_ms))
    }

    /// Begins another attempt of an open or dead delivery.
    pub(crate) fn attempt_again(&mut self, key: Key, how: How) {
        let Some(lane) = self.lane(key.lane) else { return };
        let delivery = self.state.delivery(key).or(lane.dead.as_ref().filter(|dead| dead.key == key));
        let Some(delivery) = delivery else { return };
        let (to, role) = (delivery.to, delivery.role);
        let limits = self.step_of(key.lane).map(|step| step.limits);
        let expires = match how {
            // A person's word makes a new beginning, also of its time: what had expired would expire again at once.
            How::Asked | How::Answered => self.expires(limits),
            How::First | How::Retry | How::Resent | How::Resumed | How::Interrupted => delivery.expires,
        };
        let event = Event::DeliveryStarted {
            key,
            attempt: delivery.attempt.saturating_add(1),
            fence: self.fence,
            to,
            role,
            how,
            due: self.due(limits),
            expires,
        };
        self.emit(event);
    }

    /// Stops the deliveries of these lanes.
    pub(crate) fn stop_deliveries(&mut self, lanes: &[LaneId]) {
        for &id in lanes {
            if let Some(crate::state::Doing::Delivery(delivery)) = self.lane(id).map(|lane| &lane.doing) {
                let key = delivery.key;
                self.emit(Event::DeliveryStopped { key });
            }
        }
    }

    /// Ends the run; whatever is open is stopped.
    pub(crate) fn end_run(&mut self, ending: Ending) {
        let lanes: Vec<LaneId> = self.state.lanes.iter().map(|lane| lane.id).collect();
        self.stop_deliveries(&lanes);
        self.emit(Event::RunEnded { at: self.now, ending });
    }
}
