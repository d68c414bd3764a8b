//! How answers are routed (E-03, X-08, X-09, L-06), waiting, and where a run is (P-13).

use baton_kernel::{
    Choice, Does, Ending, Event, Facts, Held, Millis, Outcome, Plan, Reason, Recommendation, Refusal, Rework,
    Route, Stage, StepId, Target, Truth, What, When, position,
};

use crate::story::{Story, ada, digest, done, outcome, started};

/// Research, write, validate, with rework by the writer.
fn phases() -> Story {
    let mut plan = Plan::named("phases");
    let agents = ["researcher", "writer", "validator"].map(|name| plan.agent(name));
    let research = plan.pass("research", agents[0]);
    let write = plan.pass("write", agents[1]);
    let validate = plan.pass("validate", agents[2]);
    plan.then(research, write).then(write, validate).change(validate, |step| {
        if let Does::Pass(pass) = &mut step.does {
            pass.rework = Some(Rework { to: write, max: 2 });
        }
    });
    Story::of(plan.build().unwrap())
}

fn says(recommendation: Recommendation, content: u64) -> Facts {
    Facts { recommendation: Some(recommendation), ..done(content) }
}

#[test]
fn verified_advances_concerns_go_along_and_blocked_goes_to_a_person() {
    let mut story = phases();
    story.answer("researcher", done(1));
    assert_eq!(story.last_route(), (Target::Step(StepId(1)), Reason::Done)); // proves E-03
    story.answer("writer", outcome(Outcome::Concerns, 2));
    assert_eq!(story.last_route(), (Target::Step(StepId(2)), Reason::Concerns)); // proves E-03
    story.answer("validator", outcome(Outcome::Blocked, 3));
    assert_eq!(story.question().reason, Reason::Blocked); // proves E-03, L-06
    assert_eq!(story.question().content, Some(digest(3))); // proves E-09
    assert_eq!(story.question().from, story.state.plan().agent_named("validator")); // proves E-09
    story.choose(Choice::GoOn).unwrap();
    assert_eq!(story.ending(), &Ending::Finished(Outcome::Blocked));
}

#[test]
fn skipped_goes_on_and_is_recorded() {
    let mut story = phases();
    story.answer("researcher", outcome(Outcome::Skipped, 1));
    assert_eq!(story.last_route(), (Target::Step(StepId(1)), Reason::Skipped)); // proves L-06
}

#[test]
fn stop_halts_and_clarify_asks_the_user_then_runs_the_same_step_again_with_the_answer() {
    let mut story = phases();
    story.answer("researcher", says(Recommendation::Ask, 1));
    let question = story.question();
    assert_eq!(question.reason, Reason::Clarify); // proves X-08
    let key = story.events.iter().find_map(|event| match event {
        Event::DeliveryStarted { key, .. } => Some(*key),
        _ => None,
    });
    let answer = What::AnswerPerson {
        ask: question.ask,
        choice: Choice::Again,
        by: ada(),
        content: Some(digest(55)),
        more: None,
    };
    story.must(answer.clone());
    assert_eq!(story.current(), ["research"]); // proves X-08
    assert_ne!(Some(story.with("researcher").key), key, "another handoff has another key");
    assert_eq!(story.say(answer), Err(Refusal::QuestionOver { ask: question.ask }));
    story.answer("researcher", says(Recommendation::Stop, 2));
    assert_eq!(story.ending(), &Ending::Halted(Reason::Stop)); // proves X-08
}

#[test]
fn a_stop_that_rework_can_mend_goes_to_the_writer_so_often_as_the_plan_allows() {
    let mendable = |content| Facts { mendable: true, ..says(Recommendation::Stop, content) };
    let mut story = phases();
    story.done("researcher");
    for round in 0..2 {
        story.done("writer");
        story.answer("validator", mendable(10 + round));
        assert_eq!(story.last_route(), (Target::Step(StepId(1)), Reason::Rework)); // proves X-09
    }
    story.done("writer");
    story.answer("validator", mendable(12));
    assert_eq!(story.ending(), &Ending::Halted(Reason::ReworkExhausted)); // proves X-09
}

#[test]
fn a_stop_that_rework_cannot_mend_halts_at_once() {
    let mut story = phases();
    story.done("researcher");
    story.done("writer");
    story.answer("validator", says(Recommendation::Stop, 3));
    assert_eq!(story.ending(), &Ending::Halted(Reason::Stop)); // proves X-09
}

#[test]
fn an_agent_may_ask_for_a_person() {
    let mut story = phases();
    story.answer("researcher", says(Recommendation::Escalate, 1));
    assert_eq!(story.question().reason, Reason::EscalationAsked); // proves E-09
    story.choose(Choice::Go(StepId(2))).unwrap();
    assert_eq!(story.current(), ["validate"]);
}

#[test]
fn a_person_cannot_send_a_run_to_a_step_that_is_not_there() {
    let mut story = phases();
    story.answer("researcher", says(Recommendation::Escalate, 1));
    assert_eq!(story.choose(Choice::Go(StepId(9))), Err(Refusal::UnknownStep));
    story.choose(Choice::Halt).unwrap();
    assert_eq!(story.ending(), &Ending::Halted(Reason::PersonSaid));
}

#[test]
fn only_a_loop_can_repeat() {
    let mut story = phases();
    let events = story.answer("researcher", says(Recommendation::Repeat, 1));
    assert!(events.iter().any(|event| matches!(event, Event::Routed { contradiction: true, .. })));
    assert_eq!(story.at_work(), ["writer"]);
}

/// Issue to merge: review and validation send back to the fixer, who sends to the reviewer.
fn pipeline() -> Story {
    let mut plan = Plan::named("pipeline");
    let agents = ["implementer", "reviewer", "fixer", "validator", "closer"].map(|name| plan.agent(name));
    let implement = plan.pass("implement", agents[0]);
    let review = plan.pass("review", agents[1]);
    let fix = plan.pass("fix", agents[2]);
    let validate = plan.pass("validate", agents[3]);
    let close = plan.pass("close", agents[4]);
    plan.then(implement, review).then(review, validate).then(fix, review).then(validate, close);
    plan.on_decision(review, "changes_requested", fix).on_decision(validate, "failed", fix);
    plan.change(review, |step| step.visits_max = Some(3));
    Story::of(plan.build().unwrap())
}

fn decides(word: &str, content: u64) -> Facts {
    Facts { decision: Some(word.to_owned()), ..done(content) }
}

#[test]
fn decision_words_take_the_routes_that_the_plan_has_for_them() {
    let mut story = pipeline();
    story.done("implementer");
    story.answer("reviewer", decides("Changes_Requested", 1));
    assert_eq!(story.last_route(), (Target::Step(StepId(2)), Reason::Decision)); // proves L-06
    let candidates = story.events.iter().rev().find_map(|event| match event {
        Event::Routed { candidates, .. } => Some(candidates.clone()),
        _ => None,
    });
    assert_eq!(candidates.unwrap(), [Target::Step(StepId(2)), Target::Step(StepId(3))]); // proves E-09
    story.done("fixer");
    story.answer("reviewer", decides("approved", 2));
    // A failed validation is a decision of the flow, not an attempt that failed.
    let failed = Facts { outcome: Outcome::Failed, ..decides("failed", 3) };
    story.answer("validator", failed);
    assert_eq!(story.current(), ["fix"]); // proves L-06
    story.done("fixer");
    story.answer("reviewer", decides("approved", 4));
    story.answer("validator", decides("merged", 5));
    story.done("closer");
    assert_eq!(story.ending(), &Ending::Finished(Outcome::Done)); // proves L-06
}

#[test]
fn after_three_review_rounds_a_person_is_asked() {
    let mut story = pipeline();
    story.done("implementer");
    for round in 0..3 {
        story.answer("reviewer", decides("changes_requested", 10 + round));
        story.done("fixer");
    }
    assert_eq!(story.question().reason, Reason::VisitsExhausted); // proves L-06
}

#[test]
fn blocked_goes_to_a_person_whatever_it_decides() {
    let mut story = pipeline();
    story.done("implementer");
    story.answer("reviewer", Facts { outcome: Outcome::Blocked, ..decides("changes_requested", 1) });
    assert_eq!(story.question().reason, Reason::Blocked); // proves E-03
}

#[test]
fn routes_by_outcome_and_by_expression() {
    let mut plan = Plan::named("routes");
    let agent = plan.agent("a");
    let one = plan.pass("one", agent);
    let two = plan.pass("two", agent);
    let small = plan.pass("small", agent);
    let none = plan.end("none", Outcome::Skipped);
    plan.then(one, two).change(one, |step| {
        if let Does::Pass(pass) = &mut step.does {
            pass.routes.push(Route::new(When::Outcome(Outcome::Skipped), none));
            pass.routes.push(Route::new(When::Holds("is small".to_owned()), small));
        }
    });
    let plan = plan.build().unwrap();
    let held = |holds| vec![Held { name: "is small".to_owned(), truth: Truth::from(holds) }];
    let mut story = Story::of(plan.clone());
    story.answer("a", Facts { held: held(true), ..done(1) });
    assert_eq!(story.last_route(), (Target::Step(small), Reason::Holds));
    let mut story = Story::of(plan.clone());
    story.answer("a", Facts { held: held(false), ..done(1) });
    assert_eq!(story.last_route(), (Target::Step(two), Reason::Done));
    let mut story = Story::of(plan.clone());
    story.answer("a", Facts { held: held(true), ..says(Recommendation::Escalate, 1) });
    assert_eq!(story.question().reason, Reason::EscalationAsked, "an expression overrides nobody");
    let mut story = Story::of(plan);
    story.answer("a", outcome(Outcome::Skipped, 1));
    assert_eq!(story.ending(), &Ending::Finished(Outcome::Skipped));
    assert_eq!(story.last_route(), (Target::Step(none), Reason::Outcome));
}

#[test]
fn a_wait_is_over_in_time_or_with_its_signal() {
    let waiting = || {
        let mut plan = Plan::named("wait");
        let agent = plan.agent("a");
        let wait = plan.wait("wait", 1_000);
        let next = plan.pass("next", agent);
        let missed = plan.escalate("missed");
        plan.then(wait, next).change(wait, |step| {
            if let Does::Wait(wait) = &mut step.does {
                wait.signal = Some("deployed".to_owned());
                wait.on_due = Some(missed);
            }
        });
        Story::of(plan.build().unwrap())
    };
    let after = |ms: u64| Millis(1_000_000 + ms);
    let signal_at = |name: &str, at| What::Signal { name: name.to_owned(), at };
    let signal = |name: &str| signal_at(name, after(0));
    let mut story = waiting();
    assert_eq!(story.say(signal("other")), Err(Refusal::NobodyWaits));
    story.must(signal("deployed"));
    assert_eq!(story.last_route().1, Reason::Signalled);
    assert_eq!(story.at_work(), ["a"]);
    assert_eq!(story.say(signal("deployed")), Err(Refusal::NobodyWaits));
    let mut story = waiting();
    assert_eq!(story.pass(999), []);
    story.pass(1);
    assert_eq!(story.question().reason, Reason::PlanEscalates);
    assert_eq!(story.current(), ["missed"]);
    story.choose(Choice::GoOn).unwrap();
    assert!(story.state.ending().is_some());
    // When it came decides, and not when it is heard.
    let mut story = waiting();
    story.now = after(5_000);
    assert_eq!(story.say(signal_at("deployed", after(1_000))), Err(Refusal::SignalLate));
    story.must(signal_at("deployed", after(999)));
    assert_eq!(story.last_route().1, Reason::Signalled);
    // Nothing is heard before it came: a clock was set back.
    let mut story = waiting();
    story.must(signal_at("deployed", after(9_000)));
    assert_eq!(story.last_route().1, Reason::Signalled);
}

#[test]
fn the_position_in_the_workflow_is_kept_true() {
    let mut story = phases();
    let names = |story: &Story| {
        let position = position(&story.state);
        let owned = |steps: &[StepId]| story.names(steps).join(" ");
        (owned(&position.current), owned(&position.completed), owned(&position.remaining))
    };
    let is = |current: &str, completed: &str, remaining: &str| {
        (current.to_owned(), completed.to_owned(), remaining.to_owned())
    };
    assert_eq!(names(&story), is("research", "", "write validate")); // proves P-13
    story.done("researcher");
    story.done("writer");
    assert_eq!(names(&story), is("validate", "research write", "")); // proves P-13
    story.answer("validator", Facts { mendable: true, ..says(Recommendation::Stop, 3) });
    assert_eq!(names(&story), is("write", "research", "validate")); // proves P-13
    story.done("writer");
    story.done("validator");
    assert_eq!(names(&story), is("", "research write validate", "")); // proves P-13
}

#[test]
fn a_detour_and_branches_are_part_of_the_position() {
    let mut plan = Plan::named("side");
    let agent = plan.agent("a");
    let one = plan.pass("one", agent);
    let two = plan.pass("two", agent);
    let side = plan.pass("side", agent);
    let left = plan.pass("left", agent);
    let fork = plan.parallel("fork", &[left], baton_kernel::Join::AllComplete);
    plan.then(one, two).then(two, fork).detour(one, "side", side);
    let mut story = Story::of(plan.build().unwrap());
    story.answer("a", says(Recommendation::Detour, 1));
    let at = position(&story.state);
    assert_eq!(story.names(&at.current), ["side"]);
    assert_eq!(story.names(&at.remaining), ["one", "two", "left", "fork"]);
    story.done("a");
    let at = position(&story.state);
    assert_eq!(story.names(&at.completed), ["side"]);
}

#[test]
fn a_run_starts_once_and_is_cancelled_once() {
    let mut story = phases();
    let plan = Box::new(story.state.plan().clone());
    let start = What::Start { run: "again".to_owned(), plan, pins: digest(1), input: digest(2) };
    assert_eq!(story.say(start.clone()), Err(Refusal::Started));
    let key = story.with("researcher").key;
    let events = story.must(What::Cancel { by: ada() });
    assert_eq!(events[0], Event::DeliveryStopped { key });
    assert_eq!(story.ending(), &Ending::Cancelled("ada".to_owned()));
    assert_eq!(story.say(What::Cancel { by: ada() }), Err(Refusal::Ended));
    assert_eq!(story.say(What::Tick), Err(Refusal::Ended));
    assert_eq!(story.say(start), Err(Refusal::Started));
    assert_eq!(story.replayed(), story.state);
}

#[test]
fn a_run_that_has_not_started_does_nothing() {
    let state = baton_kernel::State::new();
    let command = baton_kernel::Command { fence: baton_kernel::Fence(1), what: What::Tick };
    let refused = baton_kernel::decide(&state, &command, Millis(0));
    assert_eq!(refused, Err(Refusal::NotStarted));
    assert_eq!(baton_kernel::pending(&state, Millis(0)), baton_kernel::Pending::default());
}

#[test]
fn nothing_is_due_before_its_time_and_clocks_may_go_back() {
    let mut story = phases();
    story.now = Millis(5);
    assert_eq!(story.must(What::Tick), []);
    let events = story.done("researcher");
    assert_eq!(started(&events).len(), 1);
    let stage = baton_kernel::Report::Acknowledge(Stage::Received);
    story.report("writer", stage).unwrap();
}

#[test]
fn a_stop_goes_where_the_plan_says_by_that_very_word_and_halts_elsewhere() {
    let stops = |when| {
        let mut plan = Plan::named("stops");
        let (a, b) = (plan.agent("a"), plan.agent("b"));
        let (one, two) = (plan.pass("one", a), plan.pass("two", b));
        plan.change(one, |step| {
            if let Does::Pass(pass) = &mut step.does {
                pass.routes.push(Route::new(when, two));
            }
        });
        let mut story = Story::of(plan.build().unwrap());
        let (recommendation, decision) = (Some(Recommendation::Stop), Some("STOP".to_owned()));
        story.answer("a", Facts { recommendation, decision, ..done(1) });
        story
    };
    assert_eq!(stops(When::Decision("stop".to_owned())).at_work(), ["b"]);
    let halted = stops(When::Outcome(Outcome::Done));
    assert_eq!(halted.ending(), &Ending::Halted(Reason::Stop)); // proves X-08
}
