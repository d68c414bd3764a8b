//! A run that is told by hand: commands in, events out, and what must always hold after each of them.

use std::collections::BTreeSet;

use baton_kernel::{
    By, Choice, Command, CourierKind, Digest, Ending, Event, Facts, Failure, FailureKind, Fence, GateAnswer,
    How, Key, LaneId, Millis, Outcome, OwedDelivery, OwedGate, OwedQuestion, Pending, Plan, Reason, Refusal,
    Report, State, Target, What, decide, evolve, pending, position,
};

/// A run with its whole history.
#[derive(Clone)]
pub(crate) struct Story {
    pub(crate) state: State,
    pub(crate) events: Vec<Event>,
    pub(crate) now: Millis,
    pub(crate) fence: Fence,
}

impl Story {
    /// A run of this plan that has just started.
    pub(crate) fn of(plan: Plan) -> Self {
        let mut story =
            Self { state: State::new(), events: Vec::new(), now: Millis(1_000_000), fence: Fence(1) };
        let run = "run-1".to_owned();
        story.must(What::Start { run, plan: Box::new(plan), pins: digest(1), input: digest(2) });
        story
    }

    /// Says something to the kernel.
    pub(crate) fn say(&mut self, what: What) -> Result<Vec<Event>, Refusal> {
        let before = self.state.clone();
        let idle = what == What::Tick && !self.owed().is_due;
        let what_else = what != What::Tick;
        let command = Command { fence: self.fence, what };
        let decided = decide(&self.state, &command, self.now);
        assert_eq!(self.state, before, "deciding changes nothing");
        let events = decided?;
        assert!(!idle || events.is_empty(), "nothing happens before it is due");
        assert!(what_else || idle || !events.is_empty(), "what is due happens");
        for event in &events {
            evolve(&mut self.state, event);
        }
        self.events.extend(events.iter().cloned());
        self.holds();
        Ok(events)
    }

    /// Says something that the kernel must not refuse.
    pub(crate) fn must(&mut self, what: What) -> Vec<Event> {
        self.say(what.clone()).unwrap_or_else(|refusal| panic!("{what:?}: {refusal}"))
    }

    /// What must hold after every command.
    fn holds(&self) {
        let owed = self.owed();
        let owes = !owed.deliveries.is_empty()
            || !owed.gates.is_empty()
            || !owed.questions.is_empty()
            || !owed.values.is_empty()
            || !owed.timers.is_empty();
        assert_eq!(owes, self.state.is_running(), "a run owes something exactly while it is running");
        let position = position(&self.state);
        let mut once = BTreeSet::new();
        for step in position.current.iter().chain(&position.completed).chain(&position.remaining) {
            assert!(once.insert(step), "a step is only one of current, completed and remaining");
        }
    }

    /// The state that a replay of all events gives.
    pub(crate) fn replayed(&self) -> State {
        let mut state = State::new();
        for event in &self.events {
            evolve(&mut state, event);
        }
        state
    }

    pub(crate) fn owed(&self) -> Pending {
        pending(&self.state, self.now)
    }

    /// The attempt that is under way at this agent.
    pub(crate) fn with(&self, agent: &str) -> OwedDelivery {
        let id = self.state.plan().agent_named(agent).unwrap();
        let mut owed = self.owed().deliveries;
        owed.retain(|delivery| delivery.to == id);
        assert_eq!(owed.len(), 1, "attempts at {agent}: {owed:?}");
        owed.remove(0)
    }

    /// The agents at work, in the order of their deliveries.
    pub(crate) fn at_work(&self) -> Vec<String> {
        let agents = &self.state.plan().agents;
        self.owed().deliveries.iter().map(|owed| agents[usize::from(owed.to.0)].name.clone()).collect()
    }

    pub(crate) fn gate(&self) -> OwedGate {
        let mut gates = self.owed().gates;
        assert_eq!(gates.len(), 1, "{gates:?}");
        gates.remove(0)
    }

    pub(crate) fn question(&self) -> OwedQuestion {
        let mut questions = self.owed().questions;
        assert_eq!(questions.len(), 1, "{questions:?}");
        questions.remove(0)
    }

    pub(crate) fn report(&mut self, agent: &str, report: Report) -> Result<Vec<Event>, Refusal> {
        let owed = self.with(agent);
        self.say(What::Report { key: owed.key, attempt: owed.attempt, report })
    }

    /// An agent answers.
    pub(crate) fn answer(&mut self, agent: &str, facts: Facts) -> Vec<Event> {
        self.report(agent, Report::Answer(facts)).unwrap()
    }

    /// An agent is done, with a content that is new.
    pub(crate) fn done(&mut self, agent: &str) -> Vec<Event> {
        let facts = done(self.fresh());
        self.answer(agent, facts)
    }

    /// A content that no event has named.
    pub(crate) fn fresh(&self) -> u64 {
        1_000_000 + self.events.len() as u64
    }

    /// An attempt fails.
    pub(crate) fn fails(&mut self, agent: &str, recoverable: bool) -> Vec<Event> {
        let failure = Failure { kind: FailureKind::Courier, recoverable, signature: None, tokens: 0 };
        self.report(agent, Report::Failure(failure)).unwrap()
    }

    /// Time passes and somebody looks at it.
    pub(crate) fn pass(&mut self, span_ms: u64) -> Vec<Event> {
        self.now = self.now.after(span_ms);
        self.must(What::Tick)
    }

    /// Time passes until something is due, and it happens.
    pub(crate) fn until_due(&mut self) -> Vec<Event> {
        self.now = self.now.max(self.owed().next_due.unwrap());
        self.must(What::Tick)
    }

    pub(crate) fn found(&mut self, agent: &str, courier: CourierKind) -> Vec<Event> {
        let owed = self.with(agent);
        self.must(What::Found { key: owed.key, attempt: owed.attempt, courier })
    }

    pub(crate) fn at_gate(&mut self, answer: GateAnswer) -> Result<Vec<Event>, Refusal> {
        let gate = self.gate();
        self.say(What::AnswerGate { gate: gate.gate, answer, shown: gate.shown.unwrap(), by: ada() })
    }

    pub(crate) fn choose(&mut self, choice: Choice) -> Result<Vec<Event>, Refusal> {
        self.choose_more(choice, None)
    }

    pub(crate) fn choose_more(&mut self, choice: Choice, more: Option<u64>) -> Result<Vec<Event>, Refusal> {
        let ask = self.question().ask;
        self.say(What::AnswerPerson { ask, choice, by: ada(), content: None, more })
    }

    pub(crate) fn ending(&self) -> &Ending {
        self.state.ending().unwrap_or_else(|| panic!("the run goes on: {:?}", self.owed()))
    }

    /// Where the last routing decision went, and why.
    pub(crate) fn last_route(&self) -> (Target, Reason) {
        let route = self.events.iter().rev().find_map(|event| match event {
            Event::Routed { winner, reason, .. } => Some((*winner, *reason)),
            _ => None,
        });
        route.unwrap()
    }

    /// The names of the steps that lanes are at.
    pub(crate) fn current(&self) -> Vec<&str> {
        self.names(&position(&self.state).current)
    }

    pub(crate) fn names(&self, steps: &[baton_kernel::StepId]) -> Vec<&str> {
        steps.iter().map(|&step| self.state.plan().step(step).unwrap().name.as_str()).collect()
    }

    pub(crate) fn count(&self, is: impl Fn(&Event) -> bool) -> usize {
        self.events.iter().filter(|event| is(event)).count()
    }
}

pub(crate) fn digest(number: u64) -> Digest {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    Digest(bytes)
}

pub(crate) fn done(content: u64) -> Facts {
    Facts::new(Outcome::Done, digest(content))
}

pub(crate) fn outcome(outcome: Outcome, content: u64) -> Facts {
    Facts::new(outcome, digest(content))
}

/// A critic's concerns.
pub(crate) fn concerns(content: u64, further_help: bool) -> Facts {
    Facts { further_help: Some(further_help), ..outcome(Outcome::Concerns, content) }
}

pub(crate) fn ada() -> By {
    By::Person("ada".to_owned())
}

pub(crate) fn main_lane() -> LaneId {
    LaneId(0)
}

/// The attempts that an answer or tick began.
pub(crate) fn started(events: &[Event]) -> Vec<(Key, u16, How)> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::DeliveryStarted { key, attempt, how, .. } => Some((*key, *attempt, *how)),
            _ => None,
        })
        .collect()
}
