//! What lies in each other and side by side: detours, loops, delegations and questions in branches, and what is left of
//! them when their join is decided (S-05, S-07, E-08 to E-10, P-11).

use baton_kernel::{
    Choice, Does, Event, Facts, GateKind, Join, LaneId, OnCap, Outcome, Plan, Reason, Recommendation,
    Refusal, Report, Truth, What,
};

use crate::story::{Story, ada, concerns, digest, done, outcome};

fn detours(content: u64) -> Facts {
    Facts { recommendation: Some(Recommendation::Detour), ..outcome(Outcome::Concerns, content) }
}

#[test]
fn two_branches_with_the_same_agents_are_no_ping_pong() {
    let mut plan = Plan::named("alike");
    let agents = ["writer", "reader"].map(|name| plan.agent(name));
    let start = plan.pass("start", agents[0]);
    let reads = [plan.pass("read one", agents[1]), plan.pass("read two", agents[1])];
    let notes = [plan.pass("note one", agents[0]), plan.pass("note two", agents[0])];
    let fork = plan.parallel("fork", &reads, Join::AllVerified);
    plan.then(start, fork).then(reads[0], notes[0]).then(reads[1], notes[1]).start(start);
    let mut story = Story::of(plan.build().unwrap());
    story.answer("writer", done(1));
    // Both readers get the same and find the same; neither of them hands anything back and forth.
    for _ in 0..2 {
        let owed = story.owed().deliveries.into_iter().find(|owed| owed.to == agents[1]).unwrap();
        story.must(What::Report { key: owed.key, attempt: 1, report: Report::Answer(done(2)) });
    }
    assert_eq!(story.at_work(), ["writer", "writer"], "{:?}", story.last_route()); // proves S-07
}

#[test]
fn ping_pong_is_found_within_a_branch_whatever_goes_on_beside_it() {
    let mut plan = Plan::named("circle");
    let agents = ["a", "b"].map(|name| plan.agent(name));
    let (one, two) = (plan.pass("one", agents[0]), plan.pass("two", agents[1]));
    let fork = plan.parallel("fork", &[one, one], Join::AllComplete);
    plan.then(one, two).then(two, one).start(fork).caps(|caps| caps.pair = 100);
    let mut story = Story::of(plan.build().unwrap());
    // In the first branch both say the same over and over, in the second they get on.
    for _ in 0..20 {
        for owed in story.owed().deliveries {
            let content = if owed.key.lane == LaneId(1) { u64::from(owed.to.0) } else { story.fresh() };
            story.must(What::Report { key: owed.key, attempt: 1, report: Report::Answer(done(content)) });
        }
    }
    let lanes: Vec<_> = story.state.lanes().iter().map(|lane| lane.id).collect();
    assert_eq!(lanes, [LaneId(0), LaneId(2)], "{:?}", story.last_route()); // proves S-07
    assert_eq!(story.count(|event| matches!(event, Event::Routed { reason: Reason::PingPong, .. })), 1);
}

/// Four steps in a circle, by these agents.
fn circling(names: [&str; 4]) -> Story {
    let mut plan = Plan::named("circling");
    let mut steps = Vec::new();
    let mut known: Vec<(&str, baton_kernel::AgentId)> = Vec::new();
    for (number, name) in names.into_iter().enumerate() {
        let agent = known.iter().find(|(other, _)| *other == name).map(|(_, agent)| *agent);
        let agent = agent.unwrap_or_else(|| plan.agent(name));
        known.push((name, agent));
        steps.push(plan.pass(&format!("step {number}"), agent));
    }
    for (number, &step) in steps.iter().enumerate() {
        plan.then(step, steps[(number + 1) % steps.len()]);
    }
    plan.caps(|caps| caps.pair = 100);
    Story::of(plan.build().unwrap())
}

#[test]
fn two_agents_that_repeat_themselves_are_found_though_one_hands_to_a_third_between() {
    let names = ["a", "b", "a", "c"];
    let mut story = circling(names);
    for (number, name) in (1..).zip(names.into_iter().chain(["a", "b"])) {
        story.answer(name, done(if number > 4 { number - 4 } else { number }));
    }
    assert_eq!(story.question().reason, Reason::PingPong); // proves S-07
}

#[test]
fn a_circle_in_which_nobody_hands_anything_back_is_no_ping_pong() {
    let names = ["a", "b", "c", "d"];
    let mut story = circling(names);
    for number in 0..12 {
        story.answer(names[number % 4], done(number as u64 % 4));
    }
    assert_eq!(story.at_work(), ["a"], "{:?}", story.last_route()); // proves S-07
}

#[test]
fn who_waits_for_an_answer_is_known_in_delegations_and_questions_alone() {
    let mut story = looping(Join::AllComplete);
    let waits = |story: &Story, agent: &str| {
        let lane = story.state.lane(story.with(agent).key.lane).unwrap();
        let plan = story.state.plan();
        lane.waiting(plan).map(|id| plan.agents[usize::from(id.0)].name.clone())
    };
    assert_eq!(waits(&story, "author"), None);
    story.answer("author", Facts { delegate: Some("helper".to_owned()), ..done(1) });
    assert_eq!(waits(&story, "helper").as_deref(), Some("author")); // proves P-11
    story.report("helper", Report::Question(digest(2))).unwrap();
    assert_eq!(waits(&story, "author").as_deref(), Some("helper")); // proves P-11
}

#[test]
fn a_side_step_is_entered_as_often_as_it_may_be_by_detours_too() {
    let mut plan = Plan::named("side");
    let agents = ["a", "b"].map(|name| plan.agent(name));
    let (work, side) = (plan.pass("work", agents[0]), plan.pass("side", agents[1]));
    plan.detour(work, "help", side).change(side, |step| step.visits_max = Some(1));
    let mut story = Story::of(plan.build().unwrap());
    story.answer("a", detours(1));
    story.done("b");
    story.answer("a", detours(2));
    assert_eq!(story.at_work(), Vec::<String>::new());
    assert_eq!(story.question().reason, Reason::VisitsExhausted); // proves S-07
    assert_eq!(story.choose(Choice::GoOn), Err(Refusal::CapHolds));
    story.choose_more(Choice::GoOn, Some(1)).unwrap();
    assert_eq!(story.at_work(), ["b"]);
    story.done("b");
    assert_eq!(story.at_work(), ["a"]);
}

/// A fork of a loop with a detour, beside a plain branch.
fn looping(join: Join) -> Story {
    let mut plan = Plan::named("looping");
    let agents = ["author", "critic", "helper", "beside", "last"].map(|name| plan.agent(name));
    let work = plan.microloop("work", agents[0], agents[1]);
    let side = plan.pass("side", agents[2]);
    let beside = plan.pass("beside", agents[3]);
    let fork = plan.parallel("fork", &[work, beside], join);
    let close = plan.pass("close", agents[4]);
    plan.then(fork, close).detour(work, "help", side).start(fork).change(work, |step| {
        if let Does::Microloop(microloop) = &mut step.does {
            microloop.on_cap = OnCap::GoOn;
        }
    });
    Story::of(plan.build().unwrap())
}

#[test]
fn a_critics_detour_in_a_loop_in_a_branch_counts_as_rounds_and_comes_back_to_the_branch() {
    let mut story = looping(Join::AllComplete);
    story.done("author");
    for round in 1..=2 {
        story.answer("critic", Facts { further_help: Some(true), ..detours(10 + round) });
        assert_eq!(story.at_work(), ["helper", "beside"]);
        story.done("helper");
        assert_eq!(story.at_work(), ["critic", "beside"], "back to who asked"); // proves E-09
    }
    // Three looks are what a critic has, those after detours included.
    story.answer("critic", concerns(20, true));
    assert_eq!(story.at_work(), ["beside"]);
    assert_eq!(story.last_route().1, Reason::RoundsExhausted); // proves E-08
    story.done("beside");
    assert_eq!(story.at_work(), ["last"]);
}

#[test]
fn one_detour_too_many_in_a_branch_ends_the_branch_and_the_run_goes_on() {
    let mut story = looping(Join::AnyVerified);
    for number in 0..2 {
        story.answer("author", detours(30 + number));
        story.done("helper");
    }
    story.answer("author", detours(40));
    assert_eq!(story.last_route().1, Reason::DetoursExhausted); // proves E-09
    assert_eq!(story.at_work(), ["beside"]);
    story.done("beside");
    assert_eq!(story.at_work(), ["last"]); // proves E-10
}

#[test]
fn questions_in_delegations_in_branches_are_answered_and_return_in_order() {
    let mut story = looping(Join::AllComplete);
    story.answer("author", Facts { delegate: Some("helper".to_owned()), ..done(1) });
    story.report("helper", Report::Question(digest(2))).unwrap();
    assert_eq!((story.at_work(), story.with("author").content), (both("author"), Some(digest(2))));
    story.answer("author", Facts { delegate: Some("last".to_owned()), ..done(3) });
    story.report("last", Report::Question(digest(4))).unwrap();
    assert_eq!(story.at_work(), both("author"));
    story.answer("author", done(5));
    assert_eq!((story.at_work(), story.with("last").content), (both("last"), Some(digest(5)))); // proves P-11
    story.answer("last", done(6));
    assert_eq!((story.at_work(), story.with("author").content), (both("author"), Some(digest(6)))); // proves P-11
    story.answer("author", done(7));
    assert_eq!((story.at_work(), story.with("helper").content), (both("helper"), Some(digest(7)))); // proves P-11
    story.answer("helper", done(8));
    assert_eq!((story.at_work(), story.with("author").content), (both("author"), Some(digest(8)))); // proves P-11
    story.answer("author", done(9));
    assert_eq!(story.at_work(), both("critic"));
}

fn both(agent: &str) -> Vec<String> {
    vec![agent.to_owned(), "beside".to_owned()]
}

#[test]
fn a_person_sends_a_branch_to_its_own_steps_alone() {
    let mut plan = Plan::named("own");
    let agents = ["a", "b", "c", "last"].map(|name| plan.agent(name));
    let (one, more) = (plan.pass("one", agents[0]), plan.pass("more", agents[1]));
    let side = plan.pass("side", agents[2]);
    let inner = plan.parallel("inner", &[one], Join::AllComplete);
    let look = plan.gate("look", GateKind::Blocking);
    let wait = plan.wait("wait", 1_000);
    let beside = plan.pass("beside", agents[2]);
    let fork = plan.parallel("fork", &[one, inner, beside], Join::AllComplete);
    let close = plan.pass("close", agents[3]);
    plan.then(fork, close).then(one, look).then(look, wait).detour(one, "help", side).start(fork);
    plan.change(look, |step| {
        if let Does::Gate(gate) = &mut step.does {
            gate.on_reject = Some(more);
        }
    });
    let mut story = Story::of(plan.build().unwrap());
    let asks = Facts { recommendation: Some(Recommendation::Ask), ..outcome(Outcome::Partial, 1) };
    let owed = story.owed().deliveries.into_iter().find(|owed| owed.to == agents[0]).unwrap();
    story.must(What::Report { key: owed.key, attempt: 1, report: Report::Answer(asks) });
    for to in [fork, close, beside, inner] {
        assert_eq!(story.choose(Choice::Go(to)), Err(Refusal::OutsideBranch), "{to:?}"); // proves E-10
    }
    for to in [one, look, wait, more, side] {
        story.clone().choose(Choice::Go(to)).unwrap();
    }
}

#[test]
fn who_is_blocked_and_asks_is_answered_in_a_branch_too() {
    let mut story = looping(Join::AllComplete);
    let asks = Facts { recommendation: Some(Recommendation::Ask), ..outcome(Outcome::Blocked, 1) };
    story.answer("beside", asks);
    assert_eq!(story.question().reason, Reason::Clarify);
    story.choose(Choice::Again).unwrap();
    assert_eq!(story.at_work(), ["author", "beside"], "the same phase again"); // proves X-08
}

#[test]
fn nothing_of_a_branch_is_left_when_its_join_is_decided() {
    let mut plan = Plan::named("left");
    let agents = ["a", "b", "c", "d", "last"].map(|name| plan.agent(name));
    let look = plan.gate("look", GateKind::Informative);
    plan.change(look, |step| {
        if let Does::Gate(gate) = &mut step.does {
            gate.due_ms = Some(10_000);
        }
    });
    let ask = plan.pass("ask", agents[0]);
    let wait = plan.wait("wait", 5_000);
    let delegate = plan.pass("delegate", agents[1]);
    let inner = plan.parallel("inner", &[delegate], Join::AllComplete);
    let quick = plan.pass("quick", agents[3]);
    let fork = plan.parallel("fork", &[look, ask, wait, inner, quick], Join::First);
    let close = plan.pass("close", agents[4]);
    plan.then(fork, close).start(fork);
    let mut story = Story::of(plan.build().unwrap());
    story.answer("a", Facts { recommendation: Some(Recommendation::Ask), ..outcome(Outcome::Partial, 1) });
    story.answer("b", Facts { delegate: Some("c".to_owned()), ..done(2) });
    let (gate, ask, delegated) = (story.gate(), story.question().ask, story.with("c").key);
    story.done("d");
    assert_eq!(story.at_work(), ["last"]); // proves E-10
    assert_eq!(story.state.lanes().len(), 1);
    let owed = story.owed();
    assert_eq!((owed.gates.len(), owed.questions.len(), owed.values.len()), (0, 0, 0));
    assert_eq!(owed.timers.len(), 1, "the time of the run only: {:?}", owed.timers);
    // What comes after all changes nothing, and is told.
    let shown = gate.shown.unwrap();
    let gate = gate.gate;
    let answer = What::AnswerGate { gate, answer: baton_kernel::GateAnswer::Approve, shown, by: ada() };
    assert_eq!(story.say(answer), Err(Refusal::GateOver { gate })); // proves P-12
    let answer = What::AnswerPerson { ask, choice: Choice::Again, by: ada(), content: None, more: None };
    assert_eq!(story.say(answer), Err(Refusal::QuestionOver { ask }));
    let report = Report::Answer(done(3));
    let returned = story.say(What::Report { key: delegated, attempt: 1, report });
    assert_eq!(returned, Err(Refusal::DeliveryOver { key: delegated })); // proves S-05
    story.now = story.now.after(20_000);
    assert_eq!(story.must(What::Tick), [], "no timer of theirs fires");
}

#[test]
fn a_run_that_is_cancelled_while_its_branches_run_owes_nothing() {
    let mut story = looping(Join::Expression);
    story.done("author");
    story.done("beside");
    let mut valued = story.clone();
    valued.done("critic");
    assert_eq!(valued.owed().values, [LaneId(0)]);
    for story in [&mut story, &mut valued] {
        let open = story.owed().deliveries.len();
        let events = story.must(What::Cancel { by: ada() });
        let stopped = events.iter().filter(|event| matches!(event, Event::DeliveryStopped { .. })).count();
        assert_eq!(stopped, open, "each is told once"); // proves S-05
        let value = story.say(What::JoinValue { lane: LaneId(0), truth: Truth::Holds });
        assert_eq!(value, Err(Refusal::Ended));
    }
}
