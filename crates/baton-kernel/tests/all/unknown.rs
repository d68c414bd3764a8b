//! Expressions that cannot be evaluated: they decide nothing, unless the plan says what they count as.

use baton_kernel::{
    Choice, Does, Ending, Event, Facts, GateAnswer, GateKind, Held, Join, LaneId, OnUnknown, Outcome, Plan,
    Reason, Refusal, Route, Target, Truth, What, When, bounds,
};

use crate::story::{Story, done};

const WHY: &str = "handoff.count is text, not a number";

fn unknown() -> Truth {
    Truth::Unknown(WHY.to_owned())
}

fn held(name: &str, truth: Truth) -> Held {
    Held { name: name.to_owned(), truth }
}

/// A step whose first route asks `many`, and whose second asks `small`.
fn routed(on_unknown: OnUnknown) -> Plan {
    let mut plan = Plan::named("routes");
    let (a, b, c, d) = (plan.agent("a"), plan.agent("b"), plan.agent("c"), plan.agent("d"));
    let (one, two) = (plan.pass("one", a), plan.pass("two", b));
    let (many, small) = (plan.pass("many", c), plan.pass("small", d));
    plan.then(one, two).change(one, |step| {
        if let Does::Pass(pass) = &mut step.does {
            pass.routes.push(Route { when: When::Holds("many".to_owned()), to: many, on_unknown });
            pass.routes.push(Route::new(When::Holds("small".to_owned()), small));
        }
    });
    plan.build().unwrap()
}

fn answered(on_unknown: OnUnknown, many: Truth, small: Truth) -> Story {
    let mut story = Story::of(routed(on_unknown));
    story.answer("a", Facts { held: vec![held("many", many), held("small", small)], ..done(1) });
    story
}

#[test]
fn a_route_whose_expression_cannot_be_evaluated_asks_a_person() {
    let mut story = answered(OnUnknown::Ask, unknown(), Truth::Fails);
    let question = story.question();
    assert_eq!(question.reason, Reason::ExpressionUnknown);
    let follows = story.state.plan().step_named("two").map(Target::Step);
    assert_eq!(question.wanted, follows, "going on is what would follow if it did not hold");
    let mut to = story.clone();
    let many = to.state.plan().step_named("many").unwrap();
    to.choose(Choice::Go(many)).unwrap();
    assert_eq!(to.at_work(), ["c"]);
    let mut again = story.clone();
    again.choose(Choice::Again).unwrap();
    assert_eq!(again.at_work(), ["a"]);
    story.choose(Choice::GoOn).unwrap();
    assert_eq!(story.at_work(), ["b"]);
}

#[test]
fn a_route_behind_one_that_cannot_be_evaluated_is_not_taken_in_its_place() {
    let mut story = answered(OnUnknown::Ask, unknown(), Truth::Holds);
    assert_eq!(story.question().reason, Reason::ExpressionUnknown);
    story.choose(Choice::GoOn).unwrap();
    assert_eq!(story.at_work(), ["d"]);
}

#[test]
fn a_route_that_holds_is_taken_before_one_that_cannot_be_evaluated() {
    let story = answered(OnUnknown::Ask, Truth::Holds, unknown());
    assert_eq!(story.at_work(), ["c"]);
    assert_eq!(story.last_route().1, Reason::Holds);
}

#[test]
fn a_route_says_what_an_unknown_value_counts_as() {
    let story = answered(OnUnknown::Holds, unknown(), Truth::Fails);
    assert_eq!(story.at_work(), ["c"]);
    assert_eq!(story.last_route().1, Reason::UnknownHolds);
    let story = answered(OnUnknown::Fails, unknown(), Truth::Fails);
    assert_eq!(story.at_work(), ["b"]);
    let story = answered(OnUnknown::Fails, unknown(), Truth::Holds);
    assert_eq!((story.at_work(), story.last_route().1), (vec!["d".to_owned()], Reason::Holds));
}

#[test]
fn what_an_agent_asks_for_itself_comes_before_an_unknown_value() {
    let mut story = Story::of(routed(OnUnknown::Ask));
    let blocked =
        Facts { held: vec![held("many", unknown())], ..Facts::new(Outcome::Blocked, done(1).content) };
    story.answer("a", blocked);
    assert_eq!(story.question().reason, Reason::Blocked);
}

fn forked(on_unknown: OnUnknown, is_branch: bool) -> Story {
    let mut plan = Plan::named("join");
    let (a, b, last) = (plan.agent("a"), plan.agent("b"), plan.agent("last"));
    let branches = [plan.pass("one", a), plan.pass("two", b)];
    let fork = plan.parallel("fork", &branches, Join::Expression);
    let close = plan.pass("close", last);
    plan.change(fork, |step| {
        if let Does::Parallel(parallel) = &mut step.does {
            parallel.on_unknown = on_unknown;
        }
    });
    if is_branch {
        let outer = plan.parallel("outer", &[fork], Join::AllVerified);
        plan.then(outer, close).start(outer);
    } else {
        plan.then(fork, close).start(fork);
    }
    let mut story = Story::of(plan.build().unwrap());
    story.done("a");
    story.done("b");
    let lane = story.owed().values[0];
    story.must(What::JoinValue { lane, truth: unknown() });
    story
}

#[test]
fn a_join_whose_expression_cannot_be_evaluated_asks_a_person() {
    let mut story = forked(OnUnknown::Ask, false);
    let recorded = story
        .events
        .iter()
        .any(|event| matches!(event, Event::Joined { passed: false, unknown: Some(why), .. } if why == WHY));
    assert!(recorded, "{:?}", story.events);
    assert_eq!(story.question().reason, Reason::ExpressionUnknown);
    let mut again = story.clone();
    again.choose(Choice::Again).unwrap();
    assert_eq!(again.at_work(), ["a", "b"]);
    story.choose(Choice::GoOn).unwrap();
    assert_eq!(story.at_work(), ["last"]);
}

#[test]
fn a_join_says_what_an_unknown_value_counts_as() {
    let story = forked(OnUnknown::Holds, false);
    assert_eq!((story.at_work(), story.last_route().1), (vec!["last".to_owned()], Reason::JoinPassed));
    let story = forked(OnUnknown::Fails, false);
    assert_eq!(story.question().reason, Reason::JoinFailed);
}

#[test]
fn a_person_is_asked_about_an_unknown_value_in_a_branch_too() {
    let mut story = forked(OnUnknown::Ask, true);
    assert_eq!(story.question().reason, Reason::ExpressionUnknown);
    let mut again = story.clone();
    again.choose(Choice::Again).unwrap();
    assert_eq!(again.at_work(), ["a", "b"]);
    story.choose(Choice::Halt).unwrap();
    assert_eq!(story.ending(), &Ending::Halted(Reason::PersonSaid));
}

#[test]
fn a_check_that_cannot_be_evaluated_makes_an_automatic_gate_blocking() {
    let mut plan = Plan::named("gate");
    let (a, b) = (plan.agent("a"), plan.agent("b"));
    let work = plan.pass("work", a);
    let gate = plan.gate("gate", GateKind::Auto(vec!["tests".to_owned(), "many".to_owned()]));
    let after = plan.pass("after", b);
    plan.then(work, gate).then(gate, after);
    let mut story = Story::of(plan.build().unwrap());
    story.done("a");
    let open = story.gate();
    let checks = vec![held("tests", Truth::Holds), held("many", unknown())];
    story.must(What::CheckGate { gate: open.gate, shown: open.shown, checks });
    assert!(!story.gate().checking);
    assert_eq!(story.at_work(), [""; 0]);
    story.at_gate(GateAnswer::Approve).unwrap();
    assert_eq!(story.at_work(), ["b"]);
}

#[test]
fn a_reason_is_not_longer_than_a_text_may_be() {
    let mut story = Story::of(routed(OnUnknown::Ask));
    let long = Truth::Unknown("x".repeat(bounds::TEXT_BYTES_MAX + 1));
    let owed = story.owed().deliveries[0].clone();
    let facts = Facts { held: vec![held("many", long.clone())], ..done(1) };
    let report = baton_kernel::Report::Answer(facts);
    let refused = story.say(What::Report { key: owed.key, attempt: owed.attempt, report });
    assert!(matches!(refused, Err(Refusal::TooLong { .. })), "{refused:?}");
    let value = What::JoinValue { lane: LaneId(0), truth: long };
    assert!(matches!(story.say(value), Err(Refusal::TooLong { .. })));
}

#[test]
fn what_was_recorded_before_values_could_be_unknown_reads_the_same() {
    let held: Held = serde_json::from_str(r#"{"name":"many","holds":false}"#).unwrap();
    assert_eq!(held.truth, Truth::Fails);
    assert_eq!(serde_json::to_string(&held).unwrap(), r#"{"name":"many","holds":false}"#);
    let written = serde_json::to_string(&Held { truth: unknown(), ..held }).unwrap();
    assert!(written.contains(r#""holds":false,"unknown":"#), "an older reader takes it for false: {written}");
}
