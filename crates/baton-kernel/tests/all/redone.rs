//! Branches that are done again: what they are given, and what people answered in them the last time (E-10, S-05).

use baton_kernel::{
    Choice, Ending, Event, Facts, GateKind, Join, Outcome, Plan, Reason, Recommendation, What,
};

use crate::story::{Story, ada, digest, done, outcome};

/// A first step, then a fork whose branches are a pass and one more, then a last step.
fn forking(change: impl FnOnce(&mut baton_kernel::Builder) -> baton_kernel::StepId) -> Story {
    let mut plan = Plan::named("redone");
    let agents = ["first", "a", "b", "last"].map(|name| plan.agent(name));
    let start = plan.pass("start", agents[0]);
    let one = plan.pass("one", agents[1]);
    let other = change(&mut plan);
    let fork = plan.parallel("fork", &[one, other], Join::AllVerified);
    let close = plan.pass("close", agents[3]);
    plan.then(start, fork).then(fork, close).start(start);
    let mut story = Story::of(plan.build().unwrap());
    story.answer("first", done(41));
    story
}

fn passes() -> Story {
    forking(|plan| plan.pass("other", baton_kernel::AgentId(2)))
}

fn asks(content: u64) -> Facts {
    Facts { recommendation: Some(Recommendation::Ask), ..outcome(Outcome::Partial, content) }
}

/// A person answers the open question with a text.
fn says(story: &mut Story, choice: Choice, content: u64) -> Vec<Event> {
    let ask = story.question().ask;
    story.must(What::AnswerPerson { ask, choice, by: ada(), content: Some(digest(content)), more: None })
}

#[test]
fn branches_that_are_done_again_get_what_they_were_given() {
    let mut story = passes();
    story.answer("a", outcome(Outcome::Concerns, 1));
    assert_eq!(story.question().reason, Reason::JoinFailed);
    assert_eq!(story.question().content, None, "what each branch ended with is not one thing");
    story.choose(Choice::Again).unwrap();
    assert_eq!(story.with("a").content, Some(digest(41))); // proves S-05
    assert_eq!(story.with("b").content, Some(digest(41)));
    assert!(story.state.carries(digest(41)));
    story.done("a");
    story.done("b");
    assert_eq!(story.at_work(), ["last"]);
    assert_eq!(story.with("last").content, None, "behind the join is what the branches ended with");
    assert_eq!(story.replayed(), story.state);
}

#[test]
fn what_they_were_given_is_there_for_as_long_as_they_may_be_done_again() {
    let mut story = passes();
    story.answer("a", outcome(Outcome::Concerns, 1));
    assert!(story.state.carries(digest(41))); // proves S-05
    story.choose(Choice::GoOn).unwrap();
    assert_eq!(story.at_work(), ["last"]);
    assert!(!story.state.carries(digest(41)));
}

#[test]
fn what_a_person_says_to_a_failed_join_reaches_every_branch_that_is_done_again() {
    let mut story = passes();
    story.answer("a", outcome(Outcome::Concerns, 1));
    says(&mut story, Choice::Again, 77);
    assert_eq!(story.with("a").content, Some(digest(77))); // proves S-05
    assert_eq!(story.with("b").content, Some(digest(77)));
}

#[test]
fn a_branch_without_an_agent_does_not_end_as_the_join_that_failed() {
    let mut story = forking(|plan| plan.gate("look", GateKind::Blocking));
    story.answer("a", outcome(Outcome::Concerns, 1));
    story.choose(Choice::Again).unwrap();
    story.done("a");
    assert_eq!(story.gate().shown, Some(digest(41)), "it shows what the branches were given"); // proves P-12
    story.at_gate(baton_kernel::GateAnswer::Approve).unwrap();
    assert_eq!(story.at_work(), ["last"], "{:?}", story.last_route()); // proves E-10
    story.done("last");
    assert_eq!(story.ending(), &Ending::Finished(Outcome::Done));
}

#[test]
fn a_gate_in_a_branch_that_is_done_again_is_answered_again() {
    let mut story = forking(|plan| plan.gate("look", GateKind::Blocking));
    let before = story.gate();
    story.at_gate(baton_kernel::GateAnswer::Approve).unwrap();
    story.answer("a", outcome(Outcome::Concerns, 1));
    story.choose(Choice::Again).unwrap();
    // An answer counts once, whatever the gate shows now.
    assert_ne!(story.gate().gate, before.gate); // proves P-12
    story.done("a");
    assert_eq!(story.owed().gates.len(), 1);
}

#[test]
fn what_a_person_answered_in_a_branch_is_not_asked_for_again() {
    let mut story = passes();
    story.answer("a", asks(5));
    assert_eq!(story.question().reason, Reason::Clarify);
    let first = story.question().ask;
    says(&mut story, Choice::Again, 77);
    story.answer("a", done(6));
    story.answer("b", outcome(Outcome::Concerns, 7));
    assert_eq!(story.question().reason, Reason::JoinFailed);
    assert!(story.state.carries(digest(77)), "its text is needed");
    story.choose(Choice::Again).unwrap();
    let events = story.answer("a", asks(5));
    assert_eq!(story.owed().questions, [], "{events:?}"); // proves S-05
    assert_eq!(story.with("a").content, Some(digest(77)));
    let kept = events.iter().find_map(|event| match event {
        Event::PersonAnswered { by, kept, .. } => Some((by.as_str(), *kept)),
        _ => None,
    });
    assert_eq!(kept, Some(("ada", Some(first))), "it is told whose answer that is, and to what");
    assert_eq!(story.replayed(), story.state);
    // Who asks once more was not helped by it.
    story.answer("a", asks(5));
    assert_eq!(story.question().reason, Reason::Clarify);
    says(&mut story, Choice::Again, 78);
    story.answer("b", outcome(Outcome::Concerns, 8));
    story.choose(Choice::Again).unwrap();
    story.answer("a", asks(5));
    assert_eq!(story.with("a").content, Some(digest(77)), "the answers come in their order");
    story.answer("a", asks(5));
    assert_eq!(story.with("a").content, Some(digest(78)));
}

#[test]
fn another_question_or_another_branch_is_asked_about() {
    let mut story = passes();
    story.answer("a", asks(5));
    says(&mut story, Choice::Again, 77);
    story.answer("a", outcome(Outcome::Concerns, 1));
    story.choose(Choice::Again).unwrap();
    let mut other = story.clone();
    other.answer("b", asks(5));
    assert_eq!(other.question().reason, Reason::Clarify, "it was not asked here"); // proves S-05
    story.answer("a", asks(6));
    assert_eq!(story.question().content, Some(digest(6)), "it was not this that was asked"); // proves S-05
}

#[test]
fn what_was_not_asked_the_second_time_is_kept_for_the_third() {
    let mut story = passes();
    story.answer("a", asks(5));
    says(&mut story, Choice::Again, 77);
    story.answer("a", outcome(Outcome::Concerns, 1));
    story.choose(Choice::Again).unwrap();
    story.answer("a", outcome(Outcome::Concerns, 2));
    story.choose(Choice::Again).unwrap();
    story.answer("a", asks(5));
    assert_eq!((story.owed().questions.len(), story.with("a").content), (0, Some(digest(77)))); // proves S-05
}

#[test]
fn an_answer_is_for_the_branches_that_are_done_again_and_for_no_later_ones() {
    let mut plan = Plan::named("round");
    let agents = ["a", "b"].map(|name| plan.agent(name));
    let (one, two) = (plan.pass("one", agents[0]), plan.pass("two", agents[1]));
    let fork = plan.parallel("fork", &[one, two], Join::AllVerified);
    plan.then(fork, fork).start(fork);
    let mut story = Story::of(plan.build().unwrap());
    story.answer("a", asks(5));
    says(&mut story, Choice::Again, 77);
    story.done("a");
    story.done("b");
    story.answer("a", asks(5));
    assert_eq!(story.question().reason, Reason::Clarify, "the run has gone on since");
}

#[test]
fn answers_from_branches_within_branches_are_kept_too() {
    let mut plan = Plan::named("nested");
    let agents = ["a", "b", "c"].map(|name| plan.agent(name));
    let inner = [plan.pass("one", agents[0]), plan.pass("two", agents[1])];
    let nested = plan.parallel("inner", &inner, Join::AllVerified);
    let beside = plan.pass("beside", agents[2]);
    let outer = plan.parallel("outer", &[beside, nested], Join::AllVerified);
    plan.start(outer);
    let mut story = Story::of(plan.build().unwrap());
    story.answer("b", asks(5));
    says(&mut story, Choice::Again, 77);
    story.answer("c", outcome(Outcome::Concerns, 1));
    story.choose(Choice::Again).unwrap();
    story.answer("b", asks(5));
    assert_eq!((story.owed().questions.len(), story.with("b").content), (0, Some(digest(77)))); // proves S-05
    assert_eq!(story.replayed(), story.state);
}

#[test]
fn leave_for_one_deed_is_not_given_twice() {
    let mut story = passes();
    let failure = baton_kernel::Failure {
        kind: baton_kernel::FailureKind::Permission,
        recoverable: true,
        signature: None,
        tokens: 0,
    };
    let report = baton_kernel::Report::Failure(failure);
    story.report("a", report.clone()).unwrap();
    story.choose(Choice::Again).unwrap();
    story.answer("a", outcome(Outcome::Concerns, 1));
    story.choose(Choice::Again).unwrap();
    story.report("a", report).unwrap();
    assert_eq!(story.question().reason, Reason::PermissionAsked); // proves P-12
}

#[test]
fn what_people_answered_is_needed_while_it_is_kept_and_nothing_else_is() {
    let mut story = passes();
    story.answer("a", asks(5));
    says(&mut story, Choice::Again, 77);
    story.answer("a", done(6));
    assert!(story.state.carries(digest(5)) && story.state.carries(digest(77)), "given this time"); // proves S-05
    assert!(!story.state.carries(digest(78)));
    story.answer("b", outcome(Outcome::Concerns, 7));
    story.choose(Choice::Again).unwrap();
    assert!(story.state.carries(digest(77)), "given the last time"); // proves S-05
    assert!(!story.state.carries(digest(78)));
}

#[test]
fn an_answer_is_kept_where_it_was_asked_for_though_others_are_open() {
    let mut story = passes();
    story.answer("a", asks(5));
    story.answer("b", asks(6));
    let other = story.owed().questions.into_iter().find(|owed| owed.content == Some(digest(6))).unwrap();
    let (choice, content) = (Choice::Again, Some(digest(77)));
    story.must(What::AnswerPerson { ask: other.ask, choice, by: ada(), content, more: None });
    says(&mut story, Choice::Again, 78);
    story.answer("b", outcome(Outcome::Concerns, 7));
    story.choose(Choice::Again).unwrap();
    story.answer("b", asks(6));
    assert_eq!((story.owed().questions.len(), story.with("b").content), (0, Some(digest(77)))); // proves S-05
    story.answer("a", asks(5));
    assert_eq!((story.owed().questions.len(), story.with("a").content), (0, Some(digest(78)))); // proves S-05
}

#[test]
fn who_works_again_is_told_what_was_answered_there_and_nowhere_else() {
    let mut story = forking(|plan| {
        let (one, side) = (baton_kernel::StepId(1), plan.pass("side", baton_kernel::AgentId(3)));
        plan.detour(one, "help", side);
        plan.pass("other", baton_kernel::AgentId(2))
    });
    story.answer("a", asks(5));
    says(&mut story, Choice::Again, 77);
    story.answer("b", outcome(Outcome::Concerns, 7));
    story.choose(Choice::Again).unwrap();
    let told = |story: &Story, agent| story.state.answered_before(story.with(agent).key.lane);
    assert_eq!(told(&story, "a"), [(digest(5), digest(77))]); // proves S-05
    assert_eq!(told(&story, "b"), []);
    story.answer("a", Facts { recommendation: Some(Recommendation::Detour), ..done(8) });
    assert_eq!(told(&story, "last"), [], "in the same branch, at another step");
}

#[test]
fn so_many_answers_are_kept_and_then_the_oldest_is_asked_for_again() {
    let mut story = passes();
    let many = baton_kernel::bounds::ANSWERS_KEPT_MAX as u64 + 1;
    for number in 0..many {
        story.answer("a", asks(100 + number));
        says(&mut story, Choice::Again, 500 + number);
    }
    story.answer("b", outcome(Outcome::Concerns, 7));
    story.choose(Choice::Again).unwrap();
    story.answer("a", asks(101));
    assert_eq!((story.owed().questions.len(), story.with("a").content), (0, Some(digest(501))));
    story.answer("a", asks(100));
    assert_eq!(story.question().reason, Reason::Clarify, "the first of them was let go"); // proves S-07
}

#[test]
fn what_was_answered_is_found_where_a_changed_plan_has_its_step() {
    let plan = |before: &[&str]| {
        let mut plan = Plan::named("redone");
        let agents = ["a", "b"].map(|name| plan.agent(name));
        for name in before {
            plan.pass(name, agents[0]);
        }
        let (one, other) = (plan.pass("one", agents[0]), plan.pass("other", agents[1]));
        let fork = plan.parallel("fork", &[one, other], Join::AllVerified);
        plan.start(fork);
        plan.build().unwrap()
    };
    let mut story = Story::of(plan(&[]));
    story.answer("a", asks(5));
    says(&mut story, Choice::Again, 77);
    let change = What::ChangePlan { plan: Box::new(plan(&["new"])), pins: digest(9), by: ada() };
    story.must(change);
    story.answer("b", outcome(Outcome::Concerns, 7));
    story.choose(Choice::Again).unwrap();
    story.answer("a", asks(5));
    assert_eq!((story.owed().questions.len(), story.with("a").content), (0, Some(digest(77)))); // proves S-05
}
