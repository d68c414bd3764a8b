//! Gates (P-12): three kinds, and what people of other systems have lost at theirs.

use baton_kernel::{
    By, Does, Ending, Event, GateAnswer, GateId, GateKind, Held, Outcome, Plan, Reason, Refusal, Role, What,
};

use crate::story::{Story, ada, digest, done};

fn gated(kind: GateKind, change: impl FnOnce(&mut baton_kernel::Gate)) -> Story {
    let mut plan = Plan::named("gated");
    let (before, after) = (plan.agent("before"), plan.agent("after"));
    let make = plan.pass("make", before);
    let gate = plan.gate("validation", kind);
    let ship = plan.pass("ship", after);
    plan.then(make, gate).then(gate, ship).change(gate, |step| {
        if let Does::Gate(gate) = &mut step.does {
            change(gate);
        }
    });
    let mut story = Story::of(plan.build().unwrap());
    story.answer("before", done(7));
    story
}

#[test]
fn a_run_carries_what_its_lanes_have_and_what_its_gates_show() {
    let mut story = gated(GateKind::Blocking, |_| {});
    let gate = story.gate().gate;
    story.must(What::ShowAtGate { gate, shown: digest(8) });
    let carried = [6, 7, 8, 9].map(|content| story.state.carries(digest(content)));
    assert_eq!(carried, [false, true, true, false]);
    assert_eq!(story.state.run(), "run-1");
}

const WEEK_MS: u64 = 7 * 24 * 60 * 60 * 1000;

#[test]
fn a_blocking_gate_never_passes_without_an_answer() {
    let mut story = gated(GateKind::Blocking, |gate| gate.due_ms = Some(1_000));
    assert_eq!(story.owed().next_due, Some(story.now.after(1_000)));
    let events = story.pass(1_000);
    assert!(matches!(events[..], [Event::GateOverdue { .. }])); // proves P-12
    assert_eq!(story.owed().next_due, None, "it is overdue once");
    assert_eq!(story.pass(WEEK_MS), []);
    assert_eq!(story.at_work(), [""; 0]);
    story.at_gate(GateAnswer::Approve).unwrap();
    assert_eq!(story.last_route().1, Reason::GateApproved);
    assert_eq!(story.at_work(), ["after"]); // proves P-12
}

#[test]
fn an_approval_may_take_a_week_without_using_up_the_time_of_the_run() {
    let mut story = gated(GateKind::Blocking, |_| {});
    story.pass(WEEK_MS);
    story.at_gate(GateAnswer::Approve).unwrap();
    assert_eq!(story.at_work(), ["after"]); // proves S-07
    assert!(!story.until_due().is_empty());
    assert_eq!(story.question().reason, Reason::TimeExhausted); // proves S-07
}

#[test]
fn a_time_out_is_not_a_refusal() {
    let mut story = gated(GateKind::Blocking, |gate| gate.due_ms = Some(1_000));
    story.pass(5_000);
    let refused = |event: &Event| {
        matches!(event, Event::GateAnswered { .. } | Event::GateUnanswered { .. } | Event::RunEnded { .. })
    };
    assert_eq!(story.count(refused), 0); // proves P-12
    let mut story = gated(GateKind::Informative, |gate| gate.due_ms = Some(1_000));
    story.pass(5_000);
    assert_eq!(story.count(|event| matches!(event, Event::GateAnswered { .. })), 0);
    assert_eq!(story.last_route().1, Reason::GateUnanswered); // proves P-12
}

#[test]
fn an_informative_gate_goes_on_if_unanswered_when_the_answer_is_due_and_not_before() {
    let mut story = gated(GateKind::Informative, |gate| gate.due_ms = Some(1_000));
    assert_eq!(story.pass(999), []);
    story.pass(1);
    assert_eq!(story.at_work(), ["after"]); // proves P-12
    let gate = GateId(1);
    let late = What::AnswerGate { gate, answer: GateAnswer::Reject, shown: digest(7), by: ada() };
    assert_eq!(story.say(late), Err(Refusal::GateOver { gate }));
    let mut story = gated(GateKind::Informative, |gate| gate.due_ms = Some(1_000));
    story.at_gate(GateAnswer::Reject).unwrap();
    assert_eq!(story.ending(), &Ending::Halted(Reason::GateRejected)); // proves P-12
}

fn held(name: &str, holds: bool) -> Held {
    Held { name: name.to_owned(), truth: holds.into() }
}

#[test]
fn an_automatic_gate_passes_when_all_its_checks_hold() {
    let checks = vec!["tests".to_owned(), "lint".to_owned()];
    let mut story = gated(GateKind::Auto(checks), |_| {});
    let gate = story.gate();
    assert!(gate.checking);
    let results = vec![held("tests", true), held("lint", true)];
    story.must(What::CheckGate { gate: gate.gate, shown: gate.shown, checks: results });
    assert_eq!(story.last_route().1, Reason::GateChecksHeld);
    assert_eq!(story.at_work(), ["after"]); // proves P-12
}

#[test]
fn an_automatic_gate_becomes_blocking_when_a_check_fails_or_is_missing() {
    let checks = vec!["tests".to_owned(), "lint".to_owned()];
    let cases = [
        vec![held("tests", true), held("lint", false)],
        vec![held("tests", true)],
        vec![held("other", true)],
    ];
    for results in cases {
        let mut story = gated(GateKind::Auto(checks.clone()), |gate| gate.due_ms = Some(1_000));
        let gate = story.gate();
        let check = What::CheckGate { gate: gate.gate, shown: gate.shown, checks: results };
        story.must(check.clone());
        assert!(!story.gate().checking); // proves P-12
        assert_eq!(story.say(check), Err(Refusal::NoChecksAwaited { gate: gate.gate }));
        story.pass(WEEK_MS);
        assert_eq!(story.at_work(), [""; 0]); // proves P-12
        story.at_gate(GateAnswer::Approve).unwrap();
        assert_eq!(story.at_work(), ["after"]);
    }
}

#[test]
fn checks_of_other_content_do_not_pass_a_gate() {
    let mut story = gated(GateKind::Auto(vec!["tests".to_owned()]), |_| {});
    let gate = story.gate().gate;
    story.must(What::ShowAtGate { gate, shown: digest(8) });
    let checks = vec![held("tests", true)];
    let stale = story.say(What::CheckGate { gate, shown: Some(digest(7)), checks: checks.clone() });
    assert_eq!(stale, Err(Refusal::ContentChanged { gate }));
    story.must(What::CheckGate { gate, shown: Some(digest(8)), checks });
    assert_eq!(story.at_work(), ["after"]);
}

#[test]
fn an_agent_cannot_answer_a_gate_nor_anything_else_that_is_asked_of_a_person() {
    let mut story = gated(GateKind::Blocking, |_| {});
    let gate = story.gate();
    let by = By::Agent("before".to_owned());
    let answer = GateAnswer::Approve;
    let refused = story.say(What::AnswerGate { gate: gate.gate, answer, shown: digest(7), by: by.clone() });
    assert_eq!(refused, Err(Refusal::OnlyAPerson)); // proves P-12
    assert_eq!(story.gate(), gate);
    let ask = baton_kernel::AskId(99);
    let choice = baton_kernel::Choice::GoOn;
    let refused = story.say(What::AnswerPerson { ask, choice, by, content: None, more: None });
    assert_eq!(refused, Err(Refusal::OnlyAPerson));
}

#[test]
fn a_decided_gate_cannot_be_answered_again_and_what_lies_before_it_is_not_repeated() {
    let mut story = gated(GateKind::Blocking, |_| {});
    let gate = story.gate().gate;
    story.at_gate(GateAnswer::Approve).unwrap();
    for answer in [GateAnswer::Approve, GateAnswer::Reject, GateAnswer::Question] {
        let again = story.say(What::AnswerGate { gate, answer, shown: digest(7), by: ada() });
        assert_eq!(again, Err(Refusal::GateOver { gate })); // proves P-12
    }
    let before = story.state.plan().agent_named("before").unwrap();
    let begun = |event: &Event| matches!(event, Event::DeliveryStarted { to, .. } if *to == before);
    assert_eq!(story.count(begun), 1, "the effect before the gate ran once");
    assert_eq!(story.replayed(), story.state);
}

#[test]
fn a_gate_that_was_never_opened_is_unknown() {
    let mut story = gated(GateKind::Blocking, |_| {});
    let next = GateId(story.gate().gate.0 + 1);
    for gate in [next, GateId(99)] {
        let answer = GateAnswer::Approve;
        let refused = story.say(What::AnswerGate { gate, answer, shown: digest(7), by: ada() });
        assert_eq!(refused, Err(Refusal::UnknownGate { gate }));
    }
}

#[test]
fn changed_content_does_not_inherit_an_approval() {
    let mut story = gated(GateKind::Blocking, |_| {});
    let gate = story.gate().gate;
    story.must(What::ShowAtGate { gate, shown: digest(8) });
    let answer = GateAnswer::Approve;
    let stale = story.say(What::AnswerGate { gate, answer, shown: digest(7), by: ada() });
    assert_eq!(stale, Err(Refusal::ContentChanged { gate })); // proves P-12
    story.must(What::AnswerGate { gate, answer, shown: digest(8), by: ada() });
    assert_eq!(story.at_work(), ["after"]);
}

#[test]
fn a_rejection_goes_where_the_plan_says_and_the_next_round_needs_an_answer_of_its_own() {
    let make = baton_kernel::StepId(0);
    let mut story = gated(GateKind::Blocking, |gate| gate.on_reject = Some(make));
    let first = story.gate().gate;
    story.at_gate(GateAnswer::Reject).unwrap();
    assert_eq!(story.last_route().1, Reason::GateRejected);
    story.answer("before", done(8));
    let second = story.gate();
    assert_ne!(second.gate, first); // proves P-12
    assert_eq!(second.shown, Some(digest(8)));
    story.at_gate(GateAnswer::Approve).unwrap();
    story.done("after");
    assert_eq!(story.ending(), &Ending::Finished(Outcome::Done));
}

#[test]
fn a_question_at_a_gate_goes_to_who_handed_over_and_the_gate_opens_again() {
    let mut story = gated(GateKind::Blocking, |_| {});
    let first = story.gate().gate;
    story.at_gate(GateAnswer::Question).unwrap();
    assert_eq!(story.with("before").role, Role::Question); // proves P-12
    story.answer("before", done(9));
    let second = story.gate();
    assert_ne!(second.gate, first);
    assert_eq!(second.shown, Some(digest(9))); // proves P-12
}

#[test]
fn behind_a_join_nothing_can_be_approved_until_it_is_shown() {
    let mut plan = Plan::named("joined gate");
    let agent = plan.agent("a");
    let one = plan.pass("one", agent);
    let fork = plan.parallel("fork", &[one], baton_kernel::Join::AllVerified);
    let gate = plan.gate("look", GateKind::Blocking);
    plan.then(fork, gate).start(fork);
    let mut story = Story::of(plan.build().unwrap());
    story.done("a");
    let gate = story.gate();
    assert_eq!(gate.shown, None);
    let answer =
        What::AnswerGate { gate: gate.gate, answer: GateAnswer::Approve, shown: digest(5), by: ada() };
    assert_eq!(story.say(answer.clone()), Err(Refusal::NothingShown { gate: gate.gate }));
    story.must(What::ShowAtGate { gate: gate.gate, shown: digest(5) });
    story.must(answer);
    assert_eq!(story.ending(), &Ending::Finished(Outcome::Done));
}

#[test]
fn a_question_that_nobody_can_answer_does_not_open_a_way_around_the_gate() {
    let mut plan = Plan::named("gate first");
    let agent = plan.agent("a");
    let gate = plan.gate("look", GateKind::Blocking);
    let next = plan.pass("next", agent);
    plan.then(gate, next);
    let mut story = Story::of(plan.build().unwrap());
    story.at_gate(GateAnswer::Question).unwrap();
    assert_eq!(story.question().reason, Reason::NoSender);
    story.choose(baton_kernel::Choice::GoOn).unwrap();
    assert_eq!(story.gate().step, gate); // proves P-12
    story.at_gate(GateAnswer::Approve).unwrap();
    assert_eq!(story.at_work(), ["a"]);
}
