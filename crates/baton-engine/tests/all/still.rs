//! Agents that say that they are still at work, and are asked again later: what becomes of them meanwhile.

use std::sync::Arc;

use baton_courier::{Inbox, Kind};
use baton_engine::history::views::show;
use baton_engine::project::agents::Setup;
use baton_engine::records::mailbox::RunRequest;
use baton_engine::service::post::post;
use baton_kernel::{Event, FailureKind, Join, Millis, OnTimeout, Plan, What};

use crate::stories::{NOW, Office, ROOT, order};

/// What an agent answers that is still at work.
pub(crate) const PENDING: &str = "<handoff>\n  <from>cyd</from>\n  <to>cyd</to>\n  <status>pending</status>\n  <summary>The tests still run.</summary>\n</handoff>\n";

/// One step, whose attempts have so long.
fn timed(attempt_ms: u64) -> Plan {
    let mut plan = Plan::named("row");
    let cyd = plan.agent("cyd");
    let only = plan.pass("only", cyd);
    plan.change(only, |step| {
        step.limits.attempt_ms = Some(attempt_ms);
        step.limits.on_timeout = OnTimeout::Retry;
    });
    plan.caps(|caps| caps.retries = 2);
    plan.build().expect("the plan holds together")
}

// proves S-05: an attempt that is recorded as begun is begun, whatever the one before it said of itself.
#[test]
fn an_attempt_behind_one_that_was_still_at_work_is_begun_when_the_record_says_so() {
    let office = Office::new(Kind::Neither, &[("cyd", "pipeline")]);
    let mut engine = office.engine("one");
    engine.start(order(timed(16_000)), NOW).expect("it starts");
    let mut asked = Vec::new();
    for second in 0..120 {
        let now = Millis(NOW.0 + second * 1_000);
        engine.turn(now).expect("the ledger works");
        while office.desk.count() > 0 {
            asked.push((office.desk.answer(PENDING).attempt, second));
            engine.turn(now).expect("the ledger works");
        }
    }
    let begun = |event: Event| {
        if let Event::DeliveryStarted { attempt, .. } = event { Some(u32::from(attempt)) } else { None }
    };
    let begun: Vec<u32> = office.events().into_iter().filter_map(begun).collect();
    assert_eq!(begun, [1, 2, 3]);
    for attempt in begun {
        let times: Vec<u64> = asked.iter().filter(|(of, _)| *of == attempt).map(|(_, at)| *at).collect();
        let first = times.first().expect("who is said to have begun was asked");
        let pauses: Vec<u64> = times.iter().map(|at| at - first).collect();
        assert_eq!(pauses, [0, 5, 15], "and each is left alone as long as the first was");
    }
}

// proves S-04: who is stopped while it is left alone is interrupted like any other, and begins again with the run.
#[test]
fn an_agent_that_is_still_at_work_is_interrupted_when_its_driver_leaves() {
    let office = Office::new(Kind::Neither, &[("cyd", "pipeline")]);
    let mut engine = office.engine("one");
    engine.start(order(timed(600_000)), NOW).expect("it starts");
    office.desk.answer(PENDING);
    engine.turn(NOW).expect("the ledger works");
    engine.leave();
    engine.turn(Millis(NOW.0 + 1_000)).expect("the ledger works");
    assert_eq!(engine.held().count(), 0, "nothing is waited for");
    let failed = |event: &Event| {
        if let Event::AttemptFailed { failure, .. } = event { Some(failure.kind) } else { None }
    };
    let kinds: Vec<FailureKind> = office.events().iter().filter_map(failed).collect();
    assert_eq!(kinds, [FailureKind::Interrupted]);
    assert_eq!(office.desk.count(), 0, "and nobody is called by who leaves");
    office.engine("two").tell("run", What::Tick, None, Millis(NOW.0 + 2_000)).expect("somebody resumes it");
    assert_eq!(office.desk.next().0.attempt, 2);
    let asked = |event: &Event| matches!(event, Event::PersonAsked { .. });
    assert!(!office.events().iter().any(asked), "nobody is asked whether it may begin again");
}

#[test]
fn an_agent_that_says_so_while_its_driver_leaves_is_interrupted_too() {
    let office = Office::new(Kind::Neither, &[("cyd", "pipeline")]);
    let mut engine = office.engine("one");
    engine.start(order(timed(600_000)), NOW).expect("it starts");
    engine.leave();
    office.desk.answer(PENDING);
    engine.turn(NOW).expect("the ledger works");
    assert_eq!(engine.held().count(), 0, "nothing is waited for");
    let view = show(&office.ledger, "run", NOW).expect("the run is there");
    assert!(view.pending.deliveries.is_empty() && view.pending.questions.is_empty());
}

#[test]
fn what_lies_in_an_inbox_goes_on_when_a_driver_leaves() {
    let mut office = Office::new(Kind::Neither, &[("cyd", "pipeline")]);
    office.agents.add("ben", Setup::new(Arc::new(Inbox), "pipeline"));
    let mut plan = Plan::named("both");
    let (cyd, ben) = (plan.agent("cyd"), plan.agent("ben"));
    let branches = [plan.pass("called", cyd), plan.pass("looks", ben)];
    let both = plan.parallel("both", &branches, Join::AllComplete);
    plan.start(both);
    let mut engine = office.engine("one");
    engine.start(order(plan.build().expect("the plan holds together")), NOW).expect("it starts");
    let view = show(&office.ledger, "run", NOW).expect("the run is there");
    let owed = view.pending.deliveries.iter().find(|owed| owed.to == ben).expect("ben has work").clone();
    let wish = RunRequest::Answer { key: owed.key, attempt: owed.attempt };
    post(&office.ledger, ROOT.as_ref(), "run", &wish, Some(PENDING.replace("cyd", "ben").as_bytes()), NOW)
        .expect("it is written");
    engine.turn(Millis(NOW.0 + 1_000)).expect("the ledger works");
    office.desk.answer(PENDING);
    engine.leave();
    engine.turn(Millis(NOW.0 + 2_000)).expect("the ledger works");
    assert_eq!(engine.held().count(), 0, "nothing is waited for");
    let left = show(&office.ledger, "run", NOW).expect("the run is there").pending.deliveries;
    assert_eq!(left, [owed], "nobody stopped ben");
}
