//! Caps (S-07): what a run may use, found without waking anybody.

use baton_kernel::{
    Choice, Does, Ending, Event, Facts, Join, OnFail, Outcome, Plan, Reason, Refusal, Report, Target, What,
    bounds,
};

use crate::story::{Story, done, outcome, started};

/// Two agents that hand to each other for ever.
fn relay(change: impl FnOnce(&mut baton_kernel::Builder)) -> Story {
    let mut plan = Plan::named("relay");
    let (left, right) = (plan.agent("left"), plan.agent("right"));
    let one = plan.pass("one", left);
    let two = plan.pass("two", right);
    plan.then(one, two).then(two, one);
    change(&mut plan);
    Story::of(plan.build().unwrap())
}

/// Lets whoever works hand over something new, until nobody works.
fn play(story: &mut Story) {
    for _ in 0..1_000 {
        let Some(agent) = story.at_work().pop() else { return };
        story.done(&agent);
    }
    panic!("the run never stops");
}

#[test]
fn a_run_has_a_hundred_handoffs_and_the_first_counts() {
    let mut story = relay(|plan| {
        plan.caps(|caps| caps.pair = 1_000);
    });
    play(&mut story);
    assert_eq!(story.question().reason, Reason::HandoffsExhausted); // proves S-07
    assert_eq!(story.state.handoffs(), 100); // proves S-07
    assert_eq!(story.count(|event| matches!(event, Event::DeliveryStarted { .. })), 100);
}

#[test]
fn two_agents_have_twenty_handoffs_between_them() {
    let mut story = relay(|_| {});
    play(&mut story);
    assert_eq!(story.question().reason, Reason::PairExhausted); // proves S-07
    assert_eq!(story.state.handoffs(), 21, "the first handoff came from nobody"); // proves S-07
}

#[test]
fn who_may_go_on_after_ping_pong_begins_anew() {
    let mut story = relay(|_| {});
    for (agent, content) in [("left", 1), ("right", 2), ("left", 1), ("right", 2)] {
        story.answer(agent, done(content));
    }
    assert_eq!(story.question().reason, Reason::PingPong);
    story.choose(Choice::GoOn).unwrap();
    story.answer("left", done(1));
    story.answer("right", done(2));
    assert_eq!(story.at_work(), ["left"], "it is asked again only when both repeat themselves again");
}

#[test]
fn what_two_agents_hand_over_counts_for_no_other_two() {
    let mut plan = Plan::named("hub");
    let agents = ["hub", "left", "right"].map(|name| plan.agent(name));
    let row = [("a", 0), ("b", 2), ("c", 0), ("d", 1), ("e", 0), ("f", 1)];
    let row = row.map(|(name, agent): (&str, usize)| plan.pass(name, agents[agent]));
    for two in row.windows(2) {
        plan.then(two[0], two[1]);
    }
    plan.caps(|caps| caps.pair = 2);
    let mut story = Story::of(plan.build().unwrap());
    play(&mut story);
    assert_eq!(story.question().reason, Reason::PairExhausted); // proves S-07
    assert_eq!(story.state.handoffs(), 5, "hub and right had two, and so had hub and left"); // proves S-07
}

#[test]
fn a_person_may_raise_a_cap_and_says_by_how_much() {
    let mut story = relay(|_| {});
    play(&mut story);
    for choice in [Choice::Again, Choice::GoOn, Choice::Go(baton_kernel::StepId(0))] {
        assert_eq!(story.choose(choice), Err(Refusal::CapHolds));
        assert_eq!(story.choose_more(choice, Some(0)), Err(Refusal::CapHolds));
    }
    story.choose_more(Choice::GoOn, Some(2)).unwrap();
    assert_eq!(story.state.caps().pair, bounds::PAIR_HANDOFFS + 2);
    play(&mut story);
    assert_eq!(story.question().reason, Reason::PairExhausted);
    let mut story = relay(|plan| {
        plan.caps(|caps| caps.handoffs = 3);
    });
    play(&mut story);
    story.choose_more(Choice::GoOn, Some(1)).unwrap();
    play(&mut story);
    assert_eq!(story.state.handoffs(), 4);
    assert_eq!(story.question().reason, Reason::HandoffsExhausted);
}

#[test]
fn the_kernel_stops_ping_pong_without_waking_an_agent() {
    let mut story = relay(|_| {});
    story.answer("left", done(1));
    story.answer("right", done(2));
    story.answer("left", done(1));
    assert_eq!(story.at_work(), ["right"], "one direction alone is no ping-pong");
    let events = story.answer("right", done(2));
    assert_eq!(started(&events), []); // proves S-07
    assert_eq!(story.question().reason, Reason::PingPong); // proves S-07
    assert_eq!(story.state.handoffs(), 4);
    story.choose(Choice::GoOn).unwrap();
    assert_eq!(story.at_work(), ["left"]);
    story.answer("left", done(1));
    assert_eq!(story.at_work(), ["right"], "a person made a new beginning");
}

#[test]
fn ping_pong_is_found_in_either_direction() {
    let mut story = relay(|_| {});
    for (agent, content) in [("left", 1), ("right", 2), ("left", 9), ("right", 2), ("left", 9)] {
        assert_eq!(story.at_work(), [agent]);
        story.answer(agent, done(content));
    }
    assert_eq!(story.question().reason, Reason::PingPong); // proves S-07
    let mut story = relay(|_| {});
    for (agent, content) in [("left", 5), ("right", 6), ("left", 6), ("right", 5), ("left", 5), ("right", 6)]
    {
        assert_eq!(story.at_work(), [agent], "what comes from the other side is no repetition of one's own");
        story.answer(agent, done(content));
    }
}

#[test]
fn ping_pong_is_also_the_same_failure_in_other_words() {
    let says = |content, failure: &str| Facts {
        signature: Some(baton_kernel::signature(failure)),
        ..outcome(Outcome::Concerns, content)
    };
    let mut story = relay(|_| {});
    story.answer("left", says(1, "a.rs:1: no"));
    story.answer("right", says(2, "b.rs:1: no"));
    story.answer("left", says(3, "a.rs:9: no"));
    story.answer("right", says(4, "b.rs:9: no"));
    assert_eq!(story.question().reason, Reason::PingPong); // proves S-07
}

#[test]
fn mere_alternation_is_no_ping_pong() {
    let mut story = relay(|_| {});
    // One of the two hands over something new every time.
    for content in 0..8 {
        story.answer("left", done(100 + content));
        story.answer("right", done(2));
    }
    assert_eq!(story.at_work(), ["left"]); // proves S-07
}

#[test]
fn ping_pong_needs_both_to_repeat_at_the_same_time() {
    let mut story = relay(|_| {});
    story.answer("left", done(1));
    story.answer("right", done(2));
    story.answer("left", done(1));
    story.answer("right", done(3));
    story.answer("left", done(4));
    story.answer("right", done(3));
    assert_eq!(story.at_work(), ["left"]);
}

#[test]
fn a_run_works_for_a_day() {
    let mut story = relay(|_| {});
    story.pass(bounds::RUN_MS - 1);
    assert_eq!(story.at_work(), ["left"]);
    let key = story.with("left").key;
    let events = story.pass(1);
    assert!(events.contains(&Event::DeadLettered { key, reason: Reason::TimeExhausted })); // proves S-07
    assert_eq!(story.choose(Choice::Again), Err(Refusal::CapHolds));
    story.choose_more(Choice::Again, Some(1_000)).unwrap();
    assert_eq!(story.at_work(), ["left"]);
    assert_eq!(story.pass(999), []);
    story.pass(1);
    assert_eq!(story.question().reason, Reason::TimeExhausted);
}

#[test]
fn more_time_counts_from_the_answer_and_not_from_the_question() {
    let mut story = relay(|_| {});
    story.pass(bounds::RUN_MS);
    story.pass(5 * bounds::RUN_MS);
    story.choose_more(Choice::Again, Some(1_000)).unwrap();
    assert_eq!(story.owed().next_due, Some(story.now.after(1_000)));
}

#[test]
fn a_run_whose_time_is_over_wakes_nobody_any_more() {
    let mut story = relay(|_| {});
    story.now = story.now.after(bounds::RUN_MS);
    let events = story.done("left");
    assert_eq!(started(&events), []);
    assert_eq!(story.question().reason, Reason::TimeExhausted); // proves S-07
    let wanted = Target::Step(baton_kernel::StepId(1));
    assert_eq!(story.question().wanted, Some(wanted));
    let listed = |event: &Event| match event {
        Event::Routed { candidates, .. } => candidates[..] == [wanted, Target::Person],
        _ => false,
    };
    assert!(events.iter().any(listed), "what was wanted is a candidate: {events:?}"); // proves E-09
}

#[test]
fn a_run_that_only_waits_stops_at_its_time_too() {
    let mut plan = Plan::named("clock");
    let one = plan.wait("tick", 60 * 60 * 1000);
    let two = plan.wait("tock", 60 * 60 * 1000);
    plan.then(one, two).then(two, one);
    let mut story = Story::of(plan.build().unwrap());
    for _ in 0..24 {
        story.until_due();
    }
    assert_eq!(story.question().reason, Reason::TimeExhausted); // proves S-07
}

#[test]
fn tokens_are_unlimited_unless_a_limit_is_set() {
    let heavy = |content| Facts { tokens: 1_000_000_000, ..done(content) };
    let mut story = relay(|_| {});
    story.answer("left", heavy(1));
    story.answer("right", heavy(2));
    assert_eq!(story.state.tokens(), 2_000_000_000);
    assert_eq!(story.at_work(), ["left"]); // proves S-07
    let mut story = relay(|plan| {
        plan.caps(|caps| caps.tokens = Some(1_000));
    });
    story.answer("left", Facts { tokens: 999, ..done(1) });
    assert_eq!(story.at_work(), ["right"]);
    story.answer("right", Facts { tokens: 1, ..done(2) });
    assert_eq!(story.question().reason, Reason::TokensExhausted); // proves S-07
    story.choose_more(Choice::GoOn, Some(10)).unwrap();
    assert_eq!(story.at_work(), ["left"]);
}

#[test]
fn a_step_is_entered_as_often_as_it_may_be_then_a_person_is_asked() {
    let mut story = relay(|plan| {
        plan.change(baton_kernel::StepId(1), |step| step.visits_max = Some(bounds::REVIEW_ROUNDS));
    });
    play(&mut story);
    assert_eq!(story.question().reason, Reason::VisitsExhausted); // proves L-06, S-07
    assert_eq!(story.state.visits(baton_kernel::StepId(1)), 3); // proves S-07
    assert_eq!(story.choose(Choice::GoOn), Err(Refusal::CapHolds));
    story.choose_more(Choice::GoOn, Some(1)).unwrap();
    play(&mut story);
    assert_eq!(story.state.visits(baton_kernel::StepId(1)), 4);
}

/// A fork that begins anew when it fails, and whose branches may not begin a second time; gives what its last answer caused.
fn circling(branches: u32) -> (Story, Vec<Event>) {
    let mut plan = Plan::named("circle");
    let agent = plan.agent("a");
    let one = plan.pass("one", agent);
    let fork = plan.parallel("fork", &vec![one; branches as usize], Join::AllVerified);
    plan.change(fork, |step| {
        if let Does::Parallel(parallel) = &mut step.does {
            parallel.on_fail = OnFail::Step(fork);
        }
    });
    plan.start(fork).caps(|caps| caps.handoffs = branches);
    let mut story = Story::of(plan.build().unwrap());
    let mut events = Vec::new();
    while let Some(owed) = story.owed().deliveries.first().cloned() {
        let report = Report::Answer(outcome(Outcome::Blocked, story.fresh()));
        events = story.must(What::Report { key: owed.key, attempt: 1, report });
    }
    assert_eq!(story.ending(), &Ending::Halted(Reason::Runaway)); // proves S-07
    (story, events)
}

#[test]
fn a_plan_that_runs_in_a_circle_without_waiting_is_halted() {
    let (story, _) = circling(1);
    let joins = story.count(|event| matches!(event, Event::Joined { .. }));
    assert_eq!(joins, usize::from(bounds::IDLE_JOINS_MAX) + 1); // proves S-07
    let (_, events) = circling(100);
    let routes = events.iter().filter(|event| matches!(event, Event::Routed { .. })).count();
    assert_eq!((routes, bounds::ROUTES_PER_COMMAND_MAX), (1_025, 1_024), "the last one halts the run"); // proves S-07
}

#[test]
fn a_run_may_still_end_when_its_time_is_over() {
    let mut plan = Plan::named("late");
    let agent = plan.agent("a");
    let one = plan.pass("one", agent);
    let end = plan.end("end", Outcome::Done);
    plan.then(one, end);
    let mut story = Story::of(plan.build().unwrap());
    story.now = story.now.after(bounds::RUN_MS);
    story.done("a");
    assert_eq!(story.ending(), &Ending::Finished(Outcome::Done));
}

#[test]
fn a_state_does_not_grow_with_the_length_of_the_run() {
    let mut story = relay(|plan| {
        plan.caps(|caps| {
            caps.handoffs = 100_000;
            caps.pair = 100_000;
        });
    });
    let size = |story: &Story| format!("{:?}", story.state).len();
    for _ in 0..10 {
        story.done("left");
        story.done("right");
    }
    let early = size(&story);
    for _ in 0..500 {
        story.done("left");
        story.done("right");
    }
    assert!(size(&story) < early + 100, "{} then {early}", size(&story));
}

#[test]
fn author_and_critic_are_a_pair_like_any_other() {
    for (pair, waits) in [(1, Target::Author), (2, Target::Critic)] {
        let mut plan = Plan::named("pair");
        let (author, critic) = (plan.agent("author"), plan.agent("critic"));
        plan.microloop("work", author, critic);
        plan.caps(|caps| caps.pair = pair);
        let mut story = Story::of(plan.build().unwrap());
        while let Some(agent) = story.at_work().pop() {
            let facts = crate::story::concerns(story.fresh(), true);
            story.answer(&agent, facts);
        }
        assert_eq!(story.question().reason, Reason::PairExhausted); // proves S-07
        assert_eq!(story.question().wanted, Some(waits));
    }
}
