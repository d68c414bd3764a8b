//! Plans that do not hold together are refused before a run starts.

use baton_kernel::{
    AgentId, Does, GateKind, Join, Outcome, Plan, PlanFault, Refusal, Rework, Route, State, StepId, What,
    When, bounds,
};

/// The fault of a sound plan after this change.
fn fault(change: impl FnOnce(&mut Plan)) -> Option<PlanFault> {
    let mut plan = Plan::named("sound");
    let (one, two) = (plan.agent("one"), plan.agent("two"));
    let pass = plan.pass("pass", one);
    let work = plan.microloop("work", one, two);
    let gate = plan.gate("gate", GateKind::Auto(vec!["tests".to_owned()]));
    let fork = plan.parallel("fork", &[pass, work], Join::Quorum(2));
    let wait = plan.wait("wait", 1);
    let end = plan.end("end", Outcome::Done);
    plan.then(pass, gate).then(gate, fork).then(fork, wait).then(wait, end).detour(work, "side", pass);
    let mut plan = plan.build().unwrap();
    change(&mut plan);
    plan.check().err()
}

const NOWHERE: StepId = StepId(99);

fn pass(plan: &mut Plan) -> &mut baton_kernel::Pass {
    match &mut plan.steps[0].does {
        Does::Pass(pass) => pass,
        _ => panic!("the first step passes"),
    }
}

#[test]
fn everything_must_lead_somewhere() {
    let nowhere = |step: &str| Some(PlanFault::Nowhere { step: step.to_owned() });
    assert_eq!(fault(|_| {}), None);
    assert_eq!(fault(|plan| plan.start = NOWHERE), nowhere("sound"));
    assert_eq!(fault(|plan| plan.steps[0].next = Some(NOWHERE)), nowhere("pass"));
    assert_eq!(fault(|plan| pass(plan).agent = AgentId(2)), nowhere("pass"));
    let route = Route::new(When::Decision("x".to_owned()), NOWHERE);
    assert_eq!(fault(|plan| pass(plan).routes.push(route)), nowhere("pass"));
    assert_eq!(fault(|plan| pass(plan).rework = Some(Rework { to: NOWHERE, max: 1 })), nowhere("pass"));
    assert_eq!(fault(|plan| plan.steps[1].detours[0].to = NOWHERE), nowhere("work"));
    for agent in [0, 1] {
        let change = |plan: &mut Plan| {
            if let Does::Microloop(microloop) = &mut plan.steps[1].does {
                *[&mut microloop.author, &mut microloop.critic][agent] = AgentId(9);
            }
        };
        assert_eq!(fault(change), nowhere("work"));
    }
    let stall = |kind: &str| {
        let kind = kind.to_owned();
        move |plan: &mut Plan| {
            if let Does::Microloop(microloop) = &mut plan.steps[1].does {
                microloop.on_stall = Some(kind);
            }
        }
    };
    assert_eq!(fault(stall("unknown")), nowhere("work"));
    assert_eq!(fault(stall("side")), None);
    let reject = |plan: &mut Plan| {
        if let Does::Gate(gate) = &mut plan.steps[2].does {
            gate.on_reject = Some(NOWHERE);
        }
    };
    assert_eq!(fault(reject), nowhere("gate"));
    let branch = |plan: &mut Plan| {
        if let Does::Parallel(parallel) = &mut plan.steps[3].does {
            parallel.branches[1] = NOWHERE;
        }
    };
    assert_eq!(fault(branch), nowhere("fork"));
    let fail = |plan: &mut Plan| {
        if let Does::Parallel(parallel) = &mut plan.steps[3].does {
            parallel.on_fail = baton_kernel::OnFail::Step(NOWHERE);
        }
    };
    assert_eq!(fault(fail), nowhere("fork"));
    let due = |plan: &mut Plan| {
        if let Does::Wait(wait) = &mut plan.steps[4].does {
            wait.on_due = Some(NOWHERE);
        }
    };
    assert_eq!(fault(due), nowhere("wait"));
}

#[test]
fn every_number_is_within_its_bound() {
    let bound = |of: &str| Some(PlanFault::Bound { of: of.to_owned() });
    assert_eq!(fault(|plan| plan.caps.handoffs = 0), bound("sound"));
    assert_eq!(fault(|plan| plan.caps.handoffs = bounds::HANDOFFS_MAX + 1), bound("sound"));
    assert_eq!(fault(|plan| plan.caps.pair = 0), bound("sound"));
    assert_eq!(fault(|plan| plan.caps.pair = bounds::HANDOFFS_MAX + 1), bound("sound"));
    assert_eq!(fault(|plan| plan.caps.time_ms = 0), bound("sound"));
    assert_eq!(fault(|plan| plan.caps.time_ms = bounds::SPAN_MS_MAX + 1), bound("sound"));
    assert_eq!(fault(|plan| plan.caps.tokens = Some(0)), bound("sound"));
    assert_eq!(fault(|plan| plan.caps.retries = bounds::ATTEMPTS_MAX), bound("sound"));
    assert_eq!(fault(|plan| plan.caps.retries = bounds::ATTEMPTS_MAX - 1), None);
    assert_eq!(bounds::SPAN_MS_MAX, 316_224_000_000, "ten years of 366 days");
    assert_eq!(fault(|plan| plan.caps.detours = bounds::ROUNDS_MAX + 1), bound("sound"));
    assert_eq!(fault(|plan| plan.steps[0].visits_max = Some(0)), bound("pass"));
    assert_eq!(fault(|plan| plan.steps[0].limits.attempt_ms = Some(0)), bound("pass"));
    assert_eq!(fault(|plan| plan.steps[0].limits.attempt_ms = Some(bounds::SPAN_MS_MAX + 1)), bound("pass"));
    assert_eq!(fault(|plan| plan.steps[0].limits.expires_ms = Some(0)), bound("pass"));
    let rework = Rework { to: StepId(0), max: bounds::ROUNDS_MAX + 1 };
    assert_eq!(fault(|plan| pass(plan).rework = Some(rework)), bound("pass"));
    for (rounds, expected) in [(0, bound("work")), (1, None), (bounds::ROUNDS_MAX + 1, bound("work"))] {
        let change = |plan: &mut Plan| {
            if let Does::Microloop(microloop) = &mut plan.steps[1].does {
                microloop.rounds_max = rounds;
            }
        };
        assert_eq!(fault(change), expected);
    }
    for (quorum, expected) in [(0, bound("fork")), (1, None), (3, bound("fork"))] {
        let change = |plan: &mut Plan| {
            if let Does::Parallel(parallel) = &mut plan.steps[3].does {
                parallel.join = Join::Quorum(quorum);
            }
        };
        assert_eq!(fault(change), expected);
    }
    let informative = |plan: &mut Plan| {
        if let Does::Gate(gate) = &mut plan.steps[2].does {
            gate.kind = GateKind::Informative;
        }
    };
    assert_eq!(fault(informative), bound("gate"), "without a due time it would be blocking");
    let forever = |plan: &mut Plan| {
        if let Does::Wait(wait) = &mut plan.steps[4].does {
            wait.for_ms = 0;
        }
    };
    assert_eq!(fault(forever), bound("wait"));
}

#[test]
fn names_are_there_once_and_short() {
    let name = |name: &str| Some(PlanFault::Name { name: name.to_owned() });
    assert_eq!(fault(|plan| plan.name.clear()), name(""));
    assert_eq!(fault(|plan| plan.steps[1].name = "pass".to_owned()), name("pass"));
    assert_eq!(fault(|plan| plan.agents[1].name = "one".to_owned()), name("one"));
    let long = "x".repeat(bounds::NAME_BYTES_MAX + 1);
    assert_eq!(fault(|plan| plan.agents[1].name = long), name(&"x".repeat(40)));
    let longest = "x".repeat(bounds::NAME_BYTES_MAX);
    assert_eq!(fault(|plan| plan.agents[1].name = longest), None);
    let route = Route::new(When::Decision(String::new()), StepId(0));
    assert_eq!(fault(|plan| pass(plan).routes.push(route)), name(""));
    let signal = |plan: &mut Plan| {
        if let Does::Wait(wait) = &mut plan.steps[4].does {
            wait.signal = Some(String::new());
        }
    };
    assert_eq!(fault(signal), name(""));
    let twice = |plan: &mut Plan| {
        if let Does::Gate(gate) = &mut plan.steps[2].does {
            gate.kind = GateKind::Auto(vec!["tests".to_owned(), "tests".to_owned()]);
        }
    };
    assert_eq!(fault(twice), name("tests"));
}

#[test]
fn there_are_not_too_many_of_anything() {
    let count = |of: &str, found, max| Some(PlanFault::Count { of: of.to_owned(), found, max });
    assert_eq!(fault(|plan| plan.steps.clear()), count("sound", 0, bounds::STEPS_MAX));
    let agents = |plan: &mut Plan| {
        let agent = plan.agents[0].clone();
        plan.agents.resize(bounds::AGENTS_MAX + 1, agent);
    };
    assert_eq!(fault(agents), count("sound", bounds::AGENTS_MAX + 1, bounds::AGENTS_MAX));
    let routes = |plan: &mut Plan| {
        let route = Route::new(When::Decision("x".to_owned()), StepId(0));
        pass(plan).routes = vec![route; bounds::ROUTES_MAX + 1];
    };
    assert_eq!(fault(routes), count("pass", bounds::ROUTES_MAX + 1, bounds::ROUTES_MAX));
    let detours = |plan: &mut Plan| {
        let detour = plan.steps[1].detours[0].clone();
        plan.steps[1].detours = vec![detour; bounds::ROUTES_MAX + 1];
    };
    assert_eq!(fault(detours), count("work", bounds::ROUTES_MAX + 1, bounds::ROUTES_MAX));
    let branches = |number| {
        move |plan: &mut Plan| {
            if let Does::Parallel(parallel) = &mut plan.steps[3].does {
                parallel.branches = vec![StepId(0); number];
            }
        }
    };
    assert_eq!(fault(branches(0)), count("fork", 0, bounds::LANES_MAX - 1));
    let max = bounds::LANES_MAX - 1;
    assert_eq!(fault(branches(max + 1)), count("fork", max + 1, max));
    let checks = |plan: &mut Plan| {
        if let Does::Gate(gate) = &mut plan.steps[2].does {
            gate.kind = GateKind::Auto(Vec::new());
        }
    };
    assert_eq!(fault(checks), count("gate", 0, bounds::ROUTES_MAX), "no checks would hold always");
}

#[test]
fn what_only_the_kernel_routes_has_no_route_and_no_branch_begins_with_an_end() {
    for outcome in [Outcome::Blocked, Outcome::Running] {
        let route = Route::new(When::Outcome(outcome), StepId(0));
        let routed = fault(|plan| pass(plan).routes.push(route));
        assert_eq!(routed, Some(PlanFault::Route { step: "pass".to_owned() })); // proves E-03
    }
    let empty = |step: &str| Some(PlanFault::Empty { step: step.to_owned() });
    assert_eq!(fault(|plan| plan.steps[1].detours[0].to = StepId(5)), empty("work"));
}

#[test]
fn a_run_with_a_broken_plan_does_not_start() {
    let mut plan = Plan::named("broken");
    plan.pass("pass", AgentId(7));
    let fault = plan.clone().build().unwrap_err();
    assert_eq!(fault.to_string(), "'pass' leads to a step or an agent that does not exist");
    let mut broken = Plan::named("sound");
    let agent = broken.agent("a");
    broken.pass("pass", agent);
    let mut broken = broken.build().unwrap();
    broken.start = NOWHERE;
    let (pins, input) = (crate::story::digest(1), crate::story::digest(2));
    let what = What::Start { run: "r".to_owned(), plan: Box::new(broken), pins, input };
    let command = baton_kernel::Command { fence: baton_kernel::Fence(0), what };
    let refused = baton_kernel::decide(&State::new(), &command, baton_kernel::Millis(0));
    assert!(matches!(refused, Err(Refusal::Plan(_))));
}
