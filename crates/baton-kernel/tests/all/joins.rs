//! Parallel branches and their joins (E-10, X-10).

use baton_kernel::{
    Choice, Counts, Does, Ending, Event, Facts, Join, LaneId, OnFail, Outcome, Plan, Reason, Recommendation,
    Refusal, Status, Truth, Verdict, What, bounds,
};

use crate::story::{Story, digest, done, outcome};

fn forking(join: Join, change: impl FnOnce(&mut baton_kernel::Parallel)) -> Story {
    let mut plan = Plan::named("parallel");
    let names = ["a", "b", "c"];
    let branches = names.map(|name| {
        let agent = plan.agent(name);
        plan.pass(&format!("branch {name}"), agent)
    });
    let last = plan.agent("last");
    let fork = plan.parallel("fork", &branches, join);
    let close = plan.pass("close", last);
    plan.then(fork, close).start(fork).change(fork, |step| {
        if let Does::Parallel(parallel) = &mut step.does {
            change(parallel);
        }
    });
    Story::of(plan.build().unwrap())
}

/// What the join counted and said.
fn joined(story: &Story) -> Option<(bool, Counts)> {
    story.events.iter().find_map(|event| match event {
        Event::Joined { passed, counts, .. } => Some((*passed, *counts)),
        _ => None,
    })
}

/// Branches answer in turn with these outcomes until the join is decided; gives how many it took, and what it said.
fn decided(join: Join, outcomes: &[Outcome]) -> Option<(usize, bool)> {
    let mut story = forking(join, |_| {});
    for (number, (name, &status)) in ["a", "b", "c"].iter().zip(outcomes).enumerate() {
        story.answer(name, outcome(status, 10 + number as u64));
        if let Some((passed, _)) = joined(&story) {
            return Some((number + 1, passed));
        }
    }
    None
}

#[test]
fn each_rule_passes_and_fails_as_soon_as_that_is_certain() {
    use Outcome::{Blocked, Concerns, Done};
    let cases: &[(Join, &[Outcome], Option<(usize, bool)>)] = &[
        (Join::AllComplete, &[Done, Concerns], None),
        (Join::AllComplete, &[Done, Concerns, Done], Some((3, true))),
        (Join::AllVerified, &[Done, Done], None),
        (Join::AllVerified, &[Done, Done, Done], Some((3, true))),
        (Join::AllVerified, &[Concerns], Some((1, false))),
        (Join::AnyVerified, &[Concerns, Done], Some((2, true))),
        (Join::AnyVerified, &[Concerns, Blocked], None),
        (Join::AnyVerified, &[Concerns, Blocked, Concerns], Some((3, false))),
        (Join::First, &[Concerns], Some((1, true))),
        (Join::First, &[Blocked, Done], Some((2, true))),
        (Join::First, &[Blocked, Blocked, Blocked], Some((3, false))),
        (Join::Quorum(2), &[Done], None),
        (Join::Quorum(2), &[Done, Concerns, Done], Some((3, true))),
        (Join::Quorum(2), &[Done, Done], Some((2, true))),
        (Join::Quorum(2), &[Concerns, Blocked], Some((2, false))),
        (Join::AllMustPass, &[Done, Concerns], Some((2, false))),
        (Join::AllMustPass, &[Done, Done, Done], Some((3, true))),
        (Join::AnyPass, &[Concerns, Done], Some((2, true))),
        (Join::AnyPass, &[Concerns, Concerns], None),
        (Join::AnyPass, &[Concerns, Concerns, Concerns], Some((3, false))),
        (Join::MajorityPass, &[Done], None),
        (Join::MajorityPass, &[Done, Concerns], None),
        (Join::MajorityPass, &[Done, Done], Some((2, true))),
        (Join::MajorityPass, &[Concerns, Done, Concerns], Some((3, false))),
        (Join::MajorityPass, &[Concerns, Concerns], Some((2, false))),
    ];
    for (join, outcomes, expected) in cases {
        assert_eq!(decided(*join, outcomes), *expected, "{join:?} {outcomes:?}"); // proves E-10, X-10
    }
}

#[test]
fn half_is_no_majority() {
    let mut plan = Plan::named("even");
    let agents = [plan.agent("a"), plan.agent("b")];
    let branches = [plan.pass("one", agents[0]), plan.pass("two", agents[1])];
    let fork = plan.parallel("fork", &branches, Join::MajorityPass);
    plan.start(fork);
    let mut story = Story::of(plan.build().unwrap());
    story.done("a");
    story.answer("b", outcome(Outcome::Concerns, 1));
    assert_eq!(joined(&story).map(|(passed, _)| passed), Some(false)); // proves X-10
}

#[test]
fn the_worst_status_wins_unless_the_plan_says_otherwise() {
    for (status, reason) in [(Status::Worst, Reason::JoinBlocked), (Status::Best, Reason::JoinPassed)] {
        let mut story = forking(Join::AllComplete, |parallel| parallel.status = status);
        story.done("a");
        story.answer("b", outcome(Outcome::Blocked, 1));
        story.answer("c", outcome(Outcome::Concerns, 2));
        assert_eq!(story.last_route().1, reason); // proves E-10
    }
    let mut story = forking(Join::AllComplete, |_| {});
    story.done("a");
    story.done("b");
    story.answer("c", outcome(Outcome::Concerns, 2));
    let verdict = story.events.iter().find_map(|event| match event {
        Event::Joined { verdict, .. } => Some(*verdict),
        _ => None,
    });
    assert_eq!(verdict, Some(Verdict::Unverified)); // proves E-10
    assert_eq!(story.at_work(), ["last"]);
}

#[test]
fn branches_run_side_by_side_and_those_still_open_are_stopped_when_the_join_is_decided() {
    let mut story = forking(Join::AnyVerified, |_| {});
    assert_eq!(story.at_work(), ["a", "b", "c"]); // proves X-10
    let late = story.with("c");
    let events = story.done("b");
    let stopped = events.iter().filter(|event| matches!(event, Event::DeliveryStopped { .. })).count();
    assert_eq!(stopped, 2);
    assert_eq!(story.at_work(), ["last"]);
    let report = baton_kernel::Report::Answer(done(5));
    let refused = story.say(What::Report { key: late.key, attempt: late.attempt, report });
    let over = Refusal::DeliveryOver { key: late.key };
    // It reported nothing, and none of it was counted.
    assert!(!over.to_string().contains("reported") && over.hint().is_some(), "{over}");
    assert_eq!(refused, Err(over));
}

#[test]
fn the_counts_are_the_kernels_own() {
    let mut story = forking(Join::MajorityPass, |_| {});
    story.done("a");
    story.answer("b", Facts { passed: Some(false), ..done(6) });
    story.answer("c", Facts { passed: Some(true), ..outcome(Outcome::Concerns, 7) });
    let counts = Counts { total: 3, ended: 3, verified: 2, passed: 2, failed: 1 };
    assert_eq!(joined(&story), Some((true, counts))); // proves X-10
}

#[test]
fn what_cannot_go_on_in_a_branch_ends_the_branch_and_the_join_decides() {
    let mut story = forking(Join::AnyVerified, |_| {});
    story.fails("a", false);
    story.answer("b", Facts { recommendation: Some(Recommendation::Stop), ..outcome(Outcome::Blocked, 3) });
    assert_eq!(story.owed().questions, []);
    story.done("c");
    assert_eq!(story.at_work(), ["last"]); // proves E-10
}

#[test]
fn a_failed_join_asks_halts_or_goes_where_the_plan_says() {
    let fail = |story: &mut Story| {
        story.answer("a", outcome(Outcome::Concerns, 1));
    };
    let mut story = forking(Join::AllVerified, |_| {});
    fail(&mut story);
    assert_eq!(story.question().reason, Reason::JoinFailed); // proves E-10
    story.choose(Choice::Again).unwrap();
    assert_eq!(story.at_work(), ["a", "b", "c"]);
    let mut story = forking(Join::AllVerified, |parallel| parallel.on_fail = OnFail::Halt);
    fail(&mut story);
    assert_eq!(story.ending(), &Ending::Halted(Reason::JoinFailed));
    let step = baton_kernel::StepId(0);
    let mut story = forking(Join::AllVerified, |parallel| parallel.on_fail = OnFail::Step(step));
    fail(&mut story);
    assert_eq!(story.current(), ["branch a"]);
    assert_eq!(story.state.lanes().len(), 1);
}

#[test]
fn an_expression_over_the_branches_is_handed_in_when_all_have_ended() {
    let mut story = forking(Join::Expression, |_| {});
    let value = What::JoinValue { lane: LaneId(0), truth: Truth::Holds };
    assert_eq!(story.say(value.clone()), Err(Refusal::NoValueAwaited));
    story.done("a");
    story.done("b");
    assert_eq!(story.owed().values, []);
    story.done("c");
    assert_eq!(story.owed().values, [LaneId(0)]); // proves X-10
    let mut failed = story.clone();
    failed.must(What::JoinValue { lane: LaneId(0), truth: Truth::Fails });
    assert_eq!(failed.question().reason, Reason::JoinFailed);
    story.must(value.clone());
    assert_eq!(story.at_work(), ["last"]); // proves X-10
    assert_eq!(story.say(value), Err(Refusal::NoValueAwaited));
}

#[test]
fn as_many_lanes_are_open_as_there_may_be() {
    let mut plan = Plan::named("many");
    let agent = plan.agent("a");
    let one = plan.pass("one", agent);
    let inner = plan.parallel("inner", &vec![one; bounds::LANES_MAX - 2], Join::AllComplete);
    let outer = plan.parallel("outer", &[inner], Join::AllComplete);
    plan.start(outer).caps(|caps| caps.handoffs = 1_000);
    let story = Story::of(plan.build().unwrap());
    assert_eq!(
        (story.state.lanes().len(), story.owed().deliveries.len()),
        (bounds::LANES_MAX, bounds::LANES_MAX - 2)
    ); // proves S-07
    let [outer, inner, branch] = [0, 1, 2].map(|at: usize| &story.state.lanes()[at]);
    assert_eq!([outer, inner, branch].map(baton_kernel::Lane::is_joining), [true, true, false]);
    assert_eq!(branch.content(), Some(digest(2)), "it has what the run was given");
}

#[test]
fn branches_lie_within_each_other_only_so_deep() {
    let mut plan = Plan::named("nested");
    let agent = plan.agent("a");
    let one = plan.pass("one", agent);
    let fork = plan.parallel("fork", &[one], Join::AllVerified);
    plan.then(one, fork).start(one);
    let mut story = Story::of(plan.build().unwrap());
    for _ in 0..=bounds::NESTING_MAX {
        story.done("a");
    }
    let forks = story.count(|event| matches!(event, Event::Forked { .. }));
    assert_eq!((forks, story.at_work()), (bounds::NESTING_MAX, vec![]), "the next one fails all around it"); // proves S-07
}

#[test]
fn a_value_is_awaited_once_when_branches_end_together() {
    let mut plan = Plan::named("together");
    let agents = [plan.agent("a"), plan.agent("b")];
    let first = plan.pass("first", agents[0]);
    let branches = [plan.pass("one", agents[0]), plan.pass("two", agents[1])];
    let fork = plan.parallel("fork", &branches, Join::Expression);
    plan.then(first, fork).caps(|caps| caps.handoffs = 1);
    let mut story = Story::of(plan.build().unwrap());
    story.done("a");
    assert_eq!(story.owed().values, [LaneId(0)]);
    assert_eq!(story.count(|event| matches!(event, Event::ValueAwaited { .. })), 1);
}

#[test]
fn a_person_is_asked_in_a_branch_for_what_an_agent_wants_a_person_for() {
    let mut story = forking(Join::AllVerified, |_| {});
    story.answer("a", Facts { recommendation: Some(Recommendation::Ask), ..done(4) });
    assert_eq!(story.question().reason, Reason::Clarify); // proves X-08
    story.choose(Choice::Again).unwrap();
    assert_eq!(story.at_work(), ["a", "b", "c"]);
    story.answer("a", Facts { recommendation: Some(Recommendation::Escalate), ..done(5) });
    story.choose(Choice::Halt).unwrap();
    assert_eq!(story.ending(), &Ending::Halted(Reason::PersonSaid));
}

#[test]
fn branches_may_fork_again_and_are_joined_from_the_inside() {
    let mut plan = Plan::named("nested");
    let agents = ["a", "b", "c", "last"].map(|name| plan.agent(name));
    let inner = [plan.pass("inner one", agents[0]), plan.pass("inner two", agents[1])];
    let nested = plan.parallel("inner", &inner, Join::AllVerified);
    let after = plan.pass("after inner", agents[0]);
    let beside = plan.pass("beside", agents[2]);
    let outer = plan.parallel("outer", &[nested, beside], Join::AllVerified);
    let close = plan.pass("close", agents[3]);
    plan.then(nested, after).then(outer, close).start(outer);
    let mut story = Story::of(plan.build().unwrap());
    story.done("a");
    story.done("b");
    assert_eq!(story.at_work(), ["a", "c"]);
    story.done("c");
    let mut failed = story.clone();
    failed.answer("a", outcome(Outcome::Blocked, 1));
    assert_eq!(failed.question().reason, Reason::JoinFailed);
    story.done("a");
    assert_eq!(story.at_work(), ["last"]); // proves E-10
}

#[test]
fn a_branch_that_forks_its_own_fork_is_stopped() {
    let mut plan = Plan::named("fork bomb");
    let agent = plan.agent("a");
    let one = plan.pass("one", agent);
    let fork = plan.parallel("fork", &[one, one], Join::AllComplete);
    plan.then(one, fork).start(fork);
    let mut story = Story::of(plan.build().unwrap());
    for _ in 0..2_000 {
        let Some(owed) = story.owed().deliveries.first().cloned() else { break };
        let report = baton_kernel::Report::Answer(done(story.fresh()));
        story.must(What::Report { key: owed.key, attempt: 1, report });
        assert!(story.state.lanes().len() <= bounds::LANES_MAX); // proves S-07
    }
    assert_eq!(story.owed().deliveries, []);
}

/// A fork whose branches are an agent that asks, a gate behind an agent, and an agent that goes on.
fn asking(join: Join) -> Story {
    let mut plan = Plan::named("asking");
    let agents = ["a", "b", "c", "last"].map(|name| plan.agent(name));
    let [a, b, c] = [0, 1, 2].map(|at: usize| plan.pass(&format!("branch {at}"), agents[at]));
    let gate = plan.gate("look", baton_kernel::GateKind::Blocking);
    let fork = plan.parallel("fork", &[a, b, c], join);
    let close = plan.pass("close", agents[3]);
    plan.then(b, gate).then(fork, close).start(fork);
    Story::of(plan.build().unwrap())
}

#[test]
fn nobody_is_asked_for_a_branch_that_the_join_no_longer_needs() {
    for join in [Join::First, Join::AnyVerified, Join::Quorum(1), Join::AnyPass] {
        let mut story = asking(join);
        story.answer(
            "a",
            Facts { recommendation: Some(Recommendation::Ask), ..outcome(Outcome::Concerns, 4) },
        );
        story.done("b");
        let (ask, gate) = (story.question().ask, story.gate());
        story.done("c");
        assert_eq!(story.at_work(), ["last"], "{join:?}"); // proves E-10
        assert_eq!((story.owed().questions, story.owed().gates), (vec![], vec![]), "{join:?}");
        let answer = What::AnswerPerson {
            ask,
            choice: Choice::GoOn,
            by: crate::story::ada(),
            content: None,
            more: None,
        };
        assert_eq!(story.say(answer), Err(Refusal::QuestionOver { ask }), "{join:?}");
        let shown = gate.shown.unwrap();
        let (gate, answer) = (gate.gate, baton_kernel::GateAnswer::Approve);
        let answer = What::AnswerGate { gate, answer, shown, by: crate::story::ada() };
        assert_eq!(story.say(answer), Err(Refusal::GateOver { gate }), "{join:?}");
    }
}

#[test]
fn a_blocked_branch_asks_nobody_once_another_one_was_first() {
    for status in [Status::Worst, Status::Best] {
        let mut story = forking(Join::First, |parallel| parallel.status = status);
        story.answer("a", outcome(Outcome::Blocked, 1));
        assert_eq!(story.at_work(), ["b", "c"]);
        story.answer("b", outcome(Outcome::Concerns, 2));
        assert_eq!(story.owed().questions, [], "{status:?}"); // proves E-10
        assert_eq!(story.at_work(), ["last"], "{status:?}");
        let verdicts = story.events.iter().filter_map(|event| match event {
            Event::Joined { verdict, .. } => Some(*verdict),
            _ => None,
        });
        assert_eq!(verdicts.collect::<Vec<_>>(), [Verdict::Unverified], "{status:?}");
    }
}
