//! The microloop of author and critic (E-08).

use baton_kernel::{
    Does, Ending, Event, Facts, Frame, OnCap, Outcome, Plan, Reason, Recommendation, Role, Target, signature,
};

use crate::story::{Story, concerns, done, outcome};

fn looping(change: impl FnOnce(&mut baton_kernel::Builder, baton_kernel::StepId)) -> Story {
    let mut plan = Plan::named("microloop");
    let (author, critic, closer) = (plan.agent("author"), plan.agent("critic"), plan.agent("closer"));
    let work = plan.microloop("work", author, critic);
    let close = plan.pass("close", closer);
    plan.then(work, close);
    change(&mut plan, work);
    Story::of(plan.build().unwrap())
}

/// One round: the author hands over, the critic has concerns.
fn round(story: &mut Story, number: u64, further_help: bool) {
    story.answer("author", done(100 + number));
    story.answer("critic", concerns(200 + number, further_help));
}

#[test]
fn a_verified_review_leaves_the_loop() {
    let mut story = looping(|_, _| {});
    assert_eq!(story.with("author").role, Role::Work);
    story.answer("author", outcome(Outcome::Concerns, 100));
    assert_eq!(story.with("critic").role, Role::Review);
    story.answer("critic", done(200));
    assert_eq!(story.last_route(), (Target::Step(baton_kernel::StepId(1)), Reason::Verified)); // proves E-08
    story.done("closer");
    assert_eq!(story.ending(), &Ending::Finished(Outcome::Done));
}

#[test]
fn concerns_with_further_help_go_round_and_without_leave_with_the_concerns() {
    let mut story = looping(|_, _| {});
    round(&mut story, 1, true);
    assert_eq!(story.last_route(), (Target::Author, Reason::FurtherHelp)); // proves E-08
    round(&mut story, 2, false);
    assert_eq!(story.last_route().1, Reason::NoFurtherHelp); // proves E-08
    assert_eq!(story.at_work(), ["closer"]);
}

#[test]
fn a_critic_that_can_say_nothing_is_a_matter_for_a_person_once() {
    for (said, reason) in [(Outcome::Blocked, Reason::Blocked), (Outcome::Failed, Reason::Unrecoverable)] {
        let mut story = looping(|_, _| {});
        story.done("author");
        story.answer("critic", outcome(said, 200));
        assert_eq!((story.at_work(), story.question().reason), (vec![], reason));
        assert_eq!(story.count(|event| matches!(event, Event::PersonAsked { .. })), 1);
    }
}

#[test]
fn the_loop_is_left_at_its_cap_with_the_reason() {
    let mut story = looping(|_, _| {});
    round(&mut story, 1, true);
    round(&mut story, 2, true);
    assert_eq!(story.at_work(), ["author"]);
    round(&mut story, 3, true);
    assert_eq!(story.last_route().1, Reason::RoundsExhausted); // proves E-08, S-07
    assert_eq!(story.at_work(), ["closer"]);
    let reviews = story.count(|event| matches!(event, Event::DeliveryStarted { role: Role::Review, .. }));
    assert_eq!(reviews, 3, "a cap counts the first execution"); // proves S-07
}

#[test]
fn a_loop_may_ask_a_person_at_its_cap_who_may_allow_more_rounds_or_none() {
    let ask = |plan: &mut baton_kernel::Builder, work| {
        plan.change(work, |step| {
            if let Does::Microloop(microloop) = &mut step.does {
                microloop.on_cap = OnCap::Ask;
                microloop.rounds_max = 1;
            }
        });
    };
    let mut story = looping(ask);
    round(&mut story, 1, true);
    assert_eq!(story.question().reason, Reason::RoundsExhausted); // proves L-06
    let mut more = story.clone();
    more.choose_more(baton_kernel::Choice::GoOn, Some(1)).unwrap();
    assert_eq!(more.at_work(), ["author"]);
    round(&mut more, 2, true);
    assert_eq!(more.question().reason, Reason::RoundsExhausted);
    let rounds = |story: &Story| {
        let frames = story.state.lanes().iter().flat_map(|lane| &lane.frames);
        frames
            .filter_map(|frame| {
                if let Frame::Loop(frame) = frame { Some((frame.rounds(), frame.rounds_max())) } else { None }
            })
            .next()
    };
    assert_eq!(rounds(&more), Some((2, 2)));
    more.choose_more(baton_kernel::Choice::GoOn, Some(2)).unwrap();
    round(&mut more, 3, true);
    assert_eq!((more.at_work(), rounds(&more)), (vec!["author".to_owned()], Some((3, 4))));
    story.choose(baton_kernel::Choice::GoOn).unwrap();
    assert_eq!(story.at_work(), ["closer"]);
}

#[test]
fn the_same_failure_twice_in_a_row_is_a_stall_before_the_cap() {
    let mut story = looping(|_, _| {});
    for (number, line) in
        [(1, "src/auth.py:42: Missing validation"), (2, "src/auth.py:57: missing validation")]
    {
        story.answer("author", done(100 + number));
        let facts = Facts { signature: Some(signature(line)), ..concerns(200 + number, true) };
        story.answer("critic", facts);
    }
    assert_eq!(story.question().reason, Reason::Stalled); // proves E-08
}

#[test]
fn what_a_critic_asks_a_person_is_answered_to_the_critic() {
    let mut story = looping(|_, _| {});
    story.answer("author", done(1));
    let asks = Some(Recommendation::Ask);
    story.answer("critic", Facts { recommendation: asks, ..concerns(2, true) });
    assert_eq!(story.question().reason, Reason::Clarify);
    story.choose(baton_kernel::Choice::Again).unwrap();
    assert_eq!(story.at_work(), ["critic"]); // proves E-08
}

#[test]
fn a_stall_that_a_person_answers_begins_again_with_the_author_in_the_rounds_that_are_left() {
    let same = |number| Facts { signature: Some("same".to_owned()), ..concerns(200 + number, true) };
    let stalled = |rounds_max, on_cap| {
        let mut story = looping(|plan, work| {
            plan.change(work, |step| {
                if let Does::Microloop(microloop) = &mut step.does {
                    (microloop.rounds_max, microloop.on_cap) = (rounds_max, on_cap);
                }
            });
        });
        for number in 1..=2 {
            story.answer("author", done(100 + number));
            story.answer("critic", same(number));
        }
        assert_eq!(story.question().reason, Reason::Stalled);
        story.choose(baton_kernel::Choice::Again).unwrap();
        assert_eq!(story.at_work(), ["author"]); // proves E-08, E-09
        story.answer("author", done(103));
        story
    };
    // The same concern once more is the first one after the answer.
    let mut story = stalled(4, OnCap::GoOn);
    story.answer("critic", same(3));
    assert_eq!(story.at_work(), ["author"]);
    story.answer("author", done(104));
    story.answer("critic", same(4));
    assert_eq!(story.question().reason, Reason::Stalled);
    // No round is left for the critic: what the author made goes on, or a person allows one more.
    let story = stalled(2, OnCap::GoOn);
    assert_eq!((story.last_route().1, story.at_work()), (Reason::RoundsExhausted, vec!["closer".to_owned()]));
    let mut story = stalled(2, OnCap::Ask);
    assert_eq!(story.question().reason, Reason::RoundsExhausted); // proves S-07
    story.choose_more(baton_kernel::Choice::GoOn, Some(1)).unwrap();
    assert_eq!(story.at_work(), ["critic"]);
}

#[test]
fn another_failure_in_between_is_no_stall() {
    let mut story = looping(|_, _| {});
    for (number, line) in [(1, "one"), (2, "other")] {
        story.answer("author", done(100 + number));
        story.answer("critic", Facts { signature: Some(signature(line)), ..concerns(200 + number, true) });
    }
    assert_eq!(story.at_work(), ["author"]);
    // A failure without a signature is not the same as another without one.
    let mut story = looping(|_, _| {});
    round(&mut story, 1, true);
    round(&mut story, 2, true);
    assert_eq!(story.at_work(), ["author"]);
}

#[test]
fn a_stall_takes_the_detour_that_the_loop_names_and_comes_back_to_the_author() {
    let mut story = looping(|plan, work| {
        let planner = plan.agent("planner");
        let think = plan.pass("think again", planner);
        plan.detour(work, "replan", think).change(work, |step| {
            if let Does::Microloop(microloop) = &mut step.does {
                microloop.on_stall = Some("replan".to_owned());
            }
        });
    });
    for number in 1..=2 {
        story.answer("author", done(100 + number));
        story.answer("critic", Facts { signature: Some("same".to_owned()), ..concerns(200 + number, true) });
    }
    assert_eq!(story.last_route(), (Target::Detour(0), Reason::Stalled)); // proves E-08, E-09
    story.done("planner");
    assert_eq!(story.at_work(), ["author"]); // proves E-09
}

#[test]
fn a_stall_in_the_last_round_asks_a_person_for_no_round_would_follow_the_detour() {
    let mut story = looping(|plan, work| {
        let planner = plan.agent("planner");
        let think = plan.pass("think again", planner);
        plan.detour(work, "replan", think).change(work, |step| {
            if let Does::Microloop(microloop) = &mut step.does {
                microloop.on_stall = Some("replan".to_owned());
                microloop.rounds_max = 2;
            }
        });
    });
    for number in 1..=2 {
        story.answer("author", done(100 + number));
        story.answer("critic", Facts { signature: Some("same".to_owned()), ..concerns(200 + number, true) });
    }
    assert_eq!(story.question().reason, Reason::Stalled); // proves E-08, S-07
}

#[test]
fn blocked_goes_to_a_person_from_either_side() {
    let mut story = looping(|_, _| {});
    story.answer("author", outcome(Outcome::Blocked, 100));
    assert_eq!(story.question().reason, Reason::Blocked); // proves E-03, E-08
    let mut story = looping(|_, _| {});
    story.answer("author", done(100));
    story.answer("critic", outcome(Outcome::Blocked, 200));
    assert_eq!(story.question().reason, Reason::Blocked); // proves E-08
}

#[test]
fn status_and_further_help_win_over_a_recommendation_that_contradicts_them() {
    let cases = [
        (Outcome::Done, Some(false), Recommendation::Repeat, Reason::Verified),
        (Outcome::Done, None, Recommendation::Escalate, Reason::Verified),
        (Outcome::Concerns, Some(true), Recommendation::Continue, Reason::FurtherHelp),
        (Outcome::Concerns, Some(true), Recommendation::Escalate, Reason::FurtherHelp),
        (Outcome::Concerns, Some(false), Recommendation::Repeat, Reason::NoFurtherHelp),
    ];
    for (status, further_help, said, reason) in cases {
        let mut story = looping(|_, _| {});
        story.answer("author", done(100));
        let facts = Facts { further_help, recommendation: Some(said), ..outcome(status, 200) };
        let events = story.answer("critic", facts);
        assert_eq!(story.last_route().1, reason, "{said:?}"); // proves E-08
        let contradicts = |event: &Event| matches!(event, Event::Routed { contradiction: true, .. });
        assert!(events.iter().any(contradicts), "{said:?}"); // proves E-08
    }
}

#[test]
fn what_agrees_is_no_contradiction() {
    let cases = [
        (Outcome::Done, Some(false), Some(Recommendation::Continue)),
        (Outcome::Concerns, Some(true), Some(Recommendation::Repeat)),
        (Outcome::Concerns, Some(false), Some(Recommendation::Continue)),
        (Outcome::Concerns, Some(true), None),
    ];
    for (status, further_help, recommendation) in cases {
        let mut story = looping(|_, _| {});
        story.answer("author", done(100));
        let events = story.answer("critic", Facts { further_help, recommendation, ..outcome(status, 200) });
        let contradicts = |event: &Event| matches!(event, Event::Routed { contradiction: true, .. });
        assert!(!events.iter().any(contradicts), "{recommendation:?}");
    }
}

#[test]
fn a_critic_that_says_nothing_of_further_help_is_taken_at_its_recommendation() {
    for (recommendation, worker) in [(Some(Recommendation::Repeat), "author"), (None, "closer")] {
        let mut story = looping(|_, _| {});
        story.answer("author", done(100));
        story.answer("critic", Facts { recommendation, ..outcome(Outcome::Concerns, 200) });
        assert_eq!(story.at_work(), [worker]);
    }
}

#[test]
fn a_critic_may_want_a_person_or_a_stop_where_no_round_would_help() {
    let ask = |status, further_help, said| {
        let mut story = looping(|_, _| {});
        story.answer("author", done(100));
        story.answer("critic", Facts { further_help, recommendation: Some(said), ..outcome(status, 200) });
        story
    };
    let story = ask(Outcome::Concerns, Some(false), Recommendation::Escalate);
    assert_eq!(story.question().reason, Reason::EscalationAsked);
    let story = ask(Outcome::Done, None, Recommendation::Stop);
    assert_eq!(story.ending(), &Ending::Halted(Reason::Stop)); // proves X-08
    let story = ask(Outcome::Skipped, None, Recommendation::Continue);
    assert_eq!(story.last_route().1, Reason::Skipped); // proves L-06
}

#[test]
fn an_author_with_nothing_to_do_leaves_the_loop() {
    let mut story = looping(|_, _| {});
    story.answer("author", outcome(Outcome::Skipped, 100));
    assert_eq!(story.at_work(), ["closer"]); // proves L-06
    assert_eq!(story.last_route().1, Reason::Skipped);
}
