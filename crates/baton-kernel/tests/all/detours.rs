//! Detours (E-09), delegation (P-11) and questions back to the sender (P-10).

use baton_kernel::{
    Choice, Event, Facts, Outcome, Plan, Reason, Recommendation, Refusal, Report, Role, Stage, Target, bounds,
};

use crate::story::{Story, concerns, digest, done, outcome};

fn detouring() -> Story {
    let mut plan = Plan::named("detour");
    let (author, critic, doctor) = (plan.agent("author"), plan.agent("critic"), plan.agent("doctor"));
    let work = plan.microloop("work", author, critic);
    let mend = plan.pass("mend the environment", doctor);
    let look = plan.pass("look again", doctor);
    plan.then(mend, look).detour(work, "environment", mend);
    Story::of(plan.build().unwrap())
}

fn wants(kind: Option<&str>, content: u64) -> Facts {
    let recommendation = Some(Recommendation::Detour);
    Facts { recommendation, detour: kind.map(str::to_owned), ..outcome(Outcome::Concerns, content) }
}

#[test]
fn a_detour_goes_through_its_side_steps_and_back_to_where_it_left() {
    let mut story = detouring();
    let events = story.answer("author", wants(Some("environment"), 1));
    assert_eq!(story.last_route(), (Target::Detour(0), Reason::DetourAsked)); // proves E-09
    let routed = events.iter().find_map(|event| match event {
        Event::Routed { candidates, .. } => Some(candidates.clone()),
        _ => None,
    });
    assert_eq!(routed.unwrap(), [Target::Detour(0)]); // proves E-09
    story.done("doctor");
    assert_eq!(story.current(), ["look again"]);
    story.done("doctor");
    assert_eq!(story.last_route(), (Target::Back, Reason::Done));
    assert_eq!(story.at_work(), ["author"]); // proves E-09
    story.done("author");
    story.answer("critic", wants(None, 2));
    story.done("doctor");
    story.done("doctor");
    assert_eq!(story.at_work(), ["critic"]); // proves E-09
}

#[test]
fn a_detour_is_taken_at_most_twice_per_kind_and_step() {
    let mut story = detouring();
    for content in 1..=2 {
        story.answer("author", wants(None, content));
        story.done("doctor");
        story.done("doctor");
    }
    story.answer("author", wants(None, 3));
    assert_eq!(story.question().reason, Reason::DetoursExhausted); // proves E-09, S-07
    assert_eq!(story.question().wanted, Some(Target::Detour(0)));
    let mut left = story.clone();
    left.choose(Choice::Again).unwrap();
    assert_eq!(left.at_work(), ["author"]);
    story.choose_more(Choice::GoOn, Some(1)).unwrap();
    assert_eq!(story.at_work(), ["doctor"]);
}

#[test]
fn a_detour_that_nobody_knows_goes_to_a_person() {
    let mut story = detouring();
    story.answer("author", wants(Some("holiday"), 1));
    assert_eq!(story.question().reason, Reason::DetourUnknown); // proves E-09
}

#[test]
fn a_critic_whose_rounds_are_used_up_takes_no_detour_that_would_bring_it_back() {
    let mut story = detouring();
    for content in 1..=2 {
        story.answer("author", done(10 + content));
        story.answer("critic", concerns(20 + content, true));
    }
    story.answer("author", done(13));
    story.answer("critic", wants(None, 23));
    assert_eq!(story.last_route().1, Reason::RoundsExhausted); // proves S-07
}

#[test]
fn the_look_of_a_critic_after_its_detour_is_a_round() {
    let mut story = detouring();
    story.answer("author", done(11));
    story.answer("critic", wants(None, 21));
    story.done("doctor");
    story.done("doctor");
    story.answer("critic", concerns(22, true));
    story.answer("author", done(12));
    story.answer("critic", concerns(23, true));
    assert_eq!(story.last_route().1, Reason::RoundsExhausted); // proves E-08, S-07
}

fn delegating() -> Story {
    let mut plan = Plan::named("agency");
    let (architect, _) = (plan.agent("architecture"), plan.agent("security-check"));
    plan.agent("crypto");
    let developer = plan.agent("developer");
    let design = plan.pass("design", architect);
    let build = plan.pass("build", developer);
    plan.then(design, build);
    Story::of(plan.build().unwrap())
}

fn delegates(to: &str, content: u64) -> Facts {
    Facts { delegate: Some(to.to_owned()), ..done(content) }
}

#[test]
fn nested_delegations_return_in_order_to_who_delegated() {
    let mut story = delegating();
    story.answer("architecture", delegates("security-check", 1));
    assert_eq!(story.with("security-check").role, Role::Delegated);
    story.answer("security-check", delegates("crypto", 2));
    assert_eq!(story.at_work(), ["crypto"]);
    story.done("crypto");
    assert_eq!(story.at_work(), ["security-check"]); // proves P-11
    story.done("security-check");
    assert_eq!(story.last_route(), (Target::Back, Reason::DelegationOver));
    assert_eq!(story.with("architecture").role, Role::Work); // proves P-11
    story.done("architecture");
    assert_eq!(story.at_work(), ["developer"]);
}

#[test]
fn a_delegate_that_is_blocked_goes_to_a_person_whose_going_on_returns_to_who_delegated() {
    let mut story = delegating();
    story.answer("architecture", delegates("security-check", 1));
    story.answer("security-check", outcome(Outcome::Blocked, 2));
    assert_eq!(story.question().reason, Reason::Blocked);
    let mut again = story.clone();
    again.choose(Choice::Again).unwrap();
    assert_eq!(again.at_work(), ["security-check"]);
    story.choose(Choice::GoOn).unwrap();
    assert_eq!(story.at_work(), ["architecture"]); // proves P-11
}

#[test]
fn an_unknown_receiver_bounces_loudly() {
    let mut story = delegating();
    let events = story.answer("architecture", delegates("nobody", 1));
    let bounced = |event: &Event| matches!(event, Event::Bounced { receiver, .. } if receiver == "nobody");
    assert!(events.iter().any(bounced)); // proves S-05
    assert_eq!(story.question().reason, Reason::UnknownReceiver); // proves S-05
}

#[test]
fn delegations_lie_only_so_deep_in_each_other() {
    let mut story = delegating();
    story.answer("architecture", delegates("security-check", 1));
    for depth in 1..bounds::NESTING_MAX {
        let (from, to) =
            if depth % 2 == 1 { ("security-check", "crypto") } else { ("crypto", "security-check") };
        story.answer(from, delegates(to, 100 + depth as u64));
    }
    let last = story.at_work().remove(0);
    story.answer(&last, delegates("developer", 300));
    assert_eq!(story.question().reason, Reason::NestingExhausted); // proves S-07
    // It cannot be delegated, however often a person says so: going on is going back with what there is.
    story.choose(Choice::GoOn).unwrap();
    assert_eq!(story.last_route(), (Target::Back, Reason::PersonSaid));
    assert_eq!(story.at_work().len(), 1);
}

#[test]
fn received_accepted_and_started_are_three_facts_recorded_once_each() {
    let mut story = delegating();
    let before = story.state.delivery(story.with("architecture").key).unwrap().stages;
    assert!(!before.received && !before.accepted && !before.started);
    story.report("architecture", Report::Acknowledge(Stage::Received)).unwrap();
    let stages = story.state.delivery(story.with("architecture").key).unwrap().stages;
    assert!(stages.received && !stages.accepted && !stages.started); // proves P-10
    story.report("architecture", Report::Acknowledge(Stage::Started)).unwrap();
    let stages = story.state.delivery(story.with("architecture").key).unwrap().stages;
    assert!(stages.received && !stages.accepted && stages.started); // proves P-10
    let again = story.report("architecture", Report::Acknowledge(Stage::Received));
    assert!(matches!(again, Err(Refusal::Repeated { .. })));
    story.report("architecture", Report::Acknowledge(Stage::Accepted)).unwrap();
    assert!(story.state.delivery(story.with("architecture").key).unwrap().stages.accepted);
}

#[test]
fn a_receiver_that_does_not_understand_asks_the_sender_and_goes_on_with_the_answer() {
    let mut story = delegating();
    story.done("architecture");
    let first = story.with("developer").key;
    story.report("developer", Report::Question(digest(77))).unwrap();
    assert_eq!(story.with("architecture").role, Role::Question); // proves P-10
    assert_eq!(story.last_route().1, Reason::SenderAsked);
    story.done("architecture");
    let second = story.with("developer");
    assert_ne!(second.key, first, "what is handed over now is another handoff");
    assert_eq!(second.role, Role::Work); // proves P-10
    assert_eq!(story.last_route().1, Reason::SenderAnswered);
}

#[test]
fn a_question_about_what_no_agent_handed_over_goes_to_a_person() {
    let mut story = delegating();
    story.report("architecture", Report::Question(digest(77))).unwrap();
    assert_eq!(story.question().reason, Reason::NoSender); // proves P-10
    story.choose(Choice::Again).unwrap();
    assert_eq!(story.at_work(), ["architecture"]);
}

#[test]
fn a_step_asks_its_sender_only_so_often() {
    let mut story = delegating();
    story.done("architecture");
    for number in 0..u64::from(bounds::CLARIFICATIONS) {
        story.report("developer", Report::Question(digest(70 + number))).unwrap();
        story.done("architecture");
    }
    story.report("developer", Report::Question(digest(99))).unwrap();
    assert_eq!(story.question().reason, Reason::ClarificationsExhausted); // proves S-07
}
