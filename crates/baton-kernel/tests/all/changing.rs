//! Going on with changed files, as a recorded choice.

use baton_kernel::{
    By, Choice, Does, Event, Facts, Frame, GateKind, OnCap, Outcome, Plan, Reason, Recommendation, Refusal,
    What,
};

use crate::story::{Story, ada, digest, done};

fn plan(steps: &[&str]) -> Plan {
    let mut plan = Plan::named("changing");
    let agents: Vec<_> = steps.iter().map(|name| plan.agent(&format!("{name}er"))).collect();
    let side = plan.agent("doctor");
    let ids: Vec<_> = steps.iter().zip(&agents).map(|(name, &agent)| plan.pass(name, agent)).collect();
    let mend = plan.pass("mend", side);
    for two in ids.windows(2) {
        plan.then(two[0], two[1]);
    }
    for &id in &ids {
        plan.detour(id, "mend", mend);
    }
    plan.build().unwrap()
}

fn change(plan: Plan) -> What {
    What::ChangePlan { plan: Box::new(plan), pins: digest(9), by: ada() }
}

#[test]
fn a_run_goes_on_with_a_changed_plan_where_it_is() {
    let mut story = Story::of(plan(&["read", "write"]));
    story.done("reader");
    let key = story.with("writeer").key;
    story.answer("writeer", Facts { recommendation: Some(Recommendation::Detour), ..done(3) });
    let events = story.must(change(plan(&["plan", "read", "check", "write", "test"])));
    assert!(matches!(&events[..], [Event::PlanChanged { by, .. }] if by == "ada"));
    assert_eq!(story.state.pins(), digest(9));
    assert_eq!(story.current(), ["mend"]);
    story.done("doctor");
    assert_eq!(story.current(), ["write"]);
    assert_ne!(story.with("writeer").key, key);
    let position = baton_kernel::position(&story.state);
    assert_eq!(story.names(&position.completed), ["read", "mend"]);
    assert_eq!(story.names(&position.remaining), ["test"]);
    story.done("writeer");
    assert_eq!(story.at_work(), ["tester"]);
    assert_eq!(story.replayed(), story.state);
}

#[test]
fn counts_follow_their_steps_and_agents_into_the_changed_plan() {
    let detour = |content| Facts { recommendation: Some(Recommendation::Detour), ..done(content) };
    let mut story = Story::of(plan(&["read", "write"]));
    story.answer("reader", detour(1));
    story.done("doctor");
    story.must(change(plan(&["plan", "read", "write"])));
    story.answer("reader", detour(2));
    story.done("doctor");
    story.answer("reader", detour(3));
    assert_eq!(story.question().reason, Reason::DetoursExhausted);
    let read = story.state.plan().step_named("read").unwrap();
    assert_eq!(story.state.visits(read), 1);
}

#[test]
fn detours_are_counted_by_their_kind_wherever_the_changed_plan_names_it() {
    let with = |kinds: &[&str]| {
        let mut plan = Plan::named("kinds");
        let (reader, doctor) = (plan.agent("reader"), plan.agent("doctor"));
        let (read, mend) = (plan.pass("read", reader), plan.pass("mend", doctor));
        kinds.iter().for_each(|kind| {
            plan.detour(read, kind, mend);
        });
        plan.build().unwrap()
    };
    let mut story = Story::of(with(&["mend"]));
    for content in 1..=3 {
        let (recommendation, detour) = (Some(Recommendation::Detour), Some("mend".to_owned()));
        story.answer("reader", Facts { recommendation, detour, ..done(content) });
        if content == 3 {
            break;
        }
        story.done("doctor");
        story.must(change(with(&["other", "mend"])));
    }
    assert_eq!(story.question().reason, Reason::DetoursExhausted); // proves E-09
}

#[test]
fn a_plan_that_lacks_what_the_run_is_using_is_refused() {
    let mut story = Story::of(plan(&["read", "write"]));
    let refused = story.say(change(plan(&["write"])));
    assert_eq!(refused, Err(Refusal::PlanLacks { name: "read".to_owned() }));
    story.answer("reader", Facts { delegate: Some("doctor".to_owned()), ..done(1) });
    let mut without = Plan::named("without");
    let reader = without.agent("reader");
    without.pass("read", reader);
    let refused = story.say(change(without.build().unwrap()));
    assert_eq!(refused, Err(Refusal::PlanLacks { name: "doctor".to_owned() }));
    let mut other = Plan::named("other kind");
    other.agent("reader");
    other.agent("doctor");
    other.gate("read", GateKind::Blocking);
    let refused = story.say(change(other.build().unwrap()));
    assert_eq!(refused, Err(Refusal::PlanLacks { name: "read".to_owned() }));
}

#[test]
fn what_two_agents_handed_each_other_is_remembered_when_they_change_places() {
    let relay = |names: &[&str]| {
        let mut plan = Plan::named("relay");
        let ids: Vec<_> = names.iter().map(|name| plan.agent(name)).collect();
        let id = |wanted| ids[names.iter().position(|name| *name == wanted).unwrap()];
        let (left, right) = (id("left"), id("right"));
        let one = plan.pass("one", left);
        let two = plan.pass("two", right);
        plan.then(one, two).then(two, one);
        plan.build().unwrap()
    };
    for names in [&["right", "left"][..], &["left", "right"], &["new", "left", "right"]] {
        let mut story = Story::of(relay(&["left", "right"]));
        story.answer("left", done(1));
        story.answer("right", done(2));
        story.must(change(relay(names)));
        story.answer("left", done(1));
        assert_eq!(story.at_work(), ["right"]);
        story.answer("right", done(2));
        assert_eq!(story.question().reason, Reason::PingPong, "{names:?}"); // proves S-07
    }
}

#[test]
fn what_two_agents_have_used_up_is_used_up_when_they_change_places() {
    let relay = |names: &[&str]| {
        let mut plan = Plan::named("relay");
        names.iter().for_each(|name| {
            plan.agent(name);
        });
        let (left, right) = (plan.agent("left"), plan.agent("right"));
        let (one, two) = (plan.pass("one", left), plan.pass("two", right));
        plan.then(one, two).then(two, one).start(one).caps(|caps| caps.pair = 3);
        plan.build().unwrap()
    };
    let mut story = Story::of(relay(&[]));
    story.done("left");
    story.done("right");
    story.must(change(relay(&["new"])));
    story.done("left");
    assert_eq!(story.at_work(), ["right"]);
    story.done("right");
    assert_eq!(story.question().reason, Reason::PairExhausted); // proves S-07
}

#[test]
fn where_a_run_wanted_to_go_is_found_in_the_changed_plan() {
    let mut first = plan(&["read", "write"]);
    first.caps.handoffs = 1;
    let mut story = Story::of(first);
    story.done("reader");
    let wanted = |story: &Story| match story.question().wanted {
        Some(baton_kernel::Target::Step(step)) => story.names(&[step]).concat(),
        other => panic!("{other:?}"),
    };
    assert_eq!(wanted(&story), "write");
    story.must(change(plan(&["plan", "read", "write"])));
    assert_eq!(wanted(&story), "write");
}

#[test]
fn a_branch_stays_in_its_branch() {
    let forking = |first: &str, second: &str| {
        let mut plan = Plan::named("fork");
        let steps = [first, second].map(|name| {
            let agent = plan.agent(name);
            plan.pass(name, agent)
        });
        let fork = plan.parallel("fork", &steps, baton_kernel::Join::AllComplete);
        plan.start(fork);
        plan.build().unwrap()
    };
    let mut story = Story::of(forking("left", "right"));
    let refused = story.say(change(forking("right", "left")));
    assert_eq!(refused, Err(Refusal::PlanLacks { name: "left".to_owned() }));
    story.done("left");
    let refused = story.say(change(forking("right", "left")));
    assert_eq!(refused, Err(Refusal::PlanLacks { name: "right".to_owned() }));
    story.must(change(forking("other", "right")));
}

#[test]
fn a_join_keeps_its_branches() {
    let forking = |branches: usize| {
        let mut plan = Plan::named("fork");
        let agents: Vec<_> = (0..branches).map(|number| plan.agent(&format!("agent {number}"))).collect();
        let steps: Vec<_> = agents
            .iter()
            .enumerate()
            .map(|(number, &agent)| plan.pass(&format!("step {number}"), agent))
            .collect();
        let fork = plan.parallel("fork", &steps, baton_kernel::Join::AllComplete);
        plan.start(fork);
        plan.build().unwrap()
    };
    let mut story = Story::of(forking(2));
    let refused = story.say(change(forking(3)));
    assert_eq!(refused, Err(Refusal::PlanLacks { name: "fork".to_owned() }));
    story.must(change(forking(2)));
    story.done("agent 0");
    story.done("agent 1");
    assert!(story.state.ending().is_some());
}

#[test]
fn only_a_person_goes_on_with_changed_files_and_only_with_a_plan_that_holds_together() {
    let mut story = Story::of(plan(&["read"]));
    let by = By::Agent("reader".to_owned());
    let changed = Box::new(plan(&["read"]));
    let refused = story.say(What::ChangePlan { plan: changed, pins: digest(9), by });
    assert_eq!(refused, Err(Refusal::OnlyAPerson));
    let mut broken = plan(&["read"]);
    broken.start = baton_kernel::StepId(77);
    assert!(matches!(story.say(change(broken)), Err(Refusal::Plan(_))));
}

fn timed(time_ms: u64) -> Plan {
    let mut plan = plan(&["read", "write"]);
    plan.caps.time_ms = time_ms;
    plan
}

#[test]
fn a_run_has_the_time_that_the_changed_plan_allows() {
    let mut story = Story::of(timed(1_000));
    story.pass(600);
    story.must(change(timed(5_000)));
    assert_eq!(story.state.caps().time_ms, 5_000);
    assert_eq!(story.pass(4_399), [], "it is that of the run, not of what is left of it");
    story.pass(1);
    assert_eq!(story.question().reason, Reason::TimeExhausted); // proves S-07
    assert_eq!(story.replayed(), story.state);
    let mut story = Story::of(timed(5_000));
    story.must(change(timed(1_000)));
    assert_eq!(story.pass(4_999), [], "what was allowed stays allowed");
}

#[test]
fn time_that_people_allowed_stays_allowed_and_is_not_allowed_twice() {
    let mut story = Story::of(timed(1_000));
    story.pass(1_000);
    story.pass(70_000);
    story.choose_more(Choice::Again, Some(2_000)).unwrap();
    story.must(change(timed(2_500)));
    assert_eq!(story.pass(1_999), []);
    story.must(change(timed(3_500)));
    assert_eq!(story.pass(500), []);
    story.pass(1);
    assert_eq!(story.question().reason, Reason::TimeExhausted);
}

#[test]
fn a_cap_that_the_changed_plan_raised_needs_no_word_of_a_person_beside_it() {
    let mut story = Story::of(timed(1_000));
    story.pass(1_000);
    story.pass(70_000);
    assert_eq!(story.choose(Choice::Again), Err(Refusal::CapHolds));
    story.must(change(timed(1_500)));
    story.choose(Choice::Again).unwrap();
    assert_eq!(story.at_work(), ["reader"]);
    assert_eq!(story.pass(499), [], "its time stood still meanwhile");
    story.pass(1);
    assert_eq!(story.question().reason, Reason::TimeExhausted);

    let capped = |handoffs, visits| {
        let mut plan = plan(&["read", "write"]);
        plan.caps.handoffs = handoffs;
        plan.steps[1].visits_max = Some(visits);
        plan
    };
    let mut story = Story::of(capped(1, 1));
    story.done("reader");
    assert_eq!(story.choose(Choice::GoOn), Err(Refusal::CapHolds));
    story.must(change(capped(2, 1)));
    story.choose(Choice::GoOn).unwrap();
    assert_eq!(story.at_work(), ["writeer"]);

    let counted = |tokens| {
        let mut plan = plan(&["read", "write"]);
        plan.caps.tokens = Some(tokens);
        plan
    };
    let mut story = Story::of(counted(5));
    story.answer("reader", Facts { tokens: 5, ..done(1) });
    assert_eq!(story.choose(Choice::GoOn), Err(Refusal::CapHolds)); // proves S-07
    story.must(change(counted(6)));
    story.choose(Choice::GoOn).unwrap();
    assert_eq!(story.at_work(), ["writeer"]);
}

#[test]
fn a_loop_that_is_under_way_has_the_rounds_of_the_changed_plan() {
    let looping = |rounds: u16, before: &[&str]| {
        let mut plan = Plan::named("looping");
        before.iter().for_each(|name| {
            let agent = plan.agent(name);
            plan.pass(name, agent);
        });
        let (author, critic, doctor) = (plan.agent("author"), plan.agent("critic"), plan.agent("doctor"));
        let work = plan.microloop("work", author, critic);
        let mend = plan.microloop("mend", doctor, critic);
        plan.detour(work, "mend", mend);
        for (id, rounds) in [(work, rounds), (mend, 1)] {
            plan.change(id, |step| {
                if let Does::Microloop(microloop) = &mut step.does {
                    (microloop.rounds_max, microloop.on_cap) = (rounds, OnCap::Ask);
                }
            });
        }
        plan.start(work);
        plan.build().unwrap()
    };
    let rounds = |story: &Story| {
        let frames = story.state.lanes().iter().flat_map(|lane| &lane.frames);
        let of = |frame: &Frame| match frame {
            Frame::Loop(frame) => Some(frame.rounds_max()),
            Frame::Detour { .. } | Frame::Delegation { .. } | Frame::Asked { .. } => None,
        };
        frames.filter_map(of).collect::<Vec<_>>()
    };
    let again = |content| Facts { outcome: Outcome::Concerns, further_help: Some(true), ..done(content) };
    let mut story = Story::of(looping(1, &[]));
    // From within a detour, whose own loop has a cap of its own.
    story.answer("author", Facts { recommendation: Some(Recommendation::Detour), ..done(1) });
    assert_eq!((story.at_work(), rounds(&story)), (vec!["doctor".to_owned()], vec![1, 1]));
    story.must(change(looping(2, &["new"])));
    assert_eq!(rounds(&story), [2, 1]);
    story.done("doctor");
    story.done("critic");
    story.answer("author", done(2));
    story.answer("critic", again(3));
    assert_eq!(story.at_work(), ["author"]); // proves E-08, S-07
    story.answer("author", done(4));
    story.answer("critic", again(5));
    assert_eq!(story.question().reason, Reason::RoundsExhausted);
    story.choose_more(Choice::GoOn, Some(2)).unwrap();
    story.must(change(looping(3, &[])));
    assert_eq!(rounds(&story), [4], "what people allowed stays allowed");
    assert_eq!(story.replayed(), story.state);
}
