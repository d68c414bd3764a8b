//! The stored form of events: one of each, against a file that only ever grows.
//!
//! When this fails because something was added, write the new file with `BATON_GOLDEN=write` and look at the difference:
//! lines may be added, none may change.

use baton_kernel::{
    AgentId, AskId, Choice, Counts, Does, Ending, Event, Facts, Failure, FailureKind, Fence, GateAnswer,
    GateId, GateKind, Held, How, Join, Key, LaneId, Millis, OnFail, OnUnknown, Outcome, Plan, Reason,
    Recommendation, Rework, Role, Route, Stage, Status, StepId, Target, Truth, Verdict, When,
};

use crate::story::digest;

const GOLDEN: &str = include_str!("golden.json");

fn plan() -> Plan {
    let mut plan = Plan::named("golden");
    let (one, two) = (plan.agent("one"), plan.agent("two"));
    plan.safe_to_restart(two);
    let pass = plan.pass("pass", one);
    let work = plan.microloop("work", one, two);
    let blocking = plan.gate("blocking", GateKind::Blocking);
    let informative = plan.gate("informative", GateKind::Informative);
    let auto = plan.gate("auto", GateKind::Auto(vec!["tests".to_owned()]));
    let fork = plan.parallel("fork", &[pass], Join::AllVerified);
    let wait = plan.wait("wait", 1_000);
    let ask = plan.escalate("ask");
    let end = plan.end("end", Outcome::Done);
    plan.then(pass, work).then(work, blocking).detour(work, "side", pass);
    plan.change(work, |step| {
        step.visits_max = Some(3);
        step.limits.attempt_ms = Some(60_000);
        step.limits.expires_ms = Some(120_000);
        step.limits.on_timeout = baton_kernel::OnTimeout::Stop;
        if let Does::Microloop(microloop) = &mut step.does {
            microloop.on_stall = Some("side".to_owned());
            microloop.on_cap = baton_kernel::OnCap::Ask;
        }
    });
    plan.then(blocking, informative)
        .then(informative, auto)
        .then(auto, fork)
        .then(fork, wait)
        .then(wait, ask);
    plan.change(informative, |step| {
        if let Does::Gate(gate) = &mut step.does {
            gate.due_ms = Some(1_000);
            gate.on_reject = Some(pass);
        }
    });
    plan.change(wait, |step| {
        if let Does::Wait(wait) = &mut step.does {
            wait.signal = Some("deployed".to_owned());
            wait.on_due = Some(end);
        }
    });
    plan.change(pass, |step| {
        if let Does::Pass(pass) = &mut step.does {
            pass.rework = Some(Rework { to: StepId(0), max: 2 });
            pass.routes.push(Route::new(When::Decision("approved".to_owned()), end));
            pass.routes.push(Route::new(When::Outcome(Outcome::Skipped), end));
            pass.routes.push(Route::new(When::Holds("is small".to_owned()), end));
        }
    });
    let joins = [
        Join::AllComplete,
        Join::AnyVerified,
        Join::First,
        Join::Quorum(1),
        Join::AllMustPass,
        Join::AnyPass,
        Join::MajorityPass,
        Join::Expression,
    ];
    for (number, join) in joins.into_iter().enumerate() {
        let step = plan.parallel(&format!("join {number}"), &[pass], join);
        plan.change(step, |step| {
            if let Does::Parallel(parallel) = &mut step.does {
                parallel.status = Status::Best;
                parallel.on_fail = if number == 0 { OnFail::Halt } else { OnFail::Step(end) };
            }
        });
    }
    plan.then(ask, end).caps(|caps| caps.tokens = Some(1_000_000));
    plan.build().unwrap()
}

fn targets() -> Vec<Target> {
    vec![
        Target::Step(StepId(1)),
        Target::Detour(0),
        Target::Author,
        Target::Critic,
        Target::Delegate(AgentId(1)),
        Target::Sender(AgentId(0)),
        Target::Back,
        Target::Again,
        Target::Person,
        Target::Join,
        Target::End,
        Target::Halt,
    ]
}

/// One of each event, and of each word inside of them that is short enough to list.
fn samples() -> Vec<Event> {
    let key = Key { number: 4, lane: LaneId(0), step: StepId(1) };
    let (lane, gate, ask, at, fence) = (LaneId(0), GateId(5), AskId(6), Millis(1_700_000_000_000), Fence(3));
    let (attempt, by) = (2, "ada".to_owned());
    let facts = Facts {
        recommendation: Some(Recommendation::Repeat),
        further_help: Some(true),
        decision: Some("approved".to_owned()),
        detour: Some("side".to_owned()),
        delegate: Some("two".to_owned()),
        signature: Some("a.rs:#: no".to_owned()),
        tokens: 42,
        recoverable: true,
        mendable: true,
        passed: Some(false),
        held: vec![Held { name: "is small".to_owned(), truth: Truth::Holds }],
        ..Facts::new(Outcome::Concerns, digest(7))
    };
    let failure = Failure {
        kind: FailureKind::Courier,
        recoverable: true,
        signature: Some("no".to_owned()),
        tokens: 1,
    };
    let unusable = Failure { kind: FailureKind::Answer, recoverable: true, signature: None, tokens: 0 };
    let mut events = vec![
        Event::RunStarted {
            run: "run-1".to_owned(),
            at,
            fence,
            pins: digest(1),
            input: digest(2),
            plan: Box::new(plan()),
        },
        Event::PlanChanged { by: by.clone(), pins: digest(3), plan: Box::new(plan()) },
        Event::Routed {
            lane,
            candidates: targets(),
            winner: Target::Author,
            reason: Reason::FurtherHelp,
            contradiction: true,
        },
        Event::DeliveryStarted {
            key,
            attempt,
            fence,
            to: AgentId(1),
            role: Role::Review,
            how: How::Resumed,
            due: Some(at),
            expires: Some(at),
        },
        Event::SessionKnown { key, attempt, session: "s-1".to_owned() },
        Event::Acknowledged { key, attempt, stage: Stage::Accepted },
        Event::Progressed { key, attempt },
        Event::DraftTaken { key, attempt, content: digest(4) },
        Event::Questioned { key, attempt, at, content: digest(5) },
        Event::Answered { key, attempt, at, facts },
        Event::AttemptFailed { key, attempt, at, failure },
        Event::RetryPlanned { key, due: at },
        Event::LateReport { key, attempt },
        Event::DeadLettered { key, reason: Reason::Expired },
        Event::DeliveryStopped { key },
        Event::Bounced { lane, receiver: "nobody".to_owned() },
        Event::GateOpened { gate, lane, at, checking: true, shown: Some(digest(8)), due: Some(at) },
        Event::GateShows { gate, shown: digest(9) },
        Event::GateChecked {
            gate,
            held: false,
            checks: vec![Held { name: "tests".to_owned(), truth: Truth::Fails }],
            at,
        },
        Event::GateOverdue { gate },
        Event::GateUnanswered { gate, at },
        Event::GateAnswered { gate, answer: GateAnswer::Approve, by: by.clone(), shown: digest(9), at },
        Event::Forked { lane, first: LaneId(1), branches: 3 },
        Event::BranchEnded { lane: LaneId(1), verdict: Verdict::Unverified, passed: true },
        Event::ValueAwaited { lane },
        Event::Joined {
            lane,
            passed: true,
            verdict: Verdict::Blocked,
            counts: Counts { total: 3, ended: 3, verified: 1, passed: 2, failed: 1 },
            unknown: None,
        },
        Event::WaitStarted { lane, until: at },
        Event::WaitEnded { lane, signalled: true },
        Event::PersonAsked { ask, lane, at, reason: Reason::Stalled, wanted: Some(Target::Author) },
        Event::PersonAnswered {
            ask,
            choice: Choice::Go(StepId(2)),
            by: by.clone(),
            at,
            content: Some(digest(10)),
            more: Some(5),
            kept: None,
        },
        Event::RunEnded { at, ending: Ending::Finished(Outcome::Done) },
        // What is left out where its default says the same.
        Event::Answered { key, attempt: 1, at, facts: Facts::new(Outcome::Done, digest(7)) },
        Event::DeliveryStarted {
            key,
            attempt: 1,
            fence,
            to: AgentId(0),
            role: Role::Work,
            how: How::First,
            due: None,
            expires: None,
        },
        Event::RunEnded { at, ending: Ending::Halted(Reason::Stop) },
        Event::RunEnded { at, ending: Ending::Cancelled(by.clone()) },
    ];
    events.extend([Choice::Again, Choice::GoOn, Choice::Halt].map(|choice| Event::PersonAnswered {
        ask,
        choice,
        by: by.clone(),
        at,
        content: None,
        more: None,
        kept: None,
    }));
    events.push(Event::AttemptFailed { key, attempt, at, failure: unusable.clone() });
    let interrupted =
        Failure { kind: FailureKind::Interrupted, recoverable: true, signature: None, tokens: 0 };
    events.push(Event::AttemptFailed { key, attempt, at, failure: interrupted });
    let (to, role, how) = (AgentId(0), Role::Work, How::Interrupted);
    events.push(Event::DeliveryStarted { key, attempt, fence, to, role, how, due: None, expires: None });
    let permission = Failure { kind: FailureKind::Permission, recoverable: false, ..unusable };
    events.push(Event::AttemptFailed { key, attempt, at, failure: permission });
    events.push(Event::DeadLettered { key, reason: Reason::PermissionAsked });
    events.push(Event::DeliveryStarted {
        key,
        attempt: 3,
        fence,
        to: AgentId(0),
        role: Role::Work,
        how: How::Answered,
        due: None,
        expires: None,
    });
    events.push(Event::PersonAnswered {
        ask,
        choice: Choice::Again,
        by,
        at,
        content: Some(digest(10)),
        more: None,
        kept: Some(AskId(4)),
    });
    events.extend(unknown());
    events
}

/// What is recorded of expressions that could not be evaluated.
fn unknown() -> [Event; 6] {
    let (lane, at) = (LaneId(0), Millis(1_700_000_000_000));
    let mut plan = Plan::named("unknown");
    let one = plan.agent("one");
    let pass = plan.pass("pass", one);
    let fork = plan.parallel("fork", &[pass], Join::Expression);
    plan.change(pass, |step| {
        if let Does::Pass(pass) = &mut step.does {
            let when = || When::Holds("handoff.small".to_owned());
            pass.routes.push(Route { when: when(), to: fork, on_unknown: OnUnknown::Holds });
            pass.routes.push(Route { when: when(), to: fork, on_unknown: OnUnknown::Fails });
            pass.routes.push(Route { when: when(), to: fork, on_unknown: OnUnknown::Ask });
        }
    });
    plan.change(fork, |step| {
        if let Does::Parallel(parallel) = &mut step.does {
            parallel.on_unknown = OnUnknown::Fails;
        }
    });
    let why = || "handoff.small is missing".to_owned();
    let held = Held { name: "handoff.small".to_owned(), truth: Truth::Unknown(why()) };
    let key = Key { number: 4, lane, step: StepId(1) };
    let facts = Facts { held: vec![held.clone()], ..Facts::new(Outcome::Done, digest(7)) };
    [
        Event::PlanChanged { by: "ada".to_owned(), pins: digest(3), plan: Box::new(plan.build().unwrap()) },
        Event::Answered { key, attempt: 1, at, facts },
        Event::GateChecked { gate: GateId(5), held: false, checks: vec![held], at },
        Event::Joined {
            lane,
            passed: false,
            verdict: Verdict::Verified,
            counts: Counts { total: 1, ended: 1, verified: 1, passed: 1, failed: 0 },
            unknown: Some(why()),
        },
        Event::PersonAsked { ask: AskId(6), lane, at, reason: Reason::ExpressionUnknown, wanted: None },
        Event::Routed {
            lane,
            candidates: vec![Target::End],
            winner: Target::End,
            reason: Reason::UnknownHolds,
            contradiction: false,
        },
    ]
}

/// The number of an event in the list of all; the compiler asks for those that are added.
fn number(event: &Event) -> usize {
    match event {
        Event::RunStarted { .. } => 0,
        Event::PlanChanged { .. } => 1,
        Event::Routed { .. } => 2,
        Event::DeliveryStarted { .. } => 3,
        Event::SessionKnown { .. } => 4,
        Event::Acknowledged { .. } => 5,
        Event::Progressed { .. } => 6,
        Event::DraftTaken { .. } => 7,
        Event::Questioned { .. } => 8,
        Event::Answered { .. } => 9,
        Event::AttemptFailed { .. } => 10,
        Event::RetryPlanned { .. } => 11,
        Event::LateReport { .. } => 12,
        Event::DeadLettered { .. } => 13,
        Event::DeliveryStopped { .. } => 14,
        Event::Bounced { .. } => 15,
        Event::GateOpened { .. } => 16,
        Event::GateShows { .. } => 17,
        Event::GateChecked { .. } => 18,
        Event::GateOverdue { .. } => 19,
        Event::GateUnanswered { .. } => 20,
        Event::GateAnswered { .. } => 21,
        Event::Forked { .. } => 22,
        Event::BranchEnded { .. } => 23,
        Event::ValueAwaited { .. } => 24,
        Event::Joined { .. } => 25,
        Event::WaitStarted { .. } => 26,
        Event::WaitEnded { .. } => 27,
        Event::PersonAsked { .. } => 28,
        Event::PersonAnswered { .. } => 29,
        Event::RunEnded { .. } => 30,
    }
}

#[test]
fn there_is_a_sample_of_each_event() {
    let numbers: Vec<usize> = samples().iter().take(31).map(number).collect();
    assert_eq!(numbers, (0..31).collect::<Vec<_>>());
}

#[test]
fn the_stored_form_of_events_is_the_golden_one() {
    let lines: Vec<String> = samples().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    let written = format!("[\n{}\n]\n", lines.join(",\n"));
    if std::env::var("BATON_GOLDEN").is_ok_and(|golden| golden == "write") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/golden.json");
        std::fs::write(path, &written).unwrap();
    }
    assert_eq!(written, GOLDEN); // proves S-02
    assert_eq!(serde_json::from_str::<Vec<Event>>(GOLDEN).unwrap(), samples()); // proves S-02
}
