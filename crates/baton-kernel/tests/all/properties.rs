//! What holds of any run of any plan, whatever is said to it in whatever order.

use std::collections::{BTreeMap, BTreeSet};

use baton_kernel::{
    AgentId, AskId, Builder, By, Choice, CourierKind, Does, Doing, Event, Facts, Failure, FailureKind, Frame,
    GateAnswer, GateId, GateKind, Held, How, Join, Key, LaneId, OnCap, OnFail, OnTimeout, OnUnknown, Outcome,
    Plan, Reason, Recommendation, Refusal, Report, Rework, Route, Stage, State, Status, Step, StepId, Target,
    Truth, What, When, bounds, evolve,
};
use proptest::prelude::*;

use crate::story::{Story, ada, digest, started};

/// Numbers that decide everything, in the order in which they are asked for; then zeros.
struct Dice(std::vec::IntoIter<u32>);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0.next().map_or(0, |number| number as usize % sides.max(1))
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 1
    }

    fn step(&mut self, steps: usize) -> StepId {
        StepId(u16::try_from(self.below(steps)).unwrap())
    }
}

const OUTCOMES: [Outcome; 7] = [
    Outcome::Done,
    Outcome::Concerns,
    Outcome::Partial,
    Outcome::Blocked,
    Outcome::Failed,
    Outcome::Skipped,
    Outcome::Running,
];

fn any_plan(dice: &mut Dice) -> Plan {
    let mut plan = Plan::named("any");
    let agents: Vec<AgentId> = ["a", "b", "c"].iter().map(|name| plan.agent(name)).collect();
    if dice.once_in(2) {
        plan.safe_to_restart(agents[0]);
    }
    let steps = 2 + dice.below(6);
    for number in 0..steps {
        any_step(dice, &mut plan, &agents, number, steps);
    }
    plan.caps(|caps| {
        caps.handoffs = 1 + u32::try_from(dice.below(40)).unwrap();
        caps.pair = 1 + u32::try_from(dice.below(20)).unwrap();
        caps.time_ms = 1_000 * (1 + dice.below(2_000) as u64);
        caps.tokens = dice.once_in(3).then_some(200);
    });
    // What the dice made may not hold together: an end as a branch, say. Then it is mended.
    match plan.clone().build() {
        Ok(plan) => plan,
        Err(_) => {
            for step in 0..steps {
                plan.change(StepId(u16::try_from(step).unwrap()), |step| {
                    if matches!(step.does, Does::End(_)) {
                        step.does = Does::Escalate;
                    }
                });
            }
            plan.build().unwrap()
        }
    }
}

fn any_step(dice: &mut Dice, plan: &mut Builder, agents: &[AgentId], number: usize, steps: usize) {
    let name = format!("step {number}");
    let id = match dice.below(10) {
        0 => {
            let kind = match dice.below(3) {
                0 => GateKind::Blocking,
                1 => GateKind::Informative,
                _ => GateKind::Auto(vec!["tests".to_owned()]),
            };
            let on_reject = dice.once_in(2).then(|| dice.step(steps));
            let due_ms = (kind == GateKind::Informative || dice.once_in(2)).then_some(3_000);
            plan.step(&name, Does::Gate(baton_kernel::Gate { kind, due_ms, on_reject }))
        }
        1 | 2 => {
            let branches: Vec<StepId> = (0..1 + dice.below(3)).map(|_| dice.step(steps)).collect();
            let quorum = Join::Quorum(u16::try_from(1 + dice.below(branches.len())).unwrap());
            let join = dice.pick(&[
                Join::AllComplete,
                Join::AllVerified,
                Join::AnyVerified,
                Join::First,
                quorum,
                Join::AllMustPass,
                Join::AnyPass,
                Join::MajorityPass,
                Join::Expression,
            ]);
            let status = dice.pick(&[Status::Worst, Status::Best]);
            let on_fail = dice.pick(&[OnFail::Ask, OnFail::Halt, OnFail::Step(StepId(0))]);
            let on_unknown = some_on_unknown(branches.len());
            plan.step(
                &name,
                Does::Parallel(baton_kernel::Parallel {
                    branches,
                    join,
                    expression: None,
                    on_unknown,
                    status,
                    on_fail,
                }),
            )
        }
        3 | 4 => {
            let (author, critic) = (dice.pick(agents), dice.pick(agents));
            let id = plan.microloop(&name, author, critic);
            let on_cap = dice.pick(&[OnCap::GoOn, OnCap::Ask]);
            let rounds_max = dice.pick(&[2, 3]);
            plan.change(id, |step| {
                if let Does::Microloop(microloop) = &mut step.does {
                    microloop.on_cap = on_cap;
                    microloop.rounds_max = rounds_max;
                }
            });
            id
        }
        5 => plan.wait(&name, 1_000),
        6 if dice.once_in(3) => plan.escalate(&name),
        7 if dice.once_in(3) => plan.end(&name, Outcome::Done),
        _ => {
            let agent = dice.pick(agents);
            let id = plan.pass(&name, agent);
            let (route, rework) = (dice.once_in(3), dice.once_in(4));
            let to = dice.step(steps);
            let on_unknown = some_on_unknown(usize::from(to.0));
            plan.change(id, |step| {
                if let Does::Pass(pass) = &mut step.does {
                    if route {
                        pass.routes.push(Route::new(When::Decision("back".to_owned()), to));
                        let when = When::Holds("small".to_owned());
                        pass.routes.push(Route { when, to, on_unknown });
                    }
                    pass.rework = rework.then_some(Rework { to, max: 1 });
                }
            });
            id
        }
    };
    let next = (!dice.once_in(4)).then(|| dice.step(steps));
    let visits = dice.once_in(3).then_some(2);
    let detour = dice.once_in(2).then(|| dice.step(steps));
    let on_timeout = dice.pick(&[OnTimeout::Retry, OnTimeout::Stop, OnTimeout::Ask]);
    let (attempt_ms, expires_ms) = (dice.once_in(3).then_some(2_000), dice.once_in(5).then_some(9_000));
    plan.change(id, |step| {
        step.next = next;
        step.visits_max = visits;
        step.limits = baton_kernel::Limits { attempt_ms, on_timeout, expires_ms };
    });
    if let Some(to) = detour {
        plan.detour(id, "side", to).change(id, |step| {
            if let Does::Microloop(microloop) = &mut step.does {
                microloop.on_stall = Some("side".to_owned());
            }
        });
    }
}

fn any_facts(dice: &mut Dice) -> Facts {
    use Recommendation::{Ask, Continue, Detour, Escalate, Repeat, Stop};
    let outcome = if dice.once_in(2) { Outcome::Done } else { dice.pick(&OUTCOMES) };
    let recommendations =
        [None, None, None, Some(Continue), Some(Repeat), Some(Detour), Some(Escalate), Some(Ask), Some(Stop)];
    Facts {
        recommendation: dice.pick(&recommendations),
        further_help: dice.pick(&[None, Some(true), Some(false)]),
        decision: dice.once_in(3).then(|| "back".to_owned()),
        delegate: dice.once_in(6).then(|| dice.pick(&["a", "b", "nobody"]).to_owned()),
        signature: dice.once_in(2).then(|| "same".to_owned()),
        tokens: dice.below(30) as u64,
        recoverable: dice.once_in(2),
        mendable: dice.once_in(2),
        held: vec![Held { name: "small".to_owned(), truth: any_truth(dice) }],
        ..Facts::new(outcome, digest(dice.below(30) as u64))
    }
}

fn any_truth(dice: &mut Dice) -> Truth {
    dice.pick(&[Truth::Holds, Truth::Fails, Truth::Unknown("no number".to_owned())])
}

fn some_on_unknown(number: usize) -> OnUnknown {
    [OnUnknown::Ask, OnUnknown::Ask, OnUnknown::Holds, OnUnknown::Fails][number % 4]
}

fn any_report(dice: &mut Dice) -> Report {
    match dice.below(12) {
        0 => Report::Session(dice.pick(&["s", "t"]).to_owned()),
        1 => Report::Acknowledge(dice.pick(&[Stage::Received, Stage::Accepted, Stage::Started])),
        2 => Report::Progress,
        3 => Report::Draft(digest(1)),
        4 => Report::Question(digest(dice.below(9) as u64)),
        5 => {
            let kind = FailureKind::Courier;
            let recoverable = dice.once_in(2);
            Report::Failure(Failure { kind, recoverable, signature: None, tokens: 1 })
        }
        _ => Report::Answer(any_facts(dice)),
    }
}

/// Something that fits what the run owes, or, now and then, anything at all.
fn any_command(dice: &mut Dice, story: &mut Story) -> What {
    let owed = story.owed();
    let wild = dice.once_in(8);
    let number = u32::try_from(dice.below(60)).unwrap();
    let by = if dice.once_in(10) { By::Agent("a".to_owned()) } else { ada() };
    match dice.below(16) {
        0..=7 => {
            let (mut key, mut attempt) = match owed.deliveries.get(dice.below(owed.deliveries.len())) {
                Some(owed) => (owed.key, owed.attempt),
                None => (Key { number, lane: LaneId(0), step: StepId(0) }, 1),
            };
            if wild {
                attempt = u16::try_from(dice.below(4)).unwrap();
                key.number = if dice.once_in(2) { number } else { key.number };
            }
            if dice.once_in(9) {
                let kinds = [CourierKind::Idempotent, CourierKind::Resumable, CourierKind::Neither];
                return What::Found { key, attempt, courier: dice.pick(&kinds) };
            }
            What::Report { key, attempt, report: any_report(dice) }
        }
        8 | 9 => {
            let open = owed.gates.get(dice.below(owed.gates.len())).cloned();
            let gate = open.as_ref().filter(|_| !wild).map_or(GateId(number), |gate| gate.gate);
            let shown = open.as_ref().and_then(|gate| gate.shown);
            match dice.below(4) {
                0 => What::ShowAtGate { gate, shown: digest(dice.below(5) as u64) },
                1 => {
                    let checks = vec![Held { name: "tests".to_owned(), truth: any_truth(dice) }];
                    What::CheckGate { gate, shown, checks }
                }
                _ => {
                    let answers = [GateAnswer::Approve, GateAnswer::Reject, GateAnswer::Question];
                    let shown = shown.unwrap_or(digest(3));
                    What::AnswerGate { gate, answer: dice.pick(&answers), shown, by }
                }
            }
        }
        10 | 11 => {
            let open = owed.questions.get(dice.below(owed.questions.len())).cloned();
            if let Some(key) = open.as_ref().and_then(|question| question.dead)
                && dice.once_in(2)
            {
                return What::Retry { key, by };
            }
            let ask = open.filter(|_| !wild).map_or(AskId(number), |question| question.ask);
            let go = Choice::Go(dice.step(9));
            let choice = dice.pick(&[Choice::Again, Choice::GoOn, go, Choice::Again, Choice::GoOn]);
            What::AnswerPerson { ask, choice, by, content: None, more: dice.once_in(2).then_some(1) }
        }
        12 => {
            let lane = owed.values.first().copied().unwrap_or(LaneId(number));
            What::JoinValue { lane, truth: any_truth(dice) }
        }
        13 if dice.once_in(12) => What::Cancel { by },
        _ => {
            // Clocks go on, stand still, and now and then go back.
            story.now = match dice.below(6) {
                0 => story.now,
                1 => baton_kernel::Millis(story.now.0.saturating_sub(5_000)),
                2 => owed.next_due.unwrap_or(story.now),
                _ => story.now.after(1_000 * dice.below(30) as u64),
            };
            What::Tick
        }
    }
}

/// What is kept beside the kernel to hold it to its word.
#[derive(Default)]
struct Watch {
    /// The state before the event that is looked at.
    state: State,
    numbers: BTreeSet<u32>,
    attempts: BTreeMap<Key, u16>,
    answered: BTreeSet<Key>,
    decided: BTreeSet<GateId>,
    pairs: BTreeMap<(AgentId, AgentId), u32>,
    raised: u32,
    /// Lanes whose gate was decided, but which something kept from going on.
    passed: BTreeSet<LaneId>,
    /// Whether a person just sent a lane to a step, or halted the run.
    gone: bool,
}

impl Watch {
    fn sees(&mut self, story: &Story, events: &[Event]) {
        for (place, event) in events.iter().enumerate() {
            let json = serde_json::to_string(event).unwrap();
            assert_eq!(&serde_json::from_str::<Event>(&json).unwrap(), event);
            self.sees_event(event, events.get(place.wrapping_sub(1)));
            self.sees_gate_left(event);
            evolve(&mut self.state, event);
        }
        for (key, attempt, how) in started(events) {
            let Some(delivery) = story.state.delivery(key).filter(|_| attempt == 1 && how == How::First)
            else {
                continue;
            };
            if let Some(from) = delivery.from.filter(|&from| from != delivery.to) {
                let pair = (from.min(delivery.to), from.max(delivery.to));
                *self.pairs.entry(pair).or_default() += 1;
            }
        }
        let caps = story.state.caps();
        assert!(story.state.handoffs() <= caps.handoffs, "handoffs"); // proves S-07
        assert!(self.pairs.values().all(|&handoffs| handoffs <= caps.pair), "pairs"); // proves S-07
        assert!(story.state.lanes().len() <= bounds::LANES_MAX);
        for (number, step) in story.state.plan().steps.iter().enumerate() {
            let visits = u32::from(story.state.visits(StepId(u16::try_from(number).unwrap())));
            // A detour enters without asking the step's own cap: it has one of its own.
            let is_side = story
                .state
                .plan()
                .steps
                .iter()
                .any(|other| other.detours.iter().any(|detour| usize::from(detour.to.0) == number));
            if let Some(max) = step.visits_max.filter(|_| !is_side) {
                assert!(visits <= u32::from(max) + self.raised, "visits"); // proves S-07
            }
        }
        for lane in story.state.lanes() {
            assert_ne!(lane.doing, Doing::Between, "a lane is left on its way");
            for frame in &lane.frames {
                if let Frame::Loop(frame) = frame {
                    assert!(frame.rounds() <= frame.rounds_max(), "rounds"); // proves E-08, S-07
                }
            }
        }
    }

    fn sees_event(&mut self, event: &Event, before: Option<&Event>) {
        match event {
            Event::Routed { candidates, winner, reason, .. } => {
                assert!(candidates.contains(winner)); // proves E-09
                if let Some(Event::Joined { lane, unknown: Some(_), .. }) = before {
                    let asks = match self.state.lane(*lane).and_then(|lane| self.state.plan().step(lane.step))
                    {
                        Some(Step { does: Does::Parallel(of), .. }) => of.on_unknown == OnUnknown::Ask,
                        _ => false,
                    };
                    assert!(!asks || *winner == Target::Person, "a join decides by what nobody knows");
                }
                // Nothing goes on from a gate but right behind an answer, a due time, or checks that held.
                let passes = match reason {
                    Reason::GateApproved => {
                        matches!(before, Some(Event::GateAnswered { answer: GateAnswer::Approve, .. }))
                    }
                    Reason::GateUnanswered => matches!(before, Some(Event::GateUnanswered { .. })),
                    Reason::GateChecksHeld => matches!(before, Some(Event::GateChecked { held: true, .. })),
                    _ => true,
                };
                assert!(passes, "a gate passes unanswered"); // proves P-12
            }
            Event::DeliveryStarted { key, attempt, .. } => {
                if *attempt == 1 {
                    assert!(self.numbers.insert(key.number), "a key is used twice"); // proves S-05
                }
                let last = self.attempts.insert(*key, *attempt).unwrap_or(0);
                assert_eq!(*attempt, last + 1, "attempts are counted one by one");
                assert!(*attempt <= bounds::ATTEMPTS_MAX);
                assert!(!self.answered.contains(key), "what is answered begins again"); // proves S-05
            }
            Event::Answered { key, attempt, .. } | Event::Questioned { key, attempt, .. } => {
                assert!(self.answered.insert(*key), "a delivery counts twice"); // proves S-05
                assert_eq!(self.attempts.get(key), Some(attempt));
            }
            Event::GateOpened { gate, .. } => assert!(self.numbers.insert(gate.0)),
            Event::GateAnswered { gate, .. } | Event::GateUnanswered { gate, .. } => {
                assert!(self.decided.insert(*gate), "a gate is decided twice"); // proves P-12
            }
            Event::GateChecked { gate, held: true, checks, .. } => {
                assert!(checks.iter().all(|check| check.truth.holds()), "a gate passes by what nobody knows");
                assert!(self.decided.insert(*gate));
            }
            Event::PersonAsked { ask, lane, wanted, .. } => {
                assert!(self.numbers.insert(ask.0));
                let at = self.state.lane(*lane).and_then(|lane| self.state.plan().step(lane.step));
                let is_gate = at.is_some_and(|step| matches!(step.does, Does::Gate(_)));
                if is_gate && matches!(wanted, Some(Target::Step(_) | Target::Back)) {
                    self.passed.insert(*lane);
                }
            }
            Event::PersonAnswered { more, choice, .. } => {
                self.gone = matches!(choice, Choice::Go(_) | Choice::Halt);
                self.raised += u32::try_from(more.unwrap_or(0)).unwrap();
            }
            Event::BranchEnded { lane, .. } => assert_ne!(*lane, LaneId(0)),
            _ => {}
        }
    }

    /// A lane leaves a gate only because the gate was decided, or because a person sent it to another step.
    fn sees_gate_left(&mut self, event: &Event) {
        let Event::Routed { lane, winner, reason, .. } = event else { return };
        let Some(lane) = self.state.lane(*lane) else { return };
        let step = self.state.plan().step(lane.step).unwrap();
        let in_work = matches!(lane.frames.last(), Some(Frame::Asked { .. } | Frame::Delegation { .. }));
        if !matches!(step.does, Does::Gate(_)) || in_work || *reason == Reason::Forked {
            return;
        }
        let stays = matches!(winner, Target::Person | Target::Again | Target::Sender(_));
        let decided = matches!(
            reason,
            Reason::Started
                | Reason::GateApproved
                | Reason::GateRejected
                | Reason::GateUnanswered
                | Reason::GateChecksHeld
        );
        // What stands in the way behind an answered gate is asked about, and the answer to that leads on.
        let obstacle = self.passed.remove(&lane.id);
        let sent = *reason == Reason::PersonSaid && (obstacle || self.gone);
        assert!(stays || decided || sent || *winner == Target::Join, "a gate is left undecided: {event:?}"); // proves P-12
    }
}

/// Plays a run of these numbers and holds it to its word.
fn play(numbers: Vec<u32>) -> Story {
    let mut dice = Dice(numbers.into_iter());
    let mut story = Story::of(any_plan(&mut dice));
    let mut watch = Watch::default();
    let first = story.events.clone();
    watch.sees(&story, &first);
    while dice.0.len() > 0 && story.state.is_running() {
        let what = any_command(&mut dice, &mut story);
        match story.say(what.clone()) {
            Ok(events) => watch.sees(&story, &events),
            Err(Refusal::Ended | Refusal::NotStarted | Refusal::Started) => {
                panic!("the run is running: {what:?}")
            }
            Err(refusal) => assert!(!refusal.to_string().is_empty()),
        }
    }
    story
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_plan_and_any_commands_keep_every_promise(numbers in proptest::collection::vec(any::<u32>(), 40..600)) {
        let story = play(numbers);
        prop_assert_eq!(story.replayed(), story.state); // proves S-04
    }

    #[test]
    fn any_event_on_any_state_is_taken_in(
        numbers in proptest::collection::vec(any::<u32>(), 40..200),
        order in proptest::collection::vec(any::<prop::sample::Index>(), 0..100),
    ) {
        let story = play(numbers);
        let mut state = State::new();
        for index in order {
            evolve(&mut state, index.get(&story.events));
            let _ = (baton_kernel::pending(&state, story.now), baton_kernel::position(&state));
        }
    }

    #[test]
    fn signatures_are_settled_and_bounded(text in ".{0,300}") {
        let once = baton_kernel::signature(&text);
        prop_assert!(once.len() <= bounds::TEXT_BYTES_MAX);
        prop_assert!(!once.contains('\n'));
    }
}

#[test]
fn runs_of_any_plan_come_to_an_end_if_nobody_raises_a_cap() {
    // Time passes and agents answer; people halt what is asked of them, and lose their patience at gates. Nothing else
    // goes on for ever.
    for seed in 0..300_u32 {
        let numbers: Vec<u32> = (0..200_u32).map(|place| mix(seed, place)).collect();
        let mut dice = Dice(numbers.into_iter());
        let mut story = Story::of(any_plan(&mut dice));
        for _ in 0..2_000 {
            if !story.state.is_running() {
                break;
            }
            let owed = story.owed();
            let what = if let Some(question) = owed.questions.first() {
                let choice = Choice::Halt;
                What::AnswerPerson { ask: question.ask, choice, by: ada(), content: None, more: None }
            } else if let Some(gate) = owed.gates.first() {
                let shown = gate.shown.unwrap_or(digest(1));
                if story.count(|event| matches!(event, Event::GateAnswered { .. })) > 20 {
                    What::Cancel { by: ada() }
                } else if gate.shown.is_none() {
                    What::ShowAtGate { gate: gate.gate, shown }
                } else {
                    What::AnswerGate { gate: gate.gate, answer: GateAnswer::Reject, shown, by: ada() }
                }
            } else if let Some(delivery) = owed.deliveries.first() {
                let report = Report::Answer(Facts::new(Outcome::Done, digest(story.fresh())));
                What::Report { key: delivery.key, attempt: delivery.attempt, report }
            } else if let Some(&lane) = owed.values.first() {
                What::JoinValue { lane, truth: Truth::Fails }
            } else {
                story.now = owed.next_due.unwrap().max(story.now);
                What::Tick
            };
            story.must(what);
        }
        assert!(!story.state.is_running(), "seed {seed} goes on for ever: {:?}", story.owed());
    }
}

/// A number that looks like any other, made of two.
fn mix(seed: u32, place: u32) -> u32 {
    let mut mixed = seed.wrapping_mul(0x9E37_79B9) ^ place.wrapping_mul(0x85EB_CA6B);
    mixed ^= mixed >> 15;
    mixed = mixed.wrapping_mul(0xC2B2_AE35);
    mixed ^ (mixed >> 13)
}

#[test]
fn the_main_lane_is_never_a_branch() {
    let story = play((0..600).map(|place| mix(7, place)).collect());
    assert!(story.events.iter().all(|event| !matches!(event, Event::BranchEnded { lane: LaneId(0), .. })));
    assert!(matches!(
        story.events[1],
        Event::Routed { winner: Target::Step(_), reason: Reason::Started, .. }
    ));
}
