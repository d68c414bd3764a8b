//! Deliveries (S-05, L-05): keys, attempts, retries, dead letters, expiry, crashes, and reports that come twice or late.

use baton_kernel::{
    AskId, Choice, Command, CourierKind, Ending, Event, Facts, Failure, FailureKind, Fence, How, Key, LaneId,
    Millis, OnTimeout, Outcome, Plan, Reason, Refusal, Report, Standing, StepId, Truth, What, bounds, decide,
};

use crate::story::{Story, ada, digest, done, outcome, started};

fn passing(change: impl FnOnce(&mut baton_kernel::Builder, StepId)) -> Story {
    let mut plan = Plan::named("pass");
    let (one, two) = (plan.agent("one"), plan.agent("two"));
    let first = plan.pass("first", one);
    let second = plan.pass("second", two);
    plan.then(first, second);
    change(&mut plan, first);
    Story::of(plan.build().unwrap())
}

fn answer(key: Key, attempt: u16, content: u64) -> What {
    What::Report { key, attempt, report: Report::Answer(done(content)) }
}

#[test]
fn a_hop_is_three_small_events_and_the_attempt_is_recorded_with_the_routing_that_caused_it() {
    let mut story = passing(|_, _| {});
    let events = story.done("one");
    assert!(matches!(
        events[..],
        [Event::Answered { .. }, Event::Routed { .. }, Event::DeliveryStarted { attempt: 1, .. }]
    ));
    let json = serde_json::to_string(&events).unwrap();
    assert!(json.len() < 600, "{json}");
}

#[test]
fn recoverable_failures_are_retried_three_times_with_growing_pauses_then_are_a_dead_letter() {
    let mut story = passing(|_, _| {});
    let key = story.with("one").key;
    let mut pauses = Vec::new();
    for attempt in 1..=3 {
        let events = story.fails("one", true);
        assert!(matches!(events[..], [Event::AttemptFailed { .. }, Event::RetryPlanned { .. }]));
        let due = story.owed().next_due.unwrap();
        pauses.push(due.0 - story.now.0);
        assert_eq!(story.owed().deliveries, []);
        let events = story.until_due();
        assert_eq!(started(&events), [(key, attempt + 1, How::Retry)]); // proves S-05, L-05
    }
    assert_eq!(pauses, [5_000, 20_000, 80_000]); // proves L-05
    let events = story.fails("one", true);
    let dead = Event::DeadLettered { key, reason: Reason::RetriesExhausted };
    assert!(events.contains(&dead)); // proves S-05
    assert_eq!(story.question().reason, Reason::RetriesExhausted); // proves L-05
    assert_eq!(story.question().dead, Some(key));
    assert_eq!(story.state.handoffs(), 1, "retries are no handoffs"); // proves S-07
}

#[test]
fn unrecoverable_failures_go_to_a_person_at_once() {
    let mut story = passing(|_, _| {});
    story.fails("one", false);
    assert_eq!(story.question().reason, Reason::Unrecoverable); // proves L-05
}

#[test]
fn an_error_handoff_of_the_agent_is_a_failed_attempt() {
    let mut story = passing(|_, _| {});
    let key = story.with("one").key;
    story.answer("one", Facts { recoverable: true, tokens: 9, ..outcome(Outcome::Failed, 1) });
    assert_eq!(story.state.tokens(), 9);
    assert_eq!(started(&story.until_due()), [(key, 2, How::Retry)]); // proves L-05, L-06
    story.answer("one", outcome(Outcome::Failed, 1));
    assert_eq!(story.question().reason, Reason::Unrecoverable); // proves L-05
}

#[test]
fn a_dead_letter_is_retried_with_its_key_and_all_its_retries() {
    let mut story = passing(|_, _| {});
    let key = story.with("one").key;
    assert_eq!(story.say(What::Retry { key, by: ada() }), Err(Refusal::NotDead { key }));
    story.fails("one", false);
    let events = story.must(What::Retry { key, by: ada() });
    assert_eq!(started(&events), [(key, 2, How::Asked)]); // proves S-05
    story.fails("one", true);
    assert_eq!(started(&story.until_due()), [(key, 3, How::Retry)]);
    story.done("one");
    assert_eq!(story.at_work(), ["two"]);
    assert_eq!(story.say(What::Retry { key, by: ada() }), Err(Refusal::NotDead { key }));
}

#[test]
fn a_dead_letter_may_be_left_behind() {
    let mut story = passing(|_, _| {});
    let key = story.with("one").key;
    story.fails("one", false);
    story.choose(Choice::GoOn).unwrap();
    assert_eq!(story.at_work(), ["two"]);
    assert_eq!(story.say(answer(key, 1, 3)), Err(Refusal::DeliveryOver { key }));
}

#[test]
fn an_attempt_whose_time_is_over_is_retried_asked_about_or_stops_the_run() {
    let timed = |on_timeout| {
        let mut story = passing(|plan, first| {
            plan.change(first, |step| {
                step.limits.attempt_ms = Some(60_000);
                step.limits.on_timeout = on_timeout;
            });
        });
        assert_eq!(story.pass(59_999), []);
        story.pass(1);
        story
    };
    let story = timed(OnTimeout::Stop);
    assert_eq!(story.ending(), &Ending::Halted(Reason::TimedOut)); // proves X-09
    let story = timed(OnTimeout::Ask);
    assert_eq!(story.question().reason, Reason::TimedOut);
    let mut story = timed(OnTimeout::Retry);
    assert_eq!(story.owed().next_due, Some(story.now.after(5_000)));
    let events = story.until_due();
    let due = story.now.after(60_000);
    assert!(matches!(events[..], [Event::DeliveryStarted { attempt: 2, due: Some(at), .. }] if at == due));
}

#[test]
fn an_answer_that_comes_after_its_time_but_before_the_next_attempt_is_welcome() {
    let mut story = passing(|plan, first| {
        plan.change(first, |step| step.limits.attempt_ms = Some(60_000));
    });
    let key = story.with("one").key;
    story.pass(60_000);
    let failure = Failure { kind: FailureKind::Courier, recoverable: true, signature: None, tokens: 0 };
    let refused = story.say(What::Report { key, attempt: 1, report: Report::Failure(failure) });
    assert_eq!(refused, Err(Refusal::Repeated { key }));
    story.must(answer(key, 1, 3));
    assert_eq!(story.at_work(), ["two"]);
}

#[test]
fn a_delivery_expires_whatever_its_attempts_and_is_not_delivered_later_as_if_new() {
    let mut story = passing(|plan, first| {
        plan.change(first, |step| step.limits.expires_ms = Some(10_000));
    });
    let key = story.with("one").key;
    story.fails("one", true);
    assert_eq!(story.owed().next_due, Some(story.now.after(5_000)));
    let events = story.pass(10_000);
    assert_eq!(started(&events), []);
    assert!(events.contains(&Event::DeadLettered { key, reason: Reason::Expired })); // proves S-05
    story.choose(Choice::Again).unwrap();
    story.pass(9_999);
    assert_eq!(story.at_work(), ["one"], "what a person asked for has no old expiry");
    let events = story.pass(1);
    assert!(events.contains(&Event::DeadLettered { key, reason: Reason::Expired }), "{events:?}"); // proves S-05
    assert_eq!(story.replayed(), story.state);
}

#[test]
fn an_agent_whose_question_was_answered_has_its_time_anew_and_no_more() {
    let mut story = passing(|plan, first| {
        plan.change(first, |step| step.limits.expires_ms = Some(10_000));
    });
    let key = story.with("one").key;
    let failure = Failure { kind: FailureKind::Permission, recoverable: true, signature: None, tokens: 0 };
    story.report("one", Report::Failure(failure)).unwrap();
    // The agent does not work meanwhile, and what it does not use does not count.
    story.pass(30_000);
    assert_eq!(story.question().reason, Reason::PermissionAsked);
    let events = story.choose(Choice::Again).unwrap();
    assert_eq!(started(&events), [(key, 2, How::Answered)]);
    story.fails("one", true);
    story.pass(5_000);
    assert_eq!(story.with("one").attempt, 3);
    let events = story.pass(5_000);
    assert!(events.contains(&Event::DeadLettered { key, reason: Reason::Expired }), "{events:?}"); // proves S-05
}

#[test]
fn the_same_report_twice_counts_once_and_is_told() {
    let mut story = passing(|_, _| {});
    let key = story.with("one").key;
    story.must(answer(key, 1, 3));
    let before = story.state.clone();
    assert_eq!(story.say(answer(key, 1, 3)), Err(Refusal::DeliveryOver { key })); // proves S-05
    assert_eq!(story.state, before);
    assert_eq!(story.state.handoffs(), 2, "the same message does not make a second task");
}

#[test]
fn a_worker_that_was_thought_dead_is_recorded_once_and_never_counted() {
    let mut story = passing(|plan, first| {
        plan.change(first, |step| step.limits.attempt_ms = Some(1_000));
    });
    let key = story.with("one").key;
    story.pass(1_000);
    story.pass(5_000);
    assert_eq!(story.with("one").attempt, 2);
    assert_eq!(story.must(answer(key, 1, 3)), [Event::LateReport { key, attempt: 1 }]); // proves S-05
    assert_eq!(story.at_work(), ["one"]);
    let again = story.say(answer(key, 1, 3));
    assert_eq!(again, Err(Refusal::Superseded { key, attempt: 1, current: 2 })); // proves S-05
    let progress = What::Report { key, attempt: 1, report: Report::Progress };
    assert_eq!(story.say(progress), Err(Refusal::Superseded { key, attempt: 1, current: 2 }));
    story.must(answer(key, 2, 4));
    assert_eq!(story.at_work(), ["two"]);
}

#[test]
fn a_dead_letter_that_answers_after_all_is_recorded_and_not_counted() {
    let mut story = passing(|_, _| {});
    let key = story.with("one").key;
    story.fails("one", false);
    assert_eq!(story.must(answer(key, 1, 3)), [Event::LateReport { key, attempt: 1 }]);
    assert_eq!(story.question().reason, Reason::Unrecoverable);
    assert!(matches!(story.say(answer(key, 1, 3)), Err(Refusal::Superseded { .. })));
}

#[test]
fn deliveries_and_attempts_that_never_were_are_refused() {
    let mut story = passing(|_, _| {});
    let key = story.with("one").key;
    let unknown = Key { number: 99, lane: LaneId(0), step: StepId(0) };
    assert_eq!(story.say(answer(unknown, 1, 3)), Err(Refusal::UnknownDelivery { key: unknown }));
    let next = Key { number: key.number + 1, ..key };
    assert_eq!(story.say(answer(next, 1, 3)), Err(Refusal::UnknownDelivery { key: next }));
    assert_eq!(story.say(answer(key, 2, 3)), Err(Refusal::UnknownAttempt { key, attempt: 2 }));
    assert_eq!(story.say(answer(key, 0, 3)), Err(Refusal::UnknownAttempt { key, attempt: 0 }));
}

// proves S-05: what expired while nobody drove the run is given up, and no attempt is recorded that never was.
#[test]
fn what_expired_before_it_was_found_is_not_sent_again() {
    for courier in [CourierKind::Idempotent, CourierKind::Neither] {
        let mut story = passing(|plan, first| {
            plan.change(first, |step| step.limits.expires_ms = Some(3_000));
        });
        story.now = Millis(story.now.0 + 4_000);
        assert_eq!(started(&story.found("one", courier)), []);
        assert_eq!(story.question().reason, Reason::Expired);
    }
    // Its own time alone says nothing of how far it came.
    let mut story = passing(|plan, first| {
        plan.change(first, |step| step.limits.attempt_ms = Some(3_000));
    });
    story.now = Millis(story.now.0 + 4_000);
    story.found("one", CourierKind::Neither);
    assert_eq!(story.question().reason, Reason::MayHaveBegun); // proves S-04
}

#[test]
fn after_a_crash_the_couriers_kind_decides_what_becomes_of_a_started_attempt() {
    let mut story = passing(|_, _| {});
    let key = story.with("one").key;
    assert_eq!(started(&story.found("one", CourierKind::Idempotent)), [(key, 2, How::Resent)]); // proves S-04
    story.report("one", Report::Session("s-1".to_owned())).unwrap();
    assert_eq!(story.with("one").session.as_deref(), Some("s-1"));
    assert_eq!(started(&story.found("one", CourierKind::Resumable)), [(key, 3, How::Resumed)]); // proves S-04
    assert_eq!(story.with("one").session.as_deref(), Some("s-1"));
    story.found("one", CourierKind::Neither);
    assert_eq!(story.question().reason, Reason::MayHaveBegun); // proves S-04
    story.choose(Choice::Again).unwrap();
    assert_eq!(story.with("one").attempt, 4);
    // Without a known session there is nothing to resume.
    story.found("one", CourierKind::Resumable);
    assert_eq!(story.question().reason, Reason::MayHaveBegun);
}

#[test]
fn an_agent_that_is_safe_to_restart_is_restarted() {
    let mut story = passing(|plan, _| plan.safe_to_restart(baton_kernel::AgentId(0)));
    let key = story.with("one").key;
    assert_eq!(started(&story.found("one", CourierKind::Neither)), [(key, 2, How::Resent)]); // proves S-04
    assert_eq!(story.state.handoffs(), 1);
}

#[test]
fn an_attempt_that_is_not_under_way_cannot_be_found() {
    let mut story = passing(|_, _| {});
    let key = story.with("one").key;
    let found = |attempt| What::Found { key, attempt, courier: CourierKind::Idempotent };
    story.must(found(1));
    assert_eq!(story.say(found(1)), Err(Refusal::Superseded { key, attempt: 1, current: 2 }));
    story.fails("one", true);
    assert_eq!(story.say(found(2)), Err(Refusal::Repeated { key }));
}

#[test]
fn a_machine_that_crashes_on_every_attempt_does_not_do_so_for_ever() {
    let mut story = passing(|_, _| {});
    for _ in 1..bounds::ATTEMPTS_MAX {
        story.found("one", CourierKind::Idempotent);
    }
    assert_eq!(story.with("one").attempt, bounds::ATTEMPTS_MAX);
    story.found("one", CourierKind::Idempotent);
    assert_eq!(story.question().reason, Reason::AttemptsExhausted); // proves S-07
    assert!(matches!(story.choose(Choice::Again), Err(Refusal::AttemptsExhausted { .. })));
    story.choose(Choice::GoOn).unwrap();
    assert_eq!(story.at_work(), ["two"]);
}

#[test]
fn whoever_was_allowed_what_it_asked_for_goes_on_with_the_answer() {
    let mut story = passing(|_, _| {});
    let key = story.with("one").key;
    let failure = Failure { kind: FailureKind::Permission, recoverable: false, signature: None, tokens: 0 };
    story.report("one", Report::Failure(failure)).unwrap();
    assert_eq!(story.question().reason, Reason::PermissionAsked);
    assert_eq!(started(&story.choose(Choice::Again).unwrap()), [(key, 2, How::Answered)]);
}

#[test]
fn a_question_that_was_never_asked_has_no_answer() {
    let mut story = passing(|_, _| {});
    let ask = AskId(story.with("one").key.number + 1);
    let answer = What::AnswerPerson { ask, choice: Choice::GoOn, by: ada(), content: None, more: None };
    assert_eq!(story.say(answer), Err(Refusal::UnknownQuestion { ask }));
}

#[test]
fn work_that_was_interrupted_begins_again_and_nobody_failed() {
    let interrupted = |recoverable| {
        Report::Failure(Failure { kind: FailureKind::Interrupted, recoverable, signature: None, tokens: 0 })
    };
    let mut story = passing(|_, _| {});
    for attempt in 1..bounds::ATTEMPTS_MAX {
        let key = story.with("one").key;
        let events = story.report("one", interrupted(false)).unwrap();
        assert_eq!(events.last(), Some(&Event::RetryPlanned { key, due: story.now }), "attempt {attempt}");
        assert_eq!(started(&story.pass(0)), [(key, attempt + 1, How::Interrupted)]);
    }
    story.report("one", interrupted(true)).unwrap();
    assert_eq!(story.question().reason, Reason::AttemptsExhausted); // proves S-07
}

#[test]
fn sessions_drafts_and_progress_are_recorded_while_the_delivery_stays_open() {
    let mut story = passing(|_, _| {});
    story.report("one", Report::Progress).unwrap();
    story.report("one", Report::Draft(digest(5))).unwrap();
    let key = story.with("one").key;
    assert_eq!(story.state.delivery(key).unwrap().draft, Some(digest(5)));
    assert_eq!(story.report("one", Report::Draft(digest(5))), Err(Refusal::Repeated { key }));
    story.report("one", Report::Session("s".to_owned())).unwrap();
    assert_eq!(story.report("one", Report::Session("s".to_owned())), Err(Refusal::Repeated { key }));
    story.answer("one", outcome(Outcome::Running, 1));
    assert_eq!(story.with("one").key, key); // proves L-06
    assert_eq!(story.state.delivery(key).unwrap().standing, Standing::Out);
}

#[test]
fn a_driver_that_lost_its_lease_is_refused() {
    let mut story = passing(|_, _| {});
    story.fence = Fence(2);
    let key = story.with("one").key;
    let events = story.done("one");
    assert!(matches!(events[2], Event::DeliveryStarted { fence: Fence(2), .. }));
    let late = Command { fence: Fence(1), what: answer(key, 1, 3) };
    assert_eq!(decide(&story.state, &late, Millis(0)), Err(Refusal::FenceLost { held: Fence(2) }));
}

#[test]
fn texts_that_are_too_long_are_refused() {
    let mut story = passing(|_, _| {});
    let long = "x".repeat(bounds::TEXT_BYTES_MAX + 1);
    for report in [
        Report::Session(long.clone()),
        Report::Answer(Facts { decision: Some(long.clone()), ..done(1) }),
        Report::Answer(Facts { signature: Some(long.clone()), ..done(1) }),
        Report::Failure(Failure {
            kind: FailureKind::Courier,
            recoverable: true,
            signature: Some(long),
            tokens: 0,
        }),
    ] {
        let refused = story.report("one", report);
        assert!(matches!(refused, Err(Refusal::TooLong { .. })), "{refused:?}");
    }
    let fits = Facts { decision: Some("x".repeat(bounds::TEXT_BYTES_MAX)), ..done(1) };
    story.answer("one", fits);
    let held = baton_kernel::Held { name: "x".to_owned(), truth: Truth::Holds };
    let many = Facts { held: vec![held.clone(); bounds::ROUTES_MAX + 1], ..done(1) };
    assert!(matches!(story.report("two", Report::Answer(many)), Err(Refusal::TooLong { .. })));
    story.answer("two", Facts { held: vec![held; bounds::ROUTES_MAX], ..done(1) });
}

#[test]
fn pauses_grow_up_to_their_ceiling() {
    let pauses: Vec<u64> = (0..8).map(bounds::retry_pause_ms).collect();
    assert!(pauses.windows(2).all(|two| two[0] < two[1] || two[1] == bounds::RETRY_PAUSE_MS_MAX));
    assert_eq!(bounds::retry_pause_ms(u16::MAX), bounds::RETRY_PAUSE_MS_MAX);
}
